"""Captured passages, claims, links between them, and the frozen snapshot (rules 7.1 to 7.7)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Force, Score01, Sha256, Text, UtcTime, Versioned
from porterlib.contracts.sector import SourceClass

Origin = Literal["web", "corpus", "internal", "user", "calculator"]
Stance = Literal["supports", "contradicts", "context"]
ClaimKind = Literal[
    "external_fact",
    "internal_fact",
    "inference",
    "assumption",
    "calculation",
    "recommendation",
    "model_prior",
]
PUBLIC_CLASSES: frozenset[SourceClass] = frozenset(
    (
        "regulator",
        "legislation",
        "official_statistics",
        "audited_filing",
        "company_disclosure",
        "academic",
        "industry_research",
        "reputable_media",
        "vendor",
    )
)


class EvidenceItem(Contract):
    """One passage of frozen text with its source and scores."""

    id: Text
    """`E-…`, derived from text digest and offsets, so two runs over one document agree."""
    url: Text
    """Canonical URL, or `corpus:` id of a local document without one."""
    publisher: Text
    """Publisher as printed."""
    publisher_key: Text
    """What counts as one publisher: owner or registrable domain."""
    title: str = ""
    """Title of the page."""
    origin: Origin
    """How it entered."""
    source_class: SourceClass
    """Class of source."""
    class_basis: Literal["declared", "policy", "application"]
    """Whether a manifest declared the class or policy decided it."""
    published: str | None = None
    """ISO date or partial date; absent when the page gives none."""
    retrieved_at: UtcTime
    """When it was captured; not part of any fingerprint."""
    content_sha256: Sha256
    """Digest of the raw bytes."""
    text_sha256: Sha256
    """Digest of the extracted text, in which the offsets count."""
    passage: Text
    """The passage, exactly `text[start:end]`."""
    start: int = Field(ge=0)
    """First character of the passage in the extracted text."""
    end: int = Field(ge=1)
    """Character after the last one."""
    forces: tuple[Force, ...] = ()
    """Forces whose questions it bears on."""
    authority: Score01
    """Authority of the class."""
    quality: Score01
    """Quality of the source."""
    freshness: Score01
    """From the published date against the cutoff; .5 when undated."""
    applicability: Score01
    """Match with jurisdiction, product and period; .6 when unknown."""

    @model_validator(mode="after")
    def _coherent(self) -> EvidenceItem:
        if self.end - self.start != len(self.passage):
            raise ValueError("passage: its length differs from end - start")
        public = self.origin in {"web", "corpus"}
        if public != (self.source_class in PUBLIC_CLASSES):
            raise ValueError(f"source_class: {self.source_class!r} does not fit origin {self.origin!r}")
        return self


class Gap(Contract):
    """Something that was looked for and not obtained, or refused."""

    force: Force | None = None
    """Force it concerns, if one."""
    rule: Text
    """Stable rule or reason name, such as `media_type_refused`."""
    subject: Text
    """What it concerns: a source id, a query id or a driver; never confidential text."""
    note: str = ""
    """What to get or do instead."""


class EvidenceSnapshot(Versioned):
    """The frozen evidence of a run; analysis reads nothing else."""

    run_id: Text
    """Run that gathered it."""
    snapshot_id: Sha256
    """Digest over the canonical evidence in order of id, without times and run-scoped ids."""
    evidence: tuple[EvidenceItem, ...]
    """Passages in order of id."""
    gaps: tuple[Gap, ...] = ()
    """What was refused or not found."""
    queries_executed: int = Field(ge=0)
    """Number of queries executed."""
    documents_captured: int = Field(ge=0)
    """Number of documents captured."""
    duplicates_folded: int = Field(0, ge=0)
    """Number of documents that repeat another one and count once."""
    tools: dict[str, str] = Field(default_factory=dict)
    """Versions of extractor and SQLite, which sameness across machines depends on."""

    @property
    def uncovered(self) -> tuple[Force, ...]:
        """Forces without any promoted evidence."""
        from porterlib.contracts.base import FORCES

        covered = {force for item in self.evidence for force in item.forces}
        return tuple(force for force in FORCES if force not in covered)


class SupportLevels(Contract):
    """The four levels of rule 7.6, each shown apart; none is proof of truth."""

    retrieved: bool
    """The page was captured and its hash recorded."""
    verbatim: bool
    """The quote occurs byte for byte in the frozen text."""
    agrees: bool
    """Numbers, dates, negation and direction agree."""
    lexical: bool
    """Wording overlaps enough."""

    @property
    def all(self) -> bool:
        """True when every level is passed."""
        return self.retrieved and self.verbatim and self.agrees and self.lexical


class Claim(Contract):
    """One statement of the analysis."""

    id: Text
    """`C-…`, derived from kind, text and bearing."""
    kind: ClaimKind
    """What sort of statement it is."""
    text: Text
    """The statement; for facts a clause of the evidence."""
    force: Force | None = None
    """Force it bears on."""
    hypothesis_id: str | None = None
    """Hypothesis it bears on."""
    driver_id: str | None = None
    """Driver it bears on."""
    direction: Literal["raises", "lowers", "neutral"] = "neutral"
    """Whether it reports higher or lower pressure."""
    basis: tuple[str, ...] = ()
    """Claim, assumption or calculation ids an inference rests on."""
    material: bool = False
    """True when recommendation, rating, score, gate or economics cites it; the application decides."""
    strength: float = Field(0.0, ge=0)
    """Best supporting link plus a quarter of the next two from other publishers."""
    agreement: Score01 | None = None
    """Share of the publishers on record about it that support it, scored apart from strength; none without links."""
    legal_review: bool = False
    """True for legal or regulatory conclusions, which need a qualified reader."""
    rule: str = ""
    """Name of the rule that made it."""


class ClaimEvidenceLink(Contract):
    """A quote that supports, contradicts or gives context to a claim."""

    id: Text
    """`L-…`, derived from claim, evidence and span."""
    claim_id: Text
    """The claim."""
    evidence_id: Text
    """The evidence."""
    stance: Stance
    """How the quote bears on the claim."""
    quote: Text
    """Exactly `passage[start:end]`, copied by the application."""
    start: int = Field(ge=0)
    """First character of the quote within the passage."""
    end: int = Field(ge=1)
    """Character after the last one, within the passage."""
    levels: SupportLevels
    """Which of the four levels it passes."""
    strength: Score01
    """Authority x quality, halved when stale or hardly applicable."""
    disagreements: tuple[str, ...] = ()
    """What did not agree, in words."""
    rule: str = ""
    """Rule or screen that set the stance."""
