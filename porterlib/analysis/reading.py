"""Reads frozen passages: which clause bears on which driver, in which direction, and how well it reads.

What one passage yields depends on that passage, the pack and the decision alone, never on other documents, so
that an irrelevant document, a duplicate or another order of documents changes no reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from porterlib.analysis.subject import Setting, Subject
from porterlib.analysis.wording import (
    LONGEST,
    QUOTABLE,
    dependent,
    leading_parts,
    parts,
    possible,
    readable,
    states,
    untidy,
)
from porterlib.analyst.ranking import ON_SUBJECT, lead_rank
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.strength import link_strength
from porterlib.evaluation.support import entities, numbers, sentences
from porterlib.sectors import CueSet, DriverReading, cues_of, tokenise

Direction = Literal["raises", "lowers", "neutral"]
Side = Literal["act", "caution"]

_UNCHANGED = frozenset(("unchanged", "flat", "steady", "constant"))
_OLD_MEANS = frozenset(("manual", "manually", "human", "rules"))
_SUBJECT_WORDS = 5
_CONTRAST = ("but", "however", "yet", "nevertheless", "nonetheless")


@dataclass(frozen=True)
class Said:
    """What the words of a clause say by themselves, whatever it is read for."""

    adverse: bool
    """Reports that a course like this went badly."""
    favourable: bool
    """Reports that it went well."""
    possible: bool
    """Speaks of what may happen only."""
    grows: bool
    eases: bool
    flat: bool
    """Reports no change."""
    controls: tuple[str, ...]


@dataclass(frozen=True)
class Clause(Said):
    """A span of a passage that bears on a driver, a control or the outcome of a course like the one decided."""

    item: EvidenceItem
    start: int
    end: int
    force: Force | None
    driver_id: str | None
    direction: Direction
    side: Side | None
    """What it argues for through its driver."""
    cues: int
    strength: float
    on_topic: float
    product: float
    """1 when the clause names the decision's product, a half when the words before it do, 0 when neither does."""
    sector: float
    """1 when the clause names the sector, a half when only its passage does, 0 when neither does."""

    @property
    def outcome(self) -> Literal["adverse", "favourable"] | None:
        """Return the outcome the clause reports, unless its driver argues the other way."""
        if self.adverse and self.side != "act":
            return "adverse"
        return "favourable" if self.favourable and self.side != "caution" else None

    @property
    def text(self) -> str:
        """Return the clause, byte for byte from the passage."""
        return self.item.passage[self.start : self.end]

    @property
    def document(self) -> str:
        """Return what identifies the document."""
        return self.item.text_sha256

    @cached_property
    def words(self) -> int:
        """Return the number of words."""
        return len(self.text.split())

    @cached_property
    def has_figure(self) -> bool:
        """Return whether the clause states a quantity."""
        return any(quantity.unit != "ordinal" for quantity in numbers(self.text))

    @cached_property
    def quotable(self) -> bool:
        """Return whether the clause can stand in quotation marks in the brief's own text."""
        return self.words <= QUOTABLE and states(self.text) and not untidy(self.text)

    @cached_property
    def rank(self) -> float:
        """Return how well the clause serves as a lead: relevance first, then strength and readability."""
        return lead_rank(
            {
                "cues": self.cues,
                "on_topic": self.on_topic,
                "strength": self.strength,
                "figure": self.has_figure,
                "named": bool(entities(self.text)),
                "sector": self.sector,
                "dependent": dependent(self.text),
                "possible": self.possible,
                "quotable": self.quotable,
                "words": self.words,
            }
        )


