"""Present values of regular and dated cash flows, with the timing convention always named.

Sources of the conventions: the spreadsheet function that discounts its first flow by a whole period is
`timing="end"`; the textbook form with a flow at time zero is `timing="start"`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Literal

from porterlib.economics.arithmetic import (
    ONE,
    ZERO,
    NumberLike,
    exact,
    horner,
    number,
    rate_of,
    series,
    stored,
    whole_power,
)
from porterlib.errors import EconomicsError

Timing = Literal["start", "mid", "end"]
DatedFlows = Iterable[tuple[dt.date, NumberLike]]

GREEN_BOOK_RATES: tuple[tuple[int, Decimal], ...] = (
    (30, Decimal("0.035")),
    (75, Decimal("0.030")),
    (125, Decimal("0.025")),
    (200, Decimal("0.020")),
    (300, Decimal("0.015")),
)
"""Last year and yearly rate of each step of the UK Green Book (2003 to 2022 editions)."""


def npv(rate: NumberLike, flows: Iterable[NumberLike], *, timing: Timing = "start") -> Decimal:
    """Return the net present value of equally spaced flows.

    Args:
        rate: rate per period as a share, above -1.
        flows: amounts in order, at least one.
        timing: when the first flow falls: at time zero (`start`), half a period later (`mid`) or one period
            later (`end`).

    Returns:
        The value at time zero, at 28 digits.

    >>> round(npv("0.10", [-10000, 3000, 4200, 6800], timing="end"), 2)
    Decimal('1188.44')
    >>> round(npv("0.10", [-10000, 3000, 4200, 6800]), 2)
    Decimal('1307.29')

    """
    amounts, r = series(flows), rate_of(rate)
    if timing not in {"start", "mid", "end"}:
        raise EconomicsError(f"timing: {timing!r} is unknown; write 'start', 'mid' or 'end'", field="timing")
    with exact():
        at_end = horner(amounts, 1 + r)
        return stored(at_end * shift(1 + r, timing))


def shift(growth: Decimal, timing: str) -> Decimal:
    """Return what an end-of-period value is multiplied by under `timing` (call inside `exact()`)."""
    if timing == "end":
        return ONE
    return growth.sqrt() if timing == "mid" else growth


def dated(flows: DatedFlows) -> tuple[tuple[Decimal, Decimal], ...]:
    """Return (years since the first date given, amount), a year being 365 days.

    The first date given is the anchor, also when it is not the earliest.
    """
    rows = list(flows)
    if not rows:
        raise EconomicsError("flows: the series is empty; give at least one (date, amount)", field="flows")
    result = []
    for index, (day, value) in enumerate(rows):
        if not isinstance(day, dt.date):
            raise EconomicsError(
                f"flows[{index}]: {day!r} is no date; write datetime.date(2026, 7, 1)",
                field=f"flows[{index}]",
            )
        with exact():
            years = Decimal((day - rows[0][0]).days) / 365
        result.append((years, number(value, f"flows[{index}]")))
    return tuple(result)


def xnpv(rate: NumberLike, flows: DatedFlows) -> Decimal:
    """Return the value of dated flows at the first date given, on 365-day years."""
    r, rows = rate_of(rate), dated(flows)
    with exact():
        log_growth = (1 + r).ln()
        return stored(sum((value * (-years * log_growth).exp() for years, value in rows), ZERO))


def equivalent_annual_value(
    rate: NumberLike, flows: Iterable[NumberLike], *, timing: Timing = "start"
) -> Decimal:
    """Return the level end-of-period amount with the same net present value over the same periods."""
    amounts, r = series(flows), rate_of(rate)
    periods = len(amounts) - 1 if timing == "start" else len(amounts)
    if periods < 1:
        raise EconomicsError("flows: one flow at time zero spans no period; give at least two", field="flows")
    with exact():
        value = horner(amounts, 1 + r) * shift(1 + r, timing)
        return stored(value / horner([ONE] * periods, 1 + r))


def profitability_index(rate: NumberLike, flows: Iterable[NumberLike]) -> Decimal:
    """Return the present value of all flows after time zero over the outlay at time zero."""
    amounts, r = series(flows), rate_of(rate)
    if amounts[0] >= 0:
        raise EconomicsError(
            f"flows[0]: {amounts[0]} is no outlay; the first flow must be negative, for example -100",
            field="flows[0]",
        )
    with exact():
        return stored(horner(amounts[1:], 1 + r) / -amounts[0])


def deflate(amount: NumberLike, inflation: NumberLike, years: int) -> Decimal:
    """Return a nominal amount of `years` from now in today's prices."""
    value, i = number(amount, "amount"), rate_of(inflation, "inflation")
    with exact():
        return stored(value * whole_power(1 + i, -years))


def inflate(amount: NumberLike, inflation: NumberLike, years: int) -> Decimal:
    """Return an amount of today's prices in the prices of `years` from now."""
    return deflate(amount, inflation, -years)


def real_rate(nominal: NumberLike, inflation: NumberLike) -> Decimal:
    """Return the real rate, (1 + nominal) / (1 + inflation) - 1."""
    r, i = rate_of(nominal, "nominal"), rate_of(inflation, "inflation")
    with exact():
        return stored((1 + r) / (1 + i) - 1)


def terminal_value(flow: NumberLike, rate: NumberLike, growth: NumberLike) -> Decimal:
    """Return the value, at the end of the last period, of a flow that grows for ever after.

    Raises:
        EconomicsError: growth is not below the rate, so the sum has no end.

    """
    value, r, g = number(flow, "flow"), rate_of(rate), rate_of(growth, "growth")
    if g >= r:
        raise EconomicsError(f"growth: {g} is not below the rate {r}; write for example 0.02", field="growth")
    with exact():
        return stored(value * (1 + g) / (r - g))


def declining_factor(
    year: int, steps: Sequence[tuple[int, NumberLike]] = GREEN_BOOK_RATES, *, after: NumberLike = "0.010"
) -> Decimal:
    """Return the discount factor of `year` when the yearly rate falls in steps (default: UK Green Book).

    >>> [round(declining_factor(year), 4) for year in (10, 30, 31)]
    [Decimal('0.7089'), Decimal('0.3563'), Decimal('0.3459')]
    """
    if year < 0:
        raise EconomicsError(f"year: {year} lies in the past; write 0 or more", field="year")
    with exact():
        growth = ONE
        for this in range(1, year + 1):
            step = next((rate for last, rate in steps if this <= last), after)
            growth *= 1 + rate_of(step)
        return stored(1 / growth)


def nper(rate: NumberLike, payment: NumberLike, present: NumberLike, future: NumberLike = 0) -> Decimal:
    """Return the number of level end-of-period payments that settle `present` to `future`.

    Raises:
        EconomicsError: no number of such payments does it.

    """
    r, p = rate_of(rate), number(payment, "payment")
    pv, fv = number(present, "present"), number(future, "future")
    with exact():
        if r == 0:
            if p == 0:
                raise EconomicsError("payment: 0 settles nothing; write for example -10", field="payment")
            return stored(-(pv + fv) / p)
        top, bottom = p - fv * r, p + pv * r
        if bottom == 0 or top / bottom <= 0:
            raise EconomicsError(f"payment: {p} never settles {pv} at rate {r}; raise it", field="payment")
        return stored((top / bottom).ln() / (1 + r).ln())
