"""Seeded Monte Carlo of one scenario, vectorised; its floats never become headline figures.

Plain element-wise steps in a fixed order make a seed give the same bits again: no threaded reduction takes
part in a draw's value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.economics_simulation import Percentile, Simulation, UncertaintyShare
from porterlib.economics.algebra import Polynomial, polynomial
from porterlib.economics.arithmetic import exact
from porterlib.economics.cashflows import Frame, timing_offset
from porterlib.economics.corners import find_spread
from porterlib.economics.evaluate import frame_of
from porterlib.economics.report import case_named
from porterlib.economics.sampling import correlate, draw, rank_correlation, target_matrix
from porterlib.economics.scenarios import OUTER, RATE, Case
from porterlib.economics.signing import inputs_sha256
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CAUTION = (
    "the corners put every input at its end at once and are not percentiles: ten equal independent inputs "
    "all at their P10 leave only 0.0025 % of outcomes below; the distribution is only as good as the ranges and "
    "their correlations, and it says nothing about what was left out"
)
_PERCENTS = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0)
_BLOCK = 16384
_TAIL = 0.05


def npv_rows(rate: float, flows: Array) -> Array:
    """Return the value of each series, first flow at time zero.

    Args:
        rate: rate per period above -1.
        flows: shape (series, periods).

    Returns:
        Shape (series,).

    """
    import numpy as np

    discount = (1.0 + rate) ** -np.arange(flows.shape[1], dtype=np.float64)
    return np.asarray(np.einsum("ij,j->i", flows, discount), dtype=np.float64)


def npv_draws(discount: float | Array, flows: Array) -> Array:
    """Return the value of each draw, first flow at time zero, in blocks that stay in the processor's cache.

    Args:
        discount: 1 / (1 + rate), one number or one a draw.
        flows: shape (periods, draws).

    Returns:
        Shape (draws,).

    """
    import numpy as np

    periods, size = flows.shape
    values = np.empty(size)
    for start in range(0, size, _BLOCK):
        part = slice(start, start + _BLOCK)
        factor = discount if isinstance(discount, float) else discount[part]
        total = np.array(flows[periods - 1, part])
        for period in range(periods - 2, -1, -1):
            total *= factor
            total += flows[period, part]
        values[part] = total
    return values


def simulate(
    inputs: EconomicsInputs, *, scenario: str = "targeted", draws: int = 100_000, seed: int = 20260101
) -> Simulation:
    """Return the distribution of a scenario's net present value.

    Raises:
        EconomicsError: the scenario lacks inputs, too few draws, or correlations that contradict each other.

    """
    if not 1000 <= draws <= 10_000_000:
        raise EconomicsError(
            f"draws: {draws} lies outside 1000 to 10000000; write for example 100000", field="draws"
        )
    case, frame = case_named(inputs, scenario), frame_of(inputs)
    samples = sample_inputs(case, inputs, draws, seed)
    values = value_draws(case, frame, samples, draws)
    spread = find_spread(case, None, frame)
    return _summary(
        inputs, case, samples, values, (float(spread["worst"].value), float(spread["best"].value)), seed
    )


def sample_inputs(case: Case, inputs: EconomicsInputs, draws: int, seed: int) -> dict[str, Array]:
    """Return draws of every ranged input of the case by variable name, correlated as the inputs say."""
    import numpy as np

    variables = {name: v for name, v in sorted(case.variables().items()) if v.ranged}
    streams = np.random.SeedSequence(seed).spawn(len(variables) + 1)
    drawn = {
        name: draw(v.estimate, draws, np.random.Generator(np.random.PCG64(stream)))
        for (name, v), stream in zip(variables.items(), streams, strict=False)
    }
    pairs = [
        (case.bounds[p.first].variable.name, case.bounds[p.second].variable.name, float(p.rho))
        for p in inputs.correlations
        if p.first in case.bounds and p.second in case.bounds
    ]
    if not pairs or not drawn:
        return drawn
    names = list(drawn)
    generator = np.random.Generator(np.random.PCG64(streams[-1]))
    table = correlate(np.column_stack([drawn[n] for n in names]), target_matrix(names, pairs), generator)
    return {name: np.ascontiguousarray(table[:, index]) for index, name in enumerate(names)}


def value_draws(case: Case, frame: Frame, samples: Mapping[str, Array], draws: int) -> Array:
    """Return the net present value of each draw."""
    import numpy as np

    values = np.empty(draws)
    discount = _discount(case, frame, samples)
    for start, delay, chosen in _timings(case, samples, draws):
        with exact():
            poly = polynomial(case, frame, start=start, delay=delay)
        part = {name: array[chosen] for name, array in samples.items()}
        factor = discount if isinstance(discount, float) else discount[chosen]
        values[chosen] = _value(poly, frame, part, factor, len(values[chosen]))
    return values


def _timings(
    case: Case, samples: Mapping[str, Array], draws: int
) -> Iterator[tuple[int, int, NDArray[np.intp] | slice]]:
    """Yield each timing that was drawn, with the draws that have it."""
    import numpy as np

    months = []
    for line, default in zip(OUTER, (1, 0), strict=True):
        bound = case.bounds.get(line)
        if bound is None:
            months.append(np.full(draws, default))
        else:
            drawn = samples.get(bound.variable.name, np.full(draws, float(bound.variable.base)))
            months.append(np.rint(drawn * float(bound.scale) + float(bound.offset)).astype(int))
    pairs = np.unique(np.stack(months), axis=1)
    for start, delay in pairs.T:
        same = (
            slice(None)
            if pairs.shape[1] == 1
            else np.flatnonzero((months[0] == start) & (months[1] == delay))
        )
        yield int(start), int(delay), same


def _discount(case: Case, frame: Frame, samples: Mapping[str, Array]) -> float | Array:
    def drawn(line: str) -> float | Array:
        variable = case.bounds[line].variable
        return samples.get(variable.name, float(variable.base))

    growth = 1.0 + drawn(RATE)
    if "inflation" in case.bounds:
        growth = growth / (1.0 + drawn("inflation"))
    return 1.0 / (1.0 + (growth - 1.0) / frame.per_year)


def _value(
    poly: Polynomial, frame: Frame, samples: Mapping[str, Array], discount: float | Array, size: int
) -> Array:
    import numpy as np

    values = np.empty(size)
    shift = discount ** -float(timing_offset(frame))
    for start in range(0, size, _BLOCK):
        part = slice(start, min(start + _BLOCK, size))
        count = part.stop - part.start
        flows = np.zeros((frame.periods + 1, count))
        for key in sorted(poly, key=sorted):
            product = np.ones(count)
            for name in sorted(key):
                product *= samples[name][part]
            for period, weight in enumerate(poly[key]):
                if weight:
                    flows[period] += float(weight) * product
        factor = discount if isinstance(discount, float) else discount[part]
        lift = shift if isinstance(shift, float) else shift[part]
        once = flows[0].copy()
        flows[0] = 0.0
        values[part] = once + npv_draws(factor, flows) * lift
    return values


def _summary(
    inputs: EconomicsInputs,
    case: Case,
    samples: Mapping[str, Array],
    values: Array,
    corners: tuple[float, float],
    seed: int,
) -> Simulation:
    import numpy as np

    ordered = np.sort(values)
    size = len(ordered)
    deviation = float(ordered.std(ddof=1))
    loss = float(np.searchsorted(ordered, 0.0)) / size
    tail = ordered[: max(1, int(size * _TAIL))]
    return Simulation(
        scenario=case.name,
        currency=inputs.currency,
        draws=size,
        seed=seed,
        generator=f"PCG64, numpy {np.__version__}",
        inputs_sha256=inputs_sha256(inputs),
        mean=float(ordered.mean()),
        standard_deviation=deviation,
        mean_standard_error=deviation / size**0.5,
        percentiles=tuple(_percentile(ordered, percent) for percent in _PERCENTS),
        probability_of_loss=loss,
        probability_standard_error=(loss * (1 - loss) / size) ** 0.5,
        expected_shortfall=float(tail.mean()),
        drivers=_drivers(samples, values),
        correlation="rank correlations (Iman-Conover)" if inputs.correlations else "independent",
        worst_corner_percentile=float(np.searchsorted(ordered, corners[0])) / size,
        best_corner_percentile=float(np.searchsorted(ordered, corners[1])) / size,
        caution=CAUTION,
    )


def _percentile(ordered: Array, percent: float) -> Percentile:
    """Return a percentile and its sampling error, from the spacing of neighbouring percentiles."""
    import numpy as np

    p, size = percent / 100, len(ordered)
    half = min(p, 1 - p, 0.01) / 2
    low, value, high = (float(np.quantile(ordered, q)) for q in (p - half, p, p + half))
    spacing = (high - low) / (2 * half)
    return Percentile(percent=percent, value=value, standard_error=(p * (1 - p) / size) ** 0.5 * spacing)


def _drivers(samples: Mapping[str, Array], values: Array) -> tuple[UncertaintyShare, ...]:
    found = {name: rank_correlation(array, values) for name, array in samples.items()}
    total = fsum(rho * rho for rho in found.values()) or 1.0
    shares = [
        UncertaintyShare(line=name, rank_correlation=rho, share=min(1.0, rho * rho / total))
        for name, rho in found.items()
    ]
    return tuple(sorted(shares, key=lambda s: (-s.share, s.line)))


def histogram(values: Sequence[float] | Array, bins: int = 40) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return bin edges and counts, for a chart."""
    import numpy as np

    counts, edges = np.histogram(np.asarray(values, dtype=np.float64), bins=bins)
    return tuple(float(e) for e in edges), tuple(int(c) for c in counts)
