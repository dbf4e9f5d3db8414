"""Reads frozen passages: which clause bears on which driver, in which direction, and how well it reads.

What one passage yields depends on that passage, the pack and the decision alone, never on other documents, so
that an irrelevant document, a duplicate or another order of documents changes no reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from porterlib.analysis.subject import Subject
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.strength import link_strength
from porterlib.evaluation.support import entities, numbers, sentences
from porterlib.sectors import CueSet, DriverReading, PackCues, tokenise

Direction = Literal["raises", "lowers", "neutral"]

SHORTEST, LONGEST = 6, 42
"""Words a clause may have; shorter says nothing on its own, longer is not read."""
ON_SUBJECT = 0.5
"""Relevance from which a clause is about the decision's own subject."""
COMFORTABLE = 20
"""Words up to which a clause fits into a sentence of the brief."""

_CUT = re.compile(r"[;:] | [–—-] |, (?:which|and|but|so|while|whereas|because|although|including) ")
_LEAD = re.compile(
    r"^(?:[\s•·*\-–—>#]+|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s+|[A-Z]{2,}[- ]\d+(?:\.\d+)*:\s+"
    r"|(?:First|Second|Third|Fourth|Finally|Lastly|For example|For instance|In addition|Additionally|Moreover"
    r"|Furthermore|Further|Similarly|However|Also|Indeed|Thus|Therefore|As a result|At the same time|In particular"
    r"|Specifically|More broadly|Meanwhile|Accordingly|Consequently|In turn|Of course|To be sure),\s+)+"
)
_MODAL = frozenset(("may", "might", "could", "can", "would", "should", "potential", "potentially", "if"))
_DEPENDENT = frozenset(
    """
    this these those it they such he she its their there here however moreover therefore thus hence also
    furthermore additionally similarly finally instead accordingly consequently that which who and but
    or so because where when if as we our us i you your
    """.split()
)
_BOILERPLATE = re.compile(
    r"synthetic (?:test|material|page|document|text)|forward-looking statement|cookie|all rights reserved"
    r"|click here|table of contents|subscribe",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clause:
    """A span of a passage that bears on one driver."""

    item: EvidenceItem
    start: int
    end: int
    force: Force | None
    driver_id: str | None
    direction: Direction
    cues: int
    strength: float
    adverse: bool
    favourable: bool
    grows: bool
    eases: bool
    controls: tuple[str, ...]
    on_topic: float
    in_sector: bool

    @property
    def text(self) -> str:
        """Return the clause, byte for byte from the passage."""
        return self.item.passage[self.start : self.end]

    @cached_property
    def words(self) -> int:
        """Return the number of words."""
        return len(self.text.split())

    @cached_property
    def has_figure(self) -> bool:
        """Return whether the clause states a quantity."""
        return bool(numbers(self.text))

    @cached_property
    def rank(self) -> float:
        """Return how well the clause serves as a lead, from relevance, strength and readability."""
        return round(
            1.2 * min(self.cues, 3)
            + 2.0 * self.on_topic
            + 2.0 * self.strength
            + (0.9 if self.has_figure else 0.0)
            + (0.4 if entities(self.text) else 0.0)
            - (1.5 if _dependent(self.text) else 0.0)
            - (0.8 if _MODAL & set(self.text.casefold().split()) else 0.0)
            - (2.0 if ": " in self.text else 0.0)
            - (0.0 if self.in_sector else 1.5)
            - 0.15 * max(0, self.words - COMFORTABLE),
            6,
        )


class Reader:
    """Reads passages through one pack and one decision."""

    def __init__(self, pack: SectorPack, subject: Subject) -> None:
        self._pack = pack
        self._subject = subject
        self._cues = PackCues(pack)
        self._adverse, self._favourable = CueSet(pack.adverse), CueSet(pack.favourable)
        self._up, self._down = CueSet(pack.trend_up), CueSet(pack.trend_down)

    def read(self, snapshot: EvidenceSnapshot) -> tuple[Clause, ...]:
        """Return every clause of the snapshot that bears on a driver, in order of evidence id."""
        return tuple(clause for item in snapshot.evidence for clause in self._passage(item))

    def _passage(self, item: EvidenceItem) -> Iterator[Clause]:
        strength = link_strength(item, self._pack.evidence_policy)
        for start, end in sentences(item.passage):
            yield from self._sentence(item, start, end, strength)

    def _sentence(self, item: EvidenceItem, start: int, end: int, strength: float) -> Iterator[Clause]:
        start, end = _trimmed(item.passage, start, end)
        if not _readable(item.passage[start:end]):
            return
        tokens = tokenise(item.passage[start:end])
        read = False
        for reading in _foremost(self._cues.read(tokens)):
            span = self._shortened(item.passage, start, end, reading)
            if span is not None:
                read = True
                yield self._clause(item, span, reading, strength)
        if not read and len(tokens) <= LONGEST:
            loose = self._clause(item, (start, end), None, strength)
            if loose.controls or ((loose.adverse or loose.favourable) and loose.on_topic >= ON_SUBJECT):
                yield loose

    def _clause(
        self, item: EvidenceItem, span: tuple[int, int], reading: DriverReading | None, strength: float
    ) -> Clause:
        tokens = tokenise(item.passage[span[0] : span[1]])
        adverse, favourable = _net(self._adverse, self._favourable, tokens)
        up, down = _net(self._up, self._down, tokens)
        if not _MODAL.isdisjoint(tokens):
            up = down = False  # what may happen is no report of change
        return Clause(
            item=item,
            start=span[0],
            end=span[1],
            force=reading.force if reading else None,
            driver_id=reading.driver_id if reading else None,
            direction=_direction(reading) if reading else "neutral",
            cues=len(reading.raises) + len(reading.lowers) if reading else 0,
            strength=strength,
            adverse=adverse,
            favourable=favourable,
            grows=up,
            eases=down,
            controls=tuple(self._cues.controls(tokens)),
            on_topic=self._subject.relevance(tokens, item),
            in_sector=self._subject.in_sector(tokens),
        )

    def _shortened(
        self, passage: str, start: int, end: int, reading: DriverReading
    ) -> tuple[int, int] | None:
        """Return the shortest leading clause that still says the same of the driver, or None if none is short."""
        for cut in [m.start() for m in _CUT.finditer(passage, start, end)]:
            part = passage[start:cut]
            if (
                len(part.split()) < 9
                or part.count("(") != part.count(")")
                or part.count("“") != part.count("”")
            ):
                continue
            for again in self._cues.read(tokenise(part)):
                if again.driver_id == reading.driver_id and again.direction == reading.direction:
                    return (start, cut) if len(part.split()) <= LONGEST else None
        return (start, end) if len(passage[start:end].split()) <= LONGEST else None


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


def _trimmed(passage: str, start: int, end: int) -> tuple[int, int]:
    lead = _LEAD.match(passage[start:end])
    start += lead.end() if lead else 0
    while start < end and passage[start].isspace():
        start += 1
    while end > start and passage[end - 1].isspace():
        end -= 1
    return start, end


def _readable(text: str) -> bool:
    words = text.split()
    # A heading or title ends without a stop and states nothing.
    if len(words) < SHORTEST or not text.endswith((".", ";", "”", '"', ")")) or _BOILERPLATE.search(text):
        return False
    letters = sum(char.isalpha() for char in text)
    return letters >= 0.6 * len(text) and not text.isupper()


def _dependent(text: str) -> bool:
    first = text.split(maxsplit=1)[0].strip("“\"'(,").casefold()
    return first in _DEPENDENT
