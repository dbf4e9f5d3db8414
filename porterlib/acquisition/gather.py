"""Gathers evidence: runs the plan's queries, captures pages, promotes passages, freezes a snapshot.

Each step is committed before its result is used, and found again when a run is resumed; so a resume repeats
no query. Every refusal has a rule, is recorded as a gap and costs no other work.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from porterlib.acquisition.capturing import capture_sources
from porterlib.acquisition.discovery import Leads, QueryGuard, count_left, run_queries
from porterlib.acquisition.filing import FiledPage, file_page, refusal_rule
from porterlib.acquisition.folding import Fold, fold_duplicates
from porterlib.acquisition.framing import refuse_past_cutoff
from porterlib.acquisition.planning import check_plan
from porterlib.acquisition.promotion import Promoter
from porterlib.acquisition.records import RecordedCapture, RunRecords
from porterlib.acquisition.scheduling import Candidate, CaptureSchedule, attempts_for
from porterlib.acquisition.search import CORPUS_HITS, WEB_HITS, CorpusSearch, SearchProvider
from porterlib.acquisition.worker_records import WorkerRecords
from porterlib.capture import EXTRACTOR, PageSource
from porterlib.clock import Clock
from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot, Gap
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack
from porterlib.errors import InputError
from porterlib.hashing import digest
from porterlib.ledger import Ledger
from porterlib.sectors import UNNAMED, classify

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Progress = Callable[[str], None]
COMMIT_PAGES = 16
"""Pages of a corpus that are committed together."""
_REMEDIES = {
    "text_empty": "get a version of the page with text",
    "instructions_in_page": "a person should read the page; it addresses the reader's software",
    "after_cutoff": "published after the cutoff; move the cutoff or leave it out",
    "no_relevant_passage": "nothing in it bears on a driver of the pack",
    "duplicate": "the first repeats the second, so they count once",
}


MOST_HITS, MOST_WORKERS = 200, 8


@dataclass(frozen=True)
class AcquisitionLimits:
    """How much a run may do."""

    attempts: int | None = None
    """Pages to try: 1 to 50 on the web, by default 15; of a corpus by default all documents, up to 500."""
    hits: int | None = None
    """Hits a query may lead to, 1 to 200: 8 on the web and 50 documents of a corpus if not given."""
    workers: int = 2
    """Pages of the web that are fetched at the same time, 1 to 8."""

    def __post_init__(self) -> None:
        """Refuse what no run can keep to."""
        for name, value, most in (("hits", self.hits, MOST_HITS), ("workers", self.workers, MOST_WORKERS)):
            if value is not None and not 1 <= value <= most:
                raise InputError(f"{name}: {value} lies outside 1 to {most}; write for example 2", field=name)


def acquire_evidence(
    contract: DecisionContract,
    plan: ResearchPlan,
    *,
    pack: SectorPack,
    search: SearchProvider,
    source: PageSource,
    ledger: Ledger,
    guard: QueryGuard,
    clock: Clock,
    limits: AcquisitionLimits | None = None,
    worker: BaseChatModel | None = None,
    on_progress: Progress | None = None,
) -> EvidenceSnapshot | InsufficientEvidence:
    """Return the frozen evidence of a run, or a report of what is missing.

    Args:
        contract: the framed decision.
        plan: its research plan, sealed.
        pack: the sector pack of both.
        search: where leads come from.
        source: where pages come from; for a corpus the same object as `search`.
        ledger: system of record, open for writing, with the run created.
        guard: egress policy that every query must pass.
        clock: time of a report of insufficient evidence.
        limits: how much may be done.
        worker: chat model that can call tools; it then forms the queries of a live search, within bounds.
        on_progress: called with a short line at each step.

    Raises:
        InputError: more pages are to be tried than may be.
        RequestError: the plan was changed after sealing, or a live search is to honour a cutoff in the past.

    """
    limits = limits or AcquisitionLimits()
    attempts = check_acquisition(contract, plan, search=search, clock=clock, limits=limits)
    records = WorkerRecords(ledger, contract.run_id)
    if (frozen := records.snapshot()) is not None:
        return frozen
    hits = limits.hits or (WEB_HITS if search.live else CORPUS_HITS)
    count_left(records, guard)
    if worker is not None and search.live:
        leads = _researched(plan, worker, search, guard, records, hits, on_progress)
    else:
        leads = run_queries(plan, search, guard, records, limit=hits, on_progress=on_progress)
    gaps = [*leads.gaps, *_unfindable(search)]
    bare = tuple(force for force in FORCES if not leads.by_force[force])
    if bare:
        return _insufficient(bare, gaps, contract, plan, records, clock)
    schedule = _schedule(leads, pack, attempts)
    workers = limits.workers if search.live else 1
    captures = capture_sources(
        schedule,
        leads.hits,
        source,
        records,
        workers=workers,
        commit_every=1 if search.live else COMMIT_PAGES,
        on_progress=on_progress,
    )
    if on_progress:
        on_progress(f"choosing passages of {len(captures)} pages")
    evidence, found, folds = promote_pages(captures, leads, contract, plan, pack)
    snapshot = _frozen(contract, evidence, [*gaps, *found], leads.executed, captures, folds)
    if snapshot.uncovered:
        return _insufficient(snapshot.uncovered, [*gaps, *found], contract, plan, records, clock)
    records.record_snapshot(snapshot)
    return snapshot


def check_acquisition(
    contract: DecisionContract,
    plan: ResearchPlan,
    *,
    search: SearchProvider,
    clock: Clock,
    limits: AcquisitionLimits,
) -> int:
    """Return how many pages may be tried, or refuse what cannot be acquired; to be asked before anything is committed.

    Raises:
        InputError: more pages are to be tried than may be.
        RequestError: the plan was changed after sealing, or a live search is to honour a cutoff in the past.

    """
    check_plan(plan)
    if search.live:
        refuse_past_cutoff(contract.evidence_cutoff, clock.now().date())
    return attempts_for(_documents(search), asked=limits.attempts)


def _researched(
    plan: ResearchPlan,
    worker: BaseChatModel,
    search: SearchProvider,
    guard: QueryGuard,
    records: WorkerRecords,
    hits: int,
    on_progress: Progress | None,
) -> Leads:
    from porterlib.acquisition.worker import WorkerLimits, research_forces

    return research_forces(
        plan,
        model=worker,
        search=search,
        guard=guard,
        record=records,
        limits=WorkerLimits(hits=hits),
        on_progress=on_progress,
    )


def evidence_snapshot_id(evidence: Iterable[EvidenceItem]) -> str:
    """Return the id of a body of evidence: SHA-256 over it in order of id, without retrieval times."""
    rows = sorted(evidence, key=lambda item: item.id)
    return digest("snapshot", [item.model_dump(mode="json", exclude={"retrieved_at"}) for item in rows])


def promote_pages(
    captures: Iterable[RecordedCapture],
    leads: Leads,
    contract: DecisionContract,
    plan: ResearchPlan,
    pack: SectorPack,
) -> tuple[list[EvidenceItem], list[Gap], list[Fold]]:
    """Return the evidence of the captured pages, a gap for every page that yields none, and folded pages."""
    gaps: list[Gap] = []
    filed: list[FiledPage] = []
    for capture in captures:
        hit = leads.hits[capture.source_id]
        if capture.page is None:
            gaps.append(
                Gap(rule=capture.rule, subject=capture.source_id, note=f"{hit.url}: {capture.detail}")
            )
        elif rule := refusal_rule(capture.page, contract.evidence_cutoff):
            gaps.append(_gap(rule, capture.source_id, hit.url))
        else:
            filed.append(file_page(capture.page, hit, contract, pack))
    gaps += _unnamed(filed)
    kept, folds = fold_duplicates(filed)
    gaps += [
        _gap("duplicate", fold.folded.source_id, f"{fold.folded.url} and {fold.kept.url}") for fold in folds
    ]
    promoter = Promoter(pack, plan.topics)
    evidence: list[EvidenceItem] = []
    for page in kept:
        items = promoter.promote(page)
        evidence += items
        gaps += _noted(page) if items else [_gap("no_relevant_passage", page.source_id, page.url)]
    return evidence, gaps, folds


def _unnamed(filed: Iterable[FiledPage]) -> list[Gap]:
    """Return a gap for documents whose publisher nobody named: however many, they are one unknown source."""
    count = sum(page.publisher == UNNAMED for page in filed)
    if not count:
        return []
    note = (
        f"{count} {'document names' if count == 1 else 'documents name'} no publisher and count together as one "
        "unknown vendor, which carries no statement alone; list them in manifest.json with url, publisher and "
        "source_class, or keep each in a folder named after the host it came from"
    )
    return [Gap(rule="publisher_unknown", subject="corpus", note=note)]


def _noted(filed: FiledPage) -> list[Gap]:
    """Return what capture noticed about a page that counts, such as a missing date or cut text."""
    return [
        Gap(rule=gap.rule, subject=filed.source_id, note=f"{filed.url}: {gap.detail}")
        for gap in filed.page.gaps
    ]


def _gap(rule: str, subject: str, where: str) -> Gap:
    return Gap(rule=rule, subject=subject, note=f"{where}: {_REMEDIES[rule]}")


def _unfindable(search: SearchProvider) -> tuple[Gap, ...]:
    return search.gaps() if isinstance(search, CorpusSearch) else ()


def _documents(search: SearchProvider) -> int | None:
    return len(search.documents) if isinstance(search, CorpusSearch) else None


def _schedule(leads: Leads, pack: SectorPack, attempts: int) -> CaptureSchedule:
    def candidate(source_id: str) -> Candidate:
        hit = leads.hits[source_id]
        return Candidate(source_id, hit.publisher or classify(hit.url, pack).owner)

    rows = {force: [candidate(source_id) for source_id in ids] for force, ids in leads.by_force.items()}
    return CaptureSchedule(rows, attempts=attempts)


def _frozen(
    contract: DecisionContract,
    evidence: list[EvidenceItem],
    gaps: list[Gap],
    executed: int,
    captures: list[RecordedCapture],
    folds: list[Fold],
) -> EvidenceSnapshot:
    rows = tuple(sorted(evidence, key=lambda item: item.id))
    return EvidenceSnapshot(
        schema_version=1,
        run_id=contract.run_id,
        snapshot_id=evidence_snapshot_id(rows),
        evidence=rows,
        gaps=_ordered(gaps),
        queries_executed=executed,
        documents_captured=sum(capture.page is not None for capture in captures),
        duplicates_folded=len(folds),
        tools={"extractor": EXTRACTOR, "sqlite": sqlite3.sqlite_version},
    )


def _ordered(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    return tuple(
        sorted(dict.fromkeys(gaps), key=lambda gap: (gap.rule, gap.subject, gap.force or "", gap.note))
    )


def _insufficient(
    forces: tuple[Force, ...],
    gaps: Iterable[Gap],
    contract: DecisionContract,
    plan: ResearchPlan,
    records: RunRecords,
    clock: Clock,
) -> InsufficientEvidence:
    ordered = _ordered(gaps)
    records.record_gaps(ordered)
    return InsufficientEvidence(
        schema_version=1,
        run_id=contract.run_id,
        forces=forces,
        gaps=ordered,
        requests=tuple(_wanted(force, plan) for force in forces),
        at=clock.now(),
    )


def _wanted(force: Force, plan: ResearchPlan) -> str:
    questions = [question for row in plan.hypotheses if row.force == force for question in row.questions[:1]]
    name = force.replace("_", " ")
    kinds = "documents, at best of a regulator, statistics office or filing"
    return f"For {name}: {kinds}, on: {' '.join(questions[:3])}"
