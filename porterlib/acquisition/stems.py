"""The vocabulary of a pack's topics: stems that a text uses or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

Stem = tuple[int, str]
"""Number of a topic, and a stem of its vocabulary."""
_WHOLE = 3  # stems up to this length, such as "ai", stand for themselves


def uses(words: Set[str], stem: str) -> bool:
    """Tell whether one of `words` is `stem` or, for a stem of more than three letters, begins with it.

    >>> uses({"models"}, "model"), uses({"aisle"}, "ai")
    (True, False)
    """
    return stem in words or (len(stem) > _WHOLE and any(word.startswith(stem) for word in words))


class StemTable:
    """The stems of several topics, to be asked word by word."""

    def __init__(self, topics: Sequence[Iterable[str]]) -> None:
        self._rows: dict[str, frozenset[Stem]] = {}
        for at, stems in enumerate(topics):
            for stem in stems:
                self._rows[stem] = self._rows.get(stem, frozenset()) | {(at, stem)}
        self._lengths = sorted({len(stem) for stem in self._rows if len(stem) > _WHOLE})
        self._known: dict[str, frozenset[Stem]] = {}

    def used_by(self, word: str) -> frozenset[Stem]:
        """Return the stems that `uses` finds in `word` alone.

        >>> sorted(StemTable([["model", "ai"], ["mode"]]).used_by("models"))
        [(0, 'model'), (1, 'mode')]
        """
        known = self._known.get(word)
        if known is None:
            starts = {word, *(word[:length] for length in self._lengths)}
            rows = (self._rows[start] for start in starts if start in self._rows)
            known = self._known[word] = frozenset().union(*rows)
        return known
