"""Status changes, resuming, and closing what a crashed writer left."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from porterlib.clock import FixedClock
from porterlib.contracts.ledger import RUN_STATUSES, UNFINISHED, RunStatus
from porterlib.errors import LedgerError, TransitionError
from porterlib.ledger import INTERRUPTED, REJECTED, REPORT_NAME, Ledger, verify
from porterlib.ledger.projections import NEXT

TO_STATUS: dict[RunStatus, tuple[RunStatus, ...]] = {
    "created": (),
    "acquiring_evidence": ("acquiring_evidence",),
    "verifying": ("acquiring_evidence", "verifying"),
    "achieved_draft": ("verifying", "achieved_draft"),
    "human_required": ("verifying", "human_required"),
    "publishable": ("verifying", "human_required", "publishable"),
    "blocked": ("verifying", "blocked"),
    "insufficient_evidence": ("acquiring_evidence", "insufficient_evidence"),
    "failed": ("failed",),
    "cancelled": ("acquiring_evidence", "cancelled"),
}


def reach(ledger: Ledger, status: RunStatus, reason: str | None = "for a test") -> str:
    run_id = f"run-{status}"
    ledger.create_run(run_id, {})
    for step in TO_STATUS[status]:
        ledger.set_status(run_id, step, reason if step in ("failed", "blocked") else None)
    return run_id


@pytest.mark.parametrize("new", RUN_STATUSES)
@pytest.mark.parametrize("current", RUN_STATUSES)
def test_only_allowed_changes_pass(ledger: Ledger, folder: Path, current: RunStatus, new: RunStatus) -> None:
    run_id = reach(ledger, current)
    count = len(ledger.records(run_id))
    if new in NEXT[current]:
        row = ledger.set_status(run_id, new, "because")
        assert (row.status, row.reason, row.records) == (new, "because", count + 1)
    elif new == current:
        assert ledger.set_status(run_id, new, ledger.run(run_id).reason).records == count
    else:
        with pytest.raises(TransitionError, match=f"{current} cannot become {new}"):
            ledger.set_status(run_id, new, "because")
        assert ledger.run(run_id).records == count
    assert verify(folder).ok


def test_finished_runs_never_return_to_work_by_a_status_change() -> None:
    finished = set(RUN_STATUSES) - set(UNFINISHED)
    assert all(not NEXT[status] & set(UNFINISHED) for status in finished)


def test_every_change_is_an_appended_event(ledger: Ledger) -> None:
    run_id = reach(ledger, "publishable")
    ledger.set_status(run_id, "human_required", "stale", details={"role": "finance"})
    events = [event.payload for event in ledger.records(run_id, "event")]
    assert [event["to"] for event in events] == [
        "verifying",
        "human_required",
        "publishable",
        "human_required",
    ]
    assert all(one["to"] == two["from"] for one, two in pairwise(events))
    assert events[-1] == {
        "from": "publishable",
        "to": "human_required",
        "reason": "stale",
        "details": {"role": "finance"},
    }
    row = ledger.run(run_id)
    assert row.changed_at == ledger.records(run_id)[-1].recorded_at > row.created_at


def test_a_failure_needs_a_reason(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    with pytest.raises(TransitionError, match="needs a reason"):
        ledger.set_status("run-1", "failed")


def test_a_rejection_may_be_taken_back_but_no_other_block(ledger: Ledger) -> None:
    run_id = reach(ledger, "blocked", REJECTED)
    assert ledger.set_status(run_id, "human_required").status == "human_required"
    with pytest.raises(TransitionError, match="blocked cannot become human_required"):
        ledger.set_status(reach_other(ledger), "human_required")


def reach_other(ledger: Ledger) -> str:
    ledger.create_run("run-other", {})
    ledger.set_status("run-other", "blocked", "stalled")
    return "run-other"


@pytest.mark.parametrize("status", RUN_STATUSES)
def test_only_interrupted_and_cancelled_runs_reopen(ledger: Ledger, status: RunStatus) -> None:
    run_id = reach(ledger, status)
    if status == "cancelled":
        assert ledger.reopen(run_id).status == "acquiring_evidence"
    else:
        with pytest.raises(TransitionError, match="only interrupted and cancelled"):
            ledger.reopen(run_id)


def test_an_interrupted_run_reopens_where_it_stopped_or_where_asked(ledger: Ledger, folder: Path) -> None:
    run_id = reach(ledger, "verifying")
    ledger.set_status(run_id, "failed", INTERRUPTED)
    with pytest.raises(TransitionError, match="use resume"):
        ledger.set_status(run_id, "verifying")
    row = ledger.reopen(run_id)
    assert (row.status, row.reason) == ("verifying", "resumed")
    ledger.set_status(run_id, "cancelled")
    assert ledger.reopen(run_id, to="created").status == "created"
    ledger.set_status(run_id, "cancelled")
    with pytest.raises(TransitionError, match="cannot be reopened as 'publishable'"):
        ledger.reopen(run_id, to="publishable")
    assert verify(folder).ok


def work_until_interrupted(folder: Path, clock: FixedClock) -> None:
    with Ledger.open(folder, "write", clock=clock) as ledger:
        reach(ledger, "verifying")
        ledger.append("run-verifying", "attempt_started", {"n": 1}, key="attempt-1")
        ledger.append("run-verifying", "attempt_finished", {"n": 1}, key="attempt-1")
        ledger.append("run-verifying", "attempt_started", {"n": 2}, key="attempt-2")
        reach(ledger, "achieved_draft")
        reach(ledger, "created")
        raise KeyboardInterrupt


def test_what_a_writer_left_unfinished_is_closed_by_the_next(folder: Path, clock: FixedClock) -> None:
    with pytest.raises(KeyboardInterrupt):
        work_until_interrupted(folder, clock)
    with Ledger.open(folder, "read") as reader:
        assert [run.status for run in reader.runs()] == ["verifying", "achieved_draft", "created"]
        head = reader.head("run-verifying")
    with Ledger.open(folder, "write", clock=clock) as ledger:
        states = [(run.status, run.reason) for run in ledger.runs()]
        assert states == [("failed", INTERRUPTED), ("achieved_draft", None), ("failed", INTERRUPTED)]
        artifact = ledger.latest("run-verifying", "artifact")
        assert artifact is not None
        assert artifact.payload["name"] == REPORT_NAME
        report = json.loads(ledger.get_blob(artifact.payload["blob"]))
        assert report["open_attempts"] == ["attempt-2"]
        assert (report["status"], report["head"]) == ("verifying", head)
        assert report["last_record"] == "run-verifying/6/attempt_started"
        assert ledger.recover() == ()
        assert ledger.reopen("run-verifying").status == "verifying"
    assert verify(folder).ok


def test_runs_at_rest_between_two_verbs_are_left_alone(folder: Path) -> None:
    with Ledger.open(folder, "write") as ledger:
        reach(ledger, "acquiring_evidence")
    with Ledger.open(folder, "write") as ledger:
        assert ledger.touched_runs() == ()
        assert ledger.status("run-acquiring_evidence") == "acquiring_evidence"


def test_a_reader_can_change_nothing(filled: Path) -> None:
    with Ledger.open(filled, "read") as reader:
        for change in (
            lambda: reader.append("run-a", "step", {}),
            lambda: reader.create_run("run-c", {}),
            lambda: reader.set_status("run-a", "blocked", "x"),
            lambda: reader.put_blob(b"x", "text/plain"),
            lambda: reader.reopen("run-a"),
        ):
            with pytest.raises(LedgerError, match="open for reading"):
                change()
    with pytest.raises(LedgerError, match="closed"):
        reader.runs()
