"""Worst and best values, searched over every input range and inside the discount rate's range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Literal

from porterlib.economics.algebra import Polynomial, discount, extreme, flows_at, polynomial, subtract
from porterlib.economics.arithmetic import ONE, NumberLike, exact, number, stored
from porterlib.economics.cashflows import Frame, net_present_value, timing_offset
from porterlib.economics.roots import stationary_rates
from porterlib.economics.scenarios import OUTER, RATE, Case, Variable
from porterlib.errors import EconomicsError

_GRID = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A value and the settings of every ranged variable it was found at."""

    value: Decimal
    settings: dict[str, Decimal]
    interior_rate: bool = False


def npv_difference(case: Case, other: Case | None, frame: Frame, settings: Mapping[str, Decimal]) -> Decimal:
    """Return the net present value of `case` at `settings`, less that of `other`."""
    value = net_present_value(case.values(settings), frame)
    if other is None:
        return value
    with exact():
        return stored(value - net_present_value(other.values(settings), frame))


def find_spread(
    case: Case, other: Case | None, frame: Frame
) -> dict[Literal["worst", "base", "best"], Found]:
    """Return worst, base and best net present value of `case`, or of its difference to `other`.

    Exhaustive over the ends of all inputs; exact in the rate for every vertex that is best at some rate of a
    grid, by the stationary points of its value.
    """
    variables = {**(other.variables() if other else {}), **case.variables()}
    base = {name: v.base for name, v in variables.items() if v.ranged}
    result: dict[Literal["worst", "base", "best"], Found] = {
        "base": Found(npv_difference(case, other, frame, base), base)
    }
    with exact():
        for end in ("worst", "best"):
            settings, interior = _search(case, other, frame, variables, best=end == "best")
            settings = {**base, **settings}
            value = npv_difference(case, other, frame, settings)
            result[end] = Found(value, settings, interior)
    return result


def _search(
    case: Case, other: Case | None, frame: Frame, variables: Mapping[str, Variable], *, best: bool
) -> tuple[dict[str, Decimal], bool]:
    low, high = _rate_range(variables)
    winner: tuple[Decimal, Decimal, dict[str, Decimal]] | None = None
    for outer in _outer_choices(case, other, variables):
        poly = _difference(case, other, frame, outer)
        for rate, value, settings in _best_over_rates(poly, frame, variables, low, high, best=best):
            if winner is None or (value > winner[0] if best else value < winner[0]):
                winner = value, rate, {**outer, **settings}
    assert winner is not None
    rate, settings = winner[1], winner[2]
    return {**settings, **_split_rate(rate, variables)}, low < rate < high


def _difference(case: Case, other: Case | None, frame: Frame, outer: Mapping[str, Decimal]) -> Polynomial:
    poly = polynomial(case, frame, **_timing(case, outer))
    return poly if other is None else subtract(poly, polynomial(other, frame, **_timing(other, outer)))


def _timing(case: Case, outer: Mapping[str, Decimal]) -> dict[str, int]:
    result = {}
    for line, default in (("start_month", 1), ("delay_months", 0)):
        bound = case.bounds.get(line)
        name = line.removesuffix("_month").removesuffix("_months")
        if bound is None:
            result[name] = default
        else:
            result[name] = int(bound.value(outer.get(bound.variable.name, bound.variable.base)))
    return result


def _outer_choices(
    case: Case, other: Case | None, variables: Mapping[str, Variable]
) -> Iterator[dict[str, Decimal]]:
    """Yield every choice of timing: both ends where later is never better, every month otherwise."""
    names: dict[str, bool] = {}
    for one in (case, other) if other else (case,):
        for line in OUTER:
            bound = one.bounds.get(line)
            if bound is not None and bound.variable.ranged:
                name = bound.variable.name
                names[name] = name in names or line == "delay_months"
    options = [
        _months(variables[name]) if each else [variables[name].low, variables[name].high]
        for name, each in names.items()
    ]
    for choice in product(*options):
        yield dict(zip(names, choice, strict=True))


def _months(variable: Variable) -> list[Decimal]:
    return [Decimal(month) for month in range(int(variable.low), int(variable.high) + 1)]


def _rate_range(variables: Mapping[str, Variable]) -> tuple[Decimal, Decimal]:
    """Return the range of the rate that discounts: real when inflation is among the inputs."""
    rate, inflation = variables[RATE], variables.get("inflation")
    if inflation is None:
        return rate.low, rate.high
    return (1 + rate.low) / (1 + inflation.high) - 1, (1 + rate.high) / (1 + inflation.low) - 1


