"""A run's queries are judged together, and only the guard makes a query that can be sent."""

from __future__ import annotations

import copy
import logging
import pickle
from pathlib import Path

import pytest

from porterlib.contracts.request import DecisionRequest
from porterlib.egress import (
    EgressBudget,
    EgressGuard,
    PublicQuery,
    Sealed,
    make_policy,
    policy_for,
    workspace_key,
)
from porterlib.egress import budget as budget_module
from porterlib.errors import EgressViolation, WorkspaceError


def fresh(request: DecisionRequest, **options: list[str]) -> EgressBudget:
    return EgressBudget(EgressGuard(policy_for(request, key=b"k" * 32)), **options)


def test_an_internal_fact_cannot_be_told_word_by_word(request_: DecisionRequest) -> None:
    budget = fresh(request_)
    for query in ("KYC backlog statistics", "outsourcing partner selection banks"):
        budget.mint(query)
    verdict = budget.check("case files in March")
    assert (verdict.allowed, verdict.rule) == (False, "budget_internal_fact")
    with pytest.raises(EgressViolation, match="budget_internal_fact"):
        budget.mint("case files in March")
    assert budget.check("KYC backlog statistics").allowed, "what already left tells nothing new"
    assert budget.check("cloud exit costs").allowed


def test_a_question_cannot_be_told_word_by_word(
    request_: DecisionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "QUESTION_WORDS", 2)
    budget = fresh(request_)
    budget.mint("generative")
    budget.mint("cloud")
    assert budget.check("provider model").rule == "budget_question"


@pytest.mark.parametrize(
    "queries", [("nightjar habitats", "project costs"), ("marlowe banks", "night watch", "castellan banks")]
)
def test_a_restricted_term_cannot_be_told_word_by_word(
    request_: DecisionRequest, queries: tuple[str, ...]
) -> None:
    budget = fresh(request_)
    for query in queries[:-1]:
        budget.mint(query)
    assert budget.check(queries[-1]).rule == "budget_restricted_term"
    with pytest.raises(EgressViolation, match="budget_restricted_term"):
        budget.mint("".join(chr(ord(char) + 0xFEE0) if char.isalpha() else char for char in queries[-1]))
    assert budget.check(queries[0]).allowed
    assert budget.check("cloud exit costs").allowed


def test_public_words_of_a_restricted_name_are_not_counted() -> None:
    budget = EgressBudget(
        EgressGuard(
            make_policy(
                key=b"k" * 32,
                question=Sealed("x"),
                restricted_terms=("Union Prudential Vell",),
                approved=("prudential rules of the European Union",),
            )
        )
    )
    for query in ("prudential banks", "union banks", "vell banks"):
        budget.mint(query)
    assert budget.check("Union Prudential Vell").rule == "restricted_term"


@pytest.mark.parametrize(
    ("fact", "earlier", "last"),
    [
        ("Harbour closes soon", ("harbour banks", "closes banks"), "soon banks"),
        ("Castellan leaves", ("castellan banks",), "who leaves"),
    ],
)
def test_a_short_fact_keeps_one_of_its_words(fact: str, earlier: tuple[str, ...], last: str) -> None:
    policy = make_policy(key=b"k" * 32, question=Sealed("x"), internal_facts=[Sealed(fact)])
    budget = EgressBudget(EgressGuard(policy))
    for query in earlier:
        budget.mint(query)
    assert budget.check(last).rule == "budget_internal_fact"


def test_a_run_has_a_number_of_queries(request_: DecisionRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "QUERIES", 2)
    budget = fresh(request_)
    budget.mint("AMLR one")
    budget.mint("AMLR two")
    assert budget.remaining_queries == 0
    assert budget.check("AMLR three").rule == "budget_queries"
    assert budget.mint("AMLR two").text == "AMLR two"


def test_a_resumed_run_goes_on_with_what_was_spent(request_: DecisionRequest) -> None:
    budget = fresh(request_, spent=["KYC backlog statistics", "outsourcing partner selection banks"])
    assert budget.check("case files in March").rule == "budget_internal_fact"
    assert budget.remaining_queries == budget_module.QUERIES - 2


def test_harmless_queries_of_a_whole_run_stay_within_the_budget(
    request_: DecisionRequest, harmless: list[str]
) -> None:
    for start in range(0, 300, 60):
        budget = fresh(request_)
        blocked = [
            query
            for query in harmless[start : start + 60]
            if not budget.check(query).allowed or not budget.mint(query)
        ]
        assert len(blocked) <= 1, blocked


def test_only_the_guard_mints_a_public_query(request_: DecisionRequest) -> None:
    query = EgressGuard(policy_for(request_, key=b"k" * 32)).mint("cloud exit")
    assert (query.text, repr(query)) == ("cloud exit", "PublicQuery('cloud exit')")
    with pytest.raises(TypeError, match="minted by the egress guard"):
        PublicQuery("cloud exit", "0" * 64, mint=object())
    with pytest.raises(AttributeError, match="cannot be changed"):
        query.text = "Project Nightjar"
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            copied(query)


def test_sealed_text_has_no_way_into_a_string(caplog: pytest.LogCaptureFixture) -> None:
    sealed = Sealed("the secret plan")
    for use in (
        str,
        "{}".format,
        "".join,
        pickle.dumps,
        copy.copy,
        lambda text: f"{text}",
        lambda text: text + "",
    ):
        with pytest.raises(TypeError) as caught:
            use(sealed)  # type: ignore[operator]
        assert "secret plan" not in str(caught.value)
    assert repr([sealed]) == "[Sealed(…)]"
    with caplog.at_level(logging.INFO):
        logging.getLogger("x").info("%r", sealed)
    assert "secret" not in caplog.text


def test_the_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    key = workspace_key(tmp_path)
    file = tmp_path / "egress.key"
    assert (len(key), file.stat().st_mode & 0o777, workspace_key(tmp_path)) == (32, 0o600, key)
    file.chmod(0o644)
    with pytest.raises(WorkspaceError, match="0600"):
        workspace_key(tmp_path)
    file.chmod(0o600)
    file.write_bytes(b"short")
    with pytest.raises(WorkspaceError, match="32 bytes"):
        workspace_key(tmp_path)
    file.unlink()
    file.symlink_to(tmp_path / "other")
    with pytest.raises(WorkspaceError, match="cannot be opened"):
        workspace_key(tmp_path)
