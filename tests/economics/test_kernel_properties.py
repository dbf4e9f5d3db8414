"""What must hold for any series: translation, scaling, symmetry, order, and agreement with right rivals."""

import datetime as dt
import warnings
from decimal import Decimal, localcontext

import numpy as np
import numpy_financial as npf
import pytest
import pyxirr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from porterlib.economics import (
    deflate,
    discounted_payback,
    equivalent_annual_value,
    inflate,
    irr,
    irr_roots,
    mirr,
    nper,
    npv,
    payback,
    profitability_index,
    real_rate,
    terminal_value,
    xirr_roots,
    xnpv,
)
from porterlib.errors import EconomicsError

amounts = st.integers(-(10**6), 10**6)
flows = st.lists(amounts, min_size=1, max_size=12)
rates = st.decimals("-0.5", "3", places=4)


def near(a: Decimal | float, b: Decimal | float, relative: float = 1e-9) -> bool:
    return abs(float(a) - float(b)) <= relative * max(1.0, abs(float(a)), abs(float(b)))


@given(rates, flows)
def test_sign_symmetry_is_exact(rate: Decimal, series: list[int]) -> None:
    assert npv(rate, [-a for a in series]) == -npv(rate, series)


@given(rates, flows, st.integers(1, 1000))
def test_scaling(rate: Decimal, series: list[int], factor: int) -> None:
    assert near(npv(rate, [a * factor for a in series]), npv(rate, series) * factor, 1e-24)


@given(rates, flows, amounts)
def test_translation_at_time_zero(rate: Decimal, series: list[int], added: int) -> None:
    moved = npv(rate, [series[0] + added, *series[1:]])
    assert near(moved - npv(rate, series), added, 1e-18)


@given(rates, flows)
def test_the_three_timings_differ_by_half_and_whole_growth(rate: Decimal, series: list[int]) -> None:
    end, mid, start = (npv(rate, series, timing=timing) for timing in ("end", "mid", "start"))
    assert near(end * (1 + rate), start, 1e-20)
    assert near(mid * mid, end * start, 1e-20)


@given(flows)
def test_zero_rate_is_the_plain_sum(series: list[int]) -> None:
    assert npv(0, series) == sum(series)


@given(rates, flows)
def test_npv_agrees_with_both_rivals(rate: Decimal, series: list[int]) -> None:
    ours = float(npv(rate, series))
    scale = sum(abs(a) / (1 + float(rate)) ** k for k, a in enumerate(series)) or 1.0
    assert abs(ours - float(npf.npv(float(rate), np.array(series, dtype=float)))) <= 1e-10 * scale
    assert abs(ours - float(pyxirr.npv(float(rate), [float(a) for a in series]))) <= 1e-10 * scale


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3000), amounts), min_size=1, max_size=8), rates)
def test_xnpv_agrees_with_pyxirr_when_the_first_date_is_the_earliest(
    rows: list[tuple[int, int]], rate: Decimal
) -> None:
    start = dt.date(2026, 1, 1)
    dated = [(start + dt.timedelta(days=day), amount) for day, amount in [(0, 5), *rows]]
    rival = pyxirr.xnpv(float(rate), [d for d, _ in dated], [float(a) for _, a in dated])
    scale = sum(abs(a) / (1 + float(rate)) ** ((d - start).days / 365) for d, a in dated)
    assert abs(float(xnpv(rate, dated)) - float(rival)) <= 1e-9 * scale


@given(rates, st.permutations([(0, 100), (40, -30), (400, 900), (90, -12)]))
def test_dated_flows_after_the_anchor_may_come_in_any_order(
    rate: Decimal, order: list[tuple[int, int]]
) -> None:
    start = dt.date(2026, 1, 1)
    rows = [(start + dt.timedelta(days=day), amount) for day, amount in order]
    anchor = [(start, 1)]
    assert near(xnpv(rate, anchor + rows), xnpv(rate, anchor + sorted(rows)), 1e-24)


@settings(max_examples=60)
@given(st.lists(amounts, min_size=2, max_size=8))
def test_every_root_is_a_zero_and_none_is_missed(series: list[int]) -> None:
    """Each reported rate is worth nothing, and every real root of the polynomial is reported."""
    roots = irr_roots(series)
    assert list(roots) == sorted(set(roots))
    for root in roots:
        assume(root < 10**6 and 1 + root > Decimal("1e-6"))
        size = npv(root, [abs(a) for a in series])
        assert abs(npv(root, series)) <= size * Decimal("1e-18")
    polynomial = np.trim_zeros(np.array(series, dtype=float), "fb")
    if len(polynomial) > 1:
        complex_roots = np.roots(polynomial)
        real = [r.real - 1 for r in complex_roots if abs(r.imag) < 1e-12 * abs(r) and r.real > 1e-3]
        for rate in real:
            assert any(near(rate, root, 1e-4) for root in roots)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=6), st.sampled_from([1, -1]))
def test_one_signed_series_has_no_rate(series: list[int], sign: int) -> None:
    assert irr_roots([sign * a for a in series]) == ()


@given(st.integers(1, 1000), st.lists(st.integers(1, 1000), min_size=1, max_size=8))
def test_conventional_series_agree_with_both_rivals(outlay: int, gains: list[int]) -> None:
    series = [-outlay, *gains]
    rate = float(irr(series)) if sum(gains) / outlay > 1e-4 else None
    assume(rate is not None and -0.9 < rate < 10)
    assert near(rate or 0.0, float(npf.irr(series)), 1e-7)
    assert near(rate or 0.0, pyxirr.irr([float(a) for a in series]) or 0.0, 1e-7)


