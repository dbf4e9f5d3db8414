"""A person or a scheduler stops a run: the ledger is whole, the run cancelled, and it can be taken up."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from porterlib.cli.main import main
from porterlib.contracts.publication import Outcome
from porterlib.errors import CorpusError, TransitionError
from porterlib.ledger import Ledger, verify
from porterlib.verbs import running
from porterlib.verbs.running import resume
from porterlib.workspace import Workspace
from tests.robustness.golden import CORPUS, ROOT, place_at, run_golden


def stopped_at(place: Workspace, words: str, **changes: Any) -> str:
    """Run until the progress line that holds `words`, interrupt there, and return the run's id."""

    def interrupt(line: str) -> None:
        if words in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_golden(place, progress=interrupt, **changes)
    (row,) = place.runs()
    assert (row.status, row.reason) == ("cancelled", "user")
    return row.run_id


@pytest.mark.parametrize(
    "words",
    [
        "opened",
        "searching for buyers, query 3",
        "reading page 5",
        "choosing passages",
        "attempt 1 of",
        "passed",
    ],
)
def test_an_interrupt_at_any_step_cancels_and_resume_ends_the_same(
    tmp_path: Path, undisturbed: Outcome, words: str
) -> None:
    place = place_at(tmp_path / "w")
    run_id = stopped_at(place, words)
    assert verify(place.path).ok
    outcome = resume(run_id, workspace=place)
    assert (outcome.status, outcome.fingerprint) == ("achieved_draft", undisturbed.fingerprint)
    assert verify(place.path).ok
    with place.reading() as ledger:
        queries = [record.key for record in ledger.records(run_id, "query")]
    assert len(queries) == len(set(queries)) == undisturbed.snapshot.queries_executed
    with pytest.raises(TransitionError, match="achieved_draft"):
        resume(run_id, workspace=place)


def test_an_interrupt_between_two_verbs_cancels_too(
    tmp_path: Path, undisturbed: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_args: Any, **_options: Any) -> Outcome:
        raise KeyboardInterrupt("terminated")

    place = place_at(tmp_path / "w")
    with monkeypatch.context() as patch:
        patch.setattr(running, "supervise", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_golden(place)
    (row,) = place.runs()
    assert (row.status, row.reason) == ("cancelled", "terminated")
    assert resume(row.run_id, workspace=place).fingerprint == undisturbed.fingerprint


def test_frozen_evidence_needs_its_documents_no_more(tmp_path: Path, undisturbed: Outcome) -> None:
    corpus, place = tmp_path / "corpus", place_at(tmp_path / "w")
    shutil.copytree(CORPUS, corpus)
    run_id = stopped_at(place, "attempt 1 of", corpus=corpus)
    shutil.rmtree(corpus)
    assert resume(run_id, workspace=place).fingerprint == undisturbed.fingerprint


def test_documents_that_went_away_before_are_missed(tmp_path: Path) -> None:
    corpus, place = tmp_path / "corpus", place_at(tmp_path / "w")
    shutil.copytree(CORPUS, corpus)
    run_id = stopped_at(place, "choosing passages", corpus=corpus)
    shutil.rmtree(corpus)
    with pytest.raises(CorpusError, match="no corpus folder"):
        resume(run_id, workspace=place)
    assert place.runs()[0].status == "cancelled"


def test_a_resume_that_is_stopped_again_can_be_taken_up_again(tmp_path: Path, undisturbed: Outcome) -> None:
    place = place_at(tmp_path / "w")
    run_id = stopped_at(place, "searching for suppliers, query 2")

    def interrupt(line: str) -> None:
        if "attempt 1 of" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(run_id, workspace=place, progress=interrupt)
    assert place.runs()[0].status == "cancelled"
    assert resume(run_id, workspace=place).fingerprint == undisturbed.fingerprint


def test_a_run_left_by_a_crash_is_failed_and_one_at_rest_is_not(tmp_path: Path, undisturbed: Outcome) -> None:
    place = place_at(tmp_path / "w")
    run_id = stopped_at(place, "opened")
    ledger = Ledger.open(place.path, "write")
    ledger.reopen(run_id)
    ledger._finish(put_down=False)  # as a crash leaves it: touched, not put down
    with place.writing():
        pass
    (row,) = place.runs()
    assert (row.status, row.reason) == ("failed", "interrupted")
    assert resume(run_id, workspace=place).fingerprint == undisturbed.fingerprint


@pytest.mark.parametrize(("number", "reason"), [(signal.SIGINT, "user"), (signal.SIGTERM, "terminated")])
def test_a_signal_stops_the_command_with_a_message_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, reason: str
) -> None:
    workspace = tmp_path / "w"
    command = [sys.executable, "-m", "porterlib", "demo", "--workspace", str(workspace), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        assert child.stderr is not None
        assert child.stdout is not None
        for line in child.stderr:
            if "searching for suppliers" in line:
                child.send_signal(number)
                break
        told, printed = child.stderr.read(), child.stdout.read()
    assert child.returncode == 1
    assert json.loads(printed)["code"] == "INTERRUPTED"
    assert "Traceback" not in told
    assert "porterlib resume run-" in told
    assert main(["verify", "--workspace", str(workspace), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    assert main(["runs", "--workspace", str(workspace), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["status"], row["reason"]) == ("cancelled", reason)


def test_resuming_what_is_done_exits_1_and_what_is_unknown_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = place_at(tmp_path / "w")
    outcome = run_golden(place)
    where = ["--workspace", str(place.path), "--json"]
    assert main(["resume", outcome.run_id, *where]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["code"], answer["status"]) == (TransitionError.code, "achieved_draft")
    assert main(["resume", "run-none", *where]) == 2
    assert json.loads(capsys.readouterr().out)["code"] == "RUN_UNKNOWN"