class Reader:
    """Reads passages through one pack and one decision."""

    def __init__(self, pack: SectorPack, subject: Subject) -> None:
        self._pack = pack
        self._subject = subject
        self._cues = cues_of(pack)
        self._adverse, self._favourable = CueSet(pack.adverse), CueSet(pack.favourable)
        self._up, self._down = CueSet(pack.trend_up), CueSet(pack.trend_down)
        self._argues = {d.id: d.argues for part in pack.forces for d in part.drivers}
        self._heard: dict[str, tuple[tuple[str, ...], Said]] = {}
        self._clauses: dict[EvidenceItem, tuple[Clause, ...]] = {}

    def read(self, snapshot: EvidenceSnapshot) -> tuple[Clause, ...]:
        """Return every clause of the snapshot that bears on something, in order of evidence id.

        A passage is read once, however many attempts ask for it.
        """
        for item in snapshot.evidence:
            if item not in self._clauses:
                self._clauses[item] = tuple(self.passage(item))
        return tuple(clause for item in snapshot.evidence for clause in self._clauses[item])

    def passage(self, item: EvidenceItem) -> Iterator[Clause]:
        """Yield the clauses of one passage; none when it speaks neither of the sector nor of the topics."""
        setting = self._subject.opening(item.title, item.passage)
        if setting is None:
            return
        strength = link_strength(item, self._pack.evidence_policy)
        for sentence in sentences(item.passage):
            for start, end in parts(item.passage, *sentence):
                if readable(item.passage[start:end]):
                    yield from self._sentence(item, (start, end), setting, strength)
                setting = self._subject.after(setting, item.passage[start:end])

    def _sentence(
        self, item: EvidenceItem, span: tuple[int, int], setting: Setting, strength: float
    ) -> Iterator[Clause]:
        tokens = tokenise(item.passage[span[0] : span[1]])
        whole = len(tokens) <= LONGEST
        reporting = False
        for reading in _foremost(self._cues.read(tokens)):
            short = self._shortened(item.passage, span, reading)
            if short is not None:
                clause = self._clause(item, short, reading, setting, strength)
                reporting = reporting or clause.outcome is not None
                yield clause
        if not whole:
            return
        loose = self._clause(item, span, None, setting, strength)
        outcome = loose.outcome and loose.on_topic >= ON_SUBJECT
        if not reporting and (outcome or loose.controls):
            yield loose

    def _clause(
        self,
        item: EvidenceItem,
        span: tuple[int, int],
        reading: DriverReading | None,
        setting: Setting,
        strength: float,
    ) -> Clause:
        text = item.passage[span[0] : span[1]]
        heard = self._heard.get(text)
        if heard is None:  # asked once a driver, and again where passages overlap
            heard = self._heard[text] = self._hear(text)
        tokens, said = heard
        return Clause(
            **vars(said),
            item=item,
            start=span[0],
            end=span[1],
            force=reading.force if reading else None,
            driver_id=reading.driver_id if reading else None,
            direction=_direction(reading) if reading else "neutral",
            side=_side(reading, self._argues) if reading else None,
            cues=len(reading.raises) + len(reading.lowers) if reading else 0,
            strength=strength,
            on_topic=self._subject.relevance(tokens, setting, item.applicability),
            product=_nearness(self._subject.product(tokens), setting.product),
            sector=_nearness(self._subject.sector(tokens), setting.sector),
        )

    def _hear(self, text: str) -> tuple[tuple[str, ...], Said]:
        """Return the words of a clause and what they say."""
        tokens = tokenise(text)
        adverse, favourable = _outcome(self._adverse, self._favourable, tokens)
        if not (self._subject.topic(tokens) or _OLD_MEANS.isdisjoint(tokens[:_SUBJECT_WORDS])):
            adverse, favourable = favourable, adverse  # how the old way fared speaks the other way round
        maybe = possible(text)
        up, down = (False, False) if maybe else _net(self._up, self._down, tokens)
        return tokens, Said(
            adverse=adverse,
            favourable=favourable,
            possible=maybe,
            grows=up,
            eases=down,
            flat=not (up or down or maybe) and not _UNCHANGED.isdisjoint(tokens),
            controls=tuple(self._cues.controls(tokens)),
        )

    def _shortened(
        self, passage: str, span: tuple[int, int], reading: DriverReading
    ) -> tuple[int, int] | None:
        """Return the shortest leading clause that still says the same of the driver, or None if none is short."""
        for start, end in leading_parts(passage, *span):
            part = passage[start:end]
            for again in self._cues.read(tokenise(part)):
                if again.driver_id == reading.driver_id and again.direction == reading.direction:
                    return (start, end) if len(part.split()) <= LONGEST else None
        return span if len(passage[span[0] : span[1]].split()) <= LONGEST else None


def _side(reading: DriverReading, argues: Mapping[str, Side]) -> Side | None:
    high = argues[reading.driver_id]
    if reading.direction == "raises":
        return high
    if reading.direction == "lowers":
        return "caution" if high == "act" else "act"
    return None


def _nearness(named: bool, near: bool) -> float:
    return 1.0 if named else 0.5 if near else 0.0


def _foremost(readings: tuple[DriverReading, ...]) -> Iterator[DriverReading]:
    """Yield one reading a force, the one with most cues: a sentence counts once within a force."""
    best: dict[Force, DriverReading] = {}
    for reading in readings:
        held = best.get(reading.force)
        if held is None or _weight(reading) > _weight(held):
            best[reading.force] = reading
    yield from best.values()


def _weight(reading: DriverReading) -> tuple[int, int]:
    return (len(reading.raises) + len(reading.lowers), len(reading.topic))


def _direction(reading: DriverReading) -> Direction:
    return reading.direction if reading.direction in ("raises", "lowers") else "neutral"


def _net(plus: CueSet, minus: CueSet, tokens: tuple[str, ...]) -> tuple[bool, bool]:
    """Return whether `plus` and `minus` are reported; a negated cue counts for the other side."""
    forward, backward = plus.hits(tokens), minus.hits(tokens)
    yes = any(not hit.negated for hit in forward) or any(hit.negated for hit in backward)
    no = any(not hit.negated for hit in backward) or any(hit.negated for hit in forward)
    return yes and not no, no and not yes


def _outcome(adverse: CueSet, favourable: CueSet, tokens: tuple[str, ...]) -> tuple[bool, bool]:
    """Return whether a bad or a good outcome is told; where both are, the words after the last "but" decide."""
    found = _net(adverse, favourable, tokens)
    if any(found):
        return found
    turns = [at for at, word in enumerate(tokens) if word in _CONTRAST]
    return _net(adverse, favourable, tokens[turns[-1] + 1 :]) if turns else found
