"""Worst and best are found over all inputs, shared drivers stay shared, shocks change only their lines."""

from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porterlib.economics import EconomicsInputs, calculate, npv, two_way_table
from porterlib.economics.cashflows import net_present_value
from porterlib.economics.evaluate import frame_of
from porterlib.economics.report import cases_of

from .conftest import estimate

Make = Callable[..., EconomicsInputs]
relaxed = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def ordered(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=3, max_size=3).map(sorted)


money = ordered(0, 100)
share = ordered(0, 100).map(lambda points: [Decimal(p) / 100 for p in points])


@relaxed
@given(
    money, money, share, money, money, money, share, ordered(1, 12), st.sampled_from(["end", "mid", "begin"]),
    st.sampled_from(["annual", "quarterly", "monthly"]),
)  # fmt: skip
def test_no_vertex_lies_outside_the_spread(
    make: Make, up: Any, gross: Any, real: Any, run: Any, control: Any, loss: Any, tax: Any, start: Any,
    timing: str, periods: str,
) -> None:  # fmt: skip
    inputs = make(
        timing=timing,
        periods=periods,
        horizon_years=2,
        lines={
            "upfront_cost": estimate(*up, "EUR m"),
            "gross_benefit": estimate(*gross, "EUR m/year"),
            "realisation": estimate(*real, "share"),
            "run_cost": estimate(*run, "EUR m/year"),
            "control_cost": estimate(*control, "EUR m/year"),
            "expected_loss": estimate(*loss, "EUR m/year"),
            "tax_rate": estimate(*tax, "share"),
            "start_month": estimate(*start, "month"),
        },
    )
    case = next(c for c in cases_of(inputs) if c.name == "targeted")
    entry = calculate(inputs).scenario("targeted")
    spread = entry.npv
    assert spread is not None
    assert spread.worst <= spread.base <= spread.best
    ranged = [v for v in case.variables().values() if v.ranged]
    tolerance = Decimal("1e-12")
    values = [
        net_present_value(
            case.values(dict(zip([v.name for v in ranged], ends, strict=True))), frame_of(inputs)
        )
        for ends in product(*((v.low, v.high) for v in ranged))
    ]
    assert min(values) >= spread.worst - tolerance
    assert max(values) <= spread.best + tolerance
    worst, _, best = entry.corners
    assert worst.interior_rate or abs(min(values) - spread.worst) < tolerance
    assert best.interior_rate or abs(max(values) - spread.best) < tolerance


def test_the_named_corner_reproduces_the_value(make: Make) -> None:
    inputs = make()
    case = next(c for c in cases_of(inputs) if c.name == "targeted")
    entry = calculate(inputs).scenario("targeted")
    assert entry.npv is not None
    for corner in entry.corners:
        found = net_present_value(case.values({s.name: s.value for s in corner.settings}), frame_of(inputs))
        assert abs(found - getattr(entry.npv, corner.end)) < Decimal("1e-9")


def test_an_extreme_inside_the_rate_range_is_found_and_flagged(make: Make) -> None:
    """Benefits that come before a large late cost: the value first rises, then falls with the rate."""
    inputs = make(
        horizon_years=4,
        discount_rate=estimate("0.01", "0.05", "1", "share"),
        lines={
            "upfront_cost": estimate(0, 0, 0, "EUR m"),
            "gross_benefit": estimate(100, 100, 100, "EUR m/year"),
            "realisation": estimate(1, 1, 1, "share"),
            "start_month": estimate(1, 1, 1, "month"),
            "run_cost": estimate(0, 0, 0, "EUR m/year"),
            "control_cost": estimate(0, 0, 0, "EUR m/year"),
            "expected_loss": estimate(0, 0, 0, "EUR m/year"),
            "working_capital": estimate(210, 210, 210, "EUR m"),
            "terminal_value": estimate(0, 0, 0, "EUR m"),
        },
    )
    entry = calculate(inputs).scenario("targeted")
    assert entry.npv is not None
    grid = [npv(Decimal(k) / 1000, [-210, 100, 100, 100, 310]) * 10**6 for k in range(10, 1001)]
    assert entry.npv.worst <= min(grid)
    assert entry.npv.best >= max(grid)


