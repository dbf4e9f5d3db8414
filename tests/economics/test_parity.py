"""Figures of the base system, which the calculator has to reproduce."""

from decimal import Decimal
from pathlib import Path

import pytest

from porterlib.economics import Economics, calculate, load_inputs

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "economics"


@pytest.fixture(scope="module")
def mixed() -> Economics:
    return calculate(load_inputs(FIXTURES / "kyc_mixed.yaml"))


def cents(value: Decimal) -> Decimal:
    return round(value, 2)


def test_net_present_value_to_the_cent(mixed: Economics) -> None:
    npv = mixed.scenario("targeted").npv
    assert npv is not None
    assert [cents(v) for v in (npv.worst, npv.base, npv.best)] == [
        Decimal("-124604620.59"),
        Decimal("10888429.75"),
        Decimal("176305409.47"),
    ]


def test_return_on_investment(mixed: Economics) -> None:
    roi = mixed.scenario("targeted").roi
    assert roi is not None
    assert [round(v, 6) for v in (roi.worst, roi.base, roi.best)] == [
        Decimal("-0.818787"),
        Decimal("0.225248"),
        Decimal("3.766949"),
    ]


def test_discounted_payback_month(mixed: Economics) -> None:
    months = mixed.scenario("targeted").discounted_payback_month
    assert months is not None
    assert months.base == 30
    assert months.worst == "never"


def test_cost_of_delay(mixed: Economics) -> None:
    delay = mixed.cost_of_delay
    assert delay is not None
    assert (delay.low, delay.base, delay.high) == (-1_000_000, 30_000_000, 80_000_000)
    assert delay.months == 18
    assert delay.waiting_pays == "depends"
    assert cents(delay.per_month or Decimal(0)) == Decimal("1666666.67")


def test_worst_and_best_name_their_corner(mixed: Economics) -> None:
    worst, _, best = mixed.scenario("targeted").corners
    assert {s.name: s.value for s in worst.settings} == {
        "upfront_cost": 55_000_000,
        "gross_benefit": 35_000_000,
        "realisation": Decimal("0.35"),
        "run_cost": 18_000_000,
        "control_cost": 12_000_000,
        "expected_loss": 8_000_000,
    }
    assert {s.name: s.value for s in best.settings}["gross_benefit"] == 150_000_000


@pytest.mark.parametrize(
    ("name", "worst_sign", "base_sign", "best_sign"),
    [("strong", 1, 1, 1), ("mixed", -1, 1, 1), ("negative", -1, -1, -1), ("waiting", -1, -1, 1)],
)
def test_golden_states(name: str, worst_sign: int, base_sign: int, best_sign: int) -> None:
    npv = calculate(load_inputs(FIXTURES / f"kyc_{name}.yaml")).scenario("targeted").npv
    assert npv is not None
    assert [(v > 0) - (v < 0) for v in (npv.worst, npv.base, npv.best)] == [worst_sign, base_sign, best_sign]


def test_every_action_is_negative_in_the_negative_case() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_negative.yaml"))
    assert all(entry.npv is not None and entry.npv.best < 0 for entry in economics.scenarios)


def test_waiting_pays_over_the_whole_range_in_the_waiting_case() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_waiting.yaml"))
    assert economics.cost_of_delay is not None
    assert economics.cost_of_delay.waiting_pays == "always"
    delayed, now = economics.scenario("delayed").npv, economics.scenario("targeted").npv
    assert delayed is not None
    assert now is not None
    assert delayed.base > 0 > now.base


def test_missing_inputs_become_requests_and_no_value_is_invented() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_missing.yaml"))
    assert [m.field for m in economics.missing_inputs] == [
        "lines.gross_benefit",
        "lines.realisation",
        "lines.expected_loss",
        "cost_of_delay.lost_learning",
    ]
    assert all(m.formula and m.supplier and m.example for m in economics.missing_inputs)
    targeted = economics.scenario("targeted")
    assert targeted.npv is None
    assert targeted.roi is None
    assert targeted.irr == ()
    assert "not valued" in targeted.warnings[0]
    assert economics.cost_of_delay is not None
    assert economics.cost_of_delay.base is None
    assert not [c for c in economics.calculations if c.scenario == "targeted"]
