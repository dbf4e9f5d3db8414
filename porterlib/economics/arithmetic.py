"""Exact decimal arithmetic in one fixed context, so that the last digit agrees on every machine.

Sums and products run at 50 digits with round-half-even; results are handed out at 28 digits, which hides the
guard digits but rounds nothing a reader could care about. Headline figures use no power, exponential or
logarithm: only addition, multiplication and division, and one square root for mid-period timing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)

from porterlib.contracts.economics_estimates import plain, read_number
from porterlib.errors import EconomicsError

NumberLike = Decimal | int | float | str

_TRAPS = [InvalidOperation, DivisionByZero, Overflow]
_WIDE = 10**12
_WORKING = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-_WIDE, Emax=_WIDE, traps=_TRAPS)
_STORED = Context(prec=28, rounding=ROUND_HALF_EVEN, Emin=-_WIDE, Emax=_WIDE, traps=_TRAPS)
ZERO = Decimal(0)
ONE = Decimal(1)


def exact() -> AbstractContextManager[Context]:
    """Return the 50-digit context as a `with` block."""
    return localcontext(_WORKING)


def stored(value: Decimal) -> Decimal:
    """Return `value` at the 28 digits that results carry."""
    return plain(_STORED.plus(value))


def number(value: NumberLike, field: str) -> Decimal:
    """Return `value` as an exact Decimal.

    Raises:
        EconomicsError: it is no finite number; the message names `field`.

    """
    try:
        return read_number(value)
    except ValueError as error:
        raise EconomicsError(f"{field}: {error}", field=field) from error


def rate_of(value: NumberLike, field: str = "rate") -> Decimal:
    """Return a discount rate above -100 % as a Decimal."""
    rate = number(value, field)
    if rate <= -1:
        raise EconomicsError(
            f"{field}: {rate} is -100 % or less, so nothing can be discounted; write 10 % as 0.10",
            field=field,
        )
    return rate


def series(values: Iterable[NumberLike], field: str = "flows") -> tuple[Decimal, ...]:
    """Return a non-empty series of Decimals."""
    numbers = tuple(number(value, f"{field}[{index}]") for index, value in enumerate(values))
    if not numbers:
        raise EconomicsError(
            f"{field}: the series is empty; give at least one amount, for example [-100, 60, 60]", field=field
        )
    return numbers


def horner(flows: Sequence[Decimal], growth: Decimal) -> Decimal:
    """Return flows[0]/growth + flows[1]/growth^2 + …, by repeated division (call inside `exact()`)."""
    total = ZERO
    for flow in reversed(flows):
        total = (total + flow) / growth
    return total


def whole_power(base: Decimal, exponent: int) -> Decimal:
    """Return `base` to a whole power by repeated multiplication (call inside `exact()`)."""
    result = ONE
    for _ in range(abs(exponent)):
        result *= base
    return result if exponent >= 0 else ONE / result
