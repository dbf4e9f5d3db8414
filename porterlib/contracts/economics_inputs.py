"""What a finance owner supplies: estimates with unit, basis and owner, and scenarios as named changes.

A line that is absent is not an error: it becomes a request in the result. A line that is present must be
complete, so that nobody has to guess what a number means.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Sha256, Text, UtcTime, Versioned, Whole
from porterlib.contracts.economics_estimates import (
    Basis,
    Currency,
    Estimate,
    Measure,
    Number,
)

ScenarioKind = Literal[
    "no_action",
    "delayed",
    "targeted",
    "scaled",
    "downside",
    "control_shock",
    "vendor_shock",
    "competitor_acceleration",
    "upside",
]
OptionKind = Literal["no_action", "wait", "targeted", "scaled", "other"]
LineName = Literal[
    "upfront_cost",
    "gross_benefit",
    "realisation",
    "start_month",
    "run_cost",
    "control_cost",
    "expected_loss",
    "tax_rate",
    "working_capital",
    "terminal_value",
    "inflation",
    "delay_months",
]
MEASURES: Mapping[str, Measure] = {
    "upfront_cost": "money",
    "gross_benefit": "money/year",
    "realisation": "share",
    "start_month": "month",
    "run_cost": "money/year",
    "control_cost": "money/year",
    "expected_loss": "money/year",
    "tax_rate": "share",
    "working_capital": "money",
    "terminal_value": "money",
    "inflation": "share",
    "delay_months": "month",
    "discount_rate": "share",
}
REQUIRED_LINES: tuple[LineName, ...] = (
    "upfront_cost",
    "gross_benefit",
    "realisation",
    "start_month",
    "run_cost",
    "control_cost",
    "expected_loss",
)


_USUAL_OPTION = {"no_action": "no_action", "delayed": "wait", "scaled": "scaled"}


class Lines(Contract):
    """The lines of a case. A required line that is absent becomes a request, never a zero."""

    upfront_cost: Estimate | None = None
    """One-off cost, spent when the option starts."""
    gross_benefit: Estimate | None = None
    """Yearly benefit if everything promised were booked."""
    realisation: Estimate | None = None
    """Share of the gross benefit that is really booked."""
    start_month: Estimate | None = None
    """First month, counted from the option's start, in which benefits flow."""
    run_cost: Estimate | None = None
    """Yearly cost of operating."""
    control_cost: Estimate | None = None
    """Yearly cost of controls, review and assurance."""
    expected_loss: Estimate | None = None
    """Yearly expected loss from errors, incidents and remediation."""
    tax_rate: Estimate | None = None
    """Optional: share of profit paid as tax; losses are relieved in the same period."""
    working_capital: Estimate | None = None
    """Optional: tied up at the start, released at the end of the horizon."""
    terminal_value: Estimate | None = None
    """Optional: value left at the end of the horizon."""
    inflation: Estimate | None = None
    """Optional: needed only when amounts are real and the rate is nominal."""
    delay_months: Estimate | None = None
    """Optional: months by which the whole option starts later, within the same horizon."""


