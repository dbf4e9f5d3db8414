"""Every kind of small question reaches the model, its answers count, and rules stand in for it, labelled."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from porterlib import open_workspace
from porterlib.analyst.local import stored_calls
from porterlib.contracts.model import STAGES, ModelCall, ModelCost
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.publication import Outcome
from porterlib.ledger import verify
from porterlib.verbs.running import run
from tests.analyst_local.conftest import analyst
from tests.analyst_local.scripted import right_answer, scripted

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PURPOSES = {
    *("topic", "hypothesis", "query"),
    *("driver", "trend", "lead_claim", "quoted_evidence", "stance"),
    *("lens", "contrary", "objection", "analogy"),
}


def golden(say: Any, folder: Path) -> tuple[Outcome, tuple[ModelCall, ...], ResearchPlan, list[str]]:
    """Run the golden case; return outcome, calls, plan and the texts of the executed queries."""
    place = open_workspace(folder)
    with scripted(say) as server:
        outcome = run(
            FIXTURES / "requests" / "bank_kyc.yaml",
            corpus=FIXTURES / "corpora" / "bank_kyc",
            economics=FIXTURES / "economics" / "kyc_mixed.yaml",
            analyst=analyst(server),
            workspace=place,
            max_attempts=1,
        )
    with place.reading() as ledger:
        (plan,) = ledger.records(outcome.run_id, "plan")
        executed = [record.payload["text"] for record in ledger.records(outcome.run_id, "query")]
        calls = stored_calls(ledger, outcome.run_id)
    assert verify(folder).ok
    return outcome, calls, ResearchPlan.model_validate(plan.payload), executed


def letters_last(body: dict[str, Any], at: int) -> str:
    """Choose the last letter where several may be chosen, else answer as a capable model."""
    shown = re.findall(r"^([a-z])\) ", body["messages"][1]["content"], re.MULTILINE)
    told = json.loads(right_answer(body))
    return json.dumps({"choices": [shown[-1]]} if "choices" in told else told, ensure_ascii=False)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return golden(letters_last, tmp_path_factory.mktemp("answered") / "w")


def test_a_capable_model_answers_every_question_of_a_golden_run_itself(tmp_path: Path) -> None:
    outcome, calls, _, _ = golden(lambda body, at: right_answer(body), tmp_path / "w")
    assert (outcome.status, outcome.reason) == ("achieved_draft", "")
    cost = ModelCost.of(calls)
    assert [entry.stage for entry in cost.stages] == list(STAGES)
    for entry in (*cost.stages, cost.total):
        # Whatever was put to the model it answered, and nothing was kept from it for want of time.
        assert entry.by_model == entry.put_to_model == entry.valid_first > 0
        assert (entry.stood_in, entry.withheld) == (0, 0)
    assert cost.total.by_model >= 80
    # The rest are decisions in which nothing was left to ask.
    assert cost.total.by_model + cost.total.by_rule == cost.total.questions
    assert (cost.total.own_share or 0) >= 0.75
    assert {call.reason for call in calls} <= {"", "figures decide", "nothing to decide", "nothing to read"}


def test_every_kind_of_question_is_put_to_the_model(answered: Any) -> None:
    outcome, calls, _, _ = answered
    by_model = Counter(call.purpose for call in calls if call.answered_by == "model")
    assert set(by_model) == PURPOSES
    assert by_model["hypothesis"] == by_model["query"] == by_model["trend"] == 5
    assert {call.stage for call in calls if call.purpose in ("topic", "hypothesis", "query")} == {"plan"}
    assert outcome.candidate is not None


def test_the_plan_follows_the_model_and_every_query_passes_the_guard(answered: Any) -> None:
    _, calls, plan, executed = answered
    chosen = {call.subject: call.answer["ids"] for call in calls if call.purpose == "hypothesis"}
    for force, (first,) in chosen.items():
        rows = [query for query in plan.queries if query.force == force]
        assert next(query for query in rows if query.contrary).hypothesis_id == first
    assert executed
    assert set(executed) <= {query.text for query in plan.queries}


def test_a_stance_of_the_model_adds_dissent_and_removes_none(answered: Any, tmp_path: Path) -> None:
    outcome, calls, _, _ = answered
    links = {link.rule: link for link in outcome.candidate.links if link.stance == "contradicts"}
    assert "link.model.stance" in links
    assert "link.opposite_direction" in links
    link = links["link.model.stance"]
    (call,) = [c for c in calls if c.purpose == "stance" and c.subject == link.claim_id]
    texts = {claim.id: claim.text for claim in outcome.candidate.claims}
    assert link.quote in {texts[name] for name in call.answer["ids"]}


def test_an_objection_of_the_model_is_the_one_that_the_challenge_holds(answered: Any) -> None:
    outcome, calls, _, _ = answered
    held = {view.view: view.counterargument.basis for view in outcome.candidate.challenge.views}
    asked = [call for call in calls if call.purpose == "objection" and call.answered_by == "model"]
    assert asked
    for call in asked:
        assert held[call.subject] == tuple(call.answer["ids"])


def test_rules_stand_in_for_a_plan_the_model_cannot_make_labelled_and_counted(
    answered: Any, tmp_path: Path
) -> None:
    outcome, calls, plan, executed = golden(lambda body, at: "I would rather not.", tmp_path / "w")
    assert (outcome.status, outcome.reason) == ("blocked", "model_not_qualified")
    assert {call.answered_by for call in calls} == {"stand_in"}
    assert all("the model gave no valid answer" in call.answer["note"] for call in calls)
    assert len(plan.queries) == 25
    assert executed
    assert (tmp_path / "w" / "runs" / outcome.run_id / "blocked-report.md").read_text("utf-8").startswith("#")
