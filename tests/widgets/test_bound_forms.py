"""Forms with a ledger behind them: what was decided is committed, and is there again after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from display.golden import FIXTURES, golden_workspace  # type: ignore[import-not-found]

from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.economics import load_inputs
from porterlib.errors import DecisionScopeError, EconomicsError, TransitionError
from porterlib.ledger import verify
from porterlib.verbs import forms
from porterlib.verbs.framing import frame, read_request
from porterlib.verbs.gathering import acquire
from porterlib.workspace import Workspace, open_workspace

REQUEST = FIXTURES / "requests" / "bank_kyc.yaml"


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    return open_workspace(tmp_path / "ws", corpus=FIXTURES / "corpora" / "bank_kyc")


@pytest.fixture
def contract(place: Workspace) -> DecisionContract:
    return frame(REQUEST, workspace=place)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, str]:
    found: tuple[Workspace, str] = golden_workspace(tmp_path_factory.mktemp("finished") / "ws")
    return found


def test_a_refused_request_is_answered_and_framed_from_its_form(place: Workspace) -> None:
    whole = read_request(REQUEST)
    bare = DecisionRequest(**{**dict(whole), "market_boundary": "banking"})
    with pytest.raises(DecisionScopeError) as refused:
        frame(bare, workspace=place)
    form = forms.edit_request(bare, error=refused.value, workspace=place)
    form.fields["market_boundary"].value = whole.market_boundary
    said = form.submit()
    assert form.result.run_id in said
    assert form.result.boundary.statement == whole.market_boundary
    assert [row.run_id for row in place.runs()] == [form.result.run_id]


def test_a_decision_on_a_plan_is_recorded_with_its_digest_and_names_nobody(
    place: Workspace, contract: DecisionContract
) -> None:
    assert forms.approved_plan(contract, workspace=place) is None
    editor = forms.edit_plan(contract, workspace=place)
    first = editor.plan.queries[0]
    editor.texts[first.id].value = "fintech sponsor bank supervision"
    editor.apply()
    editor.reviewer.value = "A. Strategy"
    editor.decide("approve")
    with place.reading() as ledger:
        decided = ledger.records(contract.run_id, "plan_approval")
    assert [(r.payload["decision"], r.payload["plan_sha256"]) for r in decided] == [
        ("approve", editor.plan.sha256)
    ]
    assert "A. Strategy" not in str(decided[0].payload)
    again = open_workspace(place.path, "read")
    assert forms.approved_plan(contract, workspace=again) == editor.plan
    editor.comment.value = "too broad"
    editor.decide("reject")
    assert forms.approved_plan(contract, workspace=again) is None
    assert verify(place.path).ok


def test_what_was_searched_cannot_be_approved_afterwards(
    place: Workspace, contract: DecisionContract
) -> None:
    editor = forms.edit_plan(contract, workspace=place)
    acquire(contract, plan=editor.plan, workspace=place)
    editor.reviewer.value = "A. Strategy"
    with pytest.raises(TransitionError, match="has searched already"):
        editor.decide("approve")
    assert editor.decision is None
    assert forms.approved_plan(contract, workspace=place) is None


def test_saved_figures_are_in_the_ledger_and_in_the_file_and_are_compared_with_next_time(
    place: Workspace, contract: DecisionContract, tmp_path: Path
) -> None:
    inputs = load_inputs(FIXTURES / "economics" / "kyc_mixed.yaml")
    form = forms.edit_inputs(contract, inputs, path=tmp_path / "in.yaml", workspace=place)
    form.row("lines", "gross_benefit").fields["base"].value = "95.000000000000000001"
    form.apply()
    assert f"Record 4 of {contract.run_id}" in form.save()
    saved = forms.saved_inputs(contract, workspace=open_workspace(place.path, "read"))
    assert saved == form.applied == load_inputs(tmp_path / "in.yaml")
    later = forms.edit_inputs(contract, inputs, workspace=place)
    later.apply()
    assert "lines.gross_benefit.base: 95.000000000000000001 → 90" in later.difference.value
    assert verify(place.path).ok


def test_a_file_that_cannot_be_written_is_said_and_the_ledger_has_the_figures(
    place: Workspace, contract: DecisionContract, tmp_path: Path
) -> None:
    inputs = load_inputs(FIXTURES / "economics" / "kyc_mixed.yaml")
    form = forms.edit_inputs(contract, inputs, path=tmp_path / "nowhere" / "in.yaml", workspace=place)
    form.apply()
    with pytest.raises(EconomicsError, match=r"in\.yaml cannot be written: No such file"):
        form.save()
    assert forms.saved_inputs(contract, workspace=place) == inputs


def test_the_panel_shows_the_text_of_the_ledger_not_of_a_file_and_records(
    finished: tuple[Workspace, str],
) -> None:
    place, run_id = finished
    brief = place.path / "runs" / run_id / "board-brief.md"
    recorded = brief.read_text(encoding="utf-8")
    brief.write_text(recorded.replace("EUR", "USD"), encoding="utf-8")
    panel = forms.review_panel(run_id, workspace=place)
    assert panel.text == recorded
    panel.reviewer.value, panel.role.value, panel.read.value = "R. Risk", "risk", True
    assert "risk: approve recorded" in panel.decide("approve")
    assert [entry.role for entry in place.run(run_id).review.approvals] == ["finance", "risk"]  # type: ignore[union-attr]


def test_the_room_decides_on_the_text_it_shows(finished: tuple[Workspace, str]) -> None:
    place, run_id = finished
    room = forms.decision_room(run_id, workspace=place)
    assert room.text.startswith("# ")
    room.panel.reviewer.value, room.panel.role.value = "T. Tech", "technology"
    room.panel.read.value = True
    room.panel.approve.click()
    assert "technology: approve recorded" in room.panel.message.value
    assert place.run(run_id).review.approvals[-1].fingerprint == room.panel.review.fingerprint  # type: ignore[union-attr]
