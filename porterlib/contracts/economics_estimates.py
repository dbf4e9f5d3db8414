"""Exact numbers, units and ranges: what every finance input is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, model_validator

from porterlib.contracts.base import Contract, Text

Measure = Literal["money", "money/year", "share", "month", "hours/year"]

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
