"""Payback: when cumulative cash is no longer negative, and whether it stays so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Literal

from porterlib.economics.arithmetic import ZERO, NumberLike, exact, rate_of, series, stored


@dataclass(frozen=True, slots=True)
class Payback:
    """When money is back, in periods of the series (years for yearly flows)."""

    years: Decimal | Literal["never"]
    """Interpolated time of the first return to zero, or `never`."""
    recrosses: bool
    """True when cumulative cash is negative again afterwards."""

    @property
    def first_whole(self) -> int | Literal["never"]:
        """First whole period at whose end the money is back."""
        return "never" if self.years == "never" else int(self.years.to_integral_value(ROUND_CEILING))


def payback(flows: Iterable[NumberLike]) -> Payback:
    """Return the payback of flows that start at time zero, interpolated within the period.

    A series that is never negative is back at 0; one that ends below zero without ever returning is never.

    >>> payback([-100, 120, -50, 40])
    Payback(years=Decimal('0.8333333333333333333333333333'), recrosses=True)
    """
    with exact():
        return recover(series(flows))


def discounted_payback(rate: NumberLike, flows: Iterable[NumberLike]) -> Payback:
    """Return the payback of the discounted flows; the first flow falls at time zero.

    >>> round(discounted_payback("0.14", [-1000, 347, 394, 424, 600]).years, 4)
    Decimal('3.2991')
    """
    amounts, growth = series(flows), 1 + rate_of(rate)
    with exact():
        return recover(discounted(amounts, growth))


def discounted(amounts: Sequence[Decimal], growth: Decimal) -> tuple[Decimal, ...]:
    """Return each amount at time zero, the first undiscounted (call inside `exact()`)."""
    result, factor = [], Decimal(1)
    for amount in amounts:
        result.append(amount / factor)
        factor *= growth
    return tuple(result)


def running(amounts: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Return cumulative sums (call inside `exact()`)."""
    result, total = [], ZERO
    for amount in amounts:
        total += amount
        result.append(total)
    return tuple(result)


def recover(amounts: Sequence[Decimal]) -> Payback:
    """Return the payback of amounts, the first at time zero (call inside `exact()`)."""
    totals = running(amounts)
    first_negative = next((k for k, total in enumerate(totals) if total < 0), None)
    if first_negative is None:
        return Payback(ZERO, recrosses=False)
    back = next((k for k in range(first_negative + 1, len(totals)) if totals[k] >= 0), None)
    if back is None:
        return Payback("never", recrosses=False)
    fraction = -totals[back - 1] / amounts[back]
    again = any(total < 0 for total in totals[back + 1 :])
    return Payback(stored(back - 1 + fraction), recrosses=again)
