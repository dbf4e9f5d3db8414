"""Every real internal rate of return, by counting sign changes instead of guessing a start.

The value of a series is a sum of c * v^t with v = 1 / (1 + rate). A sum with one sign change has exactly one
positive root. With more, dividing by v^t at a sign change and taking the derivative gives a sum with one
change fewer, whose roots cut the axis into stretches on which the first sum is monotone (the classical proof
of Descartes' rule). So all roots are found, for whole and for fractional times, and none is invented.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise

from porterlib.economics.arithmetic import ONE, ZERO, NumberLike, exact, rate_of, series, stored
from porterlib.economics.discounting import DatedFlows, dated
from porterlib.errors import EconomicsError

Terms = Sequence[tuple[Decimal, Decimal]]
"""(time, amount) in order of time, amounts not zero, times distinct."""

_STEPS = 200
_CLOSE = Decimal("1e-44")
_TOUCH = Decimal("1e-30")
_TOTAL_LOSS = Decimal("1e-9")
_WIDEST = Decimal(2) ** 2000


def _terms(rows: Iterable[tuple[Decimal, Decimal]]) -> Terms:
    merged: dict[Decimal, Decimal] = {}
    for time, amount in rows:
        merged[time] = merged.get(time, ZERO) + amount
    return [(time, amount) for time, amount in sorted(merged.items()) if amount]


def _sign_changes(terms: Terms) -> list[int]:
    return [k for k in range(1, len(terms)) if (terms[k - 1][1] < 0) != (terms[k][1] < 0)]


def _value(terms: Terms, log_v: Decimal) -> Decimal:
    return _powers(terms, log_v)[0]


def _powers(terms: Terms, log_v: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    """Return the sum, its slope in log v, and the sum of its sizes, at one point."""
    value = slope = size = ZERO
    v, power, at = log_v.exp(), ONE, ZERO
    for time, amount in terms:
        gap = time - at
        power, at = power * (v**gap if gap == gap.to_integral_value() else (gap * log_v).exp()), time
        part = amount * power
        value, slope, size = value + part, slope + time * part, size + abs(part)
    return value, slope, size


def _touches(terms: Terms, log_v: Decimal) -> bool:
    """Tell whether the sum is zero there but for rounding (a root it touches without crossing)."""
    value, _, size = _powers(terms, log_v)
    return abs(value) <= size * _TOUCH


def _solve(terms: Terms, low: Decimal, high: Decimal) -> Decimal:
    """Return the root between two points of opposite sign: Newton steps, halved when they leave it."""
    below = _value(terms, low) < 0
    point = (low + high) / 2
    for _ in range(_STEPS):
        value, slope, _ = _powers(terms, point)
        if (value < 0) == below:
            low = point
        else:
            high = point
        step = value / slope if slope else high - low
        following = point - step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - point) <= _CLOSE:
            return following
        point = following
    return point


def _reach(terms: Terms, start: Decimal, direction: int, negative: bool) -> Decimal | None:
    """Walk from `start` until the sum has the sign it takes in the limit; None beyond any sensible rate."""
    step = Decimal("0.5")
    while step < _WIDEST:
        point = start + direction * step
        if abs(point) * max(abs(terms[0][0]), abs(terms[-1][0]), ONE) > 20000:
            return None
        if (_value(terms, point) < 0) == negative:
            return point
        step *= 2
    return None


def _log_roots(terms: Terms) -> list[Decimal]:
    """Return all roots of the sum in log v, ascending (call inside `exact()`)."""
    changes = _sign_changes(terms)
    if not changes:
        return []
    pivot = terms[changes[len(changes) // 2]][0]
    turns = [ZERO]
    if len(changes) > 1:
        slope = [(time - pivot, amount * (time - pivot)) for time, amount in terms if time != pivot]
        turns = _log_roots(slope) or [ZERO]
    roots = [turn for turn in turns if _touches(terms, turn)]
    left = _reach(terms, turns[0], -1, terms[0][1] < 0)
    right = _reach(terms, turns[-1], 1, terms[-1][1] < 0)
    walls = [point for point in (left, *turns, right) if point is not None]
    for low, high in pairwise(walls):
        if low in roots or high in roots:
            low, high = _step_off(low, high, roots)
        if (_value(terms, low) < 0) != (_value(terms, high) < 0):
            roots.append(_solve(terms, low, high))
    return sorted(set(roots))


def _step_off(low: Decimal, high: Decimal, roots: list[Decimal]) -> tuple[Decimal, Decimal]:
    """Move an end that is itself a touching root a little inwards, so that it is not found twice."""
    width = (high - low) * Decimal("1e-9")
    low = low + width if low in roots else low
    high = high - width if high in roots else high
    return low, high


def _rates(terms: Terms) -> tuple[Decimal, ...]:
    with exact():
        return tuple(sorted(stored((-root).exp() - 1) for root in _log_roots(terms)))


def irr_roots(flows: Iterable[NumberLike]) -> tuple[Decimal, ...]:
    """Return every real rate above -1 at which equally spaced flows are worth nothing, ascending.

    A series of one sign (or of zeros) has none and gives an empty tuple; a rate at which the value only
    touches zero counts once.

    >>> [round(root, 6) for root in irr_roots([-50, -100, 600, 300, -100])]
    [Decimal('-0.768895'), Decimal('1.854418')]
    >>> irr_roots([-100, 0, 0, -7])
    ()
    """
    amounts = series(flows)
    return _rates(_terms((Decimal(k), amount) for k, amount in enumerate(amounts)))


def period_roots(flows: Sequence[Decimal], offset: Decimal = ZERO) -> tuple[Decimal, ...]:
    """Return the roots of a flow at time zero and period flows that each fall `offset` periods early."""
    return _rates(_terms((max(k - offset, ZERO), amount) for k, amount in enumerate(flows)))


def xirr_roots(flows: DatedFlows) -> tuple[Decimal, ...]:
    """Return every real yearly rate above -1 at which dated flows are worth nothing, ascending."""
    return _rates(_terms(dated(flows)))


def xirr(flows: DatedFlows) -> Decimal:
    """Return the one internal rate of return of dated flows (365-day years).

    Raises:
        EconomicsError: there is none, there are several (they are listed), or the rate is within a billionth
            of total loss, where a yearly rate over a few days says nothing.

    """
    return _single(xirr_roots(flows))


def irr(flows: Iterable[NumberLike]) -> Decimal:
    """Return the one internal rate of return; refuses as `xirr` does."""
    return _single(irr_roots(flows))


def _single(roots: tuple[Decimal, ...]) -> Decimal:
    if not roots:
        raise EconomicsError(
            "flows: there is no internal rate of return; look at the net present value", field="flows"
        )
    if len(roots) > 1:
        listed = ", ".join(f"{root:.6f}" for root in roots)
        raise EconomicsError(
            f"flows: there are {len(roots)} internal rates of return ({listed}); judge by net present value",
            field="flows",
            roots=[str(root) for root in roots],
        )
    if is_total_loss(roots[0]):
        raise EconomicsError(
            "flows: the rate is within a billionth of -100 %; report a total loss, not a return",
            field="flows",
            roots=[str(roots[0])],
        )
    return roots[0]


def is_total_loss(rate: Decimal) -> bool:
    """Tell whether a rate is so close to -100 % that it means total loss."""
    return 1 + rate < _TOTAL_LOSS


def mirr(flows: Iterable[NumberLike], finance_rate: NumberLike, reinvest_rate: NumberLike) -> Decimal:
    """Return the modified rate: outflows discounted at one rate, inflows compounded at another.

    Raises:
        EconomicsError: the series lacks an outflow or an inflow.

    """
    amounts = series(flows)
    cost, gain = 1 + rate_of(finance_rate, "finance_rate"), 1 + rate_of(reinvest_rate, "reinvest_rate")
    if not any(a < 0 for a in amounts) or not any(a > 0 for a in amounts):
        raise EconomicsError(
            "flows: a modified rate needs an outflow and an inflow, for example [-100, 120]", field="flows"
        )
    with exact():
        spent, factor = ZERO, ONE
        for amount in amounts:
            spent, factor = spent + min(amount, ZERO) / factor, factor * cost
        earned = ZERO
        for amount in amounts:
            earned = earned * gain + max(amount, ZERO)
        return stored(((earned / -spent).ln() / (len(amounts) - 1)).exp() - 1)


def stationary_rates(
    flows: Sequence[Decimal], low: Decimal, high: Decimal, *, offset: Decimal = ZERO
) -> tuple[Decimal, ...]:
    """Return the rates inside low..high where the value of `flows` stops rising or falling.

    The first flow falls one period after time zero, less `offset`. With v = 1 / (1 + rate) the slope of a sum
    of c_k * v^t_k has terms t_k * c_k * v^(t_k - 1), and its roots are those rates.
    """
    slope = [(k - offset, (k - offset) * amount) for k, amount in enumerate(flows, start=1)]
    return tuple(rate for rate in _rates(_terms(slope)) if low < rate < high)
