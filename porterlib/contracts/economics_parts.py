"""The parts an `Economics` is made of: spreads, corners, year rows, drivers, figures, requests, traces."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.economics_estimates import Estimate, Number

PaybackMonth = Annotated[int, Field(ge=0)] | Literal["never"]
End = Literal["worst", "base", "best"]


class Spread(Contract):
    """One quantity at its worst, base and best."""

    worst: Number
    """Lowest value for the organisation found over all inputs."""
    base: Number
    """Value with every input at base."""
    best: Number
    """Highest value for the organisation found over all inputs."""


class Paybacks(Contract):
    """Month of payback at the worst, base and best corner, or `never`."""

    worst: PaybackMonth
    """At the corner of the worst net present value."""
    base: PaybackMonth
    """With every input at base."""
    best: PaybackMonth
    """At the corner of the best net present value."""


class Setting(Contract):
    """An input and the value it takes."""

    name: Text
    """Line name, or `scenario:line` where a scenario has a range of its own."""
    value: Number
    """Value in single units."""


class Corner(Contract):
    """The inputs at which a worst, base or best value was found."""

    end: End
    """Which value it belongs to."""
    settings: tuple[Setting, ...]
    """The inputs that have a range, and the rate, at this corner."""
    interior_rate: bool = False
    """True when the discount rate lies inside its range, not at an end of it."""


class YearRow(Contract):
    """One year of the base case; year 0 holds what is spent at time zero. All amounts in single units."""

    year: int
    """0 for time zero, then 1, 2, …"""
    upfront_cost: Number
    """One-off cost, as a positive amount."""
    gross_benefit: Number
    """Benefit before realisation, from the start month pro rata."""
    realised_benefit: Number
    """Gross benefit times realisation."""
    run_cost: Number
    """Operating cost, positive."""
    control_cost: Number
    """Control cost, positive."""
    expected_loss: Number
    """Expected loss, positive."""
    tax: Number
    """Tax, positive when paid."""
    working_capital: Number
    """Change of cash by working capital."""
    terminal_value: Number
    """Value at the end of the horizon."""
    net: Number
    """Cash of the year."""
    present_value: Number
    """Cash of the year at time zero."""
    cumulative: Number
    """Cash since time zero."""
    cumulative_present_value: Number
    """Present value since time zero; its last value is the net present value."""


class ChangeMade(Contract):
    """A named difference of a scenario, as it was applied."""

    line: Text
    """Line that differs."""
    how: Text
    """What was done, such as `x 1.4`."""
    because: Text
    """The reason the owner gave."""


class Driver(Contract):
    """What one input does to the base net present value on its own, and where the sign turns."""

    line: Text
    """Input name."""
    low_input: Number
    """Input at its low end."""
    high_input: Number
    """Input at its high end."""
    npv_at_low: Number
    """Net present value with only this input at low."""
    npv_at_high: Number
    """Net present value with only this input at high."""
    swing: Number
    """Distance between the two, never negative."""
    flips_sign: bool
    """True when the input alone turns the net present value from gain to loss."""
    switching_value: Number | None
    """Input at which the net present value is zero, others at base; None when there is none."""
    switching: Literal["in range", "outside range", "none in range", "insensitive"]
    """Whether that value lies in the range, outside it, does not exist, or the input has no effect."""
    variance_share: Number
    """Share of the summed squared swings: a first-order view of what drives the uncertainty."""
    owner: str | None
    """Who answers for the input."""
    basis: tuple[str, ...]
    """Ids the input rests on."""


class DelayComponent(Contract):
    """One part of the cost of delay."""

    name: Text
    """Component name."""
    sign: Literal[1, -1]
    """+1 for a cost of waiting, -1 for a saving."""
    low: Number
    """Low, in single units, before the sign."""
    base: Number
    """Base."""
    high: Number
    """High."""
    owner: str | None
    """Who answers for it."""
    basis: tuple[str, ...]
    """Ids it rests on."""


class CostOfDelay(Contract):
    """What waiting costs; negative means that waiting pays."""

    months: int
    """Length of the wait."""
    low: Number | None
    """Smallest cost of delay; None when a component is missing."""
    base: Number | None
    """Cost of delay with every component at base."""
    high: Number | None
    """Largest cost of delay."""
    per_month: Number | None
    """Base over the months of waiting."""
    waiting_pays: Literal["always", "never", "depends", "unknown"]
    """Whether the whole range is negative, none of it, part of it, or it cannot be said."""
    components: tuple[DelayComponent, ...]
    """Its parts."""
    missing: tuple[str, ...]
    """Components that were not supplied."""
    formula: Text
    """How the parts combine."""
    basis: tuple[str, ...]
    """Ids it rests on."""
    owners: tuple[str, ...]
    """Who answers for it."""


class LadderResult(Contract):
    """The benefit ladder, rung by rung, at base."""

    hours_saved: Number
    """Hours a year."""
    hours_released: Number
    """Hours a year that become capacity."""
    hours_redeployed: Number
    """Hours a year put to other paid work or removed."""
    hours_booked: Number
    """Hours a year that booked lines rest on."""
    booked: Estimate
    """Yearly value that reaches the accounts; the gross benefit of the case."""


class Calculation(Contract):
    """A figure that may be cited; its id comes from its content."""

    id: str = Field(pattern=r"^X-[0-9a-f]{12}$")
    """Content-derived id."""
    name: Text
    """What it is, such as `npv.base`."""
    scenario: str | None
    """Scenario it belongs to."""
    value: Text
    """Exact value as text, or `never`."""
    unit: Text
    """Currency code, `ratio`, `month` or `share`."""
    display: Text
    """The form to show, rounded, with the exact amount alongside for money."""
    formula: Text
    """Formula it comes from."""
    basis: tuple[str, ...]
    """Ids it rests on."""
    owners: tuple[str, ...]
    """Who answers for its inputs."""


class MissingInput(Contract):
    """A request for something the owner has not supplied."""

    field: Text
    """Path in the inputs file."""
    question: Text
    """What to supply, in words."""
    formula: Text
    """The formula that needs it."""
    needed_for: tuple[str, ...]
    """Figures or scenarios that wait for it."""
    supplier: Text
    """Who should supply it."""
    example: Text
    """What an answer looks like."""


class DominantAssumption(Contract):
    """The input that moves the result most."""

    scenario: Text
    """Scenario it was found in."""
    driver: Driver
    """The input with its swing, owner and switching value."""


class BreakdownRow(Contract):
    """One step of an explanation."""

    label: Text
    """What the step is."""
    amount: Text
    """Its value or formula with values, as text."""


class Explanation(Contract):
    """How one figure came about."""

    figure: Text
    """Figure name."""
    scenario: Text
    """Scenario name."""
    formula: Text
    """Formula."""
    convention: Text
    """Convention."""
    rows: tuple[BreakdownRow, ...]
    """Steps that lead to the figure; the last one is the figure."""
    years: tuple[YearRow, ...]
    """Year table behind it."""

    def __str__(self) -> str:
        """Return the steps as aligned text."""
        width = max(len(row.label) for row in self.rows)
        head = f"{self.figure} of {self.scenario!r}: {self.formula}\n{self.convention}\n"
        return head + "\n".join(f"  {row.label:<{width}}  {row.amount}" for row in self.rows)

    def __repr__(self) -> str:
        """Return the same text, so that a trace reads well as the last line of a cell."""
        return str(self)
