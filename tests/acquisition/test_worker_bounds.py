"""The bounds hold for workers and for no one else; a model elsewhere needs permission."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support_servers.model import Turn, bundle, searches

from porterlib.acquisition.worker import assignment_of, research_force, research_forces
from porterlib.acquisition.worker_model import is_worker_model, worker_model
from porterlib.acquisition.worker_records import WorkerRecords
from porterlib.analyst.local.endpoint import check_endpoint
from porterlib.contracts.base import FORCES
from porterlib.contracts.plan import ResearchPlan
from porterlib.egress import EgressBudget, EgressGuard, Sealed, make_policy
from porterlib.errors import InputError

from .golden import RUN, guard_of
from .worker_setup import ASSIGNMENT, Research, TableSearch, budget, pages, texts


@pytest.fixture
def research(tmp_path: Path) -> Iterator[Research]:
    with ExitStack() as stack:
        yield Research(stack, tmp_path / "w")


def test_an_agent_of_someone_else_keeps_its_tools(research: Research) -> None:
    from deepagents import create_deep_agent

    research.run(research.server(bundle()), research.ledger(), TableSearch())
    server = research.server(Turn(prose="done"))
    with pytest.MonkeyPatch.context() as env:
        env.delenv("OPENAI_PROXY", raising=False)
        stranger = ChatOpenAI(model="scripted", base_url=server.url, api_key="none", use_responses_api=False)  # type: ignore[arg-type]
        create_deep_agent(stranger, tools=[]).invoke({"messages": [{"role": "user", "content": "hello"}]})
    assert {"ls", "read_file", "task"} <= set(server.tools(0))


def test_a_model_without_the_profile_is_refused_before_anything_is_sent(research: Research) -> None:
    server, search = research.server(bundle()), TableSearch()
    stranger = ChatOpenAI(model="scripted", base_url=server.url, api_key="none")  # type: ignore[arg-type]
    assert not is_worker_model(stranger)
    with pytest.raises(InputError, match="worker_model"):
        research_force(
            ASSIGNMENT,
            model=stranger,
            search=search,
            guard=budget(),
            record=WorkerRecords(research.ledger(), RUN),
        )
    assert server.requests == []
    assert search.asked == []


def test_the_key_and_nothing_of_the_environment_is_sent(
    research: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_ORGANIZATION",
        "OPENAI_PROJECT_ID",
        "OPENAI_CUSTOM_HEADERS",
    ):
        monkeypatch.setenv(name, "Environment: secret-of-the-environment")
    monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    server = research.server(searches("cloud one"), bundle(pages("cloud one")[0]))
    result = research_force(
        ASSIGNMENT,
        model=worker_model(check_endpoint(server.url, key=SecretStr("key-of-the-server")), name="scripted"),
        search=TableSearch(),
        guard=budget(),
        record=WorkerRecords(research.ledger(), RUN),
    )
    assert result.basis == "agent"
    assert server.headers[0]["authorization"] == "Bearer key-of-the-server"
    assert "secret-of-the-environment" not in str(server.headers)


def test_without_a_key_none_is_sent_and_the_checked_address_is_dialled(research: Research) -> None:
    server = research.server(bundle())
    endpoint = check_endpoint(
        server.url.replace("127.0.0.1", "model.example"), resolver=lambda host, port: ("127.0.0.1",)
    )
    result = research_force(
        ASSIGNMENT,
        model=worker_model(endpoint, name="scripted"),
        search=TableSearch(),
        guard=budget(),
        record=WorkerRecords(research.ledger(), RUN),
    )
    assert result.basis == "agent"
    assert server.headers[0]["host"] == f"model.example:{server.port}"
    assert "authorization" not in server.headers[0]


def test_an_interrupt_ends_a_hanging_worker_and_keeps_its_searches(research: Research) -> None:
    ledger = research.ledger()

    def interrupt(body: Any) -> Turn:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return Turn(hang=True)

    server = research.server(searches("cloud one"), interrupt)
    with pytest.raises(KeyboardInterrupt):
        research.run(server, ledger, TableSearch())
    assert texts(ledger) == ["cloud one"]
    assert ledger.find(RUN, "checkpoint", "research-suppliers") is None
    again = TableSearch()
    resumed = research.run(
        research.server(searches("cloud one"), bundle(pages("cloud one")[0])), ledger, again
    )
    assert (resumed.basis, again.asked) == ("agent", [])


def test_all_forces_are_researched_in_order_with_a_contrary_query_each(
    research: Research, plan: ResearchPlan, request_kyc: Any, pack: Any
) -> None:
    ledger, search = research.ledger(), TableSearch()

    def turn(body: dict[str, Any]) -> Turn:
        user = body["messages"][1]["content"]
        name = next(force for force in FORCES if f'"force": "{force.replace("_", " ")}"' in user)
        text = f"bank cloud {name.replace('_', ' ')}"
        return searches(text) if body["messages"][-1]["role"] == "user" else bundle(pages(text)[1])

    server = research.server(turn)
    leads = research_forces(
        plan,
        model=worker_model(check_endpoint(server.url), name="scripted"),
        search=search,
        guard=guard_of(request_kyc, pack),
        record=WorkerRecords(ledger, RUN),
    )
    rows = [row.payload for row in ledger.records(RUN, "query")]
    assert [row["force"] for row in rows] == [force for force in FORCES for _ in range(2)]
    for force in FORCES:
        assert [row["contrary"] for row in rows if row["force"] == force] == [True, False]
        best = leads.hits[leads.by_force[force][0]]
        assert best.url == pages(f"bank cloud {force.replace('_', ' ')}")[1]
        assert len(leads.by_force[force]) == 4
    assert leads.executed == 10
    assert len(server.requests) == 10


def test_what_a_finished_worker_told_counts_against_those_after_it_in_a_resumed_run(
    research: Research,
) -> None:
    """A budget made anew for a resumed run must not let the rest of an internal fact out."""

    def told_so_far() -> EgressBudget:
        fact = Sealed("Ardenvale sells the Harbour ledger to Castellan in spring")
        return EgressBudget(
            EgressGuard(make_policy(key=b"k" * 32, question=Sealed("x"), internal_facts=[fact]))
        )

    ledger, search = research.ledger(), TableSearch()
    first = research.server(searches("harbour ledger prices", "castellan banks"), bundle())
    assert research.run(first, ledger, search, guard=told_so_far()).searches == 2
    guard, silent = told_so_far(), research.server(bundle())
    assert research.run(silent, ledger, search, guard=guard).searches == 2
    assert silent.requests == []
    other = ASSIGNMENT.model_copy(update={"force": "buyers"})
    later = research.run(
        research.server(searches("spring buyers", "bank buyers"), bundle()),
        ledger,
        search,
        assignment=other,
        guard=guard,
    )
    assert [gap.rule for gap in later.gaps] == ["query_budget_internal_fact"]
    assert search.asked == ["harbour ledger prices", "castellan banks", "bank buyers"]


def test_an_assignment_holds_the_plan_s_public_words_only(plan: ResearchPlan, request_kyc: Any) -> None:
    for force in FORCES:
        told = assignment_of(plan, force).model_dump_json()
        assert all(query.contrary for query in assignment_of(plan, force).first)
        assert request_kyc.organisation_name not in told
        assert request_kyc.question not in told
        assert not any(fact.text in told for fact in request_kyc.internal_facts)
