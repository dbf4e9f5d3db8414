"""Cost of delay with its range and parts, and the order in which several options should start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from porterlib.contracts.economics import CostOfDelay, DelayComponent
from porterlib.contracts.economics_estimates import Estimate
from porterlib.contracts.economics_inputs import DelayInputs
from porterlib.economics.arithmetic import ZERO, NumberLike, exact, number, stored
from porterlib.errors import EconomicsError

COMPONENTS: tuple[tuple[str, Literal[1, -1]], ...] = (
    ("foregone_benefit", 1),
    ("competitive_erosion", 1),
    ("technical_and_control_debt", 1),
    ("lost_learning", 1),
    ("savings_from_waiting", -1),
)
DELAY_FORMULA = (
    "cost of delay = foregone benefit + competitive erosion + technical and control debt + lost learning"
    " - savings from waiting; its low end takes costs low and savings high"
)


def cost_of_delay(inputs: DelayInputs) -> CostOfDelay:
    """Return the cost of delay; without every component there is no total."""
    parts = [
        _component(name, sign, estimate)
        for name, sign in COMPONENTS
        if (estimate := getattr(inputs, name)) is not None
    ]
    missing = tuple(name for name, _ in COMPONENTS if getattr(inputs, name) is None)
    low = base = high = per_month = None
    if not missing:
        with exact():
            low = stored(sum((p.low if p.sign > 0 else -p.high for p in parts), ZERO))
            base = stored(sum((p.sign * p.base for p in parts), ZERO))
            high = stored(sum((p.high if p.sign > 0 else -p.low for p in parts), ZERO))
            per_month = stored(base / inputs.months)
    return CostOfDelay(
        months=inputs.months,
        low=low,
        base=base,
        high=high,
        per_month=per_month,
        waiting_pays=_waiting_pays(low, high),
        components=tuple(parts),
        missing=missing,
        formula=DELAY_FORMULA,
        basis=tuple(sorted({b for part in parts for b in part.basis})),
        owners=tuple(sorted({part.owner for part in parts if part.owner})),
    )


def _component(name: str, sign: Literal[1, -1], estimate: Estimate) -> DelayComponent:
    with exact():
        low, base, high = estimate.points()
    return DelayComponent(
        name=name, sign=sign, low=low, base=base, high=high, owner=estimate.owner, basis=estimate.basis
    )


def _waiting_pays(
    low: Decimal | None, high: Decimal | None
) -> Literal["always", "never", "depends", "unknown"]:
    if low is None or high is None:
        return "unknown"
    if high < 0:
        return "always"
    return "never" if low >= 0 else "depends"


@dataclass(frozen=True, slots=True)
class Job:
    """An option that takes time to finish and is worth something each period from then on."""

    name: str
    value_per_period: Decimal
    duration: Decimal


def jobs_of(rows: Iterable[tuple[str, NumberLike, NumberLike]]) -> tuple[Job, ...]:
    """Return jobs from (name, value a period once done, duration).

    Raises:
        EconomicsError: a duration is not above zero.

    """
    jobs = tuple(Job(n, number(v, f"{n}.value"), number(d, f"{n}.duration")) for n, v, d in rows)
    for job in jobs:
        if job.duration <= 0:
            raise EconomicsError(
                f"{job.name}.duration: {job.duration} is not above 0; write for example 4",
                field=f"{job.name}.duration",
            )
    return jobs


def delay_order(rows: Iterable[tuple[str, NumberLike, NumberLike]]) -> tuple[tuple[str, ...], Decimal]:
    """Return the order, one job after another, with the least total cost of delay, and that cost.

    The job with the highest value a period over its duration goes first (Smith's rule; ties by name). Total
    cost is the value each job would have given from the start until it is done.

    >>> delay_order([("A", 10, 2), ("B", 30, 4)])
    (('B', 'A'), Decimal('180'))
    """
    with exact():
        ordered = sorted(jobs_of(rows), key=lambda job: (-job.value_per_period / job.duration, job.name))
        return tuple(job.name for job in ordered), sequence_cost(ordered)


def sequence_cost(jobs: Iterable[Job]) -> Decimal:
    """Return the cost of delay of doing `jobs` in the given order."""
    elapsed = total = ZERO
    for job in jobs:
        elapsed += job.duration
        total += job.value_per_period * elapsed
    return stored(total)


def delivered(jobs: Iterable[Job], horizon: NumberLike, *, baseline: NumberLike = 0) -> Decimal:
    """Return what `jobs` in the given order give within `horizon` periods, on top of a running baseline."""
    periods = number(horizon, "horizon")
    elapsed, total = ZERO, number(baseline, "baseline") * periods
    for job in jobs:
        elapsed += job.duration
        total += job.value_per_period * max(periods - elapsed, ZERO)
    return stored(total)
