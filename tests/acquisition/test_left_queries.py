"""A query that left the machine is spent, whether or not an answer came: it is committed before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support_servers.model import bundle, searches

from porterlib.acquisition import acquire_evidence
from porterlib.acquisition.records import QUERY_LEAVING, RunRecords
from porterlib.clock import FixedClock
from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.search import SearchResult
from porterlib.contracts.sector import SectorPack
from porterlib.egress import PublicQuery
from porterlib.egress.budget import QUERIES
from porterlib.errors import SearchUnavailableError
from porterlib.ledger import Ledger, verify
from porterlib.search import DuckDuckGoSearch, RegisteredUrls
from porterlib.search.base import sends

from .golden import FIXTURES, RUN, START, Gather, guard_of
from .worker_setup import Research, TableSearch, budget, planned, texts


class Killed(BaseException):
    """The process ends here."""


class Outage:
    """A live provider that never answers; it notes what the ledger held when it was asked."""

    name = "outage"
    live = True

    def __init__(self, ledger: Ledger, error: BaseException) -> None:
        self.asked: list[str] = []
        self.committed: list[bool] = []
        self._ledger, self._error = ledger, error

    def search(self, query: PublicQuery, limit: int) -> SearchResult:
        self.asked.append(query.text)
        self.committed.append(query.text in RunRecords(self._ledger, RUN).left())
        raise self._error


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "w", "write", clock=FixedClock(START)) as opened:
        opened.create_run(RUN, {"request_sha256": "0" * 64})
        yield opened


@pytest.fixture
def gather_live(
    contract: DecisionContract, plan: ResearchPlan, pack: SectorPack, request_kyc: DecisionRequest
) -> Gather:
    """Return a function that gathers from a live provider and says how many queries the budget has left."""

    def run(provider: Outage) -> int:
        guard = guard_of(request_kyc, pack)
        try:
            outcome = acquire_evidence(
                contract.model_copy(update={"evidence_cutoff": None}),
                plan,
                pack=pack,
                search=provider,
                source=None,  # type: ignore[arg-type]  # nothing is found, so nothing is fetched
                ledger=provider._ledger,
                guard=guard,
                clock=FixedClock(START),
            )
            assert isinstance(outcome, InsufficientEvidence)
        except Killed:
            pass
        return guard.remaining_queries

    return run  # type: ignore[return-value]


def test_a_query_is_committed_before_it_is_sent(ledger: Ledger, gather_live: Gather) -> None:
    provider = Outage(ledger, SearchUnavailableError("throttled", "outage"))
    assert gather_live(provider) == QUERIES - 25
    assert len(provider.asked) == 25
    assert all(provider.committed)
    assert RunRecords(ledger, RUN).left() == tuple(provider.asked)


def test_failed_queries_are_asked_again_after_a_resume_and_counted_once(
    ledger: Ledger, gather_live: Gather
) -> None:
    provider = Outage(ledger, SearchUnavailableError("throttled", "outage"))
    gather_live(provider)
    assert gather_live(provider) == QUERIES - 25
    assert len(provider.asked) == 50
    assert len(RunRecords(ledger, RUN).left()) == 25


def test_what_left_before_a_kill_is_counted_when_the_run_is_taken_up(
    ledger: Ledger, gather_live: Gather, tmp_path: Path
) -> None:
    """A model may ask otherwise the second time: what it asked the first time has still been told."""
    query = planned("growth of digital onboarding in retail banking")
    RunRecords(ledger, RUN).record_leaving(query, query.text)
    provider = Outage(ledger, Killed())
    assert gather_live(provider) == QUERIES - 2  # the earlier one, and the one under way
    assert len(provider.asked) == 1
    assert verify(tmp_path / "w").ok


def test_a_corpus_sends_nothing_so_nothing_has_left(gather: Gather, ledger: Ledger) -> None:
    gather(FIXTURES / "corpora" / "bank_kyc", ledger=ledger)
    steps = [record.payload.get("what") for record in ledger.records(RUN, "step")]
    assert QUERY_LEAVING not in steps


def test_a_worker_s_search_that_is_killed_has_left(tmp_path: Path) -> None:
    with ExitStack() as stack:
        research = Research(stack, tmp_path / "w")
        ledger = research.ledger()
        search = TableSearch({"cloud two": SearchUnavailableError("blocked", "table")})
        server = research.server(searches("cloud one", "cloud two"), bundle())
        research.run(server, ledger, search, guard=budget())
        assert texts(ledger) == ["cloud one"]
        assert RunRecords(ledger, RUN).left() == ("cloud one", "cloud two")


def test_registered_addresses_send_nothing_though_their_pages_are_live(
    ledger: Ledger, gather_live: Gather
) -> None:
    class Registered(Outage):
        sends = False

    provider = Registered(ledger, SearchUnavailableError("throttled", "outage"))
    assert gather_live(provider) == QUERIES - 25
    assert provider.asked
    assert RunRecords(ledger, RUN).left() == ()
    assert (RegisteredUrls.live, RegisteredUrls.sends, DuckDuckGoSearch.live) == (True, False, True)
    assert sends(DuckDuckGoSearch(cache=None))
