"""Chooses the passages of a page that become evidence (rule 7.1).

A passage is chosen because its sentences meet the pack's cues for a driver and say which way it points, or
because they report a good or bad outcome in a passage on the decision's topics; never because it stands at the
head of a page. The choice depends on the page, the pack and the decision's topics alone: adding, reordering or
removing other pages changes nothing for this one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from porterlib.acquisition.filing import FiledPage
from porterlib.acquisition.passages import Passage, cut_passages
from porterlib.acquisition.stems import Stem, StemTable
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.evidence import EvidenceItem
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.support import sentences
from porterlib.hashing import short_id
from porterlib.sectors import CueSet, DriverReading, cues_of, tokenise

_FIGURE = re.compile(
    r"\d+(?:[.,]\d+)*\s?(?:%|per cent|percent|billion|million|bn|m\b|months?\b|years?\b|of\b)"
)
_SHORTEST = 5  # words below which a sentence is a heading, a label or a list mark


@dataclass(frozen=True)
class PromotionPolicy:
    """The numbers by which passages are chosen; the only place that holds them."""

    passages_a_force: int = 4
    """Most passages of one page that serve one force."""
    directional: float = 1.0
    """Weight of a sentence that is about a driver and says which way it points."""
    further_directional: float = 0.3
    """Weight of each further such sentence of the passage."""
    naming: float = 0.1
    """Weight of a sentence that only names a driver's subject."""
    on_topic: float = 0.6
    """Added when the passage uses the vocabulary of the decision's topics."""
    topic_words: int = 3
    """Distinct stems of one topic's vocabulary a passage must use to count as on topic."""
    with_figure: float = 0.2
    """Added when a directional sentence gives a quantity."""
    threshold: float = 1.0
    """Least score of a passage that becomes evidence; naming alone stays below it."""
    outcomes_a_page: int = 3
    """Most passages of one page that are kept for an outcome they report on topic, whatever their driver."""
    outcome_topic_words: int = 2
    """Distinct stems of one topic's vocabulary a passage must use for its outcome to count."""
    naming_most: float = 0.4
    """Most that sentences which only name a subject add."""


class Promoted(NamedTuple):
    """A passage that becomes evidence, and the forces it serves."""

    passage: Passage
    """Span in the text of the page."""
    forces: tuple[Force, ...]
    """Forces it bears on, in the order of `FORCES`."""


class _Reading(NamedTuple):
    reading: DriverReading
    sentence: str

    @property
    def telling(self) -> bool:
        return self.reading.direction != "neutral"


class _PassageReading(NamedTuple):
    readings: list[_Reading]
    on_topic: bool
    outcomes: int  # cues of good and bad outcomes that its sentences meet, where it names a topic


class _Scored(NamedTuple):
    passage: Passage
    score: float
    points: frozenset[tuple[str, str]]  # driver and direction


