"""Scripted graphs and evaluators: each attempt's verdict is written down beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from porterlib.clock import FixedClock, SequentialIds
from porterlib.contracts.supervision import (
    CriterionEvaluation,
    Finding,
    GoalCriterion,
    GoalReport,
    RalphState,
)
from porterlib.supervision import RalphSupervisor

PASS, FAIL, HUMAN = "pass", "fail", "human_required"
SNAPSHOT = "5" * 64


@dataclass(frozen=True)
class Verdict:
    """The scripted result of one criterion."""

    outcome: str
    marker: str = ""
    errors: int = 0
    wording: str = "do it"


def criterion(name: str = "G-a", *, required: bool = True, retryable: bool = True) -> GoalCriterion:
    return GoalCriterion(
        criterion_id=name,
        description=f"{name} holds",
        verification_method="script",
        required=required,
        retryable=retryable,
    )


def report(attempt_id: str, verdicts: dict[str, Verdict], units: int = 1) -> GoalReport:
    return GoalReport(
        attempt_id=attempt_id,
        summary="scripted",
        evaluations=tuple(
            CriterionEvaluation(
                criterion_id=name,
                outcome=verdict.outcome,  # type: ignore[arg-type]
                remediation="" if verdict.outcome == PASS else verdict.wording,
                progress_marker=verdict.marker,
                findings=tuple(
                    Finding(code="SCRIPTED", severity="error", place=f"{i}", message="m", remedy="r")
                    for i in range(verdict.errors)
                ),
            )
            for name, verdict in verdicts.items()
        ),
        budget_units_used=units,
    )


class Script:
    """An evaluator that reads its verdicts from a list, one entry an attempt; the last one repeats."""

    def __init__(self, rows: Sequence[dict[str, Verdict]], units: int = 1) -> None:
        self.rows = rows
        self.units = units
        self.outputs: list[Any] = []

    def __call__(self, output: Any, *, attempt_id: str, state: RalphState) -> GoalReport:
        self.outputs.append(output)
        row = self.rows[min(len(state.attempts), len(self.rows) - 1)]
        return report(attempt_id, row, self.units)


class Graph:
    """A graph that answers with the number of its attempt and keeps what it was told."""

    def __init__(self) -> None:
        self.inputs: list[Any] = []
        self.configs: list[dict[str, Any]] = []

    def invoke(self, value: Any, config: dict[str, Any]) -> dict[str, Any]:
        self.inputs.append(value)
        self.configs.append(config)
        return {"answer": config["metadata"]["ralph"]["attempt_number"]}


def clock() -> FixedClock:
    return FixedClock(datetime(2026, 3, 1, 9, tzinfo=UTC), timedelta(seconds=1))


def supervisor(script: Any, graph: Any = None, **options: Any) -> RalphSupervisor:
    return RalphSupervisor(graph or Graph(), script, clock=clock(), ids=SequentialIds(), **options)


def start(ralph: RalphSupervisor, *criteria: GoalCriterion, **limits: Any) -> RalphState:
    return ralph.new_state(
        objective={"question": "synthetic"},
        criteria=criteria or (criterion(),),
        evidence_snapshot_id=SNAPSHOT,
        **limits,
    )
