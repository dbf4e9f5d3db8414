"""Net present value as a multi-affine polynomial of the inputs, so that extremes are found and not assumed.

At a fixed rate and fixed timing the value is a sum of products of inputs, each input at most to the first
power. Such a function takes its extremes at vertices, and inputs that share no product can be searched
apart. Subtracting two scenarios as polynomials cancels what they share, so a difference is never wider than
it truly is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from porterlib.economics.arithmetic import ONE, ZERO
from porterlib.economics.cashflows import Frame, active_months, start_period, value_of
from porterlib.economics.scenarios import Case, Variable

Key = frozenset[str]
Flows = tuple[Decimal, ...]
Polynomial = dict[Key, Flows]
Coefficients = dict[Key, Decimal]


def _line_terms(frame: Frame, start: int, delay: int) -> list[tuple[tuple[str, ...], Flows]]:
    """Return the products of lines and the flow that one unit of each product causes."""
    periods = range(frame.periods + 1)
    begins, total = start_period(frame, delay), max(frame.years * 12 - delay, 1)
    months = [active_months(frame, p, delay + 1) if p else 0 for p in periods]
    active = tuple(Decimal(m) / 12 for m in months)
    earning = tuple(Decimal(active_months(frame, p, delay + start) if p else 0) / 12 for p in periods)
    spread = tuple(Decimal(m) / total for m in months)
    once = tuple(ONE if p == begins else ZERO for p in periods)
    last = tuple(ONE if p == frame.periods else ZERO for p in periods)
    terms: list[tuple[tuple[str, ...], Flows]] = [
        (("upfront_cost",), _negative(once)),
        (("tax_rate", "upfront_cost"), spread),
        (("gross_benefit", "realisation"), earning),
        (("tax_rate", "gross_benefit", "realisation"), _negative(earning)),
        (("working_capital",), tuple(a - b for a, b in zip(last, once, strict=True))),
        (("terminal_value",), last),
    ]
    for cost in ("run_cost", "control_cost", "expected_loss"):
        terms += [((cost,), _negative(active)), (("tax_rate", cost), active)]
    return terms


def _negative(flows: Flows) -> Flows:
    return tuple(-flow for flow in flows)


def polynomial(case: Case, frame: Frame, *, start: int, delay: int) -> Polynomial:
    """Return the flows of each product of ranged variables (call inside `exact()`)."""
    result: Polynomial = {}
    for lines, flows in _line_terms(frame, start, delay):
        if all(line in case.bounds for line in lines):
            for key, factor in _expand(case, lines).items():
                known = result.get(key)
                added = tuple(factor * flow for flow in flows)
                result[key] = (
                    added if known is None else tuple(a + b for a, b in zip(known, added, strict=True))
                )
    return result


def _expand(case: Case, lines: tuple[str, ...]) -> Coefficients:
    """Multiply out (scale x variable + offset) over the lines; fixed variables become numbers."""
    result: Coefficients = {frozenset(): ONE}
    for line in lines:
        bound = case.bounds[line]
        variable = bound.variable
        parts: Coefficients = (
            {frozenset({variable.name}): bound.scale, frozenset(): bound.offset}
            if variable.ranged
            else {frozenset(): bound.value(variable.base)}
        )
        result = _multiply(result, parts)
    return result


def _multiply(left: Coefficients, right: Coefficients) -> Coefficients:
    result: Coefficients = {}
    for (a, x), (b, y) in product(left.items(), right.items()):
        if x and y:
            result[a | b] = result.get(a | b, ZERO) + x * y
    return result


def subtract(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return left - right, products that cancel removed (call inside `exact()`)."""
    result = dict(left)
    for key, flows in right.items():
        known = result.get(key, (ZERO,) * len(flows))
        result[key] = tuple(a - b for a, b in zip(known, flows, strict=True))
    return {key: flows for key, flows in result.items() if any(flows) or not key}


def discount(poly: Polynomial, growth: Decimal, frame: Frame) -> Coefficients:
    """Return each product's net present value for one unit (call inside `exact()`)."""
    return {key: value_of(flows, growth, frame) for key, flows in poly.items()}


def flows_at(poly: Polynomial, settings: Mapping[str, Decimal]) -> Flows:
    """Return the total flows at one vertex (call inside `exact()`)."""
    total: Flows = ()
    for key, flows in poly.items():
        size = ONE
        for name in key:
            size *= settings[name]
        part = tuple(size * flow for flow in flows)
        total = part if not total else tuple(a + b for a, b in zip(total, part, strict=True))
    return total


@dataclass(frozen=True, slots=True)
class Vertex:
    """An extreme value and where it is."""

    value: Decimal
    settings: dict[str, Decimal]


def extreme(coefficients: Coefficients, variables: Mapping[str, Variable], *, best: bool) -> Vertex:
    """Return the highest or lowest value over all low/high choices (call inside `exact()`).

    Groups of inputs that share a product are searched exhaustively, the groups one by one: exact for a
    multi-affine function, since the groups add up.
    """
    value = coefficients.get(frozenset(), ZERO)
    settings: dict[str, Decimal] = {}
    for names, group in _groups(coefficients):
        vertices = (
            dict(zip(names, ends, strict=True))
            for ends in product(*((variables[n].low, variables[n].high) for n in names))
        )
        scored = [(_sum(group, vertex), vertex) for vertex in vertices]
        found = max(scored, key=lambda item: item[0]) if best else min(scored, key=lambda item: item[0])
        value, settings = value + found[0], {**settings, **found[1]}
    return Vertex(value, settings)


def _sum(group: Iterable[tuple[Key, Decimal]], vertex: Mapping[str, Decimal]) -> Decimal:
    total = ZERO
    for key, coefficient in group:
        for name in key:
            coefficient *= vertex[name]
        total += coefficient
    return total


def _groups(coefficients: Coefficients) -> list[tuple[tuple[str, ...], list[tuple[Key, Decimal]]]]:
    groups: list[set[str]] = []
    for key in coefficients:
        joined = [group for group in groups if group & key]
        groups = [group for group in groups if not group & key]
        if key:
            groups.append(set(key).union(*joined))
    return [
        (tuple(sorted(group)), [(k, c) for k, c in coefficients.items() if k and k <= group])
        for group in sorted(groups, key=sorted)
    ]
