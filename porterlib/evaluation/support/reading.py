"""One sentence read once for all that the screen compares; cached, since one claim meets many passages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from porterlib.evaluation.support.dates import DateMention, dates
from porterlib.evaluation.support.polarity import denial_positions
from porterlib.evaluation.support.quantities import Quantity, numbers
from porterlib.evaluation.support.wordlists import word_list
from porterlib.evaluation.support.words import FUNCTION_WORDS, Words, scan

_AUXILIARY = frozenset(word_list("auxiliary"))
_LIGHT = frozenset(word_list("light"))  # words that hardly narrow what is said


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence says, as far as words can tell."""

    text: str
    """The sentence."""
    words: Words
    """All its words with places."""
    content: tuple[int, ...]
    """Positions of the words that are neither function words nor part of a number or date."""
    predicate: tuple[int, ...]
    """Those of them that stand after the subject; all of them where no subject is recognised."""
    terms: frozenset[str]
    """Stems of all its words."""
    quantities: tuple[Quantity, ...]
    """Its numbers."""
    dates: tuple[DateMention, ...]
    """Its dates."""
    denials: tuple[int, ...]
    """Positions of the words that deny."""


def _subject_end(words: Words) -> int:
    """Return how many words at the beginning name the subject; 0 when none is recognised."""
    for at in range(1, len(words)):
        if words.surface[at] in _AUXILIARY:
            return at
        lower = not words.capital[at] and words.surface[at] not in FUNCTION_WORDS
        if lower and words.capital[at - 1] and words.surface[at - 1] not in FUNCTION_WORDS:
            return at
    return 0


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Return the reading of one sentence."""
    words = scan(text)
    quantities, calendar = numbers(text), dates(text)
    taken = [(q.start, q.end) for q in quantities] + [(d.start, d.end) for d in calendar]
    content = tuple(
        at
        for at, surface in enumerate(words.surface)
        if surface not in FUNCTION_WORDS
        and not any(start <= words.start[at] and words.end[at] <= end for start, end in taken)
    )
    begin = _subject_end(words)
    said = tuple(at for at in content if at >= begin) or content
    predicate = tuple(at for at in said if words.surface[at] not in _LIGHT) or said
    return Reading(
        text, words, content, predicate, frozenset(words.term), quantities, calendar, denial_positions(words)
    )
