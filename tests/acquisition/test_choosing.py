"""An analyst may choose what a plan takes up; it can neither write a query nor drop the contrary ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from porterlib.acquisition import check_plan, plan_research
from porterlib.analyst import Choice, ChooseQuestion, OfflineAnalyst
from porterlib.contracts.base import FORCES
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack


class Choosing(OfflineAnalyst):
    """Answers by a function of the question, and keeps what it was asked."""

    def __init__(self, answer: Callable[[ChooseQuestion], tuple[str, ...]]) -> None:
        super().__init__()
        self._say = answer
        self.asked: list[ChooseQuestion] = []

    def choose(self, question: ChooseQuestion) -> Choice:
        self.asked.append(question)
        return Choice(self._say(question), "test")


def last(question: ChooseQuestion) -> tuple[str, ...]:
    return tuple(offer.id for offer in question.offers[::-1])[: question.at_most]


def of_force(plan: ResearchPlan, force: str) -> list[Any]:
    return [query for query in plan.queries if query.force == force]


def test_the_rules_choose_what_a_plan_without_an_analyst_holds(
    contract: DecisionContract, pack: SectorPack, plan: ResearchPlan
) -> None:
    assert plan_research(contract, pack, analyst=OfflineAnalyst()) == plan
    assert plan_research(contract, pack, analyst=Choosing(lambda question: ())) == plan


def test_chosen_queries_and_hypotheses_come_first_and_contrary_ones_stay(
    contract: DecisionContract, pack: SectorPack, plan: ResearchPlan
) -> None:
    analyst = Choosing(last)
    chosen = plan_research(contract, pack, analyst=analyst)
    check_plan(chosen)
    assert chosen.sha256 != plan.sha256
    assert chosen.hypotheses == plan.hypotheses
    for force in FORCES:
        offered = next(q for q in analyst.asked if q.purpose == "query" and q.subject == force)
        texts = [query.text for query in of_force(chosen, force)]
        assert texts[:3] == [offer.text for offer in offered.offers[::-1]][:3]
        assert sum(query.contrary for query in of_force(chosen, force)) == 2
        row = next(q for q in analyst.asked if q.purpose == "hypothesis" and q.subject == force)
        against = [query.hypothesis_id for query in of_force(chosen, force) if query.contrary]
        assert against == [offer.id for offer in row.offers[::-1]][:2]


def test_only_subjects_of_the_pack_are_offered_and_the_chosen_ones_fill_the_queries(
    contract: DecisionContract, pack: SectorPack
) -> None:
    cloud = Choosing(lambda question: ("cloud",) if question.purpose == "topic" else ())
    made = plan_research(contract, pack, analyst=cloud)
    assert made == plan_research(contract, pack, topics=["cloud"])
    assert tuple(offer.id for offer in cloud.asked[0].offers) == tuple(pack.topics)


@pytest.mark.parametrize("choose", [last, lambda question: (question.offers[0].id,)])
def test_whatever_is_chosen_no_word_of_the_question_enters_a_query_that_templates_lack(
    choose: Any, contract: DecisionContract, pack: SectorPack
) -> None:
    other = contract.model_copy(update={"question": "Should Zephyrine buy Quillfeather before the merger?"})
    chosen = plan_research(contract, pack, topics=["generative_ai"], analyst=Choosing(choose))
    assert plan_research(other, pack, topics=["generative_ai"], analyst=Choosing(choose)) == chosen
