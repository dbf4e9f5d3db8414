"""One attempt on its way: what it is told, what it leaves behind, what a crash leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from porterlib.contracts.supervision import (
    AttemptManifest,
    CriterionEvaluation,
    Finding,
    GapDirective,
    GoalReport,
    RalphState,
)
from porterlib.supervision import rules
from porterlib.supervision.plain import plain, value_digest


@dataclass(frozen=True)
class Begun:
    """An attempt whose graph has not answered yet."""

    number: int
    attempt_id: str
    thread_id: str
    input_sha256: str
    at: datetime

    def config(self, state: RalphState, directives: tuple[GapDirective, ...]) -> dict[str, Any]:
        """Return the run configuration: a thread of its own, and the gap context as plain values."""
        ralph = {
            "run_id": state.run_id,
            "attempt_number": self.number,
            "attempt_id": self.attempt_id,
            "evidence_snapshot_id": state.evidence_snapshot_id,
            "target": state.target.value,
            "attempts_left": state.max_attempts - self.number,
            "budget_units_left": state.max_budget_units - state.budget_units_used,
            "gap_fingerprint": state.attempts[-1].gap_fingerprint if state.attempts else "",
            "directives": plain([directive.model_dump() for directive in directives]),
        }
        return {"configurable": {"thread_id": self.thread_id}, "metadata": {"ralph": ralph}}

    def report_of_crash(self, state: RalphState, error: Exception) -> GoalReport:
        """Return the verdict on an attempt whose graph raised: every criterion failed.

        The message of an exception may hold confidential text, so only its type is kept.
        """
        kind = type(error).__name__
        remedy = "find the cause of the exception, then start a new run"
        finding = Finding(
            code=rules.RAISED,
            severity="error",
            place=self.attempt_id,
            message=f"the graph raised {kind}",
            remedy=remedy,
        )
        evaluations = tuple(
            CriterionEvaluation(
                criterion_id=criterion.criterion_id,
                outcome="fail",
                remediation=remedy,
                progress_marker=f"{rules.RAISED}:{kind}",
                findings=(finding,),
            )
            for criterion in state.criteria
        )
        summary = f"The graph raised {kind}."
        return GoalReport(attempt_id=self.attempt_id, summary=summary, evaluations=evaluations)

    def finished(
        self, state: RalphState, output: Any, report: GoalReport, at: datetime
    ) -> tuple[RalphState, AttemptManifest]:
        """Return the state after this attempt and its manifest, by the rules alone."""
        bare = AttemptManifest(
            attempt_number=self.number,
            attempt_id=self.attempt_id,
            thread_id=self.thread_id,
            evidence_snapshot_id=state.evidence_snapshot_id,
            input_sha256=self.input_sha256,
            output_sha256=value_digest("ralph-output", output),
            gap_fingerprint=rules.gap_fingerprint(report),
            report=report,
            started_at=self.at,
            finished_at=max(at, self.at),
        )
        decision = rules.decide(state, (*state.attempts, bare))
        directives = rules.directives_for(report) if decision.status == "running" else ()
        manifest = bare.model_copy(update={"directives": directives})
        return _with_attempt(state, manifest, decision), manifest


def _with_attempt(state: RalphState, manifest: AttemptManifest, decision: rules.Decision) -> RalphState:
    attempts = (*state.attempts, manifest)
    return RalphState.model_validate(
        {
            **dict(state),
            "attempts": attempts,
            "budget_units_used": state.budget_units_used + manifest.report.budget_units_used,
            "status": decision.status,
            "reason": decision.reason,
            "best_attempt": rules.best_of(state.criteria, attempts),
        }
    )
