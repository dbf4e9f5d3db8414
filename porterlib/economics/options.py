"""The value of committing in stages: a decision tree with one point of learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from porterlib.economics.arithmetic import ONE, ZERO, NumberLike, exact, number, rate_of, stored, whole_power
from porterlib.errors import EconomicsError


@dataclass(frozen=True, slots=True)
class RealOption:
    """What it is worth to decide after learning instead of now."""

    value_now: Decimal
    """Expected net present value of committing everything now."""
    value_waiting: Decimal
    """Expected net present value of learning first and investing only where that pays."""
    option_value: Decimal
    """How much waiting adds over the better of committing now and doing nothing; never negative."""
    invests_after: tuple[str, ...]
    """The signals after which investing pays."""


def real_option(
    *,
    investment: NumberLike,
    value_good: NumberLike,
    value_bad: NumberLike,
    probability_good: NumberLike,
    rate: NumberLike,
    periods: int = 1,
    early_value: NumberLike = 0,
    learning_cost: NumberLike = 0,
    reliability: NumberLike = 1,
) -> RealOption:
    """Return the value of committing now, of learning first, and the difference that is worth paying for.

    Args:
        investment: outlay, the same now and later.
        value_good: value of all later cash, at the time of learning, if things turn out well.
        value_bad: the same if they turn out badly.
        probability_good: chance of the good state, 0 to 1.
        rate: rate per period.
        periods: periods until the state is known.
        early_value: value at time zero of cash earned before that, only by committing now.
        learning_cost: cost of the stage that teaches, such as a pilot, at time zero.
        reliability: chance that the signal shows the true state, 0.5 (no information) to 1.

    Dixit and Pindyck's factory: 1600 now, price 200 this year, then 300 or 100 for ever.

    >>> case = {"investment": 1600, "value_good": 3300, "value_bad": 1100, "early_value": 200}
    >>> option = real_option(**case, probability_good="0.5", rate="0.1")
    >>> round(option.value_now), round(option.value_waiting), round(option.option_value)
    (600, 773, 173)

    """
    p = _share(probability_good, "probability_good", ZERO)
    q = _share(reliability, "reliability", Decimal("0.5"))
    outlay = number(investment, "investment")
    if outlay < 0 or periods < 1:
        raise EconomicsError(
            "investment is a positive amount and periods at least 1; write investment=1600, periods=1",
            field="investment",
        )
    values = number(value_good, "value_good"), number(value_bad, "value_bad")
    with exact():
        discount = ONE / whole_power(1 + rate_of(rate), periods)
        early, cost = number(early_value, "early_value"), number(learning_cost, "learning_cost")
        return _compare(p, q, values, outlay, discount, early, cost)


def _compare(
    p: Decimal,
    q: Decimal,
    values: tuple[Decimal, Decimal],
    outlay: Decimal,
    discount: Decimal,
    early: Decimal,
    cost: Decimal,
) -> RealOption:
    good, bad = values
    now = early - outlay + (p * good + (1 - p) * bad) * discount
    gain, chosen = _invest_where_it_pays(_signals(p, q, good, bad), outlay)
    waiting = gain * discount - cost
    added = max(waiting - max(now, ZERO), ZERO)
    return RealOption(stored(now), stored(waiting), stored(added), chosen)


def _invest_where_it_pays(
    signals: Iterable[tuple[str, Decimal, Decimal]], outlay: Decimal
) -> tuple[Decimal, tuple[str, ...]]:
    """Return the expected gain of investing only after signals that justify it, and those signals."""
    paying = [
        (name, chance * (value - outlay)) for name, chance, value in signals if chance and value > outlay
    ]
    return sum((gain for _, gain in paying), ZERO), tuple(name for name, _ in paying)


def _signals(p: Decimal, q: Decimal, good: Decimal, bad: Decimal) -> Iterator[tuple[str, Decimal, Decimal]]:
    """Yield each signal with its chance and the expected value once it is seen (Bayes' rule)."""
    for signal, true_good, true_bad in (("good", q, 1 - q), ("bad", 1 - q, q)):
        chance = p * true_good + (1 - p) * true_bad
        yield signal, chance, (p * true_good * good + (1 - p) * true_bad * bad) / chance if chance else ZERO


def _share(value: NumberLike, field: str, low: Decimal) -> Decimal:
    share = number(value, field)
    if not low <= share <= 1:
        raise EconomicsError(f"{field}: {share} lies outside {low} to 1; write 50 % as 0.5", field=field)
    return share


def perpetuity(flow: NumberLike, rate: NumberLike) -> Decimal:
    """Return the value of a flow that is paid now and every period after, for ever."""
    amount, r = number(flow, "flow"), rate_of(rate)
    if r <= 0:
        raise EconomicsError(
            f"rate: {r} is not above 0, so the sum has no end; write for example 0.1", field="rate"
        )
    with exact():
        return stored(amount * (1 + r) / r)
