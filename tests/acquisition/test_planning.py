"""A plan asks for and against every force, in public words, and an approval binds to its digest."""

from __future__ import annotations

from typing import Any

import pytest

from porterlib.acquisition import check_plan, edit_plan, frame_request, plan_research
from porterlib.contracts.base import FORCES
from porterlib.contracts.loading import load_request
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.errors import RequestError
from porterlib.sectors import tokenise

from .golden import FIXTURES


def test_each_force_has_at_most_five_queries_and_a_contrary_one(plan: ResearchPlan) -> None:
    for force in FORCES:
        rows = [query for query in plan.queries if query.force == force]
        assert 2 <= len(rows) <= 5
        assert any(query.contrary for query in rows)
        assert any(not query.contrary for query in rows)
        assert [query.sequence for query in rows] == list(range(1, len(rows) + 1))
    assert len({query.text.casefold() for query in plan.queries}) == len(plan.queries)


def test_every_hypothesis_has_a_falsifier_and_a_contrary_question(
    plan: ResearchPlan, pack: SectorPack
) -> None:
    assert len(plan.hypotheses) == sum(len(part.hypotheses) for part in pack.forces)
    assert all(row.falsifier and row.contrary_questions for row in plan.hypotheses)


def test_queries_hold_only_words_of_boundary_geography_and_pack(
    plan: ResearchPlan, contract: DecisionContract, pack: SectorPack
) -> None:
    boundary = contract.boundary
    texts = [boundary.product, *boundary.geographies, *pack.topic_queries.values()]
    for part in pack.forces:
        for row in part.hypotheses:
            texts += [*row.queries, *row.contrary_queries]
    allowed = {word for text in texts for word in tokenise(text)}
    assert {word for query in plan.queries for word in tokenise(query.text)} <= allowed
    assert all(len(query.text) <= 240 and "{" not in query.text for query in plan.queries)


def test_restricted_question_and_facts_reach_no_query(pack: SectorPack) -> None:
    request = load_request(FIXTURES / "requests" / "bank_kyc_restricted.yaml")
    contract = frame_request(request, pack, run_id="r", request_sha256="0" * 64)
    text = " ".join(query.text for query in plan_research(contract, pack).queries).casefold()
    assert not [term for term in request.restricted_terms if term.casefold() in text]


def test_the_digest_leaves_out_the_run_and_covers_the_rest(
    request_kyc: DecisionRequest, pack: SectorPack, plan: ResearchPlan
) -> None:
    other = plan_research(frame_request(request_kyc, pack, run_id="run-2", request_sha256="1" * 64), pack)
    assert other.sha256 == plan.sha256
    assert other.queries == plan.queries
    edited = edit_plan(plan, outline=plan.outline[:3])
    assert edited.sha256 != plan.sha256


def test_the_topic_comes_from_the_question(plan: ResearchPlan) -> None:
    assert plan.topics == ("generative_ai",)


def test_topics_may_be_given_and_unknown_ones_are_refused(
    contract: DecisionContract, pack: SectorPack
) -> None:
    assert plan_research(contract, pack, topics=["cloud"]).topics == ("cloud",)
    with pytest.raises(RequestError, match="known are"):
        plan_research(contract, pack, topics=["astrology"])


def without_contrary(plan: ResearchPlan) -> dict[str, Any]:
    return {"queries": tuple(q for q in plan.queries if not (q.contrary and q.force == "buyers"))}


def too_many(plan: ResearchPlan) -> dict[str, Any]:
    first = plan.queries[0]
    more = tuple(first.model_copy(update={"id": f"Q-x-{n}"}) for n in range(2))
    return {"queries": (*plan.queries, *more)}


def test_an_edit_that_breaks_the_rules_is_refused(plan: ResearchPlan) -> None:
    with pytest.raises(RequestError, match="buyers has no contrary query"):
        edit_plan(plan, **without_contrary(plan))
    with pytest.raises(RequestError, match="keep at most 5"):
        edit_plan(plan, **too_many(plan))
    with pytest.raises(RequestError, match="used twice"):
        edit_plan(plan, queries=(*plan.queries[1:], plan.queries[1]))
    with pytest.raises(RequestError, match="cannot be edited"):
        edit_plan(plan, run_id="run-9")


def test_a_plan_changed_without_sealing_is_refused(plan: ResearchPlan) -> None:
    with pytest.raises(RequestError, match="changed after it was sealed"):
        check_plan(plan.model_copy(update={"topics": ("cloud",)}))


def test_an_open_contract_is_not_planned(contract: DecisionContract, pack: SectorPack) -> None:
    waiting = contract.model_copy(update={"ready": False})
    with pytest.raises(RequestError, match="open questions"):
        plan_research(waiting, pack)
