"""One decision, its documents as filed pages, and the way from a choice of them to a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porterlib.acquisition import CorpusSearch
from porterlib.acquisition.filing import FiledPage, file_page, refusal_rule
from porterlib.acquisition.folding import fold_duplicates
from porterlib.acquisition.planning import detect_topics
from porterlib.acquisition.promotion import Promoter
from porterlib.acquisition.search import source_of
from porterlib.analysis.claims import ClaimBook, build_claims
from porterlib.analysis.forces import assess_force
from porterlib.analysis.graph import AnalysisGraph
from porterlib.analysis.reading import Clause, Reader
from porterlib.analysis.recommend import decision_confidence
from porterlib.analysis.subject import Subject
from porterlib.analyst import OfflineAnalyst
from porterlib.analyst.policy import brief_confidence
from porterlib.contracts.analysis import AnalysisInput, Candidate
from porterlib.contracts.assessment import ForceAssessment
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.search import SearchHit
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation import EvaluationContext, evidence_snapshot_id, gate


@dataclass
class Case:
    """A decision with everything needed to analyse any choice of documents."""

    contract: DecisionContract
    pack: SectorPack
    items: dict[str, tuple[EvidenceItem, ...]] = field(default_factory=dict)
    clauses: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    graph: AnalysisGraph | None = None

    def __post_init__(self) -> None:
        topics = detect_topics(self.contract, self.pack)
        self.promoter = Promoter(self.pack, topics)
        self.reader = Reader(self.pack, Subject(self.contract, self.pack, topics))

    def file(self, folder: Path) -> list[FiledPage]:
        """Return the documents of a folder that may become evidence."""
        search = CorpusSearch(folder)
        filed = []
        for document in search.documents:
            page = search.fetch(source_of(document))
            hit = SearchHit(
                url=document.url,
                title=document.title,
                file=document.file,
                publisher=document.publisher,
                source_class=document.source_class,
                published=document.published,
            )
            if refusal_rule(page, self.contract.evidence_cutoff) is None:
                filed.append(file_page(page, hit, self.contract, self.pack))
        return filed

    def snapshot(self, pages: Sequence[FiledPage]) -> EvidenceSnapshot:
        """Return the frozen evidence of these documents, in whatever order they are given."""
        kept, folds = fold_duplicates(pages)
        found = [item for page in kept for item in self._promoted(page)]
        return freeze(found, documents=len(pages), folds=len(folds))

    def _promoted(self, page: FiledPage) -> tuple[EvidenceItem, ...]:
        key = f"{page.url} {page.page.text_sha256} {page.source_class}"
        if key not in self.items:
            self.items[key] = self.promoter.promote(page)
        return self.items[key]

    def analyse(
        self,
        snapshot: EvidenceSnapshot,
        economics: Economics | None = None,
        directives: tuple[str, ...] = (),
        *,
        same_documents: bool = False,
    ) -> Candidate:
        """Return the candidate of one attempt, checked by the gate.

        Attempts at the same documents share what was read of them, as those of a run do; any other reads anew.
        """
        inputs = AnalysisInput(
            contract=self.contract, snapshot=snapshot, economics=economics, directives=directives
        )
        if self.graph is None or not same_documents:
            self.graph = AnalysisGraph(self.pack, OfflineAnalyst(), lambda c, i: gate(self.context(c, i)))
        state: dict[str, Any] = self.graph.compile().invoke({"inputs": inputs})
        candidate: Candidate = state["candidate"]
        return candidate

    def context(self, candidate: Candidate, inputs: AnalysisInput) -> EvaluationContext:
        """Return what the gate looks at."""
        return EvaluationContext(
            candidate=candidate,
            snapshot=inputs.snapshot,
            contract=self.contract,
            economics=inputs.economics,
            policy=self.pack.evidence_policy,
            argues={d.id: d.argues for part in self.pack.forces for d in part.drivers},
        )

    def book(self, snapshot: EvidenceSnapshot) -> ClaimBook:
        """Return claims and links; a passage is read once however often it is used."""
        rows: list[Clause] = []
        for item in snapshot.evidence:
            if item.id not in self.clauses:
                self.clauses[item.id] = tuple(self.reader.passage(item))
            rows += self.clauses[item.id]
        return build_claims(rows, self.pack)

    def confidence(self, snapshot: EvidenceSnapshot) -> dict[str, float]:
        """Return the confidence of each force and, under `brief`, of the brief."""
        book = self.book(snapshot)
        forces = tuple(assess_force(part, book, OfflineAnalyst())[0] for part in self.pack.forces)
        return {
            **by_force(forces),
            "brief": brief_confidence(decision_confidence(forces), book.evidence_volume()),
        }


def by_force(forces: Iterable[ForceAssessment]) -> dict[str, float]:
    return {force.force: force.confidence for force in forces}


def freeze(items: Iterable[EvidenceItem], *, documents: int = 0, folds: int = 0) -> EvidenceSnapshot:
    rows = tuple(sorted({item.id: item for item in items}.values(), key=lambda item: item.id))
    return EvidenceSnapshot(
        schema_version=1,
        run_id="run-1",
        snapshot_id=evidence_snapshot_id(rows),
        evidence=rows,
        queries_executed=0,
        documents_captured=documents,
        duplicates_folded=folds,
        tools={},
    )


def told(candidate: Candidate) -> dict[str, Any]:
    """Return everything a candidate says, without the snapshot's id."""
    return candidate.model_dump(mode="json", exclude={"snapshot_id", "analyst"})


def page_of(candidate: Candidate, snapshot: EvidenceSnapshot, claim_id: str) -> str:
    """Return the address of the page a claim quotes."""
    urls = {item.id: item.url for item in snapshot.evidence}
    return next(
        urls[link.evidence_id]
        for link in candidate.links
        if link.claim_id == claim_id and link.rule == "link.own_quote"
    )
