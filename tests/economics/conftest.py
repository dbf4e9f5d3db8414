"""Small finance inputs to vary."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from porterlib.economics import EconomicsInputs
from porterlib.economics.loading import validate_inputs


def estimate(low: Any, base: Any, high: Any, unit: str, **more: Any) -> dict[str, Any]:
    return {
        "low": low,
        "base": base,
        "high": high,
        "unit": unit,
        "basis": ["A-test-1"],
        "owner": "CFO",
        **more,
    }


BASE: dict[str, Any] = {
    "title": "Synthetic test case",
    "synthetic": True,
    "currency": "EUR",
    "horizon_years": 3,
    "discount_rate": estimate("0.08", "0.10", "0.12", "share"),
    "lines": {
        "upfront_cost": estimate(20, 35, 55, "EUR m"),
        "gross_benefit": estimate(35, 90, 150, "EUR m/year"),
        "realisation": estimate("0.35", "0.55", "0.75", "share"),
        "start_month": estimate(4, 7, 10, "month"),
        "run_cost": estimate(8, 12, 18, "EUR m/year"),
        "control_cost": estimate(4, 7, 12, "EUR m/year"),
        "expected_loss": estimate(1, 3, 8, "EUR m/year"),
    },
    "scenarios": [
        {
            "name": "no action",
            "kind": "no_action",
            "option": "no_action",
            "changes": {
                line: {"to": {"base": 0, "unit": unit}, "because": "nothing happens", "basis": ["A-test-2"]}
                for line, unit in (
                    ("upfront_cost", "EUR m"),
                    ("gross_benefit", "EUR m/year"),
                    ("control_cost", "EUR m/year"),
                )
            },
        },
        {"name": "targeted", "kind": "targeted", "option": "targeted"},
    ],
}


@pytest.fixture
def data() -> dict[str, Any]:
    return copy.deepcopy(BASE)


@pytest.fixture
def make() -> Callable[..., EconomicsInputs]:
    """Return a function that builds inputs with some keys replaced; `lines` and `scenarios` are merged."""

    def build(
        *, lines: dict[str, Any] | None = None, more: list[dict[str, Any]] | None = None, **top: Any
    ) -> EconomicsInputs:
        data = copy.deepcopy(BASE)
        data["lines"].update(lines or {})
        data["lines"] = {name: value for name, value in data["lines"].items() if value is not None}
        data["scenarios"] += more or []
        data.update(top)
        return validate_inputs(data)

    return build
