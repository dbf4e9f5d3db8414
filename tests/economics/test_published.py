"""Worked cases published elsewhere, each with its right value."""

from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pytest

from porterlib.contracts.economics_inputs import Estimate
from porterlib.economics import (
    declining_factor,
    delay_order,
    discounted_payback,
    npv,
    payback,
    perpetuity,
    real_option,
    search_corners,
)
from porterlib.economics.bias import UPLIFTS
from porterlib.economics.delay import delivered, jobs_of, sequence_cost
from porterlib.economics.sampling import correlate, draw
from porterlib.errors import EconomicsError


def test_spreadsheet_convention_and_textbook_convention_differ() -> None:
    flows = [-10000, 3000, 4200, 6800]
    assert round(npv("0.1", flows, timing="end"), 2) == Decimal("1188.44")
    assert round(npv("0.1", flows, timing="start"), 2) == Decimal("1307.29")


def test_total_economic_impact_states_its_basis() -> None:
    costs, benefits = [53150, 666715, 636772, 647783], [0, 1606511, 3061331, 4229760]
    spent, gained = npv("0.1", costs), npv("0.1", benefits)
    assert (round(spent), round(gained), round(gained - spent)) == (1672201, 7168371, 5496170)
    assert round((gained - spent) / spent * 100) == 329
    undiscounted = (Decimal(sum(benefits)) - sum(costs)) / sum(costs)
    assert round(undiscounted * 100, 1) == Decimal("343.9")


def test_mid_year_is_half_a_year_of_growth_above_end_of_year() -> None:
    flows = [953770, 1012310, 1070850, 1129400, 1187940 + 5124129]
    assert round(npv("0.3", flows, timing="end")) == 3915542
    assert round(npv("0.3", flows, timing="mid"), 2) == Decimal("4464404.67")


@pytest.mark.parametrize(
    ("rate", "flows", "years"),
    [
        ("0.14", [-1000, 347, 394, 424, 600], "3.2991"),
        ("0.11", [-2324000] + [600000] * 6, "5.3319"),
    ],
)
def test_discounted_payback(rate: str, flows: list[int], years: str) -> None:
    assert round(discounted_payback(rate, flows).years, 4) == Decimal(years)  # type: ignore[arg-type]


def test_recrossing_payback_is_flagged() -> None:
    result = payback([-100, 120, -50, 40])
    assert round(result.years, 2) == Decimal("0.83")  # type: ignore[arg-type]
    assert result.recrosses


def test_value_is_not_monotone_in_the_rate() -> None:
    low, high = search_corners(
        lambda x: npv(x["rate"], [-1600, 10000, -10000]), {"rate": ("0.1", 5)}, interior=["rate"]
    )
    assert round(npv("0.1", [-1600, 10000, -10000]), 2) == Decimal("-773.55")
    assert round(npv(5, [-1600, 10000, -10000]), 1) == Decimal("-211.1")
    assert round(high.value, 6) == 900
    assert abs(high.settings["rate"] - 1) < Decimal("1e-6")
    assert round(low.value, 2) == Decimal("-773.55")


def test_slope_flips_sign_with_the_price() -> None:
    low, high = search_corners(
        lambda x: x["seats"] * (x["price"] - Decimal("8.5")), {"seats": (100, 200), "price": (7, 12)}
    )
    assert (low.value, high.value) == (-300, 700)
    assert low.settings == {"seats": 200, "price": 7}


def test_shared_driver_is_kept_shared() -> None:
    ranges = {"seats": (100, 200), "price": (10, 12), "cost": (8, 9)}
    low, high = search_corners(lambda x: x["seats"] * x["price"] - x["seats"] * x["cost"], ranges)
    assert (low.value, high.value) == (100, 800)


def test_ratio_keeps_its_shared_denominator() -> None:
    low, high = search_corners(lambda x: (x["b"] - x["c"]) / x["c"], {"b": (80, 240), "c": (100, 120)})
    assert round(low.value, 3) == Decimal("-0.333")
    assert high.value == Decimal("1.4")


@pytest.mark.parametrize(
    ("rho", "percent"), [(0.0, 0.0025), (0.1, 0.16), (0.3, 1.76), (0.5, 4.2), (1.0, 10.0)]
)
def test_corners_are_not_percentiles(rho: float, percent: float) -> None:
    """Ten equal normal inputs all at P10: exact percentile, and the same from correlated draws."""
    p10 = NormalDist().inv_cdf(0.1)
    exact = NormalDist(0, (10 + 90 * rho) ** 0.5).cdf(10 * p10) * 100
    assert exact == pytest.approx(percent, rel=0.05)
    draws = 100_000
    rank = 6 / np.pi * np.arcsin(rho / 2)
    target = np.full((10, 10), rank) + (1 - rank) * np.eye(10)
    generator = np.random.default_rng(7)
    table = correlate(generator.standard_normal((draws, 10)), target, generator)
    found = float((table.sum(axis=1) <= 10 * p10).mean()) * 100
    error = 100 * (exact / 100 * (1 - exact / 100) / draws) ** 0.5
    assert abs(found - exact) < 4 * error + 0.02