class Change(Contract):
    """One named difference of a scenario from what it derives from."""

    to: Estimate | None = None
    """The line's new range."""
    factor: Number | None = None
    """What low, base and high are multiplied by."""
    add: Number | None = None
    """What is added to low, base and high, in the line's own unit."""
    because: Text
    """Why this line differs, in one sentence."""
    basis: Basis
    """Ids the change rests on."""
    owner: str | None = None
    """Who answers for the change."""

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or data.get("to") is None:
            return data
        to = data["to"] if isinstance(data["to"], Mapping) else {"base": data["to"]}
        inherited = {key: data[key] for key in ("basis", "owner") if key in data}
        return {**data, "to": {**inherited, **to}} if not isinstance(data["to"], Estimate) else data

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [name for name in ("to", "factor", "add") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of to, factor and add, got {given or 'none'}")
        if self.factor is not None and self.factor < 0:
            raise ValueError(f"factor {self.factor} is negative; write for example factor: 1.4")
        return self


class ScenarioInputs(Contract):
    """A scenario: the shared lines and what differs from them."""

    name: Text
    """Unique name, shown in tables."""
    kind: ScenarioKind
    """Which of the named scenarios this is."""
    option: OptionKind
    """The option it values or stresses; by default the one its kind suggests, `targeted` for shocks."""
    derives_from: str | None = None
    """Name of an earlier scenario to start from; the shared lines when absent."""
    changes: dict[LineName, Change] = Field(default_factory=dict)
    """Line name to change."""

    @model_validator(mode="before")
    @classmethod
    def _usual_option(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "kind" in data and "option" not in data:
            return {**data, "option": _USUAL_OPTION.get(str(data["kind"]), "targeted")}
        return data


class DelayInputs(Contract):
    """What waiting would cost and save, over the months of waiting."""

    months: Whole = Field(ge=1, le=120)
    """Length of the wait."""
    foregone_benefit: Estimate | None = None
    """Benefit not earned while waiting."""
    competitive_erosion: Estimate | None = None
    """Margin or share lost to those who moved."""
    technical_and_control_debt: Estimate | None = None
    """Cost of carrying old systems and controls longer."""
    lost_learning: Estimate | None = None
    """Value of what would have been learned."""
    savings_from_waiting: Estimate | None = None
    """Cost avoided by waiting, such as cheaper or proven technology."""


class BookedBenefit(Contract):
    """A benefit that reaches the accounts: the only rung of the ladder that enters net present value."""

    name: Text
    """What is booked."""
    kind: Literal["spend_removed", "revenue", "loss_avoided", "approved_option"]
    """Where it shows in the accounts."""
    amount: Estimate
    """Yearly amount."""
    source: Text
    """The capacity or driver it comes from; two lines may not book the same source in the same way."""
    hours: Number = Decimal(0)
    """Redeployed hours a year this line uses up."""
    approval: str | None = None
    """Id of the approved method or option; needed for loss avoided and approved options."""

    @model_validator(mode="after")
    def _approved(self) -> Self:
        if self.kind in {"loss_avoided", "approved_option"} and not self.approval:
            raise ValueError(f"{self.kind} needs an approval id; write for example approval: A-method-1")
        if self.hours < 0:
            raise ValueError(f"hours {self.hours} is negative; write for example hours: 1200")
        return self


class BenefitLadder(Contract):
    """Hours saved, capacity released, capacity redeployed, booked value."""

    hours_saved: Estimate
    """Hours a year the work takes less."""
    released_share: Estimate
    """Share of those hours that becomes whole, schedulable capacity."""
    redeployed_share: Estimate
    """Share of the released capacity that is put to other paid work or removed."""
    booked: tuple[BookedBenefit, ...] = Field(min_length=1)
    """What reaches the accounts."""


class OptimismBias(Contract):
    """A chosen uplift for optimism, from a dated table."""

    project_class: Text
    """Row of the table, such as `equipment_and_development`."""
    level: Literal["lower", "upper"]
    """Which end of the row: well mitigated or early and unmitigated."""
    because: Text
    """Why this row and this end."""
    basis: Basis
    """Ids the choice rests on."""


class Correlation(Contract):
    """Rank correlation of two lines in the simulation."""

    first: Text
    """A line name."""
    second: Text
    """Another line name."""
    rho: Number
    """Rank correlation, -1 to 1."""


class SignOff(Contract):
    """A finance owner's signature under one exact set of inputs."""

    owner: Text
    """Self-declared name of the finance owner."""
    signed_at: UtcTime
    """When it was signed."""
    inputs_sha256: Sha256
    """Digest of the inputs that were signed."""


class EconomicsInputs(Versioned):
    """Everything the calculator needs for one decision, in one currency."""

    title: Text
    """What is being costed."""
    synthetic: bool = False
    """True when the figures are made up, as in examples."""
    currency: Currency
    """Three-letter code of the only currency used."""
    horizon_years: Whole | None = Field(default=None, ge=1, le=40)
    """Years that are valued."""
    discount_rate: Estimate | None = None
    """Yearly rate as a share, `unit: share`."""
    timing: Literal["end", "mid", "begin"] = "end"
    """When the flows of a period fall; upfront cost falls at time zero."""
    periods: Literal["annual", "quarterly", "monthly"] = "annual"
    """Length of a discounting period; the periodic rate is the yearly rate divided by their number."""
    prices: Literal["nominal", "real"] = "nominal"
    """Whether amounts contain inflation."""
    rate_basis: Literal["nominal", "real"] = "nominal"
    """Whether the discount rate contains inflation."""
    lines: Lines = Field(default_factory=Lines)
    """The shared lines all scenarios derive from."""
    scenarios: tuple[ScenarioInputs, ...] = ()
    """The scenarios to compare."""
    cost_of_delay: DelayInputs | None = None
    """What waiting would cost and save."""
    benefit_ladder: BenefitLadder | None = None
    """Where the gross benefit comes from; replaces `lines.gross_benefit`."""
    optimism_bias: OptimismBias | None = None
    """Uplift on cost, if the owner chooses one."""
    correlations: tuple[Correlation, ...] = ()
    """Rank correlations for the simulation."""
    sign_off: SignOff | None = None
    """The finance owner's signature, if there is one."""

    def signed_content(self) -> dict[str, Any]:
        """Return what a signature covers: everything but the signature itself."""
        content = self.to_dict()
        content.pop("sign_off")
        return content
