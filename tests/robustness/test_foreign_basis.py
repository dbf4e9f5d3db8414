"""A verb takes only what the run itself committed: whatever else it was given could not be recomputed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from porterlib.acquisition import CorpusSearch
from porterlib.acquisition.planning import edit_plan
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.economics import calculate as calculate_alone
from porterlib.economics import load_inputs
from porterlib.errors import InputError, RequestError
from porterlib.verbs.framing import frame
from porterlib.verbs.framing import plan as plan_of
from porterlib.verbs.gathering import acquire, calculate
from porterlib.verbs.supervising import supervise
from porterlib.workspace import Workspace
from tests.robustness.golden import CORPUS, ECONOMICS, REQUEST, place_at


@dataclass
class Framed:
    """A run that is ready to be supervised."""

    place: Workspace
    contract: DecisionContract
    snapshot: EvidenceSnapshot
    economics: Economics

    def records(self) -> int:
        with self.place.reading() as ledger:
            return len(ledger.records(self.contract.run_id))


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Framed:
    place = place_at(tmp_path_factory.mktemp("basis") / "w")
    contract = frame(REQUEST, workspace=place)
    economics = calculate(contract, ECONOMICS, workspace=place)
    snapshot = acquire(contract, search=CorpusSearch(CORPUS), workspace=place)
    assert isinstance(snapshot, EvidenceSnapshot)
    return Framed(place, contract, snapshot, economics)


def test_every_result_carries_its_run(ready: Framed) -> None:
    run_id = ready.contract.run_id
    assert ready.snapshot.run_id == ready.economics.run_id == run_id
    stored = ready.place.run(run_id)
    assert stored.economics == ready.economics
    assert calculate_alone(load_inputs(ECONOMICS)).run_id is None


def test_economics_of_no_run_or_another_run_are_refused(ready: Framed) -> None:
    before = ready.records()
    alone = calculate_alone(load_inputs(ECONOMICS))
    other = ready.economics.model_copy(update={"title": "another"})
    for foreign in (alone, other):
        with pytest.raises(InputError, match="economics: not what the run committed; pass what calculate"):
            supervise(ready.contract, ready.snapshot, foreign, workspace=ready.place)
    assert ready.records() == before


def test_other_evidence_is_refused_whatever_id_it_claims(ready: Framed) -> None:
    before = ready.records()
    fewer = ready.snapshot.model_copy(update={"evidence": ready.snapshot.evidence[1:]})
    with pytest.raises(InputError, match="snapshot: not what the run committed; pass what acquire"):
        supervise(ready.contract, fewer, ready.economics, workspace=ready.place)
    assert ready.records() == before


def test_a_contract_changed_after_framing_is_refused_by_every_verb(ready: Framed) -> None:
    before = ready.records()
    changed = ready.contract.model_copy(update={"question": "Should the bank do something else?"})
    with pytest.raises(InputError, match="contract: not what the run committed; frame"):
        supervise(changed, ready.snapshot, ready.economics, workspace=ready.place)
    with pytest.raises(InputError, match="contract: not what the run committed"):
        acquire(changed, search=CorpusSearch(CORPUS), workspace=ready.place)
    with pytest.raises(InputError, match="contract: not what the run committed"):
        calculate(changed, ECONOMICS, workspace=ready.place)
    assert ready.records() == before


def other_plan(ready: Framed) -> ResearchPlan:
    made = plan_of(ready.contract, workspace=ready.place)
    query = made.queries[0].model_copy(update={"text": "bank onboarding cost statistics"})
    return edit_plan(made, queries=(query, *made.queries[1:]))


def test_a_plan_altered_after_sealing_is_refused_before_it_is_recorded(ready: Framed) -> None:
    contract = frame(REQUEST, workspace=ready.place)
    altered = other_plan(ready).model_copy(update={"outline": ("one",)})
    with pytest.raises(RequestError, match="changed after it was sealed"):
        acquire(contract, plan=altered, search=CorpusSearch(CORPUS), workspace=ready.place)
    with ready.place.reading() as ledger:
        assert ledger.records(contract.run_id, "plan") == ()
    found = acquire(contract, search=CorpusSearch(CORPUS), workspace=ready.place)
    assert isinstance(found, EvidenceSnapshot)


def test_a_run_that_took_up_a_plan_refuses_another_and_keeps_its_own(ready: Framed) -> None:
    before, own = ready.records(), ready.place.run(ready.contract.run_id).plan
    with pytest.raises(InputError, match="plan: the run searches by another plan"):
        acquire(ready.contract, plan=other_plan(ready), search=CorpusSearch(CORPUS), workspace=ready.place)
    assert ready.records() == before
    assert ready.place.run(ready.contract.run_id).plan == own
    again = acquire(ready.contract, plan=own, search=CorpusSearch(CORPUS), workspace=ready.place)
    assert again == ready.snapshot


def test_a_plan_from_another_run_is_kept_under_the_run_that_uses_it(ready: Framed) -> None:
    borrowed = other_plan(ready)
    contract = frame(REQUEST, workspace=ready.place)
    assert borrowed.run_id != contract.run_id
    acquire(contract, plan=borrowed, search=CorpusSearch(CORPUS), workspace=ready.place)
    held = ready.place.run(contract.run_id).plan
    assert held is not None
    assert (held.run_id, held.sha256) == (contract.run_id, borrowed.sha256)


def test_the_plan_taken_up_counts_whichever_was_recorded_last(ready: Framed) -> None:
    """A plan may be recorded, edited, and the first one chosen after all."""
    contract = frame(REQUEST, workspace=ready.place)
    first, second = plan_of(contract, workspace=ready.place), other_plan(ready)
    with ready.place.writing() as ledger:
        for made in (first, second.model_copy(update={"run_id": contract.run_id})):
            ledger.append(contract.run_id, "plan", made.to_dict(), key=made.sha256)
    acquire(contract, plan=first, search=CorpusSearch(CORPUS), workspace=ready.place)
    held = ready.place.run(contract.run_id).plan
    assert held is not None
    assert held.sha256 == first.sha256


def test_other_finance_inputs_are_refused_and_the_same_ones_are_taken_again(ready: Framed) -> None:
    before = ready.records()
    with pytest.raises(InputError, match="economics: the run was calculated with other inputs; frame"):
        calculate(ready.contract, ECONOMICS.with_name("kyc_strong.yaml"), workspace=ready.place)
    assert calculate(ready.contract, ECONOMICS, workspace=ready.place) == ready.economics
    assert ready.records() == before
