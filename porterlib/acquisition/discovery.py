"""Runs the queries of a plan and commits each with its ordered hits before anything uses them (rule 5.3)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from porterlib.acquisition.bundle import canonical_hits
from porterlib.acquisition.records import RecordedQuery, RunRecords
from porterlib.acquisition.search import SearchProvider
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.evidence import Gap
from porterlib.contracts.plan import PlannedQuery, ResearchPlan
from porterlib.contracts.search import SearchHit
from porterlib.egress import EgressVerdict, PublicQuery
from porterlib.errors import EgressViolation, PorterError, SearchUnavailableError
from porterlib.search.base import sends

_log = logging.getLogger(__name__)
_REPHRASE = "rephrase it from public vocabulary"
_UNAVAILABLE = "the search provider did not answer; run again later or use another provider"


class QueryGuard(Protocol):
    """The egress policy of a run, with its budget over all queries (`EgressBudget`)."""

    def check(self, query: object) -> EgressVerdict:
        """Return whether a query may leave now; asking costs nothing."""
        ...

    def mint(self, query: str) -> PublicQuery:
        """Return a query that may leave, as the only kind a provider takes, and count what it tells."""
        ...


@dataclass
class Leads:
    """What the queries of a run led to."""

    by_force: dict[Force, list[str]] = field(default_factory=lambda: {force: [] for force in FORCES})
    """Source ids of each force, best first: the first hits of its queries in turn, then the second ones."""
    hits: dict[str, SearchHit] = field(default_factory=dict)
    """Source id to the hit that was recorded first."""
    gaps: list[Gap] = field(default_factory=list)
    """Queries that were rejected, failed or found nothing."""
    executed: int = 0
    """Queries that were executed."""


def run_queries(
    plan: ResearchPlan,
    search: SearchProvider,
    guard: QueryGuard,
    records: RunRecords,
    *,
    limit: int,
    on_progress: Callable[[str], None] | None = None,
) -> Leads:
    """Return the leads of all planned queries; those the ledger already holds are not run again.

    Args:
        plan: the sealed plan; its order of forces and sequences decides the order of results.
        search: the provider.
        guard: the egress policy.
        records: the run's ledger records.
        limit: hits a query may lead to.
        on_progress: called with a short line before each query.

    """
    leads = Leads()
    for force in FORCES:
        answers: list[RecordedQuery] = []
        for query in sorted(
            (row for row in plan.queries if row.force == force), key=lambda row: row.sequence
        ):
            if on_progress:
                on_progress(f"searching for {force}, query {query.sequence}")
            answer = _known(query, guard, records) or _ask(query, search, guard, records, limit, leads.gaps)
            if answer is None:
                continue
            answers.append(answer)
            leads.executed += answer.status == "executed"
            _note(query, answer, leads.gaps)
        _interleave(force, answers, leads)
    return leads


def count_left(records: RunRecords, guard: QueryGuard) -> None:
    """Count in the budget of a resumed run what left before it stopped, also where no answer came."""
    for text in records.left():
        with suppress(EgressViolation):  # it has left already; a stricter guard cannot call it back
            guard.mint(text)


def _known(query: PlannedQuery, guard: QueryGuard, records: RunRecords) -> RecordedQuery | None:
    """Return what the ledger holds of a query, counted again in the budget of a resumed run."""
    answer = records.query(query)
    if answer is not None and answer.status == "executed":
        with suppress(EgressViolation):  # it has left already; a stricter guard cannot call it back
            guard.mint(query.text)
    return answer


def _ask(
    query: PlannedQuery,
    search: SearchProvider,
    guard: QueryGuard,
    records: RunRecords,
    limit: int,
    gaps: list[Gap],
) -> RecordedQuery | None:
    try:
        public = guard.mint(query.text)
    except EgressViolation as violation:
        _log.info("query %s rejected by rule %s", query.id, violation.rule)
        return records.record_rejected(query, violation.rule, guard.check(query.text).query_digest)
    if sends(search):
        records.record_leaving(query, public.text)
    try:
        result = search.search(public, limit)
        result = canonical_hits(result) if search.live else result
    except SearchUnavailableError as error:
        # Not recorded as done, so that a resumed run asks again.
        _log.warning("query %s failed: %s is unavailable (%s)", query.id, search.name, error.kind)
        gaps.append(_failed(query, error.kind))
        return None
    except Exception as error:
        if not search.live or isinstance(error, PorterError):
            raise  # the caller's to mend
        # A provider's own fault must not cost the other searches; its words are not repeated.
        _log.warning("query %s failed: provider %s raised %s", query.id, search.name, type(error).__name__)
        gaps.append(_failed(query, "failed"))
        return None
    _log.info("query %s executed: %d hits", query.id, len(result.hits))
    return records.record_executed(query, public.text, search.name, result)


def _failed(query: PlannedQuery, kind: str) -> Gap:
    return Gap(force=query.force, rule=f"search_{kind}", subject=query.id, note=_UNAVAILABLE)


def _note(query: PlannedQuery, answer: RecordedQuery, gaps: list[Gap]) -> None:
    if answer.status == "rejected":
        gaps.append(Gap(force=query.force, rule=f"query_{answer.rule}", subject=query.id, note=_REPHRASE))
    elif not answer.hits:
        gaps.append(
            Gap(
                force=query.force, rule="no_hits", subject=query.id, note=f"add sources on: {query.rationale}"
            )
        )


def _interleave(force: Force, answers: list[RecordedQuery], leads: Leads) -> None:
    row = leads.by_force[force]
    for rank in range(max((len(answer.hits) for answer in answers), default=0)):
        for answer in answers:
            if rank < len(answer.hits):
                source_id, hit = answer.hits[rank]
                leads.hits.setdefault(source_id, hit)
                if source_id not in row:
                    row.append(source_id)
