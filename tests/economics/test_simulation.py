"""Simulation: same seed same bits, right marginals, right correlations, honest errors."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from porterlib.contracts.economics_estimates import Estimate
from porterlib.economics import EconomicsInputs, calculate, inputs_sha256, simulate
from porterlib.economics.cashflows import net_present_value
from porterlib.economics.evaluate import frame_of
from porterlib.economics.report import case_named
from porterlib.economics.sampling import bounds, check_correlations, correlate, draw, rank_correlation
from porterlib.economics.simulation import npv_draws, npv_rows, sample_inputs, value_draws
from porterlib.errors import EconomicsError

from .conftest import estimate

Make = Callable[..., EconomicsInputs]


def an(low: Any, base: Any, high: Any, **more: Any) -> Estimate:
    return Estimate.model_validate(estimate(low, base, high, "EUR", **more))


def test_same_seed_gives_the_same_bits_and_another_seed_does_not(make: Make) -> None:
    one, two, other = (simulate(make(), draws=5000, seed=seed) for seed in (3, 3, 4))
    assert one == two
    assert one.mean != other.mean


def test_simulation_carries_seed_and_inputs_and_leaves_the_headline_alone(make: Make) -> None:
    inputs = make()
    before = calculate(inputs)
    result = simulate(inputs, draws=2000)
    assert result.inputs_sha256 == inputs_sha256(inputs) == before.inputs_sha256
    assert result.seed == 20260101
    assert "numpy" in result.generator
    assert "not percentiles" in result.caution
    assert calculate(inputs) == before


def test_each_draw_is_the_calculator_s_value(make: Make) -> None:
    """Draws with timing, tax and a ranged rate agree with the exact calculator draw by draw."""
    inputs = make(
        timing="mid", periods="quarterly", lines={"tax_rate": estimate("0.1", "0.2", "0.3", "share")}
    )
    case, frame = case_named(inputs, "targeted"), frame_of(inputs)
    samples = sample_inputs(case, inputs, 40, 5)
    values = value_draws(case, frame, samples, 40)
    for index in range(40):
        settings = {name: Decimal(float(array[index])) for name, array in samples.items()}
        exact = float(net_present_value(case.values(settings), frame))
        assert values[index] == pytest.approx(exact, rel=1e-9, abs=1e-3)


def test_mean_and_loss_have_sampling_errors_that_hold(make: Make) -> None:
    small, large = simulate(make(), draws=4000, seed=1), simulate(make(), draws=400_000, seed=2)
    assert abs(small.mean - large.mean) < 4 * small.mean_standard_error
    assert abs(small.probability_of_loss - large.probability_of_loss) < 4 * small.probability_standard_error
    for few, many in zip(small.percentiles, large.percentiles, strict=True):
        assert abs(few.value - many.value) < 5 * few.standard_error
    assert large.expected_shortfall < large.percentiles[1].value
    assert large.mean_standard_error < small.mean_standard_error / 5


def test_corners_lie_outside_almost_every_draw(make: Make) -> None:
    result = simulate(make(), draws=20_000)
    assert result.worst_corner_percentile == 0
    assert result.best_corner_percentile == 1


def test_shares_of_uncertainty_add_up_and_rank_like_the_tornado(make: Make) -> None:
    inputs = make()
    result, drivers = simulate(inputs, draws=50_000), calculate(inputs).scenario("targeted").drivers
    assert sum(share.share for share in result.drivers) == pytest.approx(1)
    assert [share.line for share in result.drivers[:2]] == [driver.line for driver in drivers[:2]]


def test_correlations_reach_their_target_and_keep_the_marginals(make: Make) -> None:
    pairs = [{"first": "run_cost", "second": "control_cost", "rho": "0.6"}]
    inputs, plain = make(correlations=pairs), make()
    case = case_named(inputs, "targeted")
    joint, apart = sample_inputs(case, inputs, 50_000, 9), sample_inputs(case, plain, 50_000, 9)
    assert rank_correlation(joint["run_cost"], joint["control_cost"]) == pytest.approx(0.6, abs=0.01)
    assert rank_correlation(joint["run_cost"], joint["upfront_cost"]) == pytest.approx(0, abs=0.02)
    for name, array in apart.items():
        assert np.array_equal(np.sort(joint[name]), np.sort(array))
    assert simulate(inputs, draws=5000).correlation.startswith("rank correlations")


@pytest.mark.parametrize("rho", [-1.0, -0.9, 0.5, 0.99, 1.0])
def test_any_valid_correlation_is_reached(rho: float) -> None:
    generator = np.random.default_rng(4)
    samples = np.column_stack([generator.exponential(size=20_000), generator.random(20_000)])
    table = correlate(samples, np.array([[1, rho], [rho, 1]]), generator)
    assert rank_correlation(table[:, 0], table[:, 1]) == pytest.approx(rho, abs=0.02)


@pytest.mark.parametrize(
    ("matrix", "problem"),
    [
        ([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], "positive semidefinite"),
        ([[1, 0.5], [0.4, 1]], "both ways"),
        ([[1, 2], [2, 1]], "leaves -1 to 1"),
        ([[1, 0.5]], "as many rows"),
        ([[1, float("nan")], [float("nan"), 1]], "leaves -1 to 1"),
    ],
)
def test_no_correlation_matrix(matrix: list[list[float]], problem: str) -> None:
    with pytest.raises(EconomicsError, match=problem):
        check_correlations(np.array(matrix, dtype=float))


def test_contradicting_correlations_of_the_inputs_are_refused(make: Make) -> None:
    names = ("run_cost", "control_cost", "expected_loss")
    pairs = [
        {"first": names[0], "second": names[1], "rho": "0.9"},
        {"first": names[1], "second": names[2], "rho": "0.9"},
        {"first": names[0], "second": names[2], "rho": "-0.9"},
    ]
    with pytest.raises(EconomicsError, match="contradict each other"):
        simulate(make(correlations=pairs), draws=1000)


@pytest.mark.parametrize("shape", ["triangular", "pert"])
@pytest.mark.parametrize("mode", [15, 30, 45])
def test_p10_p90_ranges_put_a_tenth_beyond_each_end(shape: str, mode: int) -> None:
    one = an(10, mode, 50, distribution=shape, meaning="p10-p90")
    low, _, high = bounds(one)
    assert low < 10 < 50 < high
    values = draw(one, 200_000, np.random.default_rng(2))
    assert float((values < 10).mean()) == pytest.approx(0.1, abs=0.004)
    assert float((values > 50).mean()) == pytest.approx(0.1, abs=0.004)


def test_shares_stay_shares_and_months_stay_whole() -> None:
    share = Estimate.model_validate(estimate("0.5", "0.8", "0.95", "share", meaning="p10-p90"))
    values = draw(share, 50_000, np.random.default_rng(3))
    assert float(values.min()) >= 0
    assert float(values.max()) <= 1
    month = draw(Estimate.model_validate(estimate(3, 7, 12, "month")), 1000, np.random.default_rng(3))
    assert np.array_equal(month, np.rint(month))


def test_kernels_agree_with_each_other() -> None:
    flows = np.random.default_rng(8).standard_normal((40_000, 7))
    assert np.allclose(npv_rows(0.1, flows), npv_draws(1 / 1.1, np.ascontiguousarray(flows.T)), rtol=1e-12)


@pytest.mark.parametrize("draws", [10, 10**9])
def test_absurd_draw_counts_are_refused(make: Make, draws: int) -> None:
    with pytest.raises(EconomicsError, match="1000 to 10000000"):
        simulate(make(), draws=draws)


def test_unknown_scenario_is_refused(make: Make) -> None:
    with pytest.raises(EconomicsError, match="no scenario 'scaled'"):
        simulate(make(), scenario="scaled")
