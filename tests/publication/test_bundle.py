"""Export bundles: what they hold, that they verify offline, and that nothing private is in them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from porterlib.contracts.request import DecisionRequest
from porterlib.errors import InputError, IntegrityError, LedgerError
from porterlib.hashing import sha256_hex
from porterlib.ledger import verify
from porterlib.publication.bundle_check import verify_bundle
from porterlib.publication.bundle_format import REQUIRED
from porterlib.verbs import supervising
from porterlib.verbs.exporting import export_bundle
from porterlib.verbs.framing import frame
from porterlib.verbs.loading import load_run
from porterlib.workspace import open_workspace

from .golden import FIXTURES, PEOPLE, Finished


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_draft_exports_as_a_draft_and_verifies(run: Finished, tmp_path: Path) -> None:
    path = export_bundle(run.outcome, tmp_path / "draft.zip", workspace=run.place)
    report = verify_bundle(path)
    assert (report.ok, report.findings) == (True, ())
    assert report.label == "DRAFT: not reviewed"
    assert len(report.checked) == 10
    assert report.not_checked == ()
    assert set(contents(path)) == set(REQUIRED)
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_export_lacks_the_word_draft_before_all_have_approved(run: Finished, tmp_path: Path) -> None:
    for number, role in enumerate(("strategy", "finance", "technology")):
        run.approve(role)
        files = contents(export_bundle(run.outcome, tmp_path / f"{number}.zip", workspace=run.place))
        assert b"DRAFT" in files["board-brief.md"]
        assert "DRAFT" in json.loads(files["manifest.json"])["label"]
    run.approve("risk")
    files = contents(export_bundle(run.outcome, tmp_path / "last.zip", workspace=run.place))
    assert b"*Board-ready" in files["board-brief.md"]


def test_an_approved_bundle_verifies_and_names_no_reviewer(approved: Finished, tmp_path: Path) -> None:
    path = export_bundle(approved.run_id, tmp_path, workspace=approved.place)
    assert path == tmp_path / f"{approved.run_id}.zip"
    report = verify_bundle(path)
    assert (report.ok, report.findings) == (True, ())
    manifest = json.loads(contents(path)["manifest.json"])
    assert set(manifest["roles"].values()) == {"approved"}
    assert manifest["fingerprint"] == approved.outcome.fingerprint == report.fingerprint
    raw = path.read_bytes()
    assert all(name.encode() not in raw for name in PEOPLE.values())


def test_the_same_state_gives_the_same_bytes(approved: Finished, tmp_path: Path) -> None:
    first = export_bundle(approved.outcome, tmp_path / "1.zip", workspace=approved.place).read_bytes()
    again = export_bundle(
        load_run(approved.place, approved.run_id), tmp_path / "2.zip", workspace=approved.place
    )
    assert again.read_bytes() == first
    reading = open_workspace(approved.place.path, "read")
    assert export_bundle(approved.run_id, tmp_path / "3.zip", workspace=reading).read_bytes() == first
    assert verify(approved.place.path).ok


def test_a_saved_head_is_found_in_a_bundle_that_has_grown(run: Finished, tmp_path: Path) -> None:
    heads = {row.run_id: row.head for row in run.place.runs()}
    run.approve("risk")
    path = export_bundle(run.run_id, tmp_path, workspace=run.place)
    assert verify_bundle(path, heads=heads).ok
    report = verify_bundle(path, heads={run.run_id: "0" * 64})
    assert [finding.code for finding in report.findings] == ["SAVED_HEAD_ABSENT"]


def test_a_reading_workspace_exports_only_what_is_on_record(run: Finished, tmp_path: Path) -> None:
    reading = open_workspace(run.place.path, "read")
    with pytest.raises(LedgerError, match="mode='write'"):
        export_bundle(run.run_id, tmp_path, workspace=reading)
    export_bundle(run.run_id, tmp_path / "a.zip", workspace=run.place)
    assert verify_bundle(export_bundle(run.run_id, tmp_path / "b.zip", workspace=reading)).ok


def test_a_bundle_made_after_a_version_change_is_a_draft_again(
    approved: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "EVALUATOR_VERSION", "evaluator-next")
    path = export_bundle(approved.run_id, tmp_path, workspace=approved.place)
    report = verify_bundle(path)
    assert (report.ok, report.findings) == (True, ())
    assert report.label is not None
    assert "DRAFT: awaiting approval by" in report.label
    assert set(json.loads(contents(path)["manifest.json"])["roles"].values()) == {"stale"}
    assert approved.place.runs()[0].status == "human_required"
    assert verify(approved.place.path).ok


def test_a_rejected_text_exports_with_its_report(run: Finished, tmp_path: Path) -> None:
    run.approve("risk", decision="reject", comment="No exit plan.")
    path = export_bundle(run.run_id, tmp_path, workspace=run.place)
    assert verify_bundle(path).ok
    assert set(contents(path)) == {*REQUIRED, "blocked-report.md"}
    assert b"No exit plan" not in path.read_bytes()


def test_a_run_without_a_text_has_no_bundle(run: Finished, tmp_path: Path) -> None:
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=run.place)
    with pytest.raises(InputError, match="only a finished draft"):
        export_bundle(contract.run_id, tmp_path, workspace=run.place)


def test_a_place_that_cannot_be_written_is_refused(run: Finished, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose another place"):
        export_bundle(run.run_id, tmp_path / "absent" / "x.zip", workspace=run.place)


def test_nothing_is_exported_from_a_changed_ledger(run: Finished, tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(run.place.path / "ledger.db") as connection:
        connection.execute("DROP TRIGGER IF EXISTS records_no_delete")
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            if "records" in name
        ]
        for name in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            "DELETE FROM records WHERE kind = 'goal' AND seq = (SELECT max(seq) FROM records WHERE kind = 'goal')"
        )
    connection.close()
    with pytest.raises(IntegrityError, match="verify"):
        export_bundle(run.run_id, tmp_path, workspace=run.place)
    with pytest.raises(IntegrityError, match="verify"):
        run.approve("risk")


def test_restricted_terms_and_internal_facts_are_nowhere_in_what_others_get(
    built_restricted: Finished, copy: Callable[[Finished], Finished], tmp_path: Path
) -> None:
    run = copy(built_restricted)
    assert run.outcome.status == "achieved_draft"
    request = load_run(run.place, run.run_id).request
    assert request is not None
    run.approve("risk", comment=f"Ask {request.restricted_terms[3]} first.")
    path = export_bundle(run.run_id, tmp_path, workspace=run.place)
    report = verify_bundle(path)
    assert (report.ok, report.findings) == (True, ())
    assert report.not_checked
    shared = {**contents(path), "whole": path.read_bytes()}
    folder = run.place.path / "runs" / run.run_id
    shared |= {f"disk {p.name}": p.read_bytes() for p in folder.iterdir() if p.name != "audit-sidecar.json"}
    for name, content in shared.items():
        text = " ".join(content.decode("utf-8", "replace").casefold().split())
        for term in request.restricted_terms:
            assert term.casefold() not in text, (name, term)
        for fact in request.internal_facts:
            assert " ".join(fact.text.casefold().split()) not in text, name


def test_internal_facts_leave_as_digests_and_withheld_texts_as_keyed_ones(
    built_restricted: Finished, copy: Callable[[Finished], Finished], tmp_path: Path
) -> None:
    run = copy(built_restricted)
    request = load_run(run.place, run.run_id).request
    assert isinstance(request, DecisionRequest)
    path = export_bundle(run.run_id, tmp_path, workspace=run.place)
    sidecar = json.loads(contents(path)["audit-sidecar.json"])
    digests = {entry["text_sha256"] for entry in sidecar["internal_facts"]}
    assert digests == {sha256_hex(fact.text.encode()) for fact in request.internal_facts}
    assert all("text" not in entry for entry in sidecar["internal_facts"])
    places = {entry["at"] for entry in sidecar["withheld"]}
    assert "/contract/question" in places
    assert "[withheld]" in sidecar["contract"]["question"]
    # A plain digest of a short text could be confirmed by guessing it; these need the workspace's key.
    plain = sha256_hex(request.question.encode())
    assert plain not in {entry["hmac_sha256"] for entry in sidecar["withheld"]}
    local = json.loads((run.place.path / "runs" / run.run_id / "audit-sidecar.json").read_text())
    assert {entry["text"] for entry in local["internal_facts"]} == {f.text for f in request.internal_facts}
