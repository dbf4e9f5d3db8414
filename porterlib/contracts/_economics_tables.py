"""Tidy tables of an `Economics`, loaded only when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any

from porterlib.contracts.economics_inputs import MEASURES
from porterlib.contracts.economics_parts import MissingInput
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import pandas as pd

    from porterlib.contracts.economics import Economics, Spread

Row = dict[str, Any]
_PLACES = {"": 0, "k": 3, "m": 6, "bn": 9}


class Scale:
    """Turns single units into thousands, millions or billions at one decimal; exact when there is no unit."""

    def __init__(self, unit: str | None) -> None:
        if unit is not None and unit not in _PLACES:
            raise EconomicsError(f"unit: {unit!r} is unknown; write 'k', 'm' or 'bn'", field="unit")
        self.unit = unit

    def money(self, value: Decimal | None) -> Decimal | None:
        """Return the amount in the unit."""
        if value is None or self.unit is None:
            return value
        return value.scaleb(-_PLACES[self.unit]).quantize(Decimal("0.1"), rounding=ROUND_HALF_EVEN)

    def ratio(self, value: Decimal | None) -> Decimal | None:
        """Return a ratio at three decimals when amounts are rounded too."""
        return value if value is None or self.unit is None else round(value, 3)

    def of_line(self, line: str, value: Decimal | None) -> Decimal | None:
        """Return an input's value: amounts scaled, shares and months as they are."""
        measure = MEASURES.get(line.rsplit(":", 1)[-1], "money")
        if measure.startswith("money"):
            return self.money(value)
        return self.ratio(value)


def frame(economics: Economics, table: str, unit: str | None) -> pd.DataFrame:
    """Return one table as a DataFrame.

    Raises:
        EconomicsError: there is no such table or unit.

    """
    import pandas as pd

    if table not in _TABLES:
        raise EconomicsError(f"no table {table!r}; there is {', '.join(_TABLES)}", field="table")
    rows = list(_TABLES[table](economics, Scale(unit)))
    return pd.DataFrame(rows, columns=None if rows else list(MissingInput.model_fields))


def _spread(prefix: str, value: Spread | None, shown: Callable[[Decimal | None], Decimal | None]) -> Row:
    ends = ("worst", "base", "best")
    return {f"{prefix}_{end}": None if value is None else shown(getattr(value, end)) for end in ends}


def _scenarios(economics: Economics, scale: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        yield {
            "scenario": entry.name,
            "kind": entry.kind,
            "option": entry.option,
            **_spread("npv", entry.npv, scale.money),
            **_spread("incremental_npv", entry.incremental_npv, scale.money),
            **_spread("roi", entry.roi, scale.ratio),
            "payback_month": entry.payback_month and entry.payback_month.base,
            "discounted_payback_month": entry.discounted_payback_month
            and entry.discounted_payback_month.base,
            "missing": ", ".join(entry.missing),
        }


def _years(economics: Economics, scale: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        for row in entry.years:
            amounts = {name: scale.money(value) for name, value in row.model_dump(exclude={"year"}).items()}
            yield {"scenario": entry.name, "year": row.year, **amounts}


def _drivers(economics: Economics, scale: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        for d in entry.drivers:
            yield {
                "scenario": entry.name,
                "line": d.line,
                "measure": MEASURES.get(d.line.rsplit(":", 1)[-1], ""),
                "low_input": scale.of_line(d.line, d.low_input),
                "high_input": scale.of_line(d.line, d.high_input),
                "npv_at_low": scale.money(d.npv_at_low),
                "npv_at_high": scale.money(d.npv_at_high),
                "swing": scale.money(d.swing),
                "flips_sign": d.flips_sign,
                "switching_value": scale.of_line(d.line, d.switching_value),
                "switching": d.switching,
                "variance_share": scale.ratio(d.variance_share),
                "owner": d.owner,
            }


def _corners(economics: Economics, scale: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        for corner in entry.corners:
            settings = {s.name.rsplit(":", 1)[-1]: scale.of_line(s.name, s.value) for s in corner.settings}
            value = None if entry.npv is None else scale.money(getattr(entry.npv, corner.end))
            yield {"scenario": entry.name, "end": corner.end, "npv": value, **settings}


def _changes(economics: Economics, _: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        for change in entry.changes:
            yield {"scenario": entry.name, **change.model_dump()}


def _curve(economics: Economics, scale: Scale) -> Iterator[Row]:
    for entry in economics.scenarios:
        for month, cash in enumerate(entry.cash_curve):
            yield {"scenario": entry.name, "month": month, "cumulative_cash": scale.money(cash)}


def _delay(economics: Economics, scale: Scale) -> Iterator[Row]:
    delay = economics.cost_of_delay
    if delay is None:
        return
    for part in delay.components:
        points = {end: scale.money(part.sign * getattr(part, end)) for end in ("low", "base", "high")}
        yield {"component": part.name, **points, "owner": part.owner, "basis": ", ".join(part.basis)}
    total = {end: scale.money(getattr(delay, end)) for end in ("low", "base", "high")}
    yield {"component": "cost of delay", **total, "owner": "", "basis": ""}


def _ladder(economics: Economics, scale: Scale) -> Iterator[Row]:
    ladder = economics.benefit_ladder
    if ladder is None:
        return
    for rung in ("hours_saved", "hours_released", "hours_redeployed", "hours_booked"):
        yield {"rung": rung.replace("_", " "), "base": getattr(ladder, rung), "unit": "hours/year"}
    low, base, high = (scale.money(point) for point in ladder.booked.points())
    unit = f"{economics.currency} {scale.unit or ''}".strip() + "/year"
    yield {"rung": "booked value", "low": low, "base": base, "high": high, "unit": unit}


def _missing(economics: Economics, _: Scale) -> Iterator[Row]:
    for request in economics.missing_inputs:
        yield {**request.model_dump(), "needed_for": ", ".join(request.needed_for)}


def _figures(economics: Economics, _: Scale) -> Iterator[Row]:
    for entry in economics.calculations:
        yield {**entry.model_dump(), "basis": ", ".join(entry.basis), "owners": ", ".join(entry.owners)}


_TABLES: Mapping[str, Callable[[Economics, Scale], Iterator[Row]]] = {
    "scenarios": _scenarios,
    "years": _years,
    "drivers": _drivers,
    "corners": _corners,
    "changes": _changes,
    "cash": _curve,
    "delay": _delay,
    "ladder": _ladder,
    "missing": _missing,
    "figures": _figures,
}
