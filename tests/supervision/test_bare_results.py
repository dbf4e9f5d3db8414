"""An evaluator of another project may return results without minting a report."""

from __future__ import annotations

from typing import Any

from porterlib.contracts.supervision import CriterionEvaluation, GoalCriterion
from porterlib.supervision import RalphSupervisor


def test_bare_results_become_the_report_of_the_attempt() -> None:
    def evaluator(output: Any) -> list[CriterionEvaluation]:
        return [
            CriterionEvaluation(
                criterion_id="G", outcome="pass" if output == {"n": 2} else "fail", remediation="two"
            )
        ]

    outputs = iter(({"n": 1}, {"n": 2}))
    supervisor = RalphSupervisor(lambda value, config: next(outputs), evaluator)
    criteria = (GoalCriterion(criterion_id="G", description="n is two", verification_method="equality"),)
    state = supervisor.run(supervisor.new_state(objective={}, criteria=criteria, evidence_snapshot_id="s"))
    assert (state.status, len(state.attempts), state.best_attempt) == ("achieved_draft", 2, 2)
    assert state.attempts[0].report.summary == "1 of 1 criteria are open"
