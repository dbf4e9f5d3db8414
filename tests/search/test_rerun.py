"""A run that is repeated or taken up again asks the provider nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from acquisition.golden import guard_of

from porterlib.acquisition import frame_request, plan_research
from porterlib.acquisition.discovery import Leads, run_queries
from porterlib.acquisition.records import RunRecords
from porterlib.clock import FixedClock
from porterlib.contracts.loading import load_request
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionRequest
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.ledger import Ledger
from porterlib.search import DuckDuckGoSearch, SearchCache
from porterlib.search.base import QueryText
from porterlib.sectors import load_pack

from .conftest import Serve
from .pages import empty_page, results_page
from .server import Reply

REQUESTS = Path(__file__).resolve().parents[2] / "fixtures" / "requests"
Make = Callable[..., DuckDuckGoSearch]


@pytest.fixture(scope="module")
def request_kyc() -> DecisionRequest:
    return load_request(REQUESTS / "bank_kyc.yaml")


@pytest.fixture(scope="module")
def plan(request_kyc: DecisionRequest) -> ResearchPlan:
    pack = load_pack("bank")
    return plan_research(frame_request(request_kyc, pack, run_id="run-1", request_sha256="0" * 64), pack)


def found(form: dict[str, str]) -> Reply:
    name = "-".join(form["q"].lower().split())[:40]
    return Reply(results_page([f"https://{name}.example/{n}" for n in range(3)], form["q"]))


def search_all(
    plan: ResearchPlan, request: DecisionRequest, search: DuckDuckGoSearch, ledger: Ledger, run_id: str
) -> Leads:
    guard = guard_of(request, load_pack("bank"))
    return run_queries(plan, search, guard, RunRecords(ledger, run_id), limit=8)


def test_a_rerun_and_a_resume_repeat_no_query(
    serve: Serve, provider: Make, plan: ResearchPlan, request_kyc: DecisionRequest, tmp_path: Path
) -> None:
    server = serve(found)
    clock = FixedClock(datetime(2026, 7, 1, tzinfo=UTC))
    with Ledger.open(tmp_path / "w", "write", clock=clock) as ledger:
        for run_id in ("run-1", "run-2"):
            ledger.create_run(run_id, {"request_sha256": "0" * 64})

        def again(run_id: str) -> Leads:
            fresh = provider(server, cache=SearchCache(tmp_path / "cache"))
            return search_all(plan, request_kyc, fresh, ledger, run_id)

        first = again("run-1")
        asked = list(server.queries)
        assert len(asked) == len(set(asked)) == len(plan.queries)
        assert again("run-1") == first  # from the ledger
        assert again("run-2") == first  # from the cache
    assert server.queries == asked


def test_one_blocked_query_is_a_gap_and_the_others_are_not_asked_into_the_block(
    serve: Serve, provider: Make, plan: ResearchPlan, request_kyc: DecisionRequest, tmp_path: Path
) -> None:
    server = serve(*[found] * 3, Reply("", 403))
    with Ledger.open(tmp_path / "w", "write") as ledger:
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        leads = search_all(plan, request_kyc, provider(server), ledger, "run-1")
        recorded = ledger.records("run-1", "query")
    assert len(server.forms) == 4
    assert len(recorded) == leads.executed == 3
    assert {gap.rule for gap in leads.gaps} == {"search_blocked"}
    assert len(leads.gaps) == len(plan.queries) - 3


def test_what_found_nothing_is_recorded_as_empty_and_what_failed_is_not(
    serve: Serve, provider: Make, plan: ResearchPlan, request_kyc: DecisionRequest, tmp_path: Path
) -> None:
    server = serve(Reply(empty_page()), Reply("", 500), Reply("", 500), found)
    with Ledger.open(tmp_path / "w", "write") as ledger:
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        leads = search_all(plan, request_kyc, provider(server), ledger, "run-1")
        rows = [row.payload for row in ledger.records("run-1", "query")]
    assert [gap.rule for gap in leads.gaps] == ["no_hits", "search_broken"]
    assert [row["result"] for row in rows[:2]] == ["empty", "ok"]
    assert rows[1]["query_id"] == plan.queries[2].id


def test_a_provider_that_breaks_down_costs_its_own_query_only(
    plan: ResearchPlan, request_kyc: DecisionRequest, tmp_path: Path
) -> None:
    class Archive:
        name = "archive"
        live = True
        asked = 0

        def search(self, query: QueryText, limit: int) -> SearchResult:
            self.asked += 1
            if self.asked == 2:
                raise KeyError("words of a stranger")
            return SearchResult(hits=(SearchHit(url=f"https://page{self.asked}.example/"),))

    guard = guard_of(request_kyc, load_pack("bank"))
    with Ledger.open(tmp_path / "w", "write") as ledger:
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        leads = run_queries(plan, Archive(), guard, RunRecords(ledger, "run-1"), limit=8)
    assert leads.executed == len(plan.queries) - 1
    assert [(gap.rule, "stranger" in gap.note) for gap in leads.gaps] == [("search_failed", False)]
