"""Every case of the shared oracles, each with its right value."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porterlib.economics import (
    deflate,
    irr,
    irr_roots,
    nper,
    npv,
    xirr,
    xirr_roots,
    xnpv,
)
from porterlib.economics.roots import is_total_loss
from porterlib.economics.simulation import npv_rows
from porterlib.errors import EconomicsError

TOLERANCE = 1e-9

# The series reported at https://github.com/Anexen/pyxirr/issues/75, whose rate the oracle gives.
B08_FLOWS = [
    ("2018-06-30", -84000000),
    ("2019-03-31", 800000),
    ("2019-06-30", 760000),
    ("2019-09-30", 680000),
    ("2019-12-31", 800000),
    ("2020-03-31", 280000),
    ("2020-06-30", 740000),
    ("2020-09-30", 520000),
    ("2022-03-31", -2100000),
    ("2023-03-31", -13000000),
    ("2024-09-30", -3000000),
    ("2024-09-30", -4100000),
    ("2024-12-31", -250000),
    ("2024-12-31", -1800000),
    ("2025-03-31", -8400000),
    ("2025-12-31", 1800000),
    ("2026-03-31", 43000),
    ("2026-03-31", -6600),
]


@pytest.fixture(scope="module")
def cases(shared_dir: Path) -> dict[str, dict[str, Any]]:
    rows = json.loads((shared_dir / "data" / "economics" / "oracles.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in rows}


TESTED = {f"B{number:02}" for number in (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26)}


def close(value: Decimal | float, right: float, tolerance: float = TOLERANCE) -> bool:
    return abs(float(value) - right) <= tolerance * max(1.0, abs(right))


def dated(case: dict[str, Any]) -> list[tuple[dt.date, float]]:
    return [(dt.date.fromisoformat(d), a) for d, a in zip(case["dates"], case["flows"], strict=True)]


def test_no_oracle_is_left_out(cases: dict[str, dict[str, Any]]) -> None:
    assert set(cases) == TESTED


@pytest.mark.parametrize("name", ["B01", "B02", "B04"])
def test_both_timings_of_npv(cases: dict[str, dict[str, Any]], name: str) -> None:
    case = cases[name]
    assert close(npv(case["rate"], case["flows"], timing="start"), case["t0"])
    assert close(npv(case["rate"], case["flows"], timing="end"), case["excel_t1"])


def test_b05_both_roots(cases: dict[str, dict[str, Any]]) -> None:
    roots = irr_roots(cases["B05"]["flows"])
    assert len(roots) == 2
    assert all(close(a, b) for a, b in zip(roots, cases["B05"]["roots"], strict=True))


def test_b07_one_sign_has_no_root_and_the_intended_series_has_two(cases: dict[str, dict[str, Any]]) -> None:
    assert irr_roots(cases["B07"]["flows"]) == ()
    roots = irr_roots(cases["B07"]["intended"])
    assert len(roots) == 2
    assert all(close(a, b) for a, b in zip(roots, cases["B07"]["intended_roots"], strict=True))


def test_b08_dated_root_whatever_the_size_of_the_amounts(cases: dict[str, dict[str, Any]]) -> None:
    flows = [(dt.date.fromisoformat(day), amount) for day, amount in B08_FLOWS]
    right = cases["B08"]["root"]
    for divisor in (1, 1000):
        roots = xirr_roots([(day, Decimal(amount) / divisor) for day, amount in flows])
        assert any(close(root, right) for root in roots)


def test_b10_total_loss_within_days_is_refused(cases: dict[str, dict[str, Any]]) -> None:
    flows = dated(cases["B10"])
    (root,) = xirr_roots(flows)
    assert close((1 + root) / Decimal(str(cases["B10"]["one_plus_r"])), 1.0)
    with pytest.raises(EconomicsError, match="total loss"):
        xirr(flows)


@pytest.mark.parametrize("name", ["B11", "B16", "B17"])
def test_single_rates(cases: dict[str, dict[str, Any]], name: str) -> None:
    assert close(irr(cases[name]["flows"]), cases[name]["root"])


@pytest.mark.parametrize("name", ["B13"])
def test_dated_value(cases: dict[str, dict[str, Any]], name: str) -> None:
    assert close(xnpv(cases[name]["rate"], dated(cases[name])), cases[name]["value"])


def test_b14_the_first_date_given_is_the_anchor(cases: dict[str, dict[str, Any]]) -> None:
    value = xnpv(cases["B14"]["rate"], dated(cases["B14"]))
    assert close(value, cases["B14"]["first_date_anchor"])
    assert not close(value, cases["B14"]["earliest_anchor_pyxirr"])


def test_b19_fifty_years(cases: dict[str, dict[str, Any]]) -> None:
    flows = [-1607] * 20 + [0] * 30 + [250010]
    assert cases["B19"]["flows"] == "[-1607]*20+[0]*30+[250010]"
    (root,) = irr_roots(flows)
    assert close(root, cases["B19"]["root"])


def test_b20_number_of_payments_at_zero_rate(cases: dict[str, dict[str, Any]]) -> None:
    assert nper(*cases["B20"]["args"]) == cases["B20"]["value"]


def test_b22_rows_are_series(cases: dict[str, dict[str, Any]]) -> None:
    case = cases["B22"]
    values = npv_rows(case["rate"], np.array(case["flows"], dtype=float))
    assert np.allclose(values, case["value"], rtol=1e-12)


def test_b23_real_value_after_thirty_years_of_three_percent(cases: dict[str, dict[str, Any]]) -> None:
    value = deflate(str(cases["B23"]["nominal"]), "0.03", 30)
    assert close(value, cases["B23"]["true_real"], 1e-8)
    assert not close(value, cases["B23"]["wrong"], 1e-3)


def test_b25_sign_symmetry(cases: dict[str, dict[str, Any]]) -> None:
    case = cases["B25"]
    flows, negated = case["flows"], [-flow for flow in case["flows"]]
    assert close(npv(case["rate"], flows), case["npv"])
    assert npv(case["rate"], negated) == -npv(case["rate"], flows)
    assert close(irr(flows), case["irr_both"])
    assert irr(negated) == irr(flows)


def test_b26_total_loss_is_flagged(cases: dict[str, dict[str, Any]]) -> None:
    flows = cases["B26"]["flows_head"]
    (root,) = irr_roots(flows)
    assert close(1 + root, 1 + cases["B26"]["root"], 1e-15)
    assert is_total_loss(root)
    with pytest.raises(EconomicsError, match="total loss"):
        irr(flows)
