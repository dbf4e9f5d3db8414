"""The transitions of supervision as pure functions (rules 11.3 to 11.5).

Nothing here runs a graph or reads a clock, so a verdict can be recomputed from recorded attempts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import ValidationError

from porterlib.contracts.supervision import (
    AttemptManifest,
    CompletionTarget,
    CriterionEvaluation,
    GapDirective,
    GoalCriterion,
    GoalReport,
    RalphState,
    RalphStatus,
)
from porterlib.errors import SupervisionError
from porterlib.hashing import digest

RAISED = "ATTEMPT_RAISED"
"""Code of the finding that marks an attempt whose graph raised instead of answering."""

Reason = Literal["", "attempt_raised", "non_retryable", "attempts", "budget", "stalled", "human_required"]
RULE_REASONS: frozenset[str] = frozenset(Reason.__args__)  # type: ignore[attr-defined]


class Decision(NamedTuple):
    """Where supervision stands after an attempt; `running` means that another attempt follows."""

    status: RalphStatus
    reason: Reason


def check_report(report: GoalReport, criteria: Sequence[GoalCriterion]) -> None:
    """Refuse a report that does not hold exactly one result for every criterion.

    Raises:
        SupervisionError: names missing, duplicate and unexpected criterion ids.

    """
    given = [evaluation.criterion_id for evaluation in report.evaluations]
    wanted = [criterion.criterion_id for criterion in criteria]
    problems = {
        "missing": [name for name in wanted if name not in given],
        "duplicate": sorted({name for name in given if given.count(name) > 1}),
        "unexpected": sorted(set(given) - set(wanted)),
    }
    found = {kind: names for kind, names in problems.items() if names}
    if found:
        text = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in found.items())
        raise SupervisionError(
            f"the evaluator must return exactly one result for every criterion ({text})", **found
        )


def gap_fingerprint(report: GoalReport) -> str:
    """Return the digest of all open gaps, or an empty string when nothing is open.

    It covers criterion id, outcome and progress marker in order of id; wording never enters.
    """
    gaps = sorted(
        [entry.criterion_id, entry.outcome, entry.progress_marker]
        for entry in report.evaluations
        if entry.outcome != "pass"
    )
    return digest("ralph-gaps", gaps) if gaps else ""


def required_failures(
    report: GoalReport, criteria: Sequence[GoalCriterion]
) -> list[tuple[GoalCriterion, CriterionEvaluation]]:
    """Return the required criteria that failed, in order of the criteria."""
    results = {entry.criterion_id: entry for entry in report.evaluations}
    return [
        (criterion, results[criterion.criterion_id])
        for criterion in criteria
        if criterion.required and results[criterion.criterion_id].outcome == "fail"
    ]


def directives_for(report: GoalReport) -> tuple[GapDirective, ...]:
    """Return one typed instruction for every failed criterion, in the report's order."""
    return tuple(
        GapDirective(
            criterion_id=entry.criterion_id,
            instruction=entry.remediation,
            progress_marker=entry.progress_marker,
        )
        for entry in report.evaluations
        if entry.outcome == "fail"
    )


def decide(state: RalphState, attempts: Sequence[AttemptManifest]) -> Decision:
    """Return the status after the last of `attempts` under the limits of `state`.

    Order: a raised attempt, a non-retryable required failure, attempts, budget, stall, another attempt; only
    without any required failure a human pause, and only without that success.
    """
    report = attempts[-1].report
    failures = required_failures(report, state.criteria)
    if raised(report):
        return Decision("blocked", "attempt_raised")
    if failures:
        return _answer_to_failures(state, attempts, failures)
    required = {criterion.criterion_id for criterion in state.criteria if criterion.required}
    if any(e.outcome == "human_required" and e.criterion_id in required for e in report.evaluations):
        return Decision("human_required", "human_required")
    return Decision("achieved_draft" if state.target == CompletionTarget.DRAFT else "publishable", "")


def _answer_to_failures(
    state: RalphState,
    attempts: Sequence[AttemptManifest],
    failures: Sequence[tuple[GoalCriterion, CriterionEvaluation]],
) -> Decision:
    if any(not criterion.retryable for criterion, _ in failures):
        return Decision("blocked", "non_retryable")
    if len(attempts) >= state.max_attempts:
        return Decision("blocked", "attempts")
    if sum(attempt.report.budget_units_used for attempt in attempts) >= state.max_budget_units:
        return Decision("blocked", "budget")
    recent = [attempt.gap_fingerprint for attempt in attempts[-state.stall_limit :]]
    if len(recent) == state.stall_limit and len(set(recent)) == 1:
        return Decision("blocked", "stalled")
    return Decision("running", "")


def raised(report: GoalReport) -> bool:
    """Return True when the report marks an attempt whose graph raised."""
    return any(finding.code == RAISED for entry in report.evaluations for finding in entry.findings)


def best_of(criteria: Sequence[GoalCriterion], attempts: Sequence[AttemptManifest]) -> int | None:
    """Return the number of the best attempt, or None while no attempt gave an output.

    Best is: fewer required failures, then fewer error findings, then the earlier attempt.
    """
    ranked = [
        (len(required_failures(entry.report, criteria)), _errors(entry.report), entry.attempt_number)
        for entry in attempts
        if not raised(entry.report)
    ]
    return min(ranked)[2] if ranked else None


def _errors(report: GoalReport) -> int:
    return sum(f.severity == "error" for entry in report.evaluations for f in entry.findings)


def verify_state(state: RalphState) -> None:
    """Rebuild a state from its own content and replay every decision in it.

    Raises:
        SupervisionError: the state breaks its contract, or a recorded fingerprint, directive, status, reason
            or best attempt is not what the rules give. Load the state from the ledger again.

    """
    try:
        # The objective may hold models of the caller's, which a dump would turn into mappings.
        content = {**state.model_dump(exclude={"objective"}), "objective": state.objective}
        rebuilt = RalphState.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise SupervisionError(
            f"the supervision state does not rebuild: {first['msg']}; load it from the ledger again"
        ) from error
    for attempt in rebuilt.attempts:
        check_report(attempt.report, rebuilt.criteria)
    for count, attempt in enumerate(rebuilt.attempts, start=1):
        _verify_attempt(rebuilt, attempt, decide(rebuilt, rebuilt.attempts[:count]), count)
    _expect("best_attempt", rebuilt.best_attempt, best_of(rebuilt.criteria, rebuilt.attempts))
    if not rebuilt.attempts and rebuilt.status not in {"running", "blocked"}:
        raise SupervisionError(f"status: {rebuilt.status!r} without any attempt; load the state again")


def _verify_attempt(state: RalphState, attempt: AttemptManifest, decision: Decision, count: int) -> None:
    _expect("gap_fingerprint", attempt.gap_fingerprint, gap_fingerprint(attempt.report))
    last = count == len(state.attempts)
    # An operator or a verb may block a run for a reason of its own; no rule can unblock one.
    blocked_outside = last and state.status == "blocked" and state.reason not in RULE_REASONS
    if not last:
        _expect("attempts", "running", decision.status)
    elif not blocked_outside:
        _expect("status", (state.status, state.reason), tuple(decision))
    wanted = directives_for(attempt.report) if decision.status == "running" else ()
    _expect("directives", attempt.directives, wanted)


def _expect(field: str, recorded: object, derived: object) -> None:
    if recorded != derived:
        raise SupervisionError(
            f"{field}: the state says {recorded!r} but its attempts give {derived!r}; "
            "load it from the ledger again",
            field=field,
        )
