"""A seed gives the same draws whatever linear algebra library stands below (rule 9.8)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porterlib.economics.sampling import correlate, rank_correlation

TARGET = np.array([[1.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 1.0]])


def drawn(target: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    samples = np.random.Generator(np.random.PCG64(1)).triangular(0.0, 1.0, 4.0, (4000, len(target)))
    return correlate(samples, target, np.random.Generator(np.random.PCG64(2)))


def test_the_signs_of_eigenvectors_which_are_free_change_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    before, eigh = drawn(TARGET), np.linalg.eigh

    def other(matrix: Any) -> Any:
        values, vectors = eigh(matrix)
        return values, vectors * np.array([-1.0, 1.0, -1.0])

    monkeypatch.setattr(np.linalg, "eigh", other)
    assert np.array_equal(drawn(TARGET), before)


def test_draws_reach_the_rank_correlations_asked_for() -> None:
    found = drawn(TARGET)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert rank_correlation(found[:, i], found[:, j]) == pytest.approx(TARGET[i, j], abs=0.03)


def test_a_matrix_on_the_edge_is_correlated_too() -> None:
    """Inputs that move as one leave no Cholesky root."""
    edge = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
    found = drawn(edge)
    assert rank_correlation(found[:, 0], found[:, 1]) == pytest.approx(1.0, abs=1e-6)
    assert rank_correlation(found[:, 0], found[:, 2]) == pytest.approx(0.5, abs=0.03)
