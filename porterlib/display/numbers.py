"""Figures for reading: one unit for all amounts of a picture, rounded once, the exact value left in the data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

_UNITS = ((Decimal(10) ** 9, "bn"), (Decimal(10) ** 6, "m"), (Decimal(10) ** 3, "k"), (Decimal(1), ""))


@dataclass(frozen=True, slots=True)
class Scale:
    """The unit in which a picture writes its amounts."""

    currency: str
    factor: Decimal
    suffix: str

    @property
    def unit(self) -> str:
        """Return the unit, such as `EUR m`."""
        return f"{self.currency} {self.suffix}".strip()

    def number(self, value: Decimal) -> float:
        """Return an amount as a coordinate."""
        return float(value / self.factor)

    def words(self, value: Decimal | None) -> str:
        """Return an amount as text, such as `-124.6`; a dash when it is absent."""
        if value is None:
            return "—"
        return f"{float(round(value / self.factor, 1)):,.1f}".replace("-0.0", "0.0")


def scale_for(currency: str, values: Iterable[Decimal | None]) -> Scale:
    """Return the unit in which the largest of the values has one to four digits before the point."""
    # A code is printed in titles, so nothing but a code may stand there.
    code = currency if re.fullmatch(r"[A-Z]{3}|", currency) else "money"
    largest = max((abs(value) for value in values if value is not None), default=Decimal(0))
    factor, suffix = next((u for u in _UNITS if largest >= u[0]), _UNITS[-1])
    return Scale(code, factor, suffix)


def trimmed(value: Decimal) -> str:
    """Return an input as its owner would write it: no exponent, at most six significant digits.

    >>> trimmed(Decimal("101387096.7741935"))
    '101,387,000'
    >>> trimmed(Decimal("0.6195878"))
    '0.619588'
    """
    if not value:
        return "0"
    digits = 6 - 1 - value.adjusted()
    rounded = round(value, digits)
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
