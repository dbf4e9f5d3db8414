"""Human approval of one exact text (rules 13.1 and 13.2)."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.publication import REVIEW_ROLES
from porterlib.contracts.supervision import CompletionTarget, Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found
from porterlib.evaluation.labels import standing


def human_approval(case: Case) -> Iterator[Finding]:
    """Report where reviewers stand; a draft hears only of decisions that were made."""
    context = case.context
    publishing = context.target == CompletionTarget.PUBLISHABLE
    if not publishing and not context.approvals:
        return
    stands = standing(
        context.approvals, context.fingerprint, one_person_many_roles=context.one_person_many_roles
    )
    for role in REVIEW_ROLES:
        state, place = stands.states[role], f"approval.{role}"
        if state == "stale":
            yield found("STALE_APPROVAL", place, f"{role} decided on an earlier text")
        if state == "rejected":
            severity = "error" if publishing else "warning"
            message = f"{role} rejected this text"
            yield found("CURRENT_BRIEF_REJECTED", place, message, severity=severity)  # type: ignore[arg-type]
        if state in ("missing", "stale") and publishing:
            yield found("REQUIRED_APPROVAL_MISSING", place, f"{role} has not approved this text")
    for role in stands.held_twice:
        message = f"the same person already approved in another role than {role}"
        yield found("REVIEWER_HOLDS_TWO_ROLES", f"approval.{role}", message)
