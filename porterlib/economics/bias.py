"""Optimism-bias uplift: a labelled choice from a dated table, applied once and never stacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.errors import EconomicsError


@dataclass(frozen=True, slots=True)
class Uplift:
    """One row of the table: percentages added to a cost line."""

    line: str
    lower: Decimal
    upper: Decimal


TABLE_NAME = "Mott MacDonald 2002, Review of Large Public Procurement in the UK"
UPLIFTS: Mapping[str, Uplift] = {
    "standard_buildings": Uplift("upfront_cost", Decimal(2), Decimal(24)),
    "non_standard_buildings": Uplift("upfront_cost", Decimal(4), Decimal(51)),
    "standard_civil_engineering": Uplift("upfront_cost", Decimal(3), Decimal(44)),
    "non_standard_civil_engineering": Uplift("upfront_cost", Decimal(6), Decimal(66)),
    "equipment_and_development": Uplift("upfront_cost", Decimal(10), Decimal(200)),
    "outsourcing": Uplift("run_cost", Decimal(0), Decimal(41)),
}


def uplift(inputs: EconomicsInputs) -> tuple[dict[str, Decimal], str | None]:
    """Return line to factor, and the label that must be shown with every figure it touches.

    Raises:
        EconomicsError: the class is unknown, or the line already contains a contingency.

    """
    choice = inputs.optimism_bias
    if choice is None:
        return {}, None
    row = UPLIFTS.get(choice.project_class)
    if row is None:
        raise EconomicsError(
            f"optimism_bias.project_class: {choice.project_class!r} is not in the table; "
            f"write one of {', '.join(UPLIFTS)}",
            field="optimism_bias.project_class",
        )
    _refuse_stacking(inputs, row.line)
    percent = row.lower if choice.level == "lower" else row.upper
    label = (
        f"optimism bias +{percent} % on {row.line} ({choice.project_class}, {choice.level} end; {TABLE_NAME})"
    )
    return {row.line: 1 + percent / 100}, label


def _refuse_stacking(inputs: EconomicsInputs, line: str) -> None:
    places = [(f"lines.{line}", getattr(inputs.lines, line))]
    for index, scenario in enumerate(inputs.scenarios):
        for name, change in scenario.changes.items():
            if name == line:
                places.append((f"scenarios[{index}].changes.{line}", change.to))
    for where, estimate in places:
        if estimate is not None and estimate.includes_contingency:
            raise EconomicsError(
                f"{where}: the estimate already includes a contingency, and uplifts are never stacked; "
                "remove optimism_bias, or give the estimate without contingency",
                field=where,
            )
