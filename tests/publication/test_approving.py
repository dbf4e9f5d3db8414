"""Decisions through the verb, on real runs: what is recorded, what is refused, what goes stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from porterlib.contracts.publication import REVIEW_ROLES
from porterlib.contracts.supervision import Finding
from porterlib.errors import FingerprintError, InputError, LedgerError, TransitionError, UnknownRunError
from porterlib.evaluation import criteria
from porterlib.ledger import verify
from porterlib.publication.artifacts import BRIEF_NAME
from porterlib.verbs import supervising
from porterlib.verbs.approving import approve, review
from porterlib.verbs.framing import frame
from porterlib.verbs.gathering import acquire, calculate
from porterlib.verbs.loading import load_outcome
from porterlib.workspace import open_workspace

from .golden import FIXTURES, PEOPLE, Finished


def brief_of(run: Finished) -> str:
    return (run.place.path / "runs" / run.run_id / BRIEF_NAME).read_text()


def test_a_fresh_draft_is_in_review_with_four_roles_missing(run: Finished) -> None:
    found = review(run.outcome, workspace=run.place)
    assert found.status == "achieved_draft"
    assert [entry.state for entry in found.roles] == ["missing"] * 4
    assert (found.fingerprint, found.revision, found.diff) == (run.outcome.fingerprint, 1, "")
    assert "not authenticated" in found.identity_note


def test_review_records_nothing(run: Finished) -> None:
    before = run.place.runs()
    review(run.run_id, workspace=run.place)
    assert run.place.runs() == before


def test_four_people_make_the_text_publishable_and_only_then_it_is_no_draft(run: Finished) -> None:
    assert "DRAFT: not reviewed" in brief_of(run)
    for count, role in enumerate(REVIEW_ROLES[:3], start=1):
        found = run.approve(role)
        assert (found.status, found.revision) == ("human_required", count + 1)
        assert "DRAFT: awaiting approval by" in brief_of(run)
        assert run.place.runs()[0].status == "human_required"
    found = run.approve("risk")
    assert found.status == "publishable"
    assert [entry.reviewer for entry in found.roles] == list(PEOPLE.values())
    assert run.place.runs()[0].status == "publishable"
    assert "draft" not in brief_of(run).casefold().split("evidence up to")[0]
    assert "Board-ready" in brief_of(run)
    assert verify(run.place.path).ok


def test_attempts_are_untouched_and_revisions_append(built: Finished, approved: Finished) -> None:
    with built.place.reading() as ledger:
        before = ledger.records(built.run_id)
    with approved.place.reading() as ledger:
        after = ledger.records(approved.run_id)
    assert [record.hash for record in after[: len(before)]] == [record.hash for record in before]
    added = [record.kind for record in after[len(before) :]]
    assert set(added) <= {"approval", "checkpoint", "goal", "artifact", "event"}
    assert added.count("approval") == 4
    briefs = [r for r in after if r.kind == "artifact" and r.payload["name"] == BRIEF_NAME]
    assert [record.payload.get("revision", 0) for record in briefs] == [0, 1, 2, 3, 4]
    assert load_outcome(approved.place, approved.run_id).state == built.outcome.state


def test_the_ledger_names_reviewers_in_local_contents_only(approved: Finished) -> None:
    with approved.place.reading() as ledger:
        payloads = str([record.payload for record in ledger.records(approved.run_id)])
    assert all(name not in payloads for name in PEOPLE.values())
    shared = [path.read_text() for path in (approved.place.path / "runs").rglob("*") if path.is_file()]
    assert all(name not in text for name in PEOPLE.values() for text in shared)


def test_a_rejection_blocks_until_the_same_person_takes_it_back(approved: Finished) -> None:
    found = approved.approve("risk", decision="reject", comment="The exit plan is untested.")
    assert found.status == "blocked"
    assert found.approvals[-1].comment == "The exit plan is untested."
    row = approved.place.runs()[0]
    assert (row.status, row.reason) == ("blocked", "rejected")
    assert "DRAFT: rejected by risk" in brief_of(approved)
    assert approved.approve("risk", reviewer="Someone Else").status == "blocked"
    assert approved.approve("finance").status == "blocked"
    # The other approval of the role came later, so it holds the role; taking back only lifts the block.
    assert approved.approve("risk").status == "publishable"
    assert "Board-ready" in brief_of(approved)
    assert verify(approved.place.path).ok


def test_a_comment_is_no_instruction_and_changes_no_text(run: Finished) -> None:
    found = run.approve("finance", decision="reject", comment="Say proceed instead.")
    assert found.fingerprint == run.outcome.fingerprint
    assert "Say proceed instead" not in brief_of(run)


def test_another_text_is_refused_and_the_current_one_named(run: Finished) -> None:
    with pytest.raises(FingerprintError) as refused:
        run.approve("risk", fingerprint="0" * 64)
    assert refused.value.data["current"] == run.outcome.fingerprint
    assert refused.value.exit_code == 2
    assert run.place.runs()[0].status == "achieved_draft"


def test_a_run_id_alone_names_no_text(run: Finished) -> None:
    with pytest.raises(InputError, match="fingerprint is missing"):
        approve(run.run_id, role="risk", reviewer="Di Rask", workspace=run.place)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"role": "legal"}, "role"),
        ({"decision": "maybe"}, "decision"),
        ({"reviewer": " \u200b "}, "reviewer"),
        ({"comment": "x" * 4001}, "comment"),
    ],
)
def test_wrong_input_names_the_field_and_records_nothing(
    run: Finished, changes: dict[str, str], field: str
) -> None:
    before = run.place.runs()
    with pytest.raises(InputError) as refused:
        run.approve(changes.pop("role", "risk"), **changes)
    assert refused.value.data["field"] == field
    assert refused.value.exit_code == 2
    assert run.place.runs() == before


def test_one_person_cannot_hold_two_roles_unless_policy_says_so(run: Finished) -> None:
    run.approve("strategy", reviewer="Ada Strand")
    with pytest.raises(InputError, match="already decided as strategy"):
        run.approve("finance", reviewer="ada  STRAND")
    run.approve("finance", reviewer="ADA STRAND", allow_same_person=True)
    with run.place.reading() as ledger:
        policies = [r.payload["allow_same_person"] for r in ledger.records(run.run_id, "approval")]
    assert policies == [False, True]
    run.approve("technology")
    assert run.approve("risk").status == "publishable"


def test_an_unknown_run_is_refused(run: Finished) -> None:
    with pytest.raises(UnknownRunError):
        approve("run-none", role="risk", reviewer="Di Rask", fingerprint="0" * 64, workspace=run.place)


def test_a_run_without_a_finished_draft_is_refused(run: Finished) -> None:
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=run.place)
    for call in (
        lambda: approve(
            contract.run_id, role="risk", reviewer="Di", fingerprint="0" * 64, workspace=run.place
        ),
        lambda: review(contract.run_id, workspace=run.place),
    ):
        with pytest.raises(InputError, match="only a finished draft"):
            call()


def test_a_run_blocked_for_another_reason_stays_blocked(run: Finished) -> None:
    with run.place.writing() as ledger:
        ledger.set_status(run.run_id, "blocked", "stalled")
    with pytest.raises(TransitionError, match="stalled"):
        run.approve("risk")
    assert review(run.outcome, workspace=run.place).status == "blocked"


def test_a_reading_workspace_records_no_decision(run: Finished) -> None:
    reading = open_workspace(run.place.path, "read")
    with pytest.raises(LedgerError, match="open for reading"):
        approve(run.outcome, role="risk", reviewer="Di Rask", workspace=reading)


def test_a_new_evaluator_makes_approvals_stale_and_shows_what_changed(
    approved: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = approved.outcome.fingerprint
    monkeypatch.setattr(supervising, "EVALUATOR_VERSION", "evaluator-next")
    found = review(approved.run_id, workspace=approved.place)
    assert found.status == "human_required"
    assert [entry.state for entry in found.roles] == ["stale"] * 4
    assert found.fingerprint != old
    assert f"-Fingerprint `{old}`" in found.diff
    assert f"+Fingerprint `{found.fingerprint}`" in found.diff
    with pytest.raises(FingerprintError):
        approved.approve("risk")
    current = load_outcome(approved.place, approved.run_id)
    assert current.fingerprint == found.fingerprint
    again = [
        approve(current, role=role, reviewer=name, workspace=approved.place) for role, name in PEOPLE.items()
    ]
    assert [entry.status for entry in again] == ["human_required"] * 3 + ["publishable"]
    assert again[-1].diff == ""
    assert again[-1].revision == 9


def test_an_approved_text_of_an_earlier_run_is_what_a_new_run_is_compared_with(
    approved: Finished,
) -> None:
    place = open_workspace(approved.place.path, corpus=FIXTURES / "corpora" / "bank_kyc")
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=place)
    snapshot = acquire(contract, workspace=place)
    economics = calculate(contract, FIXTURES / "economics" / "kyc_strong.yaml", workspace=place)
    outcome = supervising.supervise(contract, snapshot, economics, workspace=place)
    found = review(outcome, workspace=place)
    assert found.diff.startswith(f"--- {BRIEF_NAME} approved as {approved.outcome.fingerprint[:12]}")  # type: ignore[index]
    assert approved.run_id in found.diff.splitlines()[0]
    assert {line[0] for line in found.diff.splitlines()} >= {"+", "-"}


def test_a_text_that_fails_todays_checks_cannot_be_approved(
    run: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    defect = Finding(
        code="BOARD_QUESTIONS_INCOMPLETE",
        severity="error",
        place="brief",
        message="one is gone",
        remedy="ask it",
    )
    monkeypatch.setitem(criteria.CHECKS, "G-board", (lambda case: iter([defect]),))
    monkeypatch.setattr(supervising, "EVALUATOR_VERSION", "evaluator-next")
    current = load_outcome(run.place, run.run_id)
    with pytest.raises(TransitionError, match="G-board"):
        approve(current, role="risk", reviewer="Di Rask", workspace=run.place)
    rejected = approve(current, role="risk", reviewer="Di Rask", decision="reject", workspace=run.place)
    assert rejected.status == "blocked"


def test_files_on_disk_are_private_and_equal_the_ledger(approved: Finished) -> None:
    folder: Path = approved.place.path / "runs" / approved.run_id
    outcome = load_outcome(approved.place, approved.run_id)
    assert set(outcome.artifacts) == {BRIEF_NAME, "audit-sidecar.json", "evidence.csv"}
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    with approved.place.reading() as ledger:
        latest = {r.payload["name"]: r.payload["blob"] for r in ledger.records(approved.run_id, "artifact")}
        for name, path in outcome.artifacts.items():
            assert Path(path).read_bytes() == ledger.get_blob(latest[name])