def test_sum_of_modes_is_not_the_mean() -> None:
    """Seven modes of 77,092 in all, minima and maxima of 169,640 in all: the published means follow."""
    modes, ends = 77092, 169640
    assert round((modes + ends) / 3) == 82244
    assert round((4 * modes + ends) / 6) == 79668
    for shape, mean in (("triangular", 82244), ("pert", 79668)):
        one = {"low": 60000, "base": modes, "high": ends - 60000, "unit": "EUR", "basis": ["A-1"]}
        estimate = Estimate.model_validate({**one, "distribution": shape})
        values = draw(estimate, 400_000, np.random.default_rng(1))
        assert abs(float(values.mean()) - mean) < 5 * float(values.std()) / 400_000**0.5


def test_option_to_wait() -> None:
    good, bad = perpetuity(300, "0.1"), perpetuity(100, "0.1")
    option = real_option(
        investment=1600, value_good=good, value_bad=bad, probability_good="0.5", rate="0.1", early_value=200
    )
    assert option.value_now == 600
    assert round(option.value_waiting) == 773
    assert round(option.option_value) == 173
    assert option.invests_after == ("good",)


@pytest.mark.parametrize("p", [0, 1])
def test_learning_is_worth_nothing_when_nothing_is_uncertain(p: int) -> None:
    option = real_option(
        investment=1600, value_good=3300, value_bad=1100, probability_good=p, rate="0.1", early_value=200
    )
    assert option.option_value == 0


def test_delay_order() -> None:
    """A worth 10 a week takes 2 weeks, B worth 30 takes 4, on a baseline of 10: 100 or 120 within 6 weeks."""
    a, b = jobs_of([("A", 10, 2), ("B", 30, 4)])
    assert delivered((a, b), 6, baseline=10) == 100
    assert delivered((b, a), 6, baseline=10) == 120
    assert delay_order([("A", 10, 2), ("B", 30, 4)]) == (("B", "A"), 180)
    assert sequence_cost((a, b)) - sequence_cost((b, a)) == 20


@pytest.mark.parametrize(("year", "factor"), [(10, "0.7089"), (30, "0.3563"), (31, "0.3459")])
def test_green_book_factors(year: int, factor: str) -> None:
    assert round(declining_factor(year), 4) == Decimal(factor)


@pytest.mark.parametrize(
    ("row", "lower", "upper"),
    [
        ("standard_buildings", 2, 24),
        ("non_standard_buildings", 4, 51),
        ("standard_civil_engineering", 3, 44),
        ("non_standard_civil_engineering", 6, 66),
        ("equipment_and_development", 10, 200),
        ("outsourcing", 0, 41),
    ],
)
def test_optimism_bias_table(row: str, lower: int, upper: int) -> None:
    assert (UPLIFTS[row].lower, UPLIFTS[row].upper) == (lower, upper)
    assert UPLIFTS[row].line == ("run_cost" if row == "outsourcing" else "upfront_cost")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"probability_good": "1.2"}, "probability_good"),
        ({"reliability": "0.2"}, "reliability"),
        ({"investment": -1}, "positive amount"),
        ({"periods": 0}, "periods at least 1"),
    ],
)
def test_impossible_option_is_refused(changes: dict[str, object], problem: str) -> None:
    case: dict[str, object] = {"investment": 1600, "value_good": 3300, "value_bad": 1100, "rate": "0.1"}
    with pytest.raises(EconomicsError, match=problem):
        real_option(**{**case, "probability_good": "0.5", **changes})  # type: ignore[arg-type]


def test_a_signal_without_information_or_a_dear_pilot_adds_nothing() -> None:
    case = {"investment": 1600, "value_good": 3300, "value_bad": 1100, "rate": "0.1", "early_value": 200}
    assert real_option(**case, probability_good="0.5", reliability="0.5").option_value == 0  # type: ignore[arg-type]
    assert real_option(**case, probability_good="0.5", learning_cost=173).option_value == 0  # type: ignore[arg-type]
    cheap = real_option(**case, probability_good="0.5", learning_cost=100)  # type: ignore[arg-type]
    assert round(cheap.option_value, 2) == Decimal("72.73")
