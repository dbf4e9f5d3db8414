"""Scenarios as named changes of shared lines, resolved so that shared drivers stay shared.

Each line of a scenario is `scale x variable + offset`. A factor or an addition keeps the shared variable;
only `to` introduces a variable of the scenario's own. So two scenarios that differ in one line move together
in all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from porterlib.contracts.economics import ChangeMade
from porterlib.contracts.economics_estimates import Estimate, plain_text
from porterlib.contracts.economics_inputs import (
    MEASURES,
    REQUIRED_LINES,
    Change,
    EconomicsInputs,
    LineName,
    OptionKind,
    ScenarioInputs,
    ScenarioKind,
)
from porterlib.economics.arithmetic import ONE, ZERO, exact
from porterlib.errors import EconomicsError

RATE = "discount_rate"
_BENEFIT_ONLY = ("realisation", "start_month")
OUTER = ("start_month", "delay_months")
"""Lines that shift flows in time; the value is not affine in them."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An input that takes values between low and high, in single units."""

    name: str
    low: Decimal
    base: Decimal
    high: Decimal
    estimate: Estimate

    @property
    def ranged(self) -> bool:
        """Whether it varies at all."""
        return self.low < self.high

    def at(self, end: str) -> Decimal:
        """Return the value at `low`, `base` or `high`."""
        return Decimal(getattr(self, end))


