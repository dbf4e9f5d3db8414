"""Chooses the passages of a page that become evidence (rule 7.1).

A passage is chosen because its sentences meet the pack's cues for a driver and say which way it points, or
because they report a good or bad outcome in a passage on the decision's topics; never because it stands at the
head of a page. The choice depends on the page, the pack and the decision's topics
alone: adding, reordering or removing other pages changes nothing for this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from porterlib.acquisition.filing import FiledPage
from porterlib.acquisition.passages import Passage, cut_passages
from porterlib.acquisition.stems import uses
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.evidence import EvidenceItem
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.support import sentences
from porterlib.hashing import short_id
from porterlib.sectors import CueSet, DriverReading, PackCues, tokenise

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
    naming_most: float = 0.4
    """Most that sentences which only name a subject add."""


class Promoted(NamedTuple):
    """A passage that becomes evidence, and the forces it serves."""

    passage: Passage
    """Span in the text of the page."""
    forces: tuple[Force, ...]
    """Forces it bears on, in the order of `FORCES`."""


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
        self._cues = PackCues(pack)
        self._outcomes = CueSet((*pack.adverse, *pack.favourable))
        self._terms = [tuple(pack.topic_terms.get(topic, ())) for topic in topics]

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
            for force, row in self._scores(text, passage).items():
                scored[force].append(row)
            if outcome := self._outcome(text, passage):
                reporting.append((-outcome, passage))
        serves: dict[Passage, list[Force]] = {}
        for force in FORCES:
            for row in _spread(scored[force], self.policy.passages_a_force):
                serves.setdefault(row.passage, []).append(force)
        for _, passage in sorted(reporting)[: self.policy.outcomes_a_page]:
            serves.setdefault(passage, [])
        return tuple(Promoted(passage, tuple(serves[passage])) for passage in sorted(serves))

    def _scores(self, text: str, passage: Passage) -> dict[Force, _Scored]:
        body = text[passage.start : passage.end]
        readings = [
            (reading, bool(_FIGURE.search(body, start, end)))
            for start, end in sentences(body)
            if len(words := tokenise(body[start:end])) >= _SHORTEST
            for reading in self._cues.read(words)
        ]
        forces = {reading.force for reading, _ in readings if reading.direction != "neutral"}
        if not forces:
            return {}
        bonus = self.policy.on_topic if self._on_topic(body) else 0.0
        rows = {
            force: self._score(passage, [row for row in readings if row[0].force == force], bonus)
            for force in sorted(forces)
        }
        return {force: row for force, row in rows.items() if row.score >= self.policy.threshold}

    def _outcome(self, text: str, passage: Passage) -> int:
        """Return how many cues of an outcome the passage meets; none when it is off the decision's topics."""
        body = text[passage.start : passage.end]
        if not self._on_topic(body):
            return 0
        rows = (tokenise(body[start:end]) for start, end in sentences(body))
        return sum(len(self._outcomes.hits(words)) for words in rows if len(words) >= _SHORTEST)

    def _on_topic(self, body: str) -> bool:
        words = frozenset(tokenise(body))
        most = max((sum(uses(words, stem) for stem in stems) for stems in self._terms), default=0)
        return most >= self.policy.topic_words

    def _score(self, passage: Passage, readings: list[tuple[DriverReading, bool]], bonus: float) -> _Scored:
        policy = self.policy
        telling = [(reading, figure) for reading, figure in readings if reading.direction != "neutral"]
        naming = min(policy.naming_most, policy.naming * (len(readings) - len(telling)))
        score = policy.directional + policy.further_directional * (len(telling) - 1) + naming + bonus
        if any(figure for _, figure in telling):
            score += policy.with_figure
        points = frozenset((reading.driver_id, reading.direction) for reading, _ in telling)
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
