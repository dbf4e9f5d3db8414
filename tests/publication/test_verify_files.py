"""`verify` compares the files that people read with what the ledger recorded, and names the one that differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porterlib.cli.main import main
from porterlib.publication.artifacts import BRIEF_NAME, EVIDENCE_NAME, SIDECAR_NAME
from porterlib.verbs.exporting import export_bundle
from porterlib.verbs.verifying import verify_workspace

from .golden import Finished

FILES = (BRIEF_NAME, EVIDENCE_NAME, SIDECAR_NAME)


def file_of(run: Finished, name: str) -> Path:
    return run.place.path / "runs" / run.run_id / name


def findings(run: Finished) -> list[tuple[str, str, str]]:
    return [(f.code, f.severity, f.place) for f in verify_workspace(run.place.path).findings]


def test_untouched_files_are_as_recorded_before_and_after_approval(run: Finished, approved: Finished) -> None:
    assert all(file_of(run, name).is_file() for name in FILES)
    for finished in (run, approved):
        report = verify_workspace(finished.place.path)
        assert (report.ok, report.findings) == (True, ())


@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_of_a_file_is_found_and_named(
    approved: Finished, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(approved, name)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    report = verify_workspace(approved.place.path)
    place = f"runs/{approved.run_id}/{name}"
    assert (report.ok, report.first_bad) == (False, place)
    assert findings(approved) == [("ARTIFACT_CHANGED", "error", place)]
    assert main(["verify", "--workspace", str(approved.place.path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["first_bad"] == place


def test_a_link_in_place_of_a_file_is_a_changed_file(run: Finished, tmp_path: Path) -> None:
    file = file_of(run, BRIEF_NAME)
    other = tmp_path / "elsewhere.md"
    file.rename(other)
    file.symlink_to(other)
    assert [code for code, _, _ in findings(run)] == ["ARTIFACT_CHANGED"]


def test_a_file_that_a_crash_left_behind_or_out_is_a_warning(approved: Finished, run: Finished) -> None:
    """A crash between record and file leaves the draft's brief beside the approved one's record, or none."""
    file_of(approved, BRIEF_NAME).write_bytes(file_of(run, BRIEF_NAME).read_bytes())
    file_of(approved, EVIDENCE_NAME).unlink()
    report = verify_workspace(approved.place.path)
    assert (report.ok, report.first_bad) == (True, None)
    folder = f"runs/{approved.run_id}"
    assert sorted(findings(approved)) == [
        ("ARTIFACT_MISSING", "warning", f"{folder}/{EVIDENCE_NAME}"),
        ("ARTIFACT_STALE", "warning", f"{folder}/{BRIEF_NAME}"),
    ]


def test_export_writes_the_recorded_files_again_as_the_finding_says(
    approved: Finished, tmp_path: Path
) -> None:
    file = file_of(approved, BRIEF_NAME)
    before = file.read_bytes()
    file.write_bytes(before + b"\nApproved by everyone.\n")
    (finding,) = verify_workspace(approved.place.path).findings
    assert "porterlib export writes the recorded files again" in finding.message
    export_bundle(approved.run_id, tmp_path / "b.zip", workspace=approved.place)
    assert file.read_bytes() == before
    assert findings(approved) == []


def test_files_of_a_bad_ledger_are_not_compared(run: Finished) -> None:
    """What such a ledger says of its files cannot be relied on."""
    (run.place.path / "ledger.db").write_bytes(b"not a database" * 100)
    file_of(run, BRIEF_NAME).unlink()
    report = verify_workspace(run.place.path)
    assert not report.ok
    assert report.findings
    assert all(not finding.code.startswith("ARTIFACT") for finding in report.findings)
