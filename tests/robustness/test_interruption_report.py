"""A run that a crash left is closed with a report that lies on disk, as the ledger holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porterlib.ledger import REPORT_NAME
from porterlib.verbs.framing import frame
from porterlib.verbs.verifying import verify_workspace
from porterlib.workspace import Workspace
from tests.robustness.golden import REQUEST, place_at


class Crash(BaseException):
    """The process ends here."""


def crashed(folder: Path) -> tuple[Workspace, str]:
    place = place_at(folder)
    run_id = frame(REQUEST, workspace=place).run_id
    with pytest.raises(Crash):
        begin_and_crash(place, run_id)
    return place, run_id


def begin_and_crash(place: Workspace, run_id: str) -> None:
    with place.writing() as ledger:
        ledger.set_status(run_id, "acquiring_evidence")
        raise Crash


def test_the_next_writer_writes_the_report_of_what_was_committed(tmp_path: Path) -> None:
    place, run_id = crashed(tmp_path / "w")
    file = place.path / "runs" / run_id / REPORT_NAME
    assert not file.exists()
    with place.writing() as ledger:
        assert ledger.recovered == (run_id,)
    report = json.loads(file.read_text(encoding="utf-8"))
    assert (report["run_id"], report["status"], report["reason"]) == (
        run_id, "acquiring_evidence", "interrupted",
    )  # fmt: skip
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    checked = verify_workspace(place.path)
    assert (checked.ok, checked.findings) == (True, ())
    with place.writing() as ledger:
        assert ledger.recovered == ()


def test_a_report_that_was_not_written_is_named_with_where_its_content_is(tmp_path: Path) -> None:
    place, run_id = crashed(tmp_path / "w")
    with place.writing():
        pass
    (place.path / "runs" / run_id / REPORT_NAME).unlink()
    checked = verify_workspace(place.path)
    (finding,) = checked.findings
    assert (checked.ok, finding.code) == (True, "ARTIFACT_MISSING")
    assert finding.message == "the file is not there; the ledger holds what was recorded"
