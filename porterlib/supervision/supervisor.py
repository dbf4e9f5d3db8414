"""The Ralph loop: fresh attempts until an independent evaluator is satisfied, or a limit is reached."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from porterlib.clock import Clock, IdSource, RandomIds, SystemClock
from porterlib.contracts.supervision import (
    AttemptManifest,
    CompletionTarget,
    GapDirective,
    GoalCriterion,
    GoalReport,
    RalphState,
    RalphStatus,
)
from porterlib.errors import SupervisionError
from porterlib.supervision import rules
from porterlib.supervision.attempt import Begun
from porterlib.supervision.invoke import as_call, call_untraced
from porterlib.supervision.judge import Judge
from porterlib.supervision.plain import value_digest

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

InputBuilder = Callable[[RalphState, tuple[GapDirective, ...]], Any]
StepHook = Callable[[RalphState, AttemptManifest, Any], None]


class StartHook(Protocol):
    """Is told of an attempt before its graph runs."""

    def __call__(self, state: RalphState, *, attempt_number: int, attempt_id: str, thread_id: str) -> None:
        """Record that the attempt begins."""
        ...


class RalphSupervisor:
    """Supervises any graph or callable against explicit criteria.

    Args:
        graph: a compiled graph with `invoke(input, config)`, or a callable of the same two arguments.
        evaluator: independent judge, called as `evaluator(output, attempt_id=…, state=…)`.
        input_builder: makes an attempt's input of the state and the directives from the attempt before;
            without it every attempt gets the objective.
        clock: tells when an attempt began and ended.
        ids: mints run, attempt and thread ids.
        on_start: called before an attempt's graph runs.
        on_step: called with the new state, the finished attempt and its output (None if the graph raised)
            before another attempt may begin; what it commits survives a crash of the next one.

    A graph that raises has failed its attempt: the attempt is recorded with a finding `ATTEMPT_RAISED`, the
    state becomes blocked (`attempt_raised`), `on_step` gets both, and the exception goes on to the caller.
    An evaluator that raises, or breaks its contract, ends in `SupervisionError` and records nothing, since a
    verdict that nobody gave cannot be part of a state.

    """

    def __init__(
        self,
        graph: Any,
        evaluator: Callable[..., GoalReport],
        *,
        input_builder: InputBuilder | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        on_start: StartHook | None = None,
        on_step: StepHook | None = None,
    ) -> None:
        self._call = as_call(graph)
        self._judge = Judge(evaluator)
        self._input_builder = input_builder
        self._clock = clock or SystemClock()
        self._ids = ids or RandomIds(self._clock)
        self._on_start = on_start
        self._on_step = on_step
        self._outputs: dict[str, Any] = {}

    def new_state(
        self,
        *,
        objective: Mapping[str, Any],
        criteria: Sequence[GoalCriterion],
        evidence_snapshot_id: str,
        target: CompletionTarget = CompletionTarget.DRAFT,
        max_attempts: int = 3,
        max_budget_units: int = 6,
        stall_limit: int = 2,
        run_id: str | None = None,
    ) -> RalphState:
        """Return a running state without attempts; plain JSON values in `objective` survive storage best."""
        return RalphState(
            run_id=run_id or self._ids.new("run"),
            objective=copy.deepcopy(dict(objective)),
            criteria=tuple(criteria),
            evidence_snapshot_id=evidence_snapshot_id,
            target=target,
            max_attempts=max_attempts,
            max_budget_units=max_budget_units,
            stall_limit=stall_limit,
        )

    def run(self, state: RalphState) -> RalphState:
        """Return the state after as many steps as the rules allow."""
        while (after := self.step(state)).status == "running":
            state = after
        return after

    def step(self, state: RalphState) -> RalphState:
        """Return the state after one more attempt, or the same state when it has ended.

        Raises:
            SupervisionError: the state was altered, or the evaluator broke its contract.
            Exception: whatever the graph raised, after the attempt was recorded as failed.

        """
        rules.verify_state(state)
        if state.status != "running":
            return state
        directives = state.attempts[-1].directives if state.attempts else ()
        value = self._input_for(state, directives)
        attempt = self._begin(state, value)
        try:
            output = call_untraced(self._call, value, attempt.config(state, directives))
        except Exception as error:
            self._finish(state, attempt, None, attempt.report_of_crash(state, error))
            error.add_note(f"supervision recorded attempt {attempt.number} ({attempt.attempt_id}) as failed")
            raise
        return self._finish(state, attempt, output, self._judge(output, attempt.attempt_id, state))

    def block(self, state: RalphState, reason: str) -> RalphState:
        """Return a running state as blocked for a reason of the caller's, such as `model_not_qualified`."""
        if state.status != "running" or not reason or reason in rules.RULE_REASONS:
            raise SupervisionError(
                f"a {state.status} run cannot be blocked as {reason!r}; "
                "give a running state and a reason of your own"
            )
        return RalphState.model_validate({**dict(state), "status": "blocked", "reason": reason})

    def best_output(self, state: RalphState) -> Any:
        """Return the output of the best attempt of a state this supervisor has run.

        Raises:
            SupervisionError: no attempt gave an output, or it ran in another process (read the ledger then).

        """
        attempt = _best_attempt(state)
        if attempt.attempt_id not in self._outputs:
            raise SupervisionError(
                f"the output of attempt {attempt.attempt_id} is not in memory; "
                "read it where on_step stored it, then call keep_output"
            )
        return self._outputs[attempt.attempt_id]

    def keep_output(self, attempt: AttemptManifest, output: Any) -> None:
        """Give back an output that was stored by `on_step`, after a restart.

        Raises:
            SupervisionError: the output is not the one the attempt recorded.

        """
        if value_digest("ralph-output", output) != attempt.output_sha256:
            raise SupervisionError(f"this is not the output that attempt {attempt.attempt_id} recorded")
        self._outputs[attempt.attempt_id] = output

    def recheck(self, state: RalphState) -> tuple[RalphStatus, GoalReport]:
        """Judge the best output again, after people decided, and return where the run would stand.

        State and attempts stay as they are: approvals are appended outside, this verdict is a projection.
        """
        rules.verify_state(state)
        attempt = _best_attempt(state)
        report = self._judge(self.best_output(state), attempt.attempt_id, state)
        again = attempt.model_copy(
            update={"report": report, "gap_fingerprint": rules.gap_fingerprint(report)}
        )
        status, _ = rules.decide(state, (*state.attempts[: attempt.attempt_number - 1], again))
        # Another attempt is not what was asked for: a text that fails again is blocked as it stands.
        return ("blocked" if status == "running" else status), report

    def build_meta_graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Return the same loop as a compiled LangGraph that takes and gives `{"ralph_state": state}`."""
        from porterlib.supervision.meta import compile_meta_graph

        return compile_meta_graph(self.step)

    def _input_for(self, state: RalphState, directives: tuple[GapDirective, ...]) -> Any:
        if self._input_builder is not None:
            return self._input_builder(state, directives)
        value = copy.deepcopy(state.objective)
        if state.attempts and value_digest("ralph-input", value) != state.attempts[0].input_sha256:
            raise SupervisionError("objective: it changed since the first attempt; start a new run instead")
        return value

    def _begin(self, state: RalphState, value: Any) -> Begun:
        attempt = Begun(
            number=len(state.attempts) + 1,
            attempt_id=self._fresh("attempt", {entry.attempt_id for entry in state.attempts}),
            thread_id=self._fresh("thread", {entry.thread_id for entry in state.attempts}),
            input_sha256=value_digest("ralph-input", value),
            at=self._clock.now(),
        )
        if self._on_start:
            self._on_start(
                state,
                attempt_number=attempt.number,
                attempt_id=attempt.attempt_id,
                thread_id=attempt.thread_id,
            )
        return attempt

    def _fresh(self, prefix: str, taken: set[str]) -> str:
        # A counting id source starts over after a restart, so skip what the state already holds.
        while (new := self._ids.new(prefix)) in taken:
            continue
        return new

    def _finish(self, state: RalphState, attempt: Begun, output: Any, report: GoalReport) -> RalphState:
        after, manifest = attempt.finished(state, output, report, self._clock.now())
        self._outputs[manifest.attempt_id] = output
        for entry in after.attempts:
            if entry.attempt_number != after.best_attempt:
                self._outputs.pop(entry.attempt_id, None)
        if self._on_step:
            self._on_step(after, manifest, output)
        return after


def _best_attempt(state: RalphState) -> AttemptManifest:
    if state.best_attempt is None:
        raise SupervisionError("no attempt has given an output yet")
    return state.attempts[state.best_attempt - 1]