def test_interior_rate_is_exact() -> None:
    from porterlib.economics.roots import stationary_rates

    assert stationary_rates([Decimal(10000), Decimal(-10000)], Decimal("0.1"), Decimal(5)) == (Decimal(1),)


def test_difference_to_no_action_is_never_wider_than_it_truly_is(make: Make) -> None:
    """Both scenarios carry the same uncertain run cost, so it cancels in the difference."""
    inputs = make(discount_rate=estimate("0.1", "0.1", "0.1", "share"))
    entry = calculate(inputs).scenario("targeted")
    none = calculate(inputs).scenario("no_action")
    assert entry.incremental_npv is not None
    assert entry.npv is not None
    assert none.npv is not None
    naive = (entry.npv.best - none.npv.worst) - (entry.npv.worst - none.npv.best)
    true = entry.incremental_npv.best - entry.incremental_npv.worst
    run = (18 - 8) * 10**6 * npv("0.1", [1, 1, 1], timing="end")
    loss = (8 - 1) * 10**6 * npv("0.1", [1, 1, 1], timing="end")
    assert abs(naive - true - 2 * (run + loss)) < Decimal("1e-9")
    assert entry.incremental_npv.base == entry.npv.base - none.npv.base


SHOCKS = st.dictionaries(
    st.sampled_from(["upfront_cost", "gross_benefit", "run_cost", "control_cost", "expected_loss"]),
    st.decimals("0.1", "3", places=2),
    min_size=1,
    max_size=3,
)


@relaxed
@given(SHOCKS)
def test_a_shock_changes_only_its_named_lines(make: Make, shock: dict[str, Decimal]) -> None:
    changes = {
        line: {"factor": factor, "because": "shock", "basis": ["A-test-4"]} for line, factor in shock.items()
    }
    more = [
        {
            "name": "shock",
            "kind": "downside",
            "option": "targeted",
            "derives_from": "targeted",
            "changes": changes,
        }
    ]
    economics = calculate(make(more=more))
    before, after = economics.scenario("targeted"), economics.scenario("shock")
    named = set(shock) | ({"realised_benefit"} if "gross_benefit" in shock else set())
    derived = {"net", "present_value", "cumulative", "cumulative_present_value", "year"}
    for old, new in zip(before.years, after.years, strict=True):
        for field in type(old).model_fields:
            if field not in named | derived:
                assert getattr(old, field) == getattr(new, field)
            elif field in shock:
                assert getattr(new, field) == getattr(old, field) * shock[field]
    assert {change.line for change in after.changes} == set(shock)


@relaxed
@given(st.decimals("0.01", "50", places=2))
def test_scaling_every_amount_scales_every_amount_of_the_result(make: Make, factor: Decimal) -> None:
    plain = make()
    lines = {
        name: estimate(*(point * factor for point in (line.low, line.base, line.high)), line.unit)
        for name in ("upfront_cost", "gross_benefit", "run_cost", "control_cost", "expected_loss")
        if (line := getattr(plain.lines, name)) is not None
    }
    small, large = calculate(plain).scenario("targeted"), calculate(make(lines=lines)).scenario("targeted")
    assert small.npv is not None
    assert large.npv is not None
    for end in ("worst", "base", "best"):
        assert abs(getattr(large.npv, end) - getattr(small.npv, end) * factor) < Decimal("1e-9")
    assert small.roi == large.roi
    assert small.discounted_payback_month == large.discounted_payback_month


def test_order_of_scenarios_changes_no_figure(make: Make) -> None:
    more = [
        {"name": "b", "kind": "upside", "option": "targeted"},
        {"name": "a", "kind": "scaled", "option": "scaled"},
    ]
    one, two = calculate(make(more=more)), calculate(make(more=more[::-1]))
    assert one.scenario("a") == two.scenario("a")
    assert one.scenario("b") == two.scenario("b")


