"""Forms in a real notebook: what is typed is kept or refused, never altered; a decision is about what was shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from porterlib.workspace import open_workspace

from .conftest import Board, Lab

pytestmark = pytest.mark.browser


def field(place: Locator, label: str) -> Locator:
    """Return the field behind a label."""
    return place.locator(
        ".widget-text, .widget-textarea, .widget-dropdown", has=place.page.get_by_text(label, exact=True)
    ).locator("input, textarea, select").first  # fmt: skip


def row_of(form: Locator, label: str) -> Locator:
    """Return the fields of one row of the range form."""
    line = form.locator(".widget-hbox", has=form.page.get_by_text(label, exact=True))
    return line.first.locator("input")


def press(form: Locator, label: str) -> None:
    form.get_by_role("button", name=label, exact=True).click()


@pytest.mark.parametrize("typed", ["1,5", "1e400", "NaN", "1.5 m"])
def test_what_is_no_number_is_kept_as_typed_and_refused_beside_its_row(board: Board, typed: str) -> None:
    form = board.cell("ranges_form")
    base = row_of(form, "gross benefit").nth(1)
    base.fill(typed)
    base.press("Tab")
    press(form, "Apply and preview")
    expect(form.get_by_text("rows that cannot be used: gross benefit", exact=False)).to_be_visible()
    expect(form.get_by_text("base:", exact=False).first).to_be_visible()
    assert base.input_value() == typed
    assert board.kernel("print(money.applied)").strip() == "None"
    base.fill("90")
    base.press("Tab")


def test_applied_figures_are_previewed_then_saved_to_the_last_digit(board: Board, lab: Lab) -> None:
    form = board.cell("ranges_form")
    base = row_of(form, "gross benefit").nth(1)
    base.fill("95.000000000000000001")
    base.press("Tab")
    expect(form.get_by_text("Changed and not applied", exact=False)).to_be_visible()
    press(form, "Save")
    expect(form.get_by_text("apply the fields first", exact=False)).to_be_visible()
    assert not (lab.root / "saved.yaml").exists()
    press(form, "Apply and preview")
    expect(form.get_by_text("they are not saved yet", exact=False)).to_be_visible()
    expect(
        form.get_by_text("lines.gross_benefit.base: 90 → 95.000000000000000001", exact=False)
    ).to_be_visible()
    expect(form.locator(".vega-embed")).to_have_count(2)
    press(form, "Save")
    expect(form.get_by_text("Saved to saved.yaml", exact=False)).to_be_visible()
    assert "base: 95.000000000000000001\n" in (lab.root / "saved.yaml").read_text()


def test_a_request_is_refused_beside_its_field_and_then_handed_on(board: Board) -> None:
    form = board.cell("request_form")
    months = field(form, "horizon months")
    months.fill("24,5")
    months.press("Tab")
    press(form, "Submit")
    expect(form.get_by_text("REQUEST_INVALID", exact=False)).to_be_visible()
    assert months.input_value() == "24,5"
    assert board.kernel("print(len(asked))").strip() == "0"
    months.fill("24")
    months.press("Tab")
    press(form, "Submit")
    expect(form.get_by_text("Submitted.")).to_be_visible()
    assert board.kernel("print([r.horizon_months for r in asked])").strip() == "[24]"


def test_questions_of_a_refusal_are_answered_in_the_cell(board: Board) -> None:
    form = board.cell("questions")
    press(form, "Submit")
    expect(form.get_by_text("is empty; answer the question", exact=False).first).to_be_visible()
    answer = field(form, "market boundary")
    answer.fill("KYC investigations for corporate clients of banks in the EU")
    answer.blur()
    press(form, "Submit")
    expect(form.get_by_text("Submitted.")).to_be_visible()
    said = board.kernel("print(answers)")
    assert "KYC investigations for corporate clients of banks in the EU" in said


def test_a_changed_plan_cannot_be_approved_before_it_was_applied(board: Board) -> None:
    form = board.cell("plan_form")
    reviewer, query = field(form, "Reviewer (self-declared)"), field(form, "suppliers 2")
    reviewer.fill("S. Strategy")
    reviewer.press("Tab")
    query.fill("foundation model provider dependence of banks")
    query.press("Tab")
    expect(form.get_by_text("Changed and not applied", exact=False)).to_be_visible()
    press(form, "Approve this plan")
    expect(form.get_by_text("apply the changes first", exact=False)).to_be_visible()
    press(form, "Apply changes")
    expect(form.get_by_text("The plan has a new fingerprint", exact=False)).to_be_visible()
    shown = form.get_by_text("Fingerprint of exactly this plan", exact=False).inner_text().split()[-1]
    press(form, "Approve this plan")
    expect(form.get_by_text("approve recorded for plan", exact=False)).to_be_visible()
    said = board.kernel("print(len(decided), decided[0].sha256, decided[0].sha256 != run.plan.sha256)")
    assert said.split() == ["1", shown, "True"]


def test_an_approval_is_bound_to_the_text_on_the_screen(board: Board, lab: Lab, run_id: str) -> None:
    form, place = board.cell("approval"), open_workspace(lab.root / "ws", "read")
    shown = form.get_by_text("Fingerprint of exactly this text", exact=False).inner_text().split()[-1]
    assert shown == place.run(run_id).outcome.fingerprint  # type: ignore[union-attr]
    reviewer = field(form, "Reviewer (self-declared)")
    reviewer.fill("R. Risk")
    reviewer.press("Tab")
    field(form, "Role").select_option("risk")
    press(form, "Approve")
    expect(form.get_by_text("confirm that you have read exactly this text", exact=False)).to_be_visible()
    assert len(place.run(run_id).review.approvals) == 1  # type: ignore[union-attr]
    # Another evaluator makes another text of the same run: the panel still shows the first.
    board.kernel(
        "from porterlib.verbs import supervising as s; kept, s.EVALUATOR_VERSION = s.EVALUATOR_VERSION, 'later'"
    )
    form.get_by_label("I have read exactly this text").check()
    press(form, "Approve")
    expect(form.get_by_text("FINGERPRINT_MISMATCH", exact=False)).to_be_visible()
    assert len(place.run(run_id).review.approvals) == 1  # type: ignore[union-attr]
    board.kernel("s.EVALUATOR_VERSION = kept")
    press(form, "Approve")
    expect(form.get_by_text("risk: approve recorded for text", exact=False)).to_be_visible()
    decided = place.run(run_id).review.approvals[-1]  # type: ignore[union-attr]
    assert (decided.role, decided.reviewer, decided.fingerprint) == ("risk", "R. Risk", shown)


def test_the_heatmap_opens_a_force_and_evidence_is_filtered(board: Board) -> None:
    room = board.cell("room")
    room.get_by_role("tab", name="Five forces").click()
    room.get_by_role("button", name="suppliers", exact=False).click()
    shown = room.locator(".jp-OutputArea-output", has_text="Concentration of cloud providers")
    expect(shown.first).to_be_visible()
    room.get_by_role("tab", name="Evidence").click()
    contains = field(room, "Contains")
    contains.fill("no such words at all")
    contains.press("Enter")
    expect(room.get_by_text("Evidence: 0 of", exact=False).first).to_be_visible()
    contains.fill("")
    contains.press("Enter")
    room.get_by_role("tab", name="Decision").click()
