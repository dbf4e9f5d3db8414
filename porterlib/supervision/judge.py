"""The evaluator's side of the contract: how it is called, and what of its answer is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from porterlib.contracts.supervision import CriterionEvaluation, GoalReport, RalphState
from porterlib.errors import SupervisionError
from porterlib.supervision.rules import check_report

_OFFERED = ("attempt_id", "state")


class Evaluator(Protocol):
    """Judges one output; it may leave out either keyword it does not need."""

    def __call__(self, output: Any, *, attempt_id: str, state: RalphState) -> GoalReport:
        """Return exactly one result for every criterion of `state`; defects are data, never exceptions."""
        ...


class Judge:
    """Calls an evaluator and holds it to its contract.

    Raises:
        SupervisionError: at once if the evaluator asks for anything but output, `attempt_id` and `state`.

    """

    def __init__(self, evaluator: Callable[..., GoalReport]) -> None:
        self._evaluator = evaluator
        self._keywords = _accepted_keywords(evaluator)

    def __call__(self, output: Any, attempt_id: str, state: RalphState) -> GoalReport:
        """Return the evaluator's report on `output`.

        Raises:
            SupervisionError: the evaluator raised, gave no report, judged another attempt, or did not give
                exactly one result for every criterion.

        """
        given = {"attempt_id": attempt_id, "state": state}
        try:
            report = self._evaluator(output, **{name: given[name] for name in self._keywords})
        except SupervisionError:
            raise
        except Exception as error:
            raise SupervisionError(
                f"the evaluator raised {type(error).__name__}; it must return defects as findings"
            ) from error
        report = _as_report(report, attempt_id)
        if not isinstance(report, GoalReport):
            raise SupervisionError(f"the evaluator returned {type(report).__name__}, not a GoalReport")
        if report.attempt_id != attempt_id:
            raise SupervisionError(f"the evaluator judged attempt {report.attempt_id!r}, not {attempt_id!r}")
        check_report(report, state.criteria)
        return report


def _as_report(answer: Any, attempt_id: str) -> Any:
    """Return bare results as a report, so that a small evaluator need not mint one."""
    if (
        isinstance(answer, list | tuple)
        and answer
        and all(isinstance(e, CriterionEvaluation) for e in answer)
    ):
        failing = sum(entry.outcome != "pass" for entry in answer)
        summary = f"{failing} of {len(answer)} criteria are open"
        return GoalReport(attempt_id=attempt_id, summary=summary, evaluations=tuple(answer))
    return answer


def _accepted_keywords(evaluator: Callable[..., GoalReport]) -> tuple[str, ...]:
    parameters = inspect.signature(evaluator).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return _OFFERED
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    if len([name for name in needed if name not in _OFFERED]) > 1:
        raise SupervisionError(
            f"the evaluator asks for {', '.join(needed)}; "
            "it is called as evaluator(output, attempt_id=…, state=…)"
        )
    by_name = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return tuple(p.name for p in parameters if p.name in _OFFERED and p.kind in by_name)
