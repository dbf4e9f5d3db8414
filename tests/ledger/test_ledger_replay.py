"""Whatever a writer does, the projections equal a replay of the records, and the ledger verifies."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.clock import FixedClock
from porterlib.contracts.ledger import RUN_STATUSES
from porterlib.errors import IntegrityError, TransitionError
from porterlib.ledger import INTERRUPTED, REJECTED, Ledger, verify
from porterlib.ledger.projections import Replay, ReplayError
from tests.ledger.conftest import START

RUNS = ("run-1", "run-2")
runs = st.sampled_from(RUNS)
small = st.sampled_from(["a", "b", "c"])
actions = st.one_of(
    st.tuples(
        st.just("status"), runs, st.sampled_from(RUN_STATUSES), st.sampled_from([None, INTERRUPTED, REJECTED])
    ),
    st.tuples(st.just("reopen"), runs),
    st.tuples(st.just("goal"), runs, small, small),
    st.tuples(st.just("step"), runs, small, st.integers(0, 2)),
    st.tuples(st.just("capture"), runs, st.binary(max_size=3)),
    st.tuples(st.just("rollback"), runs, small),
    st.tuples(st.just("interrupt")),
    st.tuples(st.just("close")),
)


class Abandon(Exception):
    """Raised to leave a block without committing."""


def act(ledger: Ledger, action: tuple[Any, ...]) -> None:
    name, *rest = action
    if name == "status":
        ledger.set_status(rest[0], rest[1], rest[2])
    elif name == "reopen":
        ledger.reopen(rest[0])
    elif name == "goal":
        ledger.append(rest[0], "goal", {"goal_id": rest[1], "status": rest[2]})
    elif name == "step":
        ledger.append(rest[0], "step", {"n": rest[2]}, key=rest[1])
    elif name == "capture":
        with ledger.transaction():
            ledger.append(rest[0], "capture", {"blob": ledger.put_blob(rest[1], "text/plain")})
    elif name == "rollback":
        with ledger.transaction():
            ledger.append(rest[0], "goal", {"goal_id": rest[1], "status": "never"})
            raise Abandon
    elif name == "interrupt":
        raise KeyboardInterrupt


def perform(folder: Path, actions: list[tuple[Any, ...]]) -> None:
    """Do all actions; a writer that is interrupted or closed is followed by another."""
    clock = FixedClock(START)
    left = list(actions)
    while True:
        with suppress(KeyboardInterrupt), Ledger.open(folder, "write", clock=clock) as ledger:
            for run_id in RUNS:
                ledger.create_run(run_id, {"question": run_id})
            while left and left[0][0] != "close":
                with suppress(TransitionError, IntegrityError, Abandon):
                    act(ledger, left.pop(0))
        if not left:
            return
        if left[0][0] == "close":
            left.pop(0)


@settings(max_examples=40, deadline=None)
@given(st.lists(actions, max_size=25))
def test_projections_are_what_a_replay_gives(actions: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as folder:
        place = Path(folder) / "decision"
        perform(place, actions)
        report = verify(place)
        assert report.ok, report.findings
        assert report.findings == ()
        with Ledger.open(place, "read") as reader:
            for run in reader.runs():
                replay = Replay(run.run_id)
                for record in reader.records(run.run_id):
                    replay.apply(record)
                assert (run.status, run.reason, run.records) == (replay.status, replay.reason, replay.records)
                assert (run.head, run.changed_at, run.ordinal) == (
                    replay.head,
                    replay.changed_at,
                    replay.ordinal,
                )
                stored = {goal.goal_id: (goal.status, goal.seq) for goal in reader.goals(run.run_id)}
                assert stored == replay.goals
        heads = report.heads
    with TemporaryDirectory() as folder:
        perform(Path(folder) / "again", actions)
        assert verify(Path(folder) / "again").heads == heads


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"from": "created"},
        {"from": "created", "to": "dreaming"},
        {"from": "created", "to": 7},
        {"from": "verifying", "to": "blocked"},
        {"from": "created", "to": "verifying", "reason": 5},
        {"from": "created", "to": "publishable"},
        {"from": "created", "to": "verifying", "reopened": True},
    ],
)
def test_a_replay_refuses_what_the_writer_would_refuse(ledger: Ledger, payload: dict[str, Any]) -> None:
    ledger.create_run("run-1", {})
    first = ledger.records("run-1")[0]
    replay = Replay("run-1")
    replay.apply(first)
    with pytest.raises(ReplayError):
        replay.apply(first.model_copy(update={"seq": 2, "kind": "event", "payload": payload}))
