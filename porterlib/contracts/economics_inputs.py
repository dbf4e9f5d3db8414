"""What a finance owner supplies: estimates with unit, basis and owner, and scenarios as named changes.

A line that is absent is not an error: it becomes a request in the result. A line that is present must be
complete, so that nobody has to guess what a number means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, model_validator

from porterlib.contracts.base import Contract, Sha256, Text, UtcTime, Versioned

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
Measure = Literal["money", "money/year", "share", "month", "hours/year"]

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
_SCALES = {None: Decimal(1), "k": Decimal(1000), "m": Decimal(10**6), "bn": Decimal(10**9)}
_MONEY_UNIT = re.compile(r"^(?P<currency>[A-Z]{3})(?: ?(?P<scale>k|m|bn))?(?P<per>/year)?$")
_MAX_DIGITS = 30


def read_number(value: Any) -> Decimal:
    """Return `value` as an exact Decimal, or say why it is not a number.

    Floats are read by their shortest text, which is what a person typed.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"{value!r} is not a number; write for example 1.5")  # noqa: TRY004 - pydantic wants it
    if isinstance(value, Decimal) and value.is_finite():
        return value
    text = str(value).strip()
    if re.fullmatch(r"[+-]?\d+(?:,\d+)+(?:\.\d+)?", text):
        raise ValueError(f"{text!r} holds a comma; write 1.5 with a point and no thousands separator")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text):
        raise ValueError(f"{text!r} is text where a finite number belongs; write for example 1.5")
    try:
        number = Decimal(text)
    except InvalidOperation as error:  # pragma: no cover - the pattern above leaves nothing to refuse
        raise ValueError(f"{text!r} is not a number; write for example 1.5") from error
    if len(number.as_tuple().digits) > _MAX_DIGITS or abs(number.adjusted()) > _MAX_DIGITS:
        raise ValueError(f"{text!r} has more than {_MAX_DIGITS} digits; round it to what is known")
    return number


def plain(value: Decimal) -> Decimal:
    """Return `value` in one written form, so that 10, 10.0 and 1E1 hash alike."""
    return Decimal(plain_text(value))


def plain_text(value: Decimal) -> str:
    """Return `value` without exponent and without trailing zeros."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


Number = Annotated[
    Decimal,
    BeforeValidator(read_number),
    AfterValidator(plain),
    PlainSerializer(plain_text, return_type=str, when_used="json"),
]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
BasisId = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*-[A-Za-z0-9._-]+$")]
Basis = Annotated[tuple[BasisId, ...], Field(min_length=1)]


class Estimate(Contract):
    """A range for one quantity: low, base and high, with what they mean and who stands behind them."""

    low: Number
    """Lower end, in `unit`."""
    base: Number
    """The value to plan with, in `unit`."""
    high: Number
    """Upper end, in `unit`."""
    unit: Text
    """`EUR`, `EUR m`, `EUR m/year`, `share`, `month` or `hours/year`."""
    basis: Basis
    """Ids of the evidence or assumptions the figures rest on, such as `A-benefit-1`."""
    owner: str | None = None
    """Who answers for the figures."""
    meaning: Literal["min-max", "p10-p90"] = "min-max"
    """What low and high are: hard limits, or the 10th and 90th percentile."""
    distribution: Literal["triangular", "pert"] = "triangular"
    """Shape used by the simulation; the corners do not depend on it."""
    includes_contingency: bool = False
    """True when a contingency or optimism uplift is already inside the figures."""
    note: str = ""
    """What a reader should know about the figures."""

    @model_validator(mode="before")
    @classmethod
    def _single_value(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "base" in data and "low" not in data and "high" not in data:
            return {**data, "low": data["base"], "high": data["base"]}
        return data

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(
                f"the range is inverted: low {self.low} is above high {self.high}; write low <= base <= high"
            )
        if not self.low <= self.base <= self.high:
            raise ValueError(
                f"base {self.base} lies outside {self.low} to {self.high}; write low <= base <= high, "
                "for example low: 20, base: 35, high: 55"
            )
        return self

    def points(self) -> tuple[Decimal, Decimal, Decimal]:
        """Return low, base and high in single units (a million is multiplied out)."""
        scale = self.scale()
        return self.low * scale, self.base * scale, self.high * scale

    def scale(self) -> Decimal:
        """Return what one figure of this unit is worth in single units."""
        match = _MONEY_UNIT.match(self.unit)
        return _SCALES[match["scale"]] if match else Decimal(1)

    def problem(self, measure: Measure, currency: str) -> str | None:
        """Return why this estimate cannot stand for `measure`, or None."""
        return _unit_problem(self.unit, measure, currency) or _value_problem(self, measure)


def _unit_problem(unit: str, measure: Measure, currency: str) -> str | None:
    if not measure.startswith("money"):
        return None if unit == measure else f"unit {unit!r} does not fit; write unit: {measure}"
    example = f"{currency} m" + ("/year" if measure == "money/year" else "")
    match = _MONEY_UNIT.match(unit)
    if match is None:
        return f"unit {unit!r} is no money unit; write for example unit: {example}"
    if match["currency"] != currency:
        return f"currency {match['currency']} differs from {currency}; convert it and write unit: {example}"
    if bool(match["per"]) != (measure == "money/year"):
        kind = "an amount each year" if measure == "money/year" else "one amount, not a yearly one"
        return f"unit {unit!r} does not fit: this is {kind}; write for example unit: {example}"
    return None


def _value_problem(estimate: Estimate, measure: Measure) -> str | None:
    if measure == "share":
        if estimate.low < 0 or estimate.high > 1:
            return f"{estimate.low} to {estimate.high} leaves 0 to 1; write 55 % as 0.55"
    elif estimate.low < 0:
        return f"{estimate.low} is negative; write costs and benefits as positive amounts, for example 12"
    if measure == "month" and any(
        v != v.to_integral_value() for v in (estimate.low, estimate.base, estimate.high)
    ):
        return f"{estimate.base} is not a whole month; write for example base: 7"
    return None


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
        if not isinstance(data, Mapping) or "to" not in data:
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
    """The option of the decision that this scenario values or stresses."""
    derives_from: str | None = None
    """Name of an earlier scenario to start from; the shared lines when absent."""
    changes: dict[LineName, Change] = Field(default_factory=dict)
    """Line name to change."""


class DelayInputs(Contract):
    """What waiting would cost and save, over the months of waiting."""

    months: int = Field(ge=1, le=120)
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
    horizon_years: int | None = Field(default=None, ge=1, le=40)
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
