"""Words of a text with their places, and how much of one text's content stands in another.

Weights come from the fixed background table only, so no document can change how another is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from porterlib.evaluation.support.background import stem_idf
from porterlib.evaluation.support.morphology import fold, stem
from porterlib.evaluation.support.wordlists import word_list

_WORD = re.compile(
    r"(?:[A-Z]\.){2,}"  # U.S., U.K., J.P.
    r"|\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?"
    r"|[^\W\d_]+(?:\d+[^\W\d_]*)?(?:['’][^\W\d_]+)?"
    r"|(?<!\w)['’](?=[sS]\b)"
)
_BRACKETS = frozenset(
    {"lrb", "rrb", "lsb", "rsb", "lcb", "rcb"}
)  # what treebank tokenisers write for ( ) [ ] { }
_CONTRACTED = {"can": "can", "ca": "can", "wo": "will", "sha": "shall"}
FUNCTION_WORDS = frozenset(word_list("function"))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text, as parallel tuples of equal length."""

    surface: tuple[str, ...]
    """Folded words as written, contractions opened ("doesn't" → does, not)."""
    term: tuple[str, ...]
    """Their stems."""
    start: tuple[int, ...]
    """Offset of the first character of each word."""
    end: tuple[int, ...]
    """Offset after the last character of each word."""
    capital: tuple[bool, ...]
    """Whether the word is written with a capital first letter."""

    def __len__(self) -> int:
        return len(self.surface)


@lru_cache(maxsize=32768)
def _forms(raw: str) -> tuple[tuple[str, str, bool], ...]:
    """Return `(folded word, stem, capital)` for each word that one written word stands for."""
    return tuple((piece, stem(piece), raw[0].isupper()) for piece in _pieces(raw) if piece)


def _pieces(raw: str) -> tuple[str, ...]:
    """Return one written word as the folded words it stands for."""
    if raw in {"US", "U.S.", "USA", "U.S.A."}:
        return ("usa",)
    word = fold(raw.replace(".", "") if raw[0].isalpha() else raw).replace("’", "'")
    head, mark, tail = word.partition("'")
    if not mark:
        return () if word in _BRACKETS else (word,)
    if word.endswith("n't"):
        return (_CONTRACTED.get(word[:-3], word[:-3]), "not") if word[:-3] else ("not",)
    if tail == "t" and head == "n":
        return ("not",)
    return (head,) if tail in {"s", "d", "ll", "re", "ve", "m"} else (head, tail)


@lru_cache(maxsize=8192)
def scan(text: str) -> Words:
    """Return the words of `text` with places; words that one contraction stands for share its place."""
    rows = [
        (surface, term, match.start(), match.end(), capital)
        for match in _WORD.finditer(text)
        for surface, term, capital in _forms(match.group())
    ]
    if not rows:
        return Words((), (), (), (), ())
    surface, term, start, end, capital = zip(*rows, strict=True)
    return Words(surface, term, start, end, capital)


def tokens(text: str) -> tuple[str, ...]:
    """Return the folded words of `text` in order.

    >>> tokens("The bank doesn’t outsource KYC.")
    ('the', 'bank', 'does', 'not', 'outsource', 'kyc')
    """
    return scan(text).surface


def idf(word: str) -> float:
    """Return the background rarity of a word: near 0 for "the", about 10 for a word never seen.

    >>> idf("the") < idf("bank") < idf("pseudonymisation")
    True
    """
    return stem_idf(stem(word))


def coverage(needed: Iterable[str], present: frozenset[str] | set[str]) -> float:
    """Return the weighted share of the terms `needed` that are `present`; 0 when none is needed."""
    found = total = 0.0
    for term in set(needed):
        weight = stem_idf(term)
        total += weight
        if term in present:
            found += weight
    return found / total if total else 0.0


@lru_cache(maxsize=8192)
def all_terms(text: str) -> frozenset[str]:
    """Return the distinct stems of `text`."""
    return frozenset(scan(text).term)


@lru_cache(maxsize=8192)
def content_terms(text: str) -> frozenset[str]:
    """Return the distinct stems of `text` that are not function words."""
    words = scan(text)
    return frozenset(t for s, t in zip(words.surface, words.term, strict=True) if s not in FUNCTION_WORDS)


def content_overlap(a: str, b: str) -> float:
    """Return the idf-weighted share (0..1) of the content words of `a` that occur in `b`, by stem.

    Not symmetric: `a` is what must be found, `b` is where it is looked for. 0 when `a` has no content word.

    >>> content_overlap("Banks outsource screening", "The bank has outsourced its screening to a vendor.")
    1.0
    """
    return coverage(content_terms(a), content_terms(b))