def _split_rate(effective: Decimal, variables: Mapping[str, Variable]) -> dict[str, Decimal]:
    """Return a stated rate and inflation that give the effective rate."""
    rate, inflation = variables[RATE], variables.get("inflation")
    if inflation is None:
        return {RATE: effective} if rate.ranged else {}
    growth = (1 + effective) * (1 + inflation.base)
    stated = min(max(growth - 1, rate.low), rate.high)
    chosen = min(max((1 + stated) / (1 + effective) - 1, inflation.low), inflation.high)
    return {RATE: stated, "inflation": chosen}


def _best_over_rates(
    poly: Polynomial,
    frame: Frame,
    variables: Mapping[str, Variable],
    low: Decimal,
    high: Decimal,
    *,
    best: bool,
) -> Iterator[tuple[Decimal, Decimal, dict[str, Decimal]]]:
    """Yield (rate, value, vertex) on a grid, then at the stationary rates of every vertex seen there."""
    grid = [low] if low == high else [low + (high - low) * k / _GRID for k in range(_GRID + 1)]
    seen: dict[tuple[tuple[str, Decimal], ...], None] = {}
    for rate in grid:
        vertex = extreme(discount(poly, ONE + rate / frame.per_year, frame), variables, best=best)
        seen.setdefault(tuple(sorted(vertex.settings.items())))
        yield rate, vertex.value, vertex.settings
    if low == high:
        return
    for settings in seen:
        for rate in _turning_rates(flows_at(poly, dict(settings)), frame, low, high):
            vertex = extreme(discount(poly, ONE + rate / frame.per_year, frame), variables, best=best)
            yield rate, vertex.value, vertex.settings


def _turning_rates(flows: Sequence[Decimal], frame: Frame, low: Decimal, high: Decimal) -> list[Decimal]:
    """Return yearly rates inside the range where the value of these flows turns.

    Mid-period timing multiplies by the square root of growth: in w = v^(1/2) the value is again a sum of
    powers, at times k - 1/2, so the same root count holds.
    """
    offset = timing_offset(frame)
    periodic = stationary_rates(flows[1:], low / frame.per_year, high / frame.per_year, offset=offset)
    return [rate * frame.per_year for rate in periodic]


def search_corners(
    function: Callable[[Mapping[str, Decimal]], Decimal],
    ranges: Mapping[str, tuple[NumberLike, NumberLike]],
    *,
    interior: Sequence[str] = (),
) -> tuple[Found, Found]:
    """Return the lowest and highest value of any function of named ranges.

    Args:
        function: takes one Decimal a name; must be multi-affine in every name not in `interior`, or monotone.
        ranges: (low, high) of each name; at most 16 names.
        interior: names that are also searched between their ends, on a grid that is refined around its best.

    >>> low, high = search_corners(
    ...     lambda x: x["seats"] * (x["price"] - Decimal("8.5")), {"seats": (100, 200), "price": (7, 12)}
    ... )
    >>> low.value, high.value
    (Decimal('-300.0'), Decimal('700.0'))

    """
    bounds = {name: (number(a, name), number(b, name)) for name, (a, b) in ranges.items()}
    for name, (a, b) in bounds.items():
        if a > b:
            raise EconomicsError(
                f"{name}: the range is inverted, {a} is above {b}; write (low, high)", field=name
            )
    if len(bounds) > 16:
        raise EconomicsError(
            f"ranges: {len(bounds)} names are too many to search; give at most 16", field="ranges"
        )
    with exact():
        return _scan(function, bounds, interior, best=False), _scan(function, bounds, interior, best=True)


def _scan(
    function: Callable[[Mapping[str, Decimal]], Decimal],
    bounds: Mapping[str, tuple[Decimal, Decimal]],
    interior: Sequence[str],
    *,
    best: bool,
) -> Found:
    def better(a: Found, b: Found) -> Found:
        return a if (a.value >= b.value if best else a.value <= b.value) else b

    windows = {name: bounds[name] for name in interior}
    found: Found | None = None
    for _ in range(12):
        choices = {n: _points(*windows[n]) if n in windows else sorted(set(bounds[n])) for n in bounds}
        for values in product(*choices.values()):
            settings = dict(zip(choices, values, strict=True))
            tried = Found(function(settings), settings)
            found = tried if found is None else better(found, tried)
        if found is None or not windows:
            break
        windows = {n: _narrow(found.settings[n], windows[n], bounds[n]) for n in windows}
    assert found is not None
    return found


def _points(low: Decimal, high: Decimal) -> list[Decimal]:
    return [low] if low == high else [low + (high - low) * k / 32 for k in range(33)]


def _narrow(
    centre: Decimal, window: tuple[Decimal, Decimal], bounds: tuple[Decimal, Decimal]
) -> tuple[Decimal, Decimal]:
    step = (window[1] - window[0]) / 32
    return max(bounds[0], centre - step), min(bounds[1], centre + step)
