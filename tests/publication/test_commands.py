"""`approve`, `export` and `verify` on the command line: JSON, exit codes and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porterlib.cli.main import main

from .golden import PEOPLE, Finished


def call(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[dict[str, Any], int]:
    code = main([*map(str, argv), "--json"])
    return json.loads(capsys.readouterr().out), code


def decide(
    capsys: pytest.CaptureFixture[str], run: Finished, role: str, *more: str
) -> tuple[dict[str, Any], int]:
    who = ("--role", role, "--reviewer", PEOPLE[role], "--fingerprint", str(run.outcome.fingerprint))
    return call(capsys, "approve", run.run_id, *who, "--workspace", run.place.path, *more)


def test_four_approvals_export_and_verify(
    capsys: pytest.CaptureFixture[str], run: Finished, tmp_path: Path
) -> None:
    for role in PEOPLE:
        review, code = decide(capsys, run, role)
        assert code == 0
    assert review["status"] == "publishable"
    exported, code = call(
        capsys, "export", run.run_id, "--to", tmp_path / "b.zip", "--workspace", run.place.path
    )
    assert (code, exported["ok"], exported["bundle"]) == (0, True, str(tmp_path / "b.zip"))
    checked, code = call(capsys, "verify", "--bundle", tmp_path / "b.zip")
    assert (code, checked["ok"], checked["first_bad"]) == (0, True, None)
    report, code = call(capsys, "verify", "--workspace", run.place.path)
    assert (code, report["ok"], report["runs"]) == (0, True, 1)
    assert report["heads"] == {run.run_id: checked["head"]["hash"]}
    heads = tmp_path / "heads.json"
    heads.write_text(json.dumps(report))
    assert call(capsys, "verify", "--workspace", run.place.path, "--heads", heads)[1] == 0
    heads.write_text(json.dumps({run.run_id: "0" * 64}))
    report, code = call(capsys, "verify", "--workspace", run.place.path, "--heads", heads)
    assert (code, report["ok"]) == (1, False)
    checked, code = call(capsys, "verify", "--bundle", tmp_path / "b.zip", "--heads", heads)
    assert (code, checked["findings"][0]["code"]) == (1, "SAVED_HEAD_ABSENT")


def test_a_rejection_is_done_and_an_approval_that_stays_blocked_exits_1(
    capsys: pytest.CaptureFixture[str], run: Finished
) -> None:
    review, code = decide(capsys, run, "risk", "--reject", "--comment", "No exit plan.")
    assert (review["status"], code) == ("blocked", 0)
    review, code = decide(capsys, run, "finance")
    assert (review["status"], code) == ("blocked", 1)


def test_wrong_use_exits_2_with_a_stable_code(
    capsys: pytest.CaptureFixture[str], run: Finished, tmp_path: Path
) -> None:
    place = ("--workspace", run.place.path)
    who = ("--role", "risk", "--reviewer", "Di Rask")
    other, code = call(capsys, "approve", run.run_id, *who, "--fingerprint", "0" * 64, *place)
    assert (other["code"], code) == ("FINGERPRINT_MISMATCH", 2)
    assert other["current"] == run.outcome.fingerprint
    unknown, code = call(capsys, "approve", "run-none", *who, "--fingerprint", "0" * 64, *place)
    assert (unknown["code"], code) == ("RUN_UNKNOWN", 2)
    role, code = call(
        capsys, "approve", run.run_id, "--role", "legal", "--reviewer", "x", "--fingerprint", "0", *place
    )
    assert (role["code"], role["field"], code) == ("INPUT_INVALID", "role", 2)
    absent = tmp_path / "mistyped"
    folder, code = call(capsys, "export", run.run_id, "--to", tmp_path, "--workspace", absent)
    assert (folder["code"], code) == ("WORKSPACE_INVALID", 2)
    assert not absent.exists()
    heads, code = call(capsys, "verify", *place, "--heads", absent)
    assert (heads["code"], heads["field"], code) == ("INPUT_INVALID", "heads", 2)
    usage, code = call(capsys, "approve", run.run_id, *who, *place)
    assert (usage["code"], code) == ("USAGE", 2)


def test_a_damaged_bundle_exits_1_and_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "broken.zip"
    path.write_bytes(b"PK\x03\x04 and nothing else")
    report, code = call(capsys, "verify", "--bundle", path)
    assert (code, report["ok"], report["first_bad"]) == (1, False, "bundle")
