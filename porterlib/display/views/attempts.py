"""Attempts under supervision: which criteria failed, what was asked of the next attempt, why it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.supervision import AttemptManifest, Finding, GoalReport, RalphState
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Grid, Listed, Para, Value, grid
from porterlib.display.parts import part
from porterlib.display.words import OUTCOMES, STATUSES, spoken

_PLACES = 3
"""Places of one kind of finding that are named before the rest is counted."""


def timeline(result: Any, *, attempt: int | None = None, criterion: str | None = None) -> Built:
    """Return criteria by attempt, with findings and gap directives.

    Args:
        result: a supervision state, an outcome or the results of a run.
        attempt: show this attempt alone below the table; all of them, the one that counts open, when absent.
        criterion: show what was found on this criterion only.

    """
    state = part(result, RalphState)
    word, tone = STATUSES[state.status]
    facts: list[tuple[str, object]] = [
        ("Status", Cell(word, tone)),
        ("Ended because", spoken(state.reason) or "—"),
        ("Attempts", f"{len(state.attempts)} of at most {state.max_attempts}"),
        ("Budget", f"{state.budget_units_used} of {state.max_budget_units} units"),
        ("Counts", f"attempt {state.best_attempt}" if state.best_attempt else "none"),
    ]
    blocks: list[Block] = [Facts(facts), _matrix(state)]
    wanted = attempt or state.best_attempt
    blocks += [
        _attempt(entry, criterion, opened=entry.attempt_number == wanted)
        for entry in state.attempts
        if attempt in (None, entry.attempt_number)
    ]
    title = f"Attempts: {len(state.attempts)}, {word}"
    return Built(title, blocks, lambda: _rows(state), columns=("attempt", "criterion_id", "outcome"))


def _matrix(state: RalphState) -> Grid:
    outcomes = [
        {entry.criterion_id: entry.outcome for entry in attempt.report.evaluations}
        for attempt in state.attempts
    ]

    def row(criterion: Any) -> list[Any]:
        cells = [OUTCOMES.get(found.get(criterion.criterion_id, ""), ("—", None)) for found in outcomes]
        return [
            Cell(criterion.criterion_id, mono=True),
            criterion.description,
            *(Cell(word, tone) for word, tone in cells),
        ]

    head = ("Criterion", "What must hold", *(f"Attempt {a.attempt_number}" for a in state.attempts))
    return grid(head, state.criteria, row)


def _attempt(attempt: AttemptManifest, criterion: str | None, *, opened: bool) -> Fold:
    seconds = (attempt.finished_at - attempt.started_at).total_seconds()
    directives = [
        f"{d.criterion_id}: {d.instruction}"
        for d in attempt.directives
        if criterion in (None, d.criterion_id)
    ]
    judged = [e for e in attempt.report.evaluations if criterion in (None, e.criterion_id)]
    inner: list[Block] = [
        Para(attempt.report.summary),
        Listed("Asked of the next attempt", directives),
        _findings([f for e in judged for f in e.findings]),
    ]
    remedies = [
        f"{e.criterion_id} ({OUTCOMES[e.outcome][0]}): {e.remediation}" for e in judged if e.outcome != "pass"
    ]
    inner.insert(1, Listed("Open", remedies))
    title = f"Attempt {attempt.attempt_number}, {attempt.started_at:%Y-%m-%d %H:%M:%S} UTC, {seconds:.1f} s"
    return Fold(title, inner, open=opened)


def _findings(found: list[Finding]) -> Grid:
    """Return one row a kind of finding, errors first: how often, what for instance, where, and what to do."""
    kinds: dict[tuple[bool, str], list[Finding]] = {}
    for finding in sorted(found, key=lambda f: (f.severity != "error", f.code, f.place)):
        kinds.setdefault((finding.severity != "error", finding.code), []).append(finding)

    def row(alike: list[Finding]) -> list[Value]:
        first, more = alike[0], len(alike) - _PLACES
        places = ", ".join(f.place for f in alike[:_PLACES])
        return [
            Cell(spoken(first.code.lower()), notes=(first.code,)),
            Cell(first.severity, "bad" if first.severity == "error" else "warn"),
            len(alike),
            first.message,
            f"{places} and {more} more" if more > 0 else places,
            first.remedy,
        ]

    head = ("Finding", "Severity", "How often", "What is wrong, for instance", "Where", "Remedy")
    return grid(head, list(kinds.values()), row, limit=30, numeric=(2,), narrow=(4, 5))


def report(verdict: GoalReport) -> Built:
    """Return one verdict: each criterion with its findings."""
    table = grid(
        ("Criterion", "Outcome", "Remedy"),
        verdict.evaluations,
        lambda e: (Cell(e.criterion_id, mono=True), Cell(*OUTCOMES[e.outcome]), e.remediation or "—"),
    )
    found = [f for e in verdict.evaluations for f in e.findings]
    blocks: list[Block] = (
        [Para(verdict.summary), table, _findings(found)] if found else [Para(verdict.summary), table]
    )

    def rows() -> Iterator[dict[str, Any]]:
        for entry in verdict.evaluations:
            yield {"attempt_id": verdict.attempt_id, **_evaluation(entry)}

    return Built("Verdict", blocks, rows)


def _evaluation(entry: Any) -> dict[str, Any]:
    return {
        "criterion_id": entry.criterion_id,
        "outcome": entry.outcome,
        "remediation": entry.remediation,
        "errors": sum(f.severity == "error" for f in entry.findings),
        "warnings": sum(f.severity == "warning" for f in entry.findings),
    }


def _rows(state: RalphState) -> Iterator[dict[str, Any]]:
    for attempt in state.attempts:
        directives = {d.criterion_id: d.instruction for d in attempt.directives}
        for entry in attempt.report.evaluations:
            yield {
                "attempt": attempt.attempt_number,
                **_evaluation(entry),
                "directive": directives.get(entry.criterion_id),
                "started_at": attempt.started_at,
                "seconds": (attempt.finished_at - attempt.started_at).total_seconds(),
            }