def test_year_table_ends_in_the_net_present_value(make: Make) -> None:
    for timing, periods in product(("end", "mid", "begin"), ("annual", "quarterly", "monthly")):
        entry = calculate(make(timing=timing, periods=periods)).scenario("targeted")
        assert entry.npv is not None
        assert abs(entry.years[-1].cumulative_present_value - entry.npv.base) < Decimal("1e-15")
        assert entry.years[-1].cumulative == sum(row.net for row in entry.years)


def test_optional_lines_by_hand(make: Make) -> None:
    """Two years, 10 %, tax 25 % with upfront written off over the horizon, working capital 5, terminal 4."""
    fixed = {
        "upfront_cost": estimate(20, 20, 20, "EUR m"),
        "gross_benefit": estimate(40, 40, 40, "EUR m/year"),
        "realisation": estimate("0.5", "0.5", "0.5", "share"),
        "start_month": estimate(1, 1, 1, "month"),
        "run_cost": estimate(2, 2, 2, "EUR m/year"),
        "control_cost": estimate(1, 1, 1, "EUR m/year"),
        "expected_loss": estimate(1, 1, 1, "EUR m/year"),
        "tax_rate": estimate("0.25", "0.25", "0.25", "share"),
        "working_capital": estimate(5, 5, 5, "EUR m"),
        "terminal_value": estimate(4, 4, 4, "EUR m"),
    }
    entry = calculate(
        make(horizon_years=2, discount_rate=estimate("0.1", "0.1", "0.1", "share"), lines=fixed)
    )
    yearly = Decimal(20 - 4) - Decimal(20 - 4 - 10) * Decimal("0.25")
    expected = npv("0.1", [-25, yearly, yearly + 9]) * 10**6
    spread = entry.scenario("targeted").npv
    assert spread is not None
    assert abs(spread.base - expected) < Decimal("1e-15")


def test_real_amounts_with_a_nominal_rate_use_the_real_rate(make: Make) -> None:
    inflation = estimate("0.02", "0.02", "0.02", "share")
    rate = estimate("0.10", "0.10", "0.10", "share")
    mixed = make(prices="real", rate_basis="nominal", discount_rate=rate, lines={"inflation": inflation})
    spread = calculate(mixed).scenario("targeted").npv
    assert spread is not None
    real = (Decimal("1.1") / Decimal("1.02")) - 1
    assert abs(spread.base - npv(real, [-35, "2.75", "27.5", "27.5"]) * 10**6) < Decimal("1e-12")
    assert "real rate" in calculate(mixed).scenario("targeted").convention


def test_delay_moves_everything_within_the_same_horizon(make: Make) -> None:
    change = {"to": {"base": 12, "unit": "month"}, "because": "later", "basis": ["A-test-5"]}
    more = [{"name": "later", "kind": "delayed", "option": "wait", "changes": {"delay_months": change}}]
    now, later = (calculate(make(more=more)).scenario(name).years for name in ("targeted", "later"))
    assert later[0].net == 0
    assert later[1].upfront_cost == now[0].upfront_cost
    assert later[1].run_cost == 0
    assert [row.realised_benefit for row in later[1:]] == [row.realised_benefit for row in now[:-1]]


def test_two_way_table_meets_the_base_and_the_corners(make: Make) -> None:
    inputs = make()
    table = two_way_table(inputs, "gross_benefit", "realisation", steps=3)
    drivers = {d.line: d for d in calculate(inputs).scenario("targeted").drivers}
    assert len(table.npv) == 3
    case = next(c for c in cases_of(inputs) if c.name == "targeted")
    assert table.npv[0][0] == net_present_value(
        case.values({"gross_benefit": Decimal(35_000_000), "realisation": Decimal("0.35")}), frame_of(inputs)
    )
    assert drivers["gross_benefit"].npv_at_low < drivers["gross_benefit"].npv_at_high
