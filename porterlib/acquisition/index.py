"""An in-memory full-text index over passages: SQLite FTS5 with BM25, Porter stems and weighted titles.

The order of passages comes from BM25, which weighs words by the corpus at hand. Whether a passage is a lead
at all is decided by fixed background weights, so that other documents cannot make one appear or vanish.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple
from weakref import finalize

from porterlib.evaluation.support import idf, tokens
from porterlib.evaluation.support.words import FUNCTION_WORDS

TITLE_WEIGHT = 2.0
"""How much more a word counts in the title of a document than in a passage."""
LEAD_SHARE = 0.2
"""Share of a query's rarity-weighted words that one passage must hold to be a lead."""
LEAD_WORDS = 2
"""Distinct words of a query that one passage must hold to be a lead, where the query has that many."""


class PassageHit(NamedTuple):
    """A passage that matches a query."""

    row: int
    """Number of the passage, in the order it was added, from 0."""
    score: float
    """BM25, higher is better; comparable within one query only."""
    share: float
    """Rarity-weighted share of the query's words the passage or its title holds."""


class PassageIndex:
    """Passages with the titles of their documents, searchable by words."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        # Other threads may search, one at a time: the search worker runs its tools in fresh threads.
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE passage USING fts5(title, body, content='', "
            "tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._db.executemany(
            "INSERT INTO passage (rowid, title, body) VALUES (?, ?, ?)",
            ((number, title, body) for number, (title, body) in enumerate(rows)),
        )
        self._holders: dict[str, frozenset[int]] = {}
        self._freed = finalize(self, self._db.close)  # a corpus has no end of its own that would close it

    def close(self) -> None:
        """Free the index."""
        self._freed()

    def search(self, query: str) -> list[PassageHit]:
        """Return the passages that match `query`, best first, ties in the order they were added."""
        words = query_words(query)
        if not words:
            return []
        shares = self._shares(words)
        found = self._db.execute(
            "SELECT rowid, bm25(passage, ?, 1.0) FROM passage WHERE passage MATCH ?",
            (TITLE_WEIGHT, " OR ".join(f'"{word}"' for word in words)),
        ).fetchall()
        hits = [PassageHit(row, round(-score, 6), shares[row]) for row, score in found if row in shares]
        return sorted(hits, key=lambda hit: (-hit.score, hit.row))

    def _shares(self, words: Sequence[str]) -> dict[int, float]:
        """Return the passages that hold enough of `words`, each with the share it holds."""
        weights = {word: idf(word) for word in words}
        total = fsum(weights.values())
        held: dict[int, float] = {}
        count: dict[int, int] = {}
        for word in words:
            for row in self._rows_with(word):
                held[row] = held.get(row, 0.0) + weights[word]
                count[row] = count.get(row, 0) + 1
        least = min(LEAD_WORDS, len(words))
        return {
            row: round(weight / total, 6)
            for row, weight in held.items()
            if count[row] >= least and weight >= LEAD_SHARE * total
        }

    def _rows_with(self, word: str) -> frozenset[int]:
        rows = self._holders.get(word)
        if rows is None:
            found = self._db.execute("SELECT rowid FROM passage WHERE passage MATCH ?", (f'"{word}"',))
            rows = self._holders[word] = frozenset(row for (row,) in found)
        return rows


def query_words(query: str) -> tuple[str, ...]:
    """Return the distinct words of a query that carry content, in order."""
    return tuple(
        word for word in dict.fromkeys(tokens(query)) if word not in FUNCTION_WORDS and len(word) > 1
    )
