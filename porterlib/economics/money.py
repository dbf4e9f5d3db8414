"""How figures are written: rounded for reading, exact to the cent alongside."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

from porterlib.economics.arithmetic import exact
from porterlib.errors import EconomicsError

MoneyUnit = Literal["", "k", "m", "bn"]
_PLACES: dict[str, int] = {"": 0, "k": 3, "m": 6, "bn": 9}


def format_money(value: Decimal, currency: str, unit: MoneyUnit = "m") -> str:
    """Return `value` in thousands, millions or billions to one decimal, with the exact amount in brackets.

    >>> format_money(Decimal("10888429.7520661"), "EUR")
    'EUR 10.9m (EUR 10,888,429.75)'
    """
    if unit not in _PLACES:
        raise EconomicsError(f"unit: {unit!r} is unknown; write '', 'k', 'm' or 'bn'", field="unit")
    return f"{short_money(value, currency, unit)} ({currency} {cents(value)})"


def short_money(value: Decimal, currency: str, unit: MoneyUnit = "m") -> str:
    """Return the rounded form alone, such as `EUR 10.9m`."""
    with exact():
        scaled = value.scaleb(-_PLACES[unit]).quantize(Decimal("0.1"), rounding=ROUND_HALF_EVEN)
        return f"{currency} {_unsigned_zero(scaled):,}{unit}"


def cents(value: Decimal) -> str:
    """Return the amount to the cent with thousands separators."""
    with exact():
        return f"{_unsigned_zero(value.quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN)):,}"


def _unsigned_zero(value: Decimal) -> Decimal:
    return abs(value) if value == 0 else value
