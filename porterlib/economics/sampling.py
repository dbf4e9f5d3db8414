"""Draws of the inputs: triangular and PERT marginals, rank correlations after Iman and Conover (1982)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from porterlib.contracts.economics_estimates import Estimate
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_FIT_ROUNDS = 200
_GRID = 4001


def bounds(estimate: Estimate) -> tuple[float, float, float]:
    """Return minimum, mode and maximum of the estimate's distribution, in single units.

    P10 to P90 ranges are widened until the distribution's own 10th and 90th percentile meet them.
    """
    low, mode, high = (float(point) for point in estimate.points())
    if estimate.meaning == "min-max" or low == high:
        return low, mode, high
    return _widen(low, mode, high, estimate.distribution)


def _widen(low: float, mode: float, high: float, shape: str) -> tuple[float, float, float]:
    import numpy as np

    a, b = low, high
    grid = np.linspace(0.0, 1.0, _GRID)
    for _ in range(_FIT_ROUNDS):
        cumulative = _cumulative(grid, (mode - a) / (b - a), shape)
        p10, p90 = (a + (b - a) * float(np.interp(p, cumulative, grid)) for p in (0.1, 0.9))
        a, b = min(a + low - p10, mode), max(b + high - p90, mode)
        if abs(low - p10) + abs(high - p90) < 1e-9 * (high - low):
            break
    return a, mode, b


def _cumulative(grid: Array, mode: float, shape: str) -> Array:
    """Return the distribution function on 0..1 with its mode at `mode`, from its density."""
    import numpy as np

    if shape == "triangular":
        rising = grid**2 / mode if mode > 0 else np.zeros_like(grid)
        falling = 1 - (1 - grid) ** 2 / (1 - mode) if mode < 1 else np.ones_like(grid)
        return np.where(grid <= mode, rising, falling)
    density = grid ** (4 * mode) * (1 - grid) ** (4 * (1 - mode))
    steps = (density[1:] + density[:-1]) / 2
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(total / total[-1], dtype=np.float64)


def draw(estimate: Estimate, size: int, generator: np.random.Generator) -> Array:
    """Return `size` draws of the estimate, in single units; whole numbers for months.

    Draws of a widened range that pass a natural limit (0, and 1 for shares) are set to the limit, which
    leaves the stated percentiles where they are.
    """
    import numpy as np

    low, mode, high = bounds(estimate)
    if low == high:
        return np.full(size, mode)
    if estimate.distribution == "triangular":
        values = generator.triangular(low, mode, high, size)
    else:
        position = (mode - low) / (high - low)
        values = low + (high - low) * generator.beta(1 + 4 * position, 1 + 4 * (1 - position), size)
    values = np.clip(values, 0.0, 1.0 if estimate.unit == "share" else None)
    return np.rint(values) if estimate.unit == "month" else values


def check_correlations(matrix: Array) -> None:
    """Refuse what is no correlation matrix.

    Raises:
        EconomicsError: it is not square, not symmetric, lacks ones on its diagonal, leaves -1 to 1, or is not
            positive semidefinite (its smallest eigenvalue is named).

    """
    import numpy as np

    def refuse(problem: str) -> None:
        raise EconomicsError(f"correlations: {problem}", field="correlations")

    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        refuse(f"the matrix has shape {matrix.shape}; give as many rows as columns")
    if not np.all(np.isfinite(matrix)) or np.any(np.abs(matrix) > 1):
        refuse("an entry leaves -1 to 1; write for example 0.3")
    if not np.allclose(matrix, matrix.T) or not np.allclose(np.diag(matrix), 1):
        refuse("the matrix needs ones on its diagonal and the same value for a pair both ways")
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest < -1e-10:
        refuse(
            f"they contradict each other (the matrix is not positive semidefinite, smallest eigenvalue "
            f"{smallest:.4f}); if A goes with B and B with C, A and C cannot be "
            "strongly opposed; weaken one of them"
        )


def correlate(samples: Array, target: Array, generator: np.random.Generator) -> Array:
    """Return the samples reordered within each column so that their rank correlations approach `target`.

    Args:
        samples: shape (draws, inputs).
        target: rank correlation matrix, shape (inputs, inputs).
        generator: source of the normal scores.

    Returns:
        The same values in each column, in another order.

    """
    import numpy as np

    check_correlations(target)
    scores = generator.standard_normal(samples.shape)
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    moments = scores.T @ scores / len(scores)
    wanted = _root(2 * np.sin(np.pi * target / 6))
    mixed = np.linalg.solve(np.linalg.cholesky(moments), scores.T).T @ wanted.T
    order = np.argsort(np.argsort(mixed, axis=0, kind="stable"), axis=0, kind="stable")
    return np.take_along_axis(np.sort(samples, axis=0), order, axis=0)


def _root(matrix: Array) -> Array:
    """Return L with L Lᵀ = matrix; tiny negative eigenvalues of a nearly singular matrix count as zero.

    The Cholesky root is the only one with a positive diagonal, so every linear algebra library gives the same;
    eigenvectors, whose signs are free, serve where there is none.
    """
    import numpy as np

    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return _root_of_singular(matrix)


def _root_of_singular(matrix: Array) -> Array:
    import numpy as np

    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    lengths = np.sqrt((root**2).sum(axis=1, keepdims=True))
    return np.asarray(root / lengths, dtype=np.float64)


def ranks(values: Array) -> Array:
    """Return ranks 0, 1, 2, … of a sample (ties in order of appearance)."""
    import numpy as np

    result = np.empty(len(values), dtype=np.float64)
    result[np.argsort(values, kind="stable")] = np.arange(len(values))
    return result


def rank_correlation(first: Array, second: Array) -> float:
    """Return the rank correlation of two samples; 0 when one of them does not vary."""
    import numpy as np

    if first.min() == first.max() or second.min() == second.max():
        return 0.0
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def target_matrix(names: Sequence[str], pairs: Sequence[tuple[str, str, float]]) -> Array:
    """Return the correlation matrix of `names` from named pairs, other pairs at zero."""
    import numpy as np

    matrix = np.eye(len(names))
    for first, second, rho in pairs:
        if first in names and second in names:
            i, j = names.index(first), names.index(second)
            matrix[i, j] = matrix[j, i] = rho
    return matrix
