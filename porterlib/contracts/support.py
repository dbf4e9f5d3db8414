"""What the support screen hands over: a score, what agrees, and what does not."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.base import Contract, Score01, Text

DisagreementKind = Literal[
    "number",
    "date",
    "reference",
    "negation",
    "direction",
    "comparative",
    "opposite",
    "alternative",
    "name",
    "wording",
]


class Disagreement(Contract):
    """One point at which a claim and the best matching part of its evidence differ."""

    kind: DisagreementKind
    """What differs."""
    claim_part: Text
    """The words of the claim."""
    evidence_part: str = ""
    """The words of the evidence against them; empty where the evidence is silent on the point."""
    note: Text
    """The difference in one plain sentence."""

    @property
    def conflicting(self) -> bool:
        """Whether the evidence says something else, rather than nothing."""
        return bool(self.evidence_part)


class SupportScreen(Contract):
    """How the wording of a claim compares with its evidence. It orders and flags; it proves nothing."""

    supported: bool
    """Whether the wording of the evidence carries the claim well enough."""
    score: Score01
    """How well it does; not a probability of truth."""
    contradicted: bool
    """Whether the best matching part of the evidence says something that the claim excludes."""
    numbers_agree: bool
    """Every number and reference of the claim stands in the evidence; true for a claim without any."""
    dates_agree: bool
    """Every date of the claim fits one in the evidence; true for a claim without dates."""
    negation_agrees: bool
    """Claim and evidence are both affirmed or both denied where they match."""
    direction_agrees: bool
    """Neither rise stands against fall, nor more against less, nor a word against its opposite."""
    entities_agree: bool
    """Every name of the claim stands in the evidence; a subject may be left to its context."""
    lexical_score: Score01
    """Share of the claim's content words found in the best matching part, weighted by how rare each is."""
    best_match: str = ""
    """The sentence or sentences of the evidence that were compared, joined by a space."""
    disagreements: tuple[Disagreement, ...] = Field((), description="What differs, conflicts first.")
