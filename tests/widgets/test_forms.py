"""Request form, plan editor and approval panel: they check, bind to what was shown, and hand on."""

from __future__ import annotations

from pathlib import Path

import pytest
from display.inert import harm_in  # type: ignore[import-not-found]

import porterlib.widgets as forms
from porterlib.acquisition.planning import plan_sha256
from porterlib.contracts.request import DecisionRequest
from porterlib.errors import DecisionScopeError, FingerprintError, InputError, RequestError
from porterlib.verbs.framing import frame
from porterlib.verbs.loading import RunResults
from porterlib.workspace import open_workspace

QUESTIONS = DecisionScopeError(
    "the decision cannot be framed without market_boundary, geographies; answer the questions",
    missing=("market_boundary", "geographies"),
    questions=("Which product, for which customers?", "Which countries?"),
)


def test_questions_of_a_refusal_become_fields_and_answers_let_framing_go_on(
    results: RunResults, tmp_path: Path
) -> None:
    assert results.request is not None
    place = open_workspace(tmp_path / "ws")
    bare = DecisionRequest(**{**dict(results.request), "market_boundary": "banking", "geographies": ()})
    with pytest.raises(DecisionScopeError) as refused:
        frame(bare, workspace=place)
    framed = []
    form = forms.request_form(
        refused.value, on_submit=lambda answers: framed.append(frame(bare, answers=answers, workspace=place))
    )
    assert set(form.fields) == set(refused.value.missing)
    for name, field in form.fields.items():
        value = getattr(results.request, name)
        field.value = ", ".join(value) if isinstance(value, tuple) else value
    form.submit()
    assert framed[0].boundary.statement == results.request.market_boundary


def test_an_unanswered_question_is_refused_beside_its_field() -> None:
    handed: list[object] = []
    form = forms.request_form(QUESTIONS, on_submit=handed.append)
    form.fields["market_boundary"].value = "KYC for corporate clients in the EU"
    with pytest.raises(RequestError):
        form.submit()
    assert "answer the question" in form.errors["geographies"].value
    assert form.errors["market_boundary"].value == ""
    assert handed == []


def test_a_request_is_edited_and_everything_without_a_field_stays(results: RunResults) -> None:
    assert results.request is not None
    made: list[DecisionRequest] = []
    request = DecisionRequest(**dict(results.request))
    form = request.edit(on_submit=made.append)
    form.fields["horizon_months"].value = "24"
    form.submit()
    assert made[0].horizon_months == 24
    assert made[0].model_copy(update={"horizon_months": request.horizon_months}) == request


@pytest.mark.parametrize(("name", "typed"), [("horizon_months", "24,5"), ("horizon_months", "1e400"),
                                             ("horizon_months", "999"), ("evidence_cutoff", "30.6.2026")])  # fmt: skip
def test_a_wrong_value_is_refused_beside_its_field(results: RunResults, name: str, typed: str) -> None:
    assert results.request is not None
    form = DecisionRequest(**dict(results.request)).edit()
    form.fields[name].value = typed
    with pytest.raises(RequestError):
        form.submit()
    assert form.errors[name].value
    assert form.fields[name].value == typed


def test_no_form_shows_a_restricted_term_or_internal_fact(results: RunResults) -> None:
    assert results.request is not None
    form = DecisionRequest(**dict(results.request)).edit()
    shown = "".join(
        str(getattr(part, "value", "")) for part in form.ui.children if part not in form.fields.values()
    )
    for text in (*results.request.restricted_terms, *(f.text for f in results.request.internal_facts)):
        assert text not in shown


def test_an_approval_names_exactly_the_plan_that_is_shown(results: RunResults) -> None:
    assert results.plan is not None
    decided: list[forms.PlanDecision] = []
    editor = results.plan.edit(on_decide=decided.append)
    editor.reviewer.value = "A. Strategy"
    editor.decide("approve")
    assert decided[0].sha256 == results.plan.sha256
    first = results.plan.queries[0]
    editor.texts[first.id].value = "fintech sponsor bank supervision"
    with pytest.raises(RequestError, match="apply the changes first"):
        editor.decide("approve")
    editor.apply()
    editor.decide("approve")
    assert decided[1].sha256 != results.plan.sha256
    assert decided[1].sha256 == plan_sha256(decided[1].plan)
    assert decided[1].plan.queries[0].text == "fintech sponsor bank supervision"


