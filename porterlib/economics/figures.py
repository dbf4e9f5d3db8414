"""Every figure that may be cited, with an id made from its content."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from porterlib.contracts.economics import Calculation, CostOfDelay, ScenarioEconomics
from porterlib.contracts.economics_estimates import plain_text
from porterlib.economics.cashflows import ROI_FORMULA
from porterlib.economics.money import format_money
from porterlib.hashing import short_id

_INCREMENTAL = "incremental npv = npv of the scenario - npv of no action, shared inputs moved together"
_PAYBACK = "first month whose cumulative monthly cash is not negative"
_ENDS = ("worst", "base", "best")


class FigureList:
    """Builds the figures of one scenario, or of the whole, in a fixed order."""

    def __init__(
        self, scenario: str | None, currency: str, basis: tuple[str, ...], owners: tuple[str, ...]
    ) -> None:
        self.scenario, self.currency, self.basis, self.owners = scenario, currency, basis, owners
        self.entries: list[Calculation] = []

    def add(self, name: str, value: str, unit: str, display: str, formula: str) -> None:
        """Append one figure under its content-derived id."""
        content = {
            "name": name,
            "scenario": self.scenario,
            "value": value,
            "unit": unit,
            "formula": formula,
            "basis": list(self.basis),
        }
        self.entries.append(
            Calculation(
                id=short_id("X", "calculation", content),
                name=name,
                scenario=self.scenario,
                value=value,
                unit=unit,
                display=display,
                formula=formula,
                basis=self.basis,
                owners=self.owners,
            )
        )

    def money(self, name: str, value: Decimal | None, formula: str) -> None:
        """Append an amount; nothing when it is unknown."""
        if value is not None:
            self.add(name, plain_text(value), self.currency, format_money(value, self.currency), formula)

    def ratio(self, name: str, value: Decimal | None, formula: str, unit: str = "ratio") -> None:
        """Append a ratio or share, shown in percent."""
        if value is not None:
            self.add(name, plain_text(value), unit, f"{value * 100:.1f} %", formula)

    def month(self, name: str, value: int | str, formula: str) -> None:
        """Append a month, or `never`."""
        self.add(name, str(value), "month", f"month {value}" if value != "never" else "never", formula)


def figures(
    scenarios: tuple[ScenarioEconomics, ...], delay: CostOfDelay | None, currency: str
) -> tuple[Calculation, ...]:
    """Return the figures of all scenarios in order, then those of the cost of delay."""
    found = [figure for entry in scenarios for figure in _of_scenario(entry, currency)]
    return (*found, *(_of_delay(delay, currency) if delay else ()))


def _of_scenario(entry: ScenarioEconomics, currency: str) -> Iterator[Calculation]:
    if entry.npv is None:
        return
    book = FigureList(entry.name, currency, entry.basis, entry.owners)
    for end in _ENDS:
        book.money(f"npv.{end}", getattr(entry.npv, end), entry.formula)
    for end in _ENDS:
        if entry.incremental_npv is not None:
            book.money(f"incremental_npv.{end}", getattr(entry.incremental_npv, end), _INCREMENTAL)
    for end in _ENDS:
        if entry.roi is not None:
            book.ratio(f"roi.{end}", getattr(entry.roi, end), ROI_FORMULA)
    for name, label in (("payback_month", _PAYBACK), ("discounted_payback_month", f"{_PAYBACK}, discounted")):
        for end in _ENDS:
            book.month(f"{name}.{end}", getattr(getattr(entry, name), end), label)
    for index, rate in enumerate(entry.irr):
        book.ratio(
            f"irr[{index}]", rate, "yearly rate at which the base net present value is zero", unit="share"
        )
    book.money("trough", entry.trough, "lowest cumulative monthly cash of the base case")
    book.month(
        "trough_month", entry.trough_month or 0, "month of the lowest cumulative cash of the base case"
    )
    book.money(
        "equivalent_annual_value", entry.equivalent_annual_value, "npv / annuity factor of the horizon"
    )
    yield from book.entries


def _of_delay(delay: CostOfDelay, currency: str) -> Iterator[Calculation]:
    book = FigureList(None, currency, delay.basis, delay.owners)
    for end in ("low", "base", "high"):
        book.money(f"cost_of_delay.{end}", getattr(delay, end), delay.formula)
    book.money("cost_of_delay.per_month", delay.per_month, f"cost of delay / {delay.months} months")
    yield from book.entries
