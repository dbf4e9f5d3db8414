"""Tables and step-by-step traces of an `Economics`, loaded only when somebody asks for them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from porterlib.contracts.economics import BreakdownRow, Explanation
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    from porterlib.contracts.economics import ScenarioEconomics, YearRow

_COSTS = ("upfront_cost", "run_cost", "control_cost", "expected_loss")


def amount(value: Decimal) -> str:
    """Return `value` to the cent with thousands separators."""
    return f"{value:,.2f}"


def explain(entry: ScenarioEconomics, figure: str) -> Explanation:
    """Return the steps behind `figure` of one scenario.

    Raises:
        EconomicsError: the figure is not traceable, or an input is missing.

    """
    if figure not in {"npv", "roi"}:
        raise EconomicsError(f"{figure!r} has no trace; ask for 'npv' or 'roi'", field="figure")
    if entry.npv is None:
        gaps = ", ".join(entry.missing)
        raise EconomicsError(
            f"scenario {entry.name!r} has no {figure}: supply {gaps} first", field="scenario"
        )
    rows, formula = (_npv_rows(entry), entry.formula) if figure == "npv" else _roi_rows(entry)
    return Explanation(
        figure=figure,
        scenario=entry.name,
        formula=formula,
        convention=entry.convention,
        rows=tuple(rows),
        years=entry.years,
    )


def _npv_rows(entry: ScenarioEconomics) -> list[BreakdownRow]:
    assert entry.npv is not None
    rows = [_year_step(year) for year in entry.years]
    rows.append(BreakdownRow(label="net present value", amount=amount(entry.npv.base)))
    return rows


def _year_step(row: YearRow) -> BreakdownRow:
    parts = [f"+{amount(row.realised_benefit)} benefit"] if row.realised_benefit else []
    parts += [f"-{amount(getattr(row, c))} {c.replace('_', ' ')}" for c in _COSTS if getattr(row, c)]
    parts += [f"-{amount(row.tax)} tax"] if row.tax else []
    parts += [f"{amount(row.working_capital)} working capital"] if row.working_capital else []
    parts += [f"+{amount(row.terminal_value)} terminal value"] if row.terminal_value else []
    steps = " ".join(parts) or "nothing"
    label = "time zero" if row.year == 0 else f"year {row.year}"
    return BreakdownRow(
        label=label, amount=f"{steps} = {amount(row.net)}; at time zero {amount(row.present_value)}"
    )


def _roi_rows(entry: ScenarioEconomics) -> tuple[list[BreakdownRow], str]:
    benefits = sum((row.realised_benefit for row in entry.years), Decimal(0))
    costs = {name: sum((getattr(row, name) for row in entry.years), Decimal(0)) for name in _COSTS}
    rows = [BreakdownRow(label="realised benefit", amount=amount(benefits))]
    rows += [
        BreakdownRow(label=name.replace("_", " "), amount=amount(value)) for name, value in costs.items()
    ]
    shown = "undefined at zero cost" if entry.roi is None else f"{entry.roi.base:.6f}"
    rows.append(BreakdownRow(label="return on investment", amount=shown))
    return rows, "(realised benefits - costs) / costs, undiscounted"