def test_a_rate_that_only_touches_zero_counts_once() -> None:
    assert irr_roots([100, -220, 121]) == (Decimal("0.1"),)


def test_several_rates_are_listed_and_none_is_chosen() -> None:
    with pytest.raises(EconomicsError, match=r"2 internal rates of return \(0\.100000, 0\.200000\)"):
        irr([-100, 230, -132])
    with pytest.raises(EconomicsError, match="no internal rate"):
        irr([100, 100])


@settings(max_examples=40)
@given(st.integers(1, 900), st.integers(1, 900), st.integers(1, 2000))
def test_xirr_of_one_gain_is_its_closed_form(outlay: int, gain: int, days: int) -> None:
    start = dt.date(2026, 1, 1)
    (root,) = xirr_roots([(start, -outlay), (start + dt.timedelta(days=days), gain)])
    with localcontext(prec=60):
        growth = ((Decimal(gain) / outlay).ln() * 365 / days).exp()
        # A rate just above -1 has no more digits of growth than its 28 digits leave.
        assert abs(1 + root - growth) <= max(growth * Decimal("1e-9"), Decimal("1e-27"))


@given(st.integers(100, 1000), st.lists(st.integers(1, 500), min_size=1, max_size=6), rates, rates)
def test_mirr_agrees_with_numpy_financial(
    outlay: int, gains: list[int], finance: Decimal, reinvest: Decimal
) -> None:
    series = [-outlay, *gains]
    rival = float(npf.mirr(np.array(series, dtype=float), float(finance), float(reinvest)))
    assert near(mirr(series, finance, reinvest), rival, 1e-8)


@given(st.integers(1, 500), st.integers(1, 500), st.decimals("0.001", "0.3", places=3))
def test_number_of_payments_agrees_with_numpy_financial(payment: int, loan: int, rate: Decimal) -> None:
    assume(payment > loan * rate * Decimal("1.01"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rival = float(npf.nper(float(rate), -payment, loan))
    assert near(nper(rate, -payment, loan), rival, 1e-8)


@given(st.integers(1, 1000), st.lists(st.integers(1, 400), min_size=1, max_size=10), rates)
def test_discounting_never_shortens_a_payback_at_a_positive_rate(
    outlay: int, gains: list[int], rate: Decimal
) -> None:
    assume(rate > 0)
    plain, discounted = payback([-outlay, *gains]), discounted_payback(rate, [-outlay, *gains])
    if discounted.years != "never":
        assert plain.years != "never"
        assert plain.years <= discounted.years


def test_payback_edges() -> None:
    assert payback([5, 5]).years == 0
    assert payback([-5, 1]).years == "never"
    assert payback([-5, 5]).years == 1
    assert payback([-5, 1]).first_whole == "never"
    assert payback([-10, 4, 4, 4]).first_whole == 3


@given(rates, st.lists(amounts, min_size=2, max_size=8))
def test_equivalent_annual_value_has_the_same_net_present_value(rate: Decimal, series: list[int]) -> None:
    level = equivalent_annual_value(rate, series)
    assert near(npv(rate, [0] + [level] * (len(series) - 1)), npv(rate, series), 1e-18)


@given(rates, st.integers(1, 1000), st.lists(amounts, min_size=1, max_size=6))
def test_profitability_index_is_one_plus_npv_over_outlay(
    rate: Decimal, outlay: int, later: list[int]
) -> None:
    index = profitability_index(rate, [-outlay, *later])
    assert near(index, 1 + npv(rate, [-outlay, *later]) / outlay, 1e-18)


@given(rates, st.decimals("-0.2", "0.5", places=3), st.lists(amounts, min_size=1, max_size=8))
def test_real_flows_at_the_real_rate_are_worth_nominal_flows_at_the_nominal_rate(
    rate: Decimal, inflation: Decimal, series: list[int]
) -> None:
    nominal = [inflate(a, inflation, year) for year, a in enumerate(series)]
    assert near(npv(rate, nominal), npv(real_rate(rate, inflation), series), 1e-15)
    assert near(deflate(nominal[-1], inflation, len(series) - 1), series[-1], 1e-20)


def test_terminal_value_is_a_growing_perpetuity() -> None:
    assert terminal_value(100, "0.10", "0.02") == Decimal(100) * Decimal("1.02") / Decimal("0.08")
    with pytest.raises(EconomicsError, match="not below the rate"):
        terminal_value(100, "0.02", "0.02")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: npv("0.1", []), "empty"),
        (lambda: npv(-1, [1]), "-100 % or less"),
        (lambda: npv("ten", [1]), "finite number"),
        (lambda: npv("0.1", [1, "1,5"]), r"flows\[1\].*comma"),
        (lambda: npv("0.1", [float("nan")]), r"flows\[0\].*finite"),
        (lambda: npv("0.1", [float("inf")]), r"flows\[0\].*finite"),
        (lambda: npv("0.1", [1], timing="late"), "timing"),  # type: ignore[arg-type]
        (lambda: xnpv("0.1", []), "empty"),
        (lambda: xnpv("0.1", [("2026-01-01", 1)]), "no date"),  # type: ignore[list-item]
        (lambda: irr_roots([]), "empty"),
        (lambda: mirr([1, 2], "0.1", "0.1"), "an outflow and an inflow"),
        (lambda: profitability_index("0.1", [1, 2]), "no outlay"),
        (lambda: equivalent_annual_value("0.1", [1]), "spans no period"),
        (lambda: nper("0.1", -5, 100), "never settles"),
        (lambda: nper(0, 0, 100), "settles nothing"),
    ],
)
def test_each_bad_series_has_its_own_error(call: object, problem: str) -> None:
    with pytest.raises(EconomicsError, match=problem):
        call()  # type: ignore[operator]
