"""A decision is framed whole, or the gaps come back as questions."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from porterlib.acquisition import answer_questions, fact_id, frame_request, scope_gaps
from porterlib.acquisition.framing import is_generic
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.errors import DecisionScopeError, RequestError


def frame(request: DecisionRequest, pack: SectorPack, **more: Any) -> DecisionContract:
    return frame_request(request, pack, run_id="run-1", request_sha256="0" * 64, **more)


def changed(request: DecisionRequest, **fields: Any) -> DecisionRequest:
    return DecisionRequest.model_validate({**request.model_dump(mode="json"), **fields})


def test_question_and_boundary_are_kept_word_for_word(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    contract = frame(request_kyc, pack)
    assert contract.question == request_kyc.question
    assert contract.boundary.statement == request_kyc.market_boundary.strip()
    assert contract.ready
    assert not contract.open_questions


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"market_boundary": ""}, "market_boundary"),
        ({"market_boundary": "Global banking"}, "market_boundary"),
        ({"market_boundary": "The global banking industry."}, "market_boundary"),
        ({"product": " "}, "product"),
        ({"customer": ""}, "customer"),
        ({"geographies": []}, "geographies"),
        ({"regulatory_perimeter": ""}, "regulatory_perimeter"),
        ({"current_course": ""}, "current_course"),
        ({"options": [{"name": "Stay", "kind": "maintain"}, {"name": "Wait", "kind": "wait"}]}, "options"),
        ({"options": [{"name": f"Option {n}", "kind": "targeted"} for n in range(13)]}, "options"),
        ({"options": [{"name": f"Option {n}", "kind": "targeted"} for n in range(12)]}, "options"),
    ],
)
def test_a_missing_part_is_named_and_asked_for(
    request_kyc: DecisionRequest, pack: SectorPack, fields: dict[str, Any], missing: str
) -> None:
    with pytest.raises(DecisionScopeError) as caught:
        frame(changed(request_kyc, **fields), pack)
    assert caught.value.missing == (missing,)
    assert len(caught.value.questions) == 1
    assert caught.value.questions[0].endswith(("?", "."))


def test_an_empty_request_gets_one_question_for_each_gap(pack: SectorPack) -> None:
    with pytest.raises(DecisionScopeError) as caught:
        frame(DecisionRequest(question="Adopt?", sector="bank"), pack)
    assert len(caught.value.missing) == len(caught.value.questions) == 6
    assert len(set(caught.value.questions)) == 6


def test_answers_let_framing_continue(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    open_request = changed(request_kyc, market_boundary="banking", geographies=[], current_course="")
    answers = {
        "market_boundary": request_kyc.market_boundary,
        "geographies": "United States, European Union",
        "current_course": request_kyc.current_course,
    }
    assert frame(answer_questions(open_request, answers), pack) == frame(request_kyc, pack)


def test_an_answer_to_no_field_is_refused(request_kyc: DecisionRequest) -> None:
    with pytest.raises(RequestError, match=r"request\.market_border"):
        answer_questions(request_kyc, {"market_border": "x"})


def test_without_options_the_standard_four_are_compared(
    request_kyc: DecisionRequest, pack: SectorPack
) -> None:
    contract = frame(changed(request_kyc, options=[]), pack)
    assert [option.kind for option in contract.options] == ["maintain", "wait", "targeted", "scaled"]
    assert any("sector pack" in row.text for row in contract.assumptions)


def test_no_action_and_waiting_are_added_and_the_contract_says_so(
    request_kyc: DecisionRequest, pack: SectorPack
) -> None:
    contract = frame(changed(request_kyc, options=[{"name": "Pilot", "kind": "targeted"}]), pack)
    assert {option.kind for option in contract.options} == {"maintain", "wait", "targeted"}
    assert any("added to" in row.text for row in contract.assumptions)


def test_an_added_option_does_not_take_a_name_that_is_in_use(
    request_kyc: DecisionRequest, pack: SectorPack
) -> None:
    name = next(template.name for template in pack.options if template.kind == "maintain")
    contract = frame(changed(request_kyc, options=[{"name": name, "kind": "targeted"}]), pack)
    assert len({option.name.casefold() for option in contract.options}) == 3


def test_no_action_finds_room_beside_eleven_options_and_a_name_of_its_own(
    request_kyc: DecisionRequest, pack: SectorPack
) -> None:
    eleven = [{"name": f"Option {n}", "kind": "targeted"} for n in range(11)]
    contract = frame(changed(request_kyc, options=eleven), pack)
    assert [option.kind for option in contract.options] == ["maintain", *["targeted"] * 11]
    name = next(template.name for template in pack.options if template.kind == "maintain")
    taken = [{"name": name, "kind": "targeted"}, {"name": f"{name} (standard)", "kind": "targeted"}]
    contract = frame(changed(request_kyc, options=taken), pack)
    assert len({option.name.casefold() for option in contract.options}) == 4


def test_a_past_cutoff_is_refused_for_live_search_only(
    request_kyc: DecisionRequest, pack: SectorPack
) -> None:
    today = date(2026, 7, 1)
    assert frame(request_kyc, pack, today=today).evidence_cutoff == date(2026, 6, 30)
    with pytest.raises(RequestError, match="use a corpus"):
        frame(request_kyc, pack, live=True, today=today)
    frame(changed(request_kyc, evidence_cutoff="2026-07-01"), pack, live=True, today=today)


def test_what_the_request_lacks_is_stated(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    bare = changed(
        request_kyc, success_measures=[], risk_appetite="", decision_owner="", evidence_cutoff=None
    )
    contract = frame(bare, pack)
    assert {row.name for row in contract.missing_inputs} == {
        "success_measures",
        "risk_appetite",
        "decision_owner",
        "evidence_cutoff",
    }


def test_internal_facts_enter_the_contract_by_id_only(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    contract = frame(request_kyc, pack)
    assert contract.internal_fact_ids == tuple(fact_id(fact) for fact in request_kyc.internal_facts)
    text = contract.model_dump_json()
    assert not any(fact.text.strip() in text for fact in request_kyc.internal_facts)


def test_equal_requests_give_equal_contracts(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    assert frame(request_kyc, pack) == frame(changed(request_kyc), pack)


@pytest.mark.parametrize("phrase", ["banking", "Global Banking", "the financial services market"])
@pytest.mark.parametrize("filler", ["", "in the ", "for our "])
def test_filler_words_do_not_make_a_boundary(phrase: str, filler: str, pack: SectorPack) -> None:
    assert is_generic(f"{filler}{phrase}.", pack)
    assert not is_generic(f"{phrase} of KYC files for companies in France", pack)


def test_a_whole_request_has_no_gaps(request_kyc: DecisionRequest, pack: SectorPack) -> None:
    assert scope_gaps(request_kyc, pack) == ()