def test_a_plan_keeps_its_rules_when_it_is_edited(results: RunResults) -> None:
    assert results.plan is not None
    editor = results.plan.edit()
    for query in results.plan.queries:
        if query.contrary and query.force == "suppliers":
            editor.keep[query.id].value = False
    with pytest.raises(RequestError):
        editor.apply()
    assert editor.plan == results.plan


def test_an_empty_or_overlong_query_is_refused_beside_it(results: RunResults) -> None:
    assert results.plan is not None
    editor = results.plan.edit()
    one, two = results.plan.queries[:2]
    editor.texts[one.id].value = "  "
    editor.texts[two.id].value = "word " * 60
    with pytest.raises(RequestError):
        editor.apply()
    assert "is empty" in editor.errors[one.id].value
    assert "300 characters" in editor.errors[two.id].value


def test_a_rejection_needs_a_reason_and_a_name(results: RunResults) -> None:
    assert results.plan is not None
    editor = results.plan.edit()
    with pytest.raises(RequestError, match="needs a name"):
        editor.decide("reject")
    editor.reviewer.value = "A"
    with pytest.raises(RequestError, match="needs a reason"):
        editor.decide("reject")


def test_the_approval_panel_shows_text_and_fingerprint_before_its_buttons(results: RunResults) -> None:
    assert results.review is not None
    text = "# Draft\n<script>alert(1)</script>\n**Decision** $5 and $6"
    panel = forms.approval_panel(results.review, text)
    order = [type(part).__name__ for part in panel.ui.children]
    pages = "".join(str(getattr(p, "value", "")) for p in panel.ui.children)
    assert results.review.fingerprint in pages
    box = panel.ui.children[1].children[0].value
    assert "&lt;script&gt;" in box
    assert harm_in(box) == []
    assert order.index("Box") < order.index("HBox")


def test_a_decision_is_bound_to_the_fingerprint_on_the_screen(results: RunResults) -> None:
    assert results.review is not None
    handed: list[forms.ApprovalDecision] = []
    panel = forms.approval_panel(results.review, "text", handed.append)
    panel.reviewer.value = "R. Isk"
    panel.role.value = "risk"
    with pytest.raises(InputError, match="read exactly this text"):
        panel.decide("approve")
    panel.read.value = True
    panel.decide("approve")
    assert handed[0].fingerprint == results.review.fingerprint
    assert (handed[0].role, handed[0].decision, handed[0].reviewer) == ("risk", "approve", "R. Isk")
    assert panel.read.value is False


def test_a_stale_text_is_refused_by_the_verb_and_said_in_the_cell(results: RunResults) -> None:
    assert results.review is not None

    def refuse(_: forms.ApprovalDecision) -> None:
        raise FingerprintError("the text changed since it was shown; read it again")

    panel = forms.approval_panel(results.review, "text", refuse)
    panel.reviewer.value, panel.read.value = "R. Isk", True
    panel.approve.click()
    assert "FINGERPRINT_MISMATCH" in panel.message.value
    assert panel.decision is None


def test_without_its_text_nothing_can_be_decided(results: RunResults) -> None:
    assert results.review is not None
    panel = forms.approval_panel(results.review, "")
    panel.read.value, panel.reviewer.value = True, "A"
    with pytest.raises(InputError, match="no text to decide on"):
        panel.decide("approve")


def test_what_has_no_form_or_widget_says_so(results: RunResults) -> None:
    assert results.contract is not None
    with pytest.raises(InputError, match="there is no form for DecisionContract"):
        results.contract.edit()
    with pytest.raises(InputError, match="has no widget"):
        results.contract.widget()
