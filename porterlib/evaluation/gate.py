"""The gate: every check on one context, all findings as data, and the verdict that follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from porterlib.contracts.supervision import (
    CriterionEvaluation,
    Finding,
    GoalCriterion,
    GoalReport,
    Outcome3,
)
from porterlib.evaluation.context import Case, EvaluationContext, examine
from porterlib.evaluation.criteria import CHECKS, default_criteria
from porterlib.evaluation.findings import found, in_order

EVALUATOR_VERSION = "evaluator-2"
"""Version of checks and thresholds; a fingerprint binds it, so a change makes approvals stale."""
_APPROVAL = "G-approval"


def gate(context: EvaluationContext) -> tuple[Finding, ...]:
    """Return everything that is wrong, errors first; a malformed input is a finding, never a crash."""
    return in_order(finding for findings in _findings(context).values() for finding in findings)


def evaluate(context: EvaluationContext, *, attempt_id: str = "attempt") -> GoalReport:
    """Return the verdict: one result for each of `default_criteria(context)`.

    An error fails its criterion. Human approval alone may need a person: a missing, stale or doubled approval
    does, a rejection fails. The progress marker counts codes, so words and places cannot hide a stall.
    """
    findings = _findings(context)
    evaluations = tuple(
        _evaluation(criterion, findings[criterion.criterion_id]) for criterion in default_criteria(context)
    )
    return GoalReport(attempt_id=attempt_id, summary=_summary(evaluations), evaluations=evaluations)


def _findings(context: EvaluationContext) -> dict[str, tuple[Finding, ...]]:
    case = examine(context)
    if not isinstance(case, Case):
        return dict.fromkeys(CHECKS, case)
    return {name: _of_criterion(name, case) for name in CHECKS}


def _of_criterion(name: str, case: Case) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    for check in CHECKS[name]:
        try:
            findings.extend(check(case))
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
            # Contracts are valid here, so this is content no check foresaw: refuse it rather than pass it.
            message = f"{check.__name__} could not be carried out: {type(error).__name__}"
            findings.append(found("MALFORMED_GATE_INPUT", check.__name__, message))
    return in_order(findings)


def _evaluation(criterion: GoalCriterion, findings: tuple[Finding, ...]) -> CriterionEvaluation:
    outcome = _outcome(criterion.criterion_id, findings)
    telling = [f for f in findings if f.severity == "error"] or list(findings)
    return CriterionEvaluation(
        criterion_id=criterion.criterion_id,
        outcome=outcome,
        remediation="" if outcome == "pass" else _remediation(telling),
        progress_marker="" if outcome == "pass" else _marker(telling),
        findings=findings,
    )


def _outcome(name: str, findings: tuple[Finding, ...]) -> Outcome3:
    malformed = any(finding.code == "MALFORMED_GATE_INPUT" for finding in findings)
    if name == _APPROVAL and malformed:
        return "human_required"  # nothing to approve yet; the other criteria fail and may be retried
    if any(finding.severity == "error" for finding in findings):
        return "fail"
    return "human_required" if name == _APPROVAL and findings else "pass"


def _marker(findings: Iterable[Finding]) -> str:
    counts = Counter(finding.code for finding in findings)
    return ",".join(f"{code}:{counts[code]}" for code in sorted(counts))


def _remediation(findings: Iterable[Finding]) -> str:
    remedies = dict.fromkeys(finding.remedy for finding in findings)
    return "; ".join(remedies)


def _summary(evaluations: tuple[CriterionEvaluation, ...]) -> str:
    counts = Counter(entry.outcome for entry in evaluations)
    parts = [f"{counts['pass']} of {len(evaluations)} criteria pass"]
    for outcome, words in (("fail", "failed"), ("human_required", "wait for a person")):
        names = [entry.criterion_id for entry in evaluations if entry.outcome == outcome]
        if names:
            parts.append(f"{words}: {', '.join(names)}")
    return "; ".join(parts) + "."
