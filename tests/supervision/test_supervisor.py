"""What graphs, evaluators, hooks and callers may expect of the supervisor."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel

from porterlib.contracts.supervision import AttemptManifest, GoalReport, RalphState
from porterlib.errors import SupervisionError
from porterlib.hashing import digest
from porterlib.supervision import RalphSupervisor, verify_state
from porterlib.supervision.plain import plain, value_digest

from .scripted import FAIL, HUMAN, PASS, Graph, Script, Verdict, criterion, report, start, supervisor

P = Verdict(PASS)
RETRY = [{"G-a": Verdict(FAIL, "1", wording="widen the search")}, {"G-a": P}]


class TestWhatAnAttemptIsTold:
    def test_each_attempt_has_its_own_thread_and_the_gap_context(self) -> None:
        graph = Graph()
        ralph = supervisor(Script(RETRY), graph)
        state = ralph.run(start(ralph))
        threads = [config["configurable"]["thread_id"] for config in graph.configs]
        assert threads == [attempt.thread_id for attempt in state.attempts]
        assert len(set(threads)) == 2
        first, second = (config["metadata"]["ralph"] for config in graph.configs)
        assert first["directives"] == []
        assert second["directives"] == [
            {"criterion_id": "G-a", "instruction": "widen the search", "progress_marker": "1"}
        ]
        assert (second["attempt_number"], second["attempt_id"]) == (2, state.attempts[1].attempt_id)
        assert second["gap_fingerprint"] == state.attempts[0].gap_fingerprint
        json.dumps(graph.configs)

    def test_the_default_input_is_the_objective(self) -> None:
        graph = Graph()
        ralph = supervisor(Script(RETRY), graph)
        state = ralph.run(start(ralph))
        assert graph.inputs == [{"question": "synthetic"}] * 2
        assert state.attempts[0].input_sha256 == digest("ralph-input", {"question": "synthetic"})

    def test_an_input_builder_can_place_the_directives(self) -> None:
        def build(state: RalphState, directives: Any) -> dict[str, Any]:
            return {**state.objective, "gaps": [directive.criterion_id for directive in directives]}

        graph = Graph()
        ralph = supervisor(Script(RETRY), graph, input_builder=build)
        state = ralph.run(start(ralph))
        assert [value["gaps"] for value in graph.inputs] == [[], ["G-a"]]
        assert state.attempts[0].input_sha256 != state.attempts[1].input_sha256

    def test_a_graph_that_changes_its_input_changes_no_objective(self) -> None:
        def vandal(value: dict[str, Any], config: Any) -> str:
            value["question"] = "another"
            return "done"

        ralph = supervisor(Script(RETRY), vandal)
        assert ralph.run(start(ralph)).objective == {"question": "synthetic"}

    def test_the_caller_cannot_change_the_objective_afterwards(self) -> None:
        objective = {"parts": [1]}
        ralph = supervisor(Script([{"G-a": P}]))
        state = ralph.new_state(objective=objective, criteria=(criterion(),), evidence_snapshot_id="s")
        objective["parts"].append(2)
        assert state.objective == {"parts": [1]}


class TestBestAttempt:
    ROWS = (
        {"G-a": Verdict(FAIL, "1", errors=9), "G-b": Verdict(FAIL, "1", errors=9)},
        {"G-a": Verdict(FAIL, "2", errors=5), "G-b": P},
        {"G-a": Verdict(FAIL, "3", errors=2), "G-b": P},
        {"G-a": Verdict(FAIL, "4", errors=2), "G-b": P},
        {"G-a": Verdict(FAIL, "5", errors=1), "G-b": Verdict(FAIL, "5")},
    )

    def test_fewer_failures_then_fewer_errors_then_the_earlier_one(self) -> None:
        seen: list[int | None] = []
        ralph = supervisor(Script(self.ROWS), on_step=lambda state, *_: seen.append(state.best_attempt))
        criteria = (criterion("G-a"), criterion("G-b"))
        state = ralph.run(start(ralph, *criteria, max_attempts=5, max_budget_units=50))
        assert seen == [1, 2, 3, 3, 3]
        assert ralph.best_output(state) == {"answer": 3}

    def test_without_an_attempt_there_is_no_best_output(self) -> None:
        ralph = supervisor(Script(self.ROWS))
        with pytest.raises(SupervisionError, match="no attempt"):
            ralph.best_output(start(ralph))

    def test_an_output_of_another_process_is_given_back_only_if_it_is_the_recorded_one(self) -> None:
        first = supervisor(Script([{"G-a": P}]))
        state = first.run(start(first))
        second = supervisor(Script([{"G-a": P}]))
        with pytest.raises(SupervisionError, match="keep_output"):
            second.best_output(state)
        with pytest.raises(SupervisionError, match="not the output"):
            second.keep_output(state.attempts[0], {"answer": 2})
        second.keep_output(state.attempts[0], {"answer": 1})
        assert second.best_output(state) == {"answer": 1}


class TestHooks:
    def test_each_step_is_committed_before_the_next_attempt_begins(self) -> None:
        events: list[str] = []

        def graph(value: Any, config: Any) -> str:
            events.append(f"run {config['metadata']['ralph']['attempt_number']}")
            return "out"

        def on_start(state: RalphState, *, attempt_number: int, attempt_id: str, thread_id: str) -> None:
            events.append(f"start {attempt_number}")

        def on_step(state: RalphState, manifest: AttemptManifest, output: Any) -> None:
            assert state.attempts[-1] == manifest
            events.append(f"commit {manifest.attempt_number} {output}")

        ralph = supervisor(Script(RETRY), graph, on_start=on_start, on_step=on_step)
        ralph.run(start(ralph))
        assert events == ["start 1", "run 1", "commit 1 out", "start 2", "run 2", "commit 2 out"]

    def test_a_failing_commit_stops_the_loop(self) -> None:
        graph = Graph()

        def refuse(*_: Any) -> None:
            raise OSError("disk full")

        ralph = supervisor(Script(RETRY), graph, on_step=refuse)
        with pytest.raises(OSError, match="disk full"):
            ralph.run(start(ralph))
        assert len(graph.inputs) == 1


class TestGraphThatRaises:
    def test_the_attempt_is_recorded_as_failed_and_the_exception_goes_on(self) -> None:
        kept: list[tuple[RalphState, AttemptManifest, Any]] = []

        def graph(value: Any, config: Any) -> Any:
            if config["metadata"]["ralph"]["attempt_number"] == 2:
                raise ZeroDivisionError("Project Nightjar")
            return "first"

        ralph = supervisor(Script(RETRY), graph, on_step=lambda *step: kept.append(step))
        with pytest.raises(ZeroDivisionError) as caught:
            ralph.run(start(ralph))
        state, manifest, output = kept[-1]
        assert (state.status, state.reason, output) == ("blocked", "attempt_raised", None)
        assert manifest.report.evaluations[0].findings[0].code == "ATTEMPT_RAISED"
        assert "Nightjar" not in manifest.model_dump_json()
        assert "attempt 2" in caught.value.__notes__[0]
        assert state.best_attempt == 1
        assert ralph.best_output(state) == "first"
        verify_state(state)

    def test_an_interrupt_records_nothing(self) -> None:
        kept: list[Any] = []

        def graph(value: Any, config: Any) -> Any:
            raise KeyboardInterrupt

        ralph = supervisor(Script(RETRY), graph, on_step=lambda *step: kept.append(step))
        with pytest.raises(KeyboardInterrupt):
            ralph.run(start(ralph))
        assert kept == []


class TestEvaluatorContract:
    @pytest.mark.parametrize(
        ("names", "match"),
        [
            (["G-a"], "missing: G-b"),
            (["G-a", "G-b", "G-c"], "unexpected: G-c"),
            (["G-a", "G-b", "G-a"], "duplicate: G-a"),
            (["G-a", "G-c"], "missing: G-b; unexpected: G-c"),
        ],
    )
    def test_exactly_one_result_for_every_criterion(self, names: list[str], match: str) -> None:
        def judge(output: Any, *, attempt_id: str, state: RalphState) -> GoalReport:
            parts = [report(attempt_id, {name: P}).evaluations[0] for name in names]
            return GoalReport(attempt_id=attempt_id, summary="s", evaluations=tuple(parts))

        ralph = supervisor(judge)
        with pytest.raises(SupervisionError, match=match):
            ralph.step(start(ralph, criterion("G-a"), criterion("G-b")))

    def test_a_report_on_another_attempt_is_refused(self) -> None:
        ralph = supervisor(lambda output: report("attempt-9", {"G-a": P}))
        with pytest.raises(SupervisionError, match="attempt-9"):
            ralph.step(start(ralph))

    def test_anything_but_a_report_is_refused(self) -> None:
        ralph = supervisor(lambda output: {"ok": True})
        with pytest.raises(SupervisionError, match="dict, not a GoalReport"):
            ralph.step(start(ralph))

    def test_an_evaluator_that_raises_gives_no_verdict(self) -> None:
        kept: list[Any] = []

        def judge(output: Any, attempt_id: str) -> GoalReport:
            raise KeyError("x")

        ralph = supervisor(judge, on_step=lambda *step: kept.append(step))
        with pytest.raises(SupervisionError, match="raised KeyError"):
            ralph.step(start(ralph))
        assert kept == []

    def test_an_evaluator_asking_for_more_is_refused_at_once(self) -> None:
        with pytest.raises(SupervisionError, match="output, context, extra"):
            supervisor(lambda output, context, extra: None)

    def test_keywords_are_optional(self) -> None:
        ralph = supervisor(lambda output, attempt_id: report(attempt_id, {"G-a": P}))
        assert ralph.run(start(ralph)).status == "achieved_draft"
        anything = supervisor(lambda output, **given: report(given["attempt_id"], {"G-a": P}))
        assert anything.run(start(anything)).status == "achieved_draft"

    def test_what_is_no_graph_is_refused_at_once(self) -> None:
        with pytest.raises(SupervisionError, match="'int' cannot be supervised"):
            supervisor(Script(RETRY), 7)


class TestEndedRuns:
    def test_a_person_is_asked_then_the_same_text_is_judged_again(self) -> None:
        decided: list[str] = []

        def judge(output: Any, *, attempt_id: str, state: RalphState) -> GoalReport:
            return report(attempt_id, {"G-a": P if decided else Verdict(HUMAN, "4 missing")})

        graph = Graph()
        ralph = supervisor(judge, graph)
        state = ralph.run(start(ralph, criterion(retryable=False), target="publishable"))
        assert state.status == "human_required"
        assert ralph.run(state) is state
        assert ralph.step(state) is state
        assert ralph.recheck(state)[0] == "human_required"
        decided.append("approved")
        status, verdict = ralph.recheck(state)
        assert status == "publishable"
        assert verdict.attempt_id == state.attempts[0].attempt_id
        assert state.attempts[0].report.evaluations[0].outcome == "human_required"
        assert len(graph.inputs) == 1

    def test_a_rejection_blocks_and_starts_no_attempt(self) -> None:
        rejected: list[str] = []

        def judge(output: Any, *, attempt_id: str, state: RalphState) -> GoalReport:
            return report(attempt_id, {"G-a": Verdict(FAIL, "no") if rejected else Verdict(HUMAN, "m")})

        graph = Graph()
        ralph = supervisor(judge, graph)
        state = ralph.run(start(ralph))
        rejected.append("finance")
        assert ralph.recheck(state)[0] == "blocked"
        assert len(graph.inputs) == 1

    def test_a_verb_may_block_a_running_run_for_its_own_reason(self) -> None:
        ralph = supervisor(Script(RETRY))
        state = ralph.block(ralph.step(start(ralph)), "model_not_qualified")
        assert (state.status, state.reason) == ("blocked", "model_not_qualified")
        assert ralph.run(state) is state
        with pytest.raises(SupervisionError, match="cannot be blocked"):
            ralph.block(state, "again")

    def test_a_stored_state_goes_on_where_it_stopped(self) -> None:
        whole = supervisor(Script(RETRY))
        expected = whole.run(start(whole))
        first = supervisor(Script(RETRY))
        stored = first.step(start(first)).model_dump_json()
        second = supervisor(Script(RETRY))  # counts its ids from 1 again
        state = second.run(RalphState.model_validate_json(stored))
        assert [a.output_sha256 for a in state.attempts] == [a.output_sha256 for a in expected.attempts]
        assert (state.status, state.best_attempt) == (expected.status, expected.best_attempt)


class TestTamperedStates:
    def state(self) -> tuple[RalphSupervisor, RalphState]:
        rows = [{"G-a": Verdict(FAIL, str(i))} for i in range(5)]
        ralph = supervisor(Script(rows))
        return ralph, ralph.step(ralph.step(start(ralph, max_attempts=5)))

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"budget_units_used": 1}, "budget_units_used"),
            ({"best_attempt": 2}, "best_attempt"),
            ({"best_attempt": 3}, "names no finished attempt"),
            ({"status": "achieved_draft"}, "status"),
            ({"status": "blocked", "reason": "stalled"}, "status"),
            ({"max_attempts": 1}, "attempts"),
            ({"evidence_snapshot_id": "other"}, "another evidence snapshot"),
            ({"stall_limit": 0}, "greater than or equal to 2"),
            ({"criteria": (criterion("G-z"),)}, "missing: G-z"),
        ],
    )
    def test_a_changed_field_is_refused(self, change: dict[str, Any], match: str) -> None:
        ralph, state = self.state()
        with pytest.raises(SupervisionError, match=match):
            ralph.step(state.model_copy(update=change))

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"attempt_number": 5}, "not contiguous"),
            ({"attempt_id": "attempt-000004"}, "judges another attempt"),
            ({"thread_id": "thread-000005"}, "thread_id occurs twice"),
            ({"evidence_snapshot_id": "other"}, "another evidence snapshot"),
            ({"gap_fingerprint": "0" * 64}, "gap_fingerprint"),
            ({"directives": ()}, "directives"),
            ({"output_sha256": "zz"}, "pattern"),
            ({"finished_at": datetime(2020, 1, 1, tzinfo=UTC)}, "finished_at"),
            ({"started_at": datetime(2020, 1, 1)}, "no zone"),
        ],
    )
    def test_a_changed_attempt_is_refused(self, change: dict[str, Any], match: str) -> None:
        ralph, state = self.state()
        attempts = (state.attempts[0].model_copy(update=change), state.attempts[1])
        with pytest.raises(SupervisionError, match=match):
            ralph.step(state.model_copy(update={"attempts": attempts}))

    def test_a_dropped_attempt_is_refused(self) -> None:
        ralph, state = self.state()
        with pytest.raises(SupervisionError, match="not contiguous"):
            ralph.step(state.model_copy(update={"attempts": state.attempts[1:]}))

    def test_success_without_an_attempt_is_refused(self) -> None:
        ralph = supervisor(Script(RETRY))
        forged = start(ralph).model_copy(update={"status": "publishable"})
        with pytest.raises(SupervisionError, match="without any attempt"):
            ralph.run(forged)

    def test_a_changed_objective_is_refused(self) -> None:
        ralph, state = self.state()
        state.objective["question"] = "another"
        with pytest.raises(SupervisionError, match="objective"):
            ralph.step(state)


class TestForeignGraphs:
    def test_a_compiled_graph_with_its_own_state_and_checkpointer(self) -> None:
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import END, START, StateGraph

        class Own(TypedDict):
            question: str
            visits: int

        builder = StateGraph(Own)
        builder.add_node("think", lambda state: {"visits": state.get("visits", 0) + 1})
        builder.add_edge(START, "think")
        builder.add_edge("think", END)
        saver = InMemorySaver()
        script = Script(RETRY)
        ralph = supervisor(script, builder.compile(checkpointer=saver))
        state = ralph.run(start(ralph))
        # A thread that was used before would have counted on.
        assert script.outputs == [{"question": "synthetic", "visits": 1}] * 2
        assert all(saver.get({"configurable": {"thread_id": a.thread_id}}) for a in state.attempts)

    def test_an_asynchronous_callable_runs_inside_a_running_loop(self) -> None:
        async def graph(value: Any, config: Any) -> str:
            await asyncio.sleep(0)
            return "async"

        async def notebook() -> RalphState:
            return ralph.run(start(ralph))

        script = Script(RETRY)
        ralph = supervisor(script, graph)
        assert asyncio.run(notebook()).status == "achieved_draft"
        assert script.outputs == ["async", "async"]

    def test_an_object_with_only_ainvoke_is_awaited(self) -> None:
        class Remote:
            async def ainvoke(self, value: Any, config: Any) -> str:
                return "later"

        script = Script([{"G-a": P}])
        ralph = supervisor(script, Remote())
        ralph.run(start(ralph))
        assert script.outputs == ["later"]

    def test_an_interrupt_cancels_an_asynchronous_attempt_at_once(self) -> None:
        cancelled = threading.Event()

        async def graph(value: Any, config: Any) -> None:
            main = threading.main_thread().ident
            threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise

        ralph = supervisor(Script(RETRY), graph)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ralph.step(start(ralph))
        assert cancelled.is_set()
        assert time.monotonic() - began < 10

    def test_tracing_is_off_while_a_graph_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from langsmith.utils import tracing_is_enabled

        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        seen: list[Any] = []

        def graph(value: Any, config: Any) -> None:
            seen.append(tracing_is_enabled())

        async def later(value: Any, config: Any) -> None:
            seen.append(tracing_is_enabled())

        for called in (graph, later):
            ralph = supervisor(Script([{"G-a": P}]), called)
            ralph.run(start(ralph))
        assert seen == [False, False]


class Colour(Enum):
    RED = "red"


class Model(BaseModel):
    amount: Decimal
    day: date


@dataclass
class Record:
    path: Path
    key: UUID


class TestPlainValues:
    def test_everything_common_becomes_json(self) -> None:
        value = {
            1: Model(amount=Decimal("1.10"), day=date(2026, 1, 2)),
            "t": (1, 2.5, float("inf"), 2**60, True, None),
            "s": {3, 1, 2},
            "b": b"x",
            "e": Colour.RED,
            "r": Record(Path("a/b"), UUID(int=1)),
        }
        assert plain(value) == {
            "1": {"amount": "1.10", "day": "2026-01-02"},
            "t": [1, 2.5, "inf", str(2**60), True, None],
            "s": [1, 2, 3],
            "b": {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"},
            "e": "red",
            "r": {"path": "a/b", "key": "00000000-0000-0000-0000-000000000001"},
        }

    def test_an_unknown_object_hashes_without_its_address(self) -> None:
        class Opaque:
            pass

        assert value_digest("d", Opaque()) == value_digest("d", Opaque())

    def test_key_order_does_not_matter_and_content_does(self) -> None:
        assert value_digest("d", {"a": 1, "b": 2}) == value_digest("d", {"b": 2, "a": 1})
        assert value_digest("d", {"a": 1}) != value_digest("d", {"a": 2})
        assert value_digest("d", {"a": 1}) != value_digest("e", {"a": 1})