@dataclass(frozen=True, slots=True)
class Bound:
    """A line of a scenario: scale x variable + offset."""

    variable: Variable
    scale: Decimal = ONE
    offset: Decimal = ZERO

    def value(self, of_variable: Decimal) -> Decimal:
        """Return the line's value for a value of its variable."""
        return self.scale * of_variable + self.offset


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario with every line resolved."""

    name: str
    kind: ScenarioKind
    option: OptionKind
    bounds: Mapping[str, Bound]
    changes: tuple[ChangeMade, ...]
    missing: tuple[str, ...]
    basis: tuple[str, ...]
    owners: tuple[str, ...]

    def variables(self) -> dict[str, Variable]:
        """Return every variable of the case by name."""
        return {bound.variable.name: bound.variable for bound in self.bounds.values()}

    def values(self, settings: Mapping[str, Decimal] | None = None) -> dict[str, Decimal]:
        """Return line values; variables not in `settings` stand at base."""
        chosen = settings or {}
        with exact():
            return {
                line: bound.value(chosen.get(bound.variable.name, bound.variable.base))
                for line, bound in self.bounds.items()
            }


def variable(name: str, estimate: Estimate) -> Variable:
    """Return the variable an estimate stands for."""
    return Variable(name, *estimate.points(), estimate)


def resolve(
    inputs: EconomicsInputs, shared: Mapping[str, Estimate], uplift: Mapping[str, Decimal]
) -> tuple[Case, ...]:
    """Return the cases of `inputs`.

    Args:
        inputs: the finance inputs.
        shared: the shared lines that are supplied (with the ladder's booked value, and the discount rate).
        uplift: line name to optimism-bias factor.

    Raises:
        EconomicsError: a change names nothing to change, or leads to an impossible value.

    """
    base = {name: Bound(variable(name, estimate)) for name, estimate in shared.items()}
    done: dict[str, tuple[dict[str, Bound], tuple[ChangeMade, ...], tuple[Change, ...]]] = {}
    cases = []
    for index, scenario in enumerate(inputs.scenarios):
        start, made, sources = done[scenario.derives_from] if scenario.derives_from else (base, (), ())
        bounds = dict(start)
        for line, change in scenario.changes.items():
            where = f"scenarios[{index}].changes.{line}"
            applied = _apply(bounds.get(line), line, change, scenario, where)
            if applied is not None:
                bounds[line] = applied
        made += tuple(ChangeMade(line=n, how=_how(c), because=c.because) for n, c in scenario.changes.items())
        sources += tuple(scenario.changes.values())
        done[scenario.name] = (bounds, made, sources)
        lifted = _with_uplift(bounds, uplift)
        _check(lifted, inputs, index)
        lifted = _without_idle(lifted)
        cases.append(_case(scenario, lifted, made, sources))
    return tuple(cases)


def _apply(
    bound: Bound | None, line: LineName, change: Change, scenario: ScenarioInputs, where: str
) -> Bound | None:
    if change.to is not None:
        return Bound(variable(f"{scenario.name}:{line}", change.to))
    if bound is None:
        if line in REQUIRED_LINES:
            return None
        raise EconomicsError(
            f"{where}: the shared lines hold no {line} to change; use to: with a full range", field=where
        )
    scale = bound.variable.estimate.scale()
    with exact():
        if change.factor is not None:
            return replace(bound, scale=bound.scale * change.factor, offset=bound.offset * change.factor)
        assert change.add is not None
        return replace(bound, offset=bound.offset + change.add * scale)


def _how(change: Change) -> str:
    if change.to is not None:
        low, base, high = (plain_text(v) for v in (change.to.low, change.to.base, change.to.high))
        return (
            f"to {base} {change.to.unit}" if low == high else f"to {low} / {base} / {high} {change.to.unit}"
        )
    return (
        f"x {plain_text(change.factor)}"
        if change.factor is not None
        else f"+ {plain_text(change.add or ZERO)}"
    )


def _with_uplift(bounds: Mapping[str, Bound], uplift: Mapping[str, Decimal]) -> dict[str, Bound]:
    with exact():
        return {
            line: replace(b, scale=b.scale * uplift[line], offset=b.offset * uplift[line])
            if line in uplift
            else b
            for line, b in bounds.items()
        }


def _check(bounds: Mapping[str, Bound], inputs: EconomicsInputs, index: int) -> None:
    for line, bound in bounds.items():
        low, high = bound.value(bound.variable.low), bound.value(bound.variable.high)
        problem = _impossible(MEASURES[line], low, high, bound.scale)
        if problem:
            where = f"scenarios[{index}].changes.{line}"
            raise EconomicsError(f"{where}: the change gives {problem}", field=where)
    months = (inputs.horizon_years or 0) * 12
    delay = bounds.get("delay_months")
    if months and delay is not None and delay.value(delay.variable.high) >= months:
        where = f"scenarios[{index}].changes.delay_months"
        raise EconomicsError(
            f"{where}: the option would start after the horizon of {months} months; lengthen horizon_years",
            field=where,
        )
    latest = sum((b.value(b.variable.high) for n, b in bounds.items() if n in OUTER), ZERO)
    gross = bounds.get("gross_benefit")
    earns = gross is None or gross.value(gross.variable.high) > 0
    if months and earns and "start_month" in bounds and latest > months:
        where = f"scenarios[{index}].changes.start_month"
        raise EconomicsError(
            f"{where}: benefits would start in month {plain_text(latest)}, after the horizon "
            f"of {months} months; lengthen horizon_years or start earlier",
            field=where,
        )


def _impossible(measure: str, low: Decimal, high: Decimal, scale: Decimal) -> str | None:
    if measure == "share" and (low < 0 or high > 1):
        return f"{plain_text(low)} to {plain_text(high)}, which leaves 0 to 1; use a smaller factor"
    if low < 0:
        return f"{plain_text(low)}, which is negative; use a smaller subtraction"
    if measure == "month" and (low % 1 or high % 1 or scale % 1):
        return "months that are not whole; use to: with whole months"
    return None


def _case(
    scenario: ScenarioInputs,
    bounds: Mapping[str, Bound],
    made: tuple[ChangeMade, ...],
    sources: tuple[Change, ...],
) -> Case:
    estimates = [bound.variable.estimate for bound in bounds.values()]
    basis = {b for estimate in estimates for b in estimate.basis} | {b for c in sources for b in c.basis}
    owners = {e.owner for e in estimates if e.owner} | {c.owner for c in sources if c.owner}
    return Case(
        name=scenario.name,
        kind=scenario.kind,
        option=scenario.option,
        bounds=bounds,
        changes=made,
        missing=tuple(_missing(bounds)),
        basis=tuple(sorted(basis)),
        owners=tuple(sorted(owners)),
    )


def _no_benefit(bounds: Mapping[str, Bound]) -> bool:
    gross = bounds.get("gross_benefit")
    return gross is not None and gross.value(gross.variable.high) == 0


def _without_idle(bounds: Mapping[str, Bound]) -> dict[str, Bound]:
    """Drop realisation and start where there is no benefit to realise."""
    idle = _BENEFIT_ONLY if _no_benefit(bounds) else ()
    return {line: bound for line, bound in bounds.items() if line not in idle}


def _missing(bounds: Mapping[str, Bound]) -> Iterator[str]:
    """Name what a case lacks."""
    idle = _BENEFIT_ONLY if _no_benefit(bounds) else ()
    yield from (line for line in (*REQUIRED_LINES, RATE) if line not in bounds and line not in idle)
