"""Ranks passages for a question: BM25 with fixed word weights, and the drivers that question and passage share.

Words are weighed by the background table that ships with the library, never by the passages at hand, so the score of
a passage depends on itself, its document and the question. A pack reads the question as it reads any sentence;
passages about the same drivers are near it even where they use other words. A document counts by its best
passages, and lifts each of them: a passage of a document that is on the subject throughout is the better lead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

from porterlib.evaluation.support import sentences
from porterlib.evaluation.support.background import stem_idf
from porterlib.evaluation.support.words import FUNCTION_WORDS, scan
from porterlib.sectors import PackCues, tokenise

SATURATION = 1.2
"""BM25 k1: how soon a repeated word stops counting."""
LENGTH_PENALTY = 0.75
"""BM25 b: how much a longer passage must say to score the same."""
USUAL_WORDS = 60
"""Words of content in a usual passage; a constant, so that no other passage changes a score."""
TITLE_WEIGHT = 2.0
"""How much a word of the document's title counts."""
DRIVER_WEIGHT = 0.8
"""How much shared drivers count beside words."""
DOCUMENT_WEIGHT = 0.6
"""How much the score of its document lifts a passage."""
PASSAGE_WEIGHTS = (1.0, 0.5, 0.5, 0.3, 0.3)
"""How much the best passages of a document count towards it."""
_ASKING = frozenset(
    "do does did how what which who whom whose when where why could should would may might".split()
)


class SourcePassage(NamedTuple):
    """A passage to rank."""

    document: str
    """Id of its document."""
    title: str
    """Title of its document."""
    text: str
    """The passage."""


class RankedPassage(NamedTuple):
    """A passage and how near it is to the question."""

    place: int
    """Its place among the passages that were ranked."""
    document: str
    """Id of its document."""
    score: float
    """Nearness; comparable within one question."""


class _Read(NamedTuple):
    words: Counter[str]
    title: Counter[str]
    length: int
    about: Counter[str]  # driver to sentences about it
    telling: frozenset[str]  # drivers of which a sentence says which way they point


class PassageRanker:
    """Passages read once, for any number of questions."""

    def __init__(self, passages: Sequence[SourcePassage], cues: PackCues) -> None:
        self._cues = cues
        self._passages = tuple(passages)
        titles = {row.title: Counter(_terms(row.title)) for row in self._passages}
        self._read = [self._reading(row.text, titles[row.title]) for row in self._passages]

    def passages(self, question: str, k: int) -> tuple[RankedPassage, ...]:
        """Return the `k` passages nearest to `question`, ties by document and place."""
        own = self._scores(question)
        documents = self._by_document(own)
        rows = [
            RankedPassage(at, row.document, round(own[at] + DOCUMENT_WEIGHT * documents[row.document], 6))
            for at, row in enumerate(self._passages)
            if own[at] > 0
        ]
        return tuple(sorted(rows, key=lambda row: (-row.score, row.document, row.place))[:k])

    def documents(self, question: str, k: int) -> tuple[str, ...]:
        """Return the `k` documents nearest to `question`, ties by id."""
        scores = self._by_document(self._scores(question))
        return tuple(sorted(scores, key=lambda name: (-scores[name], name))[:k])

    def _reading(self, text: str, title: Counter[str]) -> _Read:
        words = Counter(_terms(text))
        about: Counter[str] = Counter()
        telling: set[str] = set()
        for start, end in sentences(text):
            for reading in self._cues.read(tokenise(text[start:end])):
                about[reading.driver_id] += 1
                if reading.direction != "neutral":
                    telling.add(reading.driver_id)
        return _Read(words, title, words.total(), about, frozenset(telling))

    def _scores(self, question: str) -> list[float]:
        weights = {term: stem_idf(term) for term in _terms(question)}
        drivers = [reading.driver_id for reading in self._cues.read(tokenise(question))]
        return [_bm25(row, weights) + DRIVER_WEIGHT * _shared(row, drivers) for row in self._read]

    def _by_document(self, scores: Iterable[float]) -> dict[str, float]:
        rows: dict[str, list[float]] = {}
        for passage, score in zip(self._passages, scores, strict=True):
            rows.setdefault(passage.document, []).append(score)
        return {
            name: fsum(w * s for w, s in zip(PASSAGE_WEIGHTS, sorted(row, reverse=True), strict=False))
            for name, row in rows.items()
        }


def rank_passages(
    question: str, passages: Sequence[SourcePassage], k: int, *, cues: PackCues
) -> tuple[RankedPassage, ...]:
    """Return the `k` passages nearest to `question`; for several questions keep a `PassageRanker`."""
    return PassageRanker(passages, cues).passages(question, k)


def _terms(text: str) -> list[str]:
    words = scan(text)
    rows = zip(words.surface, words.term, strict=True)
    return [
        term for word, term in rows if len(word) > 1 and word not in FUNCTION_WORDS and word not in _ASKING
    ]


def _bm25(row: _Read, weights: dict[str, float]) -> float:
    """Return BM25 as a share of the question's whole weight, so that long and short questions compare."""
    total = fsum(weights.values())
    norm = SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * row.length / USUAL_WORDS)
    found = 0.0
    for term, weight in weights.items():
        count = row.words[term] + TITLE_WEIGHT * row.title[term]
        if count:
            found += weight * count * (SATURATION + 1) / (count + norm)
    return found / total if total else 0.0


def _shared(row: _Read, drivers: Sequence[str]) -> float:
    """Return how much of the question's drivers a passage is about, 0 to 1; saying the direction counts .4."""
    if not drivers:
        return 0.0
    return fsum(0.3 * min(2, row.about[name]) + 0.4 * (name in row.telling) for name in drivers) / len(
        drivers
    )
