"""A worker on a scripted model server, a provider that answers from a table, and a real ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support_servers.model import ModelServer, Step, serving_model

from porterlib.acquisition.bundle import ResearchBundle
from porterlib.acquisition.worker import ResearchAssignment, WorkerLimits, research_force
from porterlib.acquisition.worker_model import worker_model
from porterlib.acquisition.worker_records import WorkerRecords
from porterlib.analyst.local.endpoint import check_endpoint
from porterlib.clock import FixedClock
from porterlib.contracts.plan import PlannedHypothesis, PlannedQuery
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.egress import EgressBudget, EgressGuard, PublicQuery, Sealed, make_policy
from porterlib.ledger import Ledger

from .golden import RUN, START

HYPOTHESES = (
    PlannedHypothesis(
        id="H-lockin",
        force="suppliers",
        statement="Few cloud providers raise switching cost for banks",
        falsifier="Banks move workloads within a year",
        questions=("How concentrated is the cloud market?",),
        contrary_questions=("Which banks left a provider?",),
    ),
    PlannedHypothesis(
        id="H-models",
        force="suppliers",
        statement="Model vendors set licence terms for generative AI",
        falsifier="Open models replace licences",
        questions=("What do licences cost?",),
        contrary_questions=("Do open models suffice?",),
    ),
)
ASSIGNMENT = ResearchAssignment(force="suppliers", topics=("cloud",), hypotheses=HYPOTHESES)


def planned(text: str, *, contrary: bool = True) -> PlannedQuery:
    return PlannedQuery(
        id="Q-suppliers-4",
        force="suppliers",
        sequence=4,
        hypothesis_id="H-lockin",
        text=text,
        contrary=contrary,
    )


class TableSearch:
    """Finds two pages for every query, named after it; some queries have another answer or fail."""

    name = "table"
    live = True

    def __init__(
        self, table: Mapping[str, Any] | None = None, *, delay: Callable[[str], float] | None = None
    ) -> None:
        self.asked: list[str] = []
        self._table = dict(table or {})
        self._delay = delay

    def search(self, query: PublicQuery, limit: int) -> SearchResult:
        self.asked.append(query.text)
        if self._delay:
            time.sleep(self._delay(query.text))
        answer = self._table.get(query.text)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, SearchResult):
            return answer
        return SearchResult(
            hits=tuple(SearchHit(url=url, title=query.text) for url in pages(query.text)[:limit])
        )


def pages(text: str) -> list[str]:
    name = text.replace(" ", "-")
    return [f"https://{name}.example/{n}" for n in (1, 2)]


def budget(*restricted: str) -> EgressBudget:
    policy = make_policy(key=b"k" * 32, question=Sealed("unrelated"), restricted_terms=restricted)
    return EgressBudget(EgressGuard(policy))


@dataclass
class Research:
    """One workspace in which workers may run one after the other."""

    stack: ExitStack
    place: Path

    def ledger(self) -> Ledger:
        ledger = self.stack.enter_context(Ledger.open(self.place, "write", clock=FixedClock(START)))
        ledger.create_run(RUN, {"request_sha256": "0" * 64})
        return ledger

    def server(self, *script: Step) -> ModelServer:
        return self.stack.enter_context(serving_model(ModelServer(*script)))

    def run(
        self,
        server: ModelServer,
        ledger: Ledger,
        search: Any,
        *,
        assignment: ResearchAssignment = ASSIGNMENT,
        limits: WorkerLimits | None = None,
        guard: EgressBudget | None = None,
        timeout_s: float = 20.0,
    ) -> ResearchBundle:
        return research_force(
            assignment,
            model=worker_model(check_endpoint(server.url), name="scripted", timeout_s=timeout_s),
            search=search,
            guard=guard or budget(),
            record=WorkerRecords(ledger, RUN),
            limits=limits,
        )


def texts(ledger: Ledger) -> list[str]:
    return [row.payload.get("text", "") for row in ledger.records(RUN, "query")]


def urls(result: ResearchBundle, *, nominated: bool) -> list[str]:
    return [row.url for row in result.sources if row.nominated == nominated]