class Promoter:
    """Chooses passages for one pack and one set of topics; compiles the pack's cues once."""

    def __init__(
        self, pack: SectorPack, topics: Iterable[str], policy: PromotionPolicy | None = None
    ) -> None:
        self.policy = policy or PromotionPolicy()
        self._cues = cues_of(pack)
        self._outcomes = CueSet((*pack.adverse, *pack.favourable))
        self._terms = [tuple(pack.topic_terms.get(topic, ())) for topic in topics]
        self._stems = StemTable(self._terms)

    def promote(self, filed: FiledPage) -> tuple[EvidenceItem, ...]:
        """Return the evidence a page yields, in order of offset; empty when no passage bears on a driver."""
        page = filed.page
        return tuple(
            _item(filed, chosen) for chosen in self.choose(page.text, cut_passages(page.text, page.headings))
        )

    def choose(self, text: str, passages: Iterable[Passage]) -> tuple[Promoted, ...]:
        """Return the passages of `text` that become evidence, in order of offset."""
        scored: dict[Force, list[_Scored]] = {force: [] for force in FORCES}
        reporting: list[tuple[int, Passage]] = []
        for passage in passages:
            read = self._read(text[passage.start : passage.end])
            for force, row in self._scores(passage, read).items():
                scored[force].append(row)
            if read.outcomes:
                reporting.append((-read.outcomes, passage))
        serves: dict[Passage, list[Force]] = {}
        for force in FORCES:
            for row in _spread(scored[force], self.policy.passages_a_force):
                serves.setdefault(row.passage, []).append(force)
        for _, passage in sorted(reporting)[: self.policy.outcomes_a_page]:
            serves.setdefault(passage, [])
        return tuple(Promoted(passage, tuple(serves[passage])) for passage in sorted(serves))

    def _read(self, body: str) -> _PassageReading:
        readings: list[_Reading] = []
        vocabulary: set[str] = set()
        spoken: list[tuple[str, ...]] = []
        for start, end in sentences(body):
            words = tokenise(body[start:end])
            vocabulary.update(words)
            if len(words) >= _SHORTEST:
                readings += [_Reading(row, body[start:end]) for row in self._cues.read(words)]
                spoken.append(words)
        used = frozenset[Stem]().union(*map(self._stems.used_by, vocabulary))
        most = max(Counter(topic for topic, _ in used).values(), default=0)
        named = most >= self.policy.outcome_topic_words
        # Outcomes count on a named topic only, so they are looked for there only.
        outcomes = sum(len(self._outcomes.hits(words)) for words in spoken) if named else 0
        return _PassageReading(readings, most >= self.policy.topic_words, outcomes)

    def _scores(self, passage: Passage, read: _PassageReading) -> dict[Force, _Scored]:
        forces = {row.reading.force for row in read.readings if row.telling}
        bonus = self.policy.on_topic if read.on_topic else 0.0
        rows = {
            force: self._score(passage, [row for row in read.readings if row.reading.force == force], bonus)
            for force in sorted(forces)
        }
        return {force: row for force, row in rows.items() if row.score >= self.policy.threshold}

    def _score(self, passage: Passage, readings: list[_Reading], bonus: float) -> _Scored:
        policy = self.policy
        telling = [row for row in readings if row.telling]
        naming = min(policy.naming_most, policy.naming * (len(readings) - len(telling)))
        score = policy.directional + policy.further_directional * (len(telling) - 1) + naming + bonus
        if any(_FIGURE.search(row.sentence) for row in telling):
            score += policy.with_figure
        points = frozenset((row.reading.driver_id, row.reading.direction) for row in telling)
        return _Scored(passage, round(score, 6), points)


def _spread(rows: list[_Scored], most: int) -> list[_Scored]:
    """Return the best rows, first one for each driver and direction, then the rest; ties by offset."""
    ordered = sorted(rows, key=lambda row: (-row.score, row.passage))
    chosen: list[_Scored] = []
    met: set[tuple[str, str]] = set()
    for row in ordered:
        if not row.points <= met and len(chosen) < most:
            chosen.append(row)
            met |= row.points
    rest = (row for row in ordered if row not in chosen)
    return [*chosen, *list(rest)[: most - len(chosen)]]


def _item(filed: FiledPage, chosen: Promoted) -> EvidenceItem:
    page, (start, end) = filed.page, chosen.passage
    return EvidenceItem(
        id=evidence_id(page.text_sha256, start, end),
        url=filed.url,
        publisher=filed.publisher,
        publisher_key=filed.publisher_key,
        title=filed.title,
        origin=filed.origin,
        source_class=filed.source_class,
        class_basis="declared" if filed.declared else "policy",
        published=page.published,
        retrieved_at=page.retrieved_at,
        content_sha256=page.raw_sha256,
        text_sha256=page.text_sha256,
        passage=page.text[start:end],
        start=start,
        end=end,
        forces=chosen.forces,
        authority=filed.authority,
        quality=filed.quality,
        freshness=filed.freshness,
        applicability=filed.applicability,
    )


def evidence_id(text_sha256: str, start: int, end: int) -> str:
    """Return the id of a passage: the same wherever and whenever the same text is captured."""
    return short_id("E", "evidence", {"text_sha256": text_sha256, "start": start, "end": end})
