"""Negation and direction of a text: which words deny, which say that something rises or falls, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.wordlists import word_list
from porterlib.evaluation.support.words import Words, scan

_BREAK = re.compile(r"[;:,.!?()]|\b(?:but|and)\b")
_SCOPE = 4  # words after a denial that it is taken to turn round
_NOT_DENYING = frozenset(word_list("not_denying"))


@dataclass(frozen=True, slots=True)
class Cue:
    """One word that carries polarity."""

    word: str
    """The word, folded."""
    sign: int
    """-1 for a denial or a fall, +1 for a rise; a denied rise is -1."""
    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""


@dataclass(frozen=True, slots=True)
class Polarity:
    """The polarity cues of one text, in order."""

    negations: tuple[Cue, ...]
    """Words that deny, sign always -1."""
    directions: tuple[Cue, ...]
    """Words of increase and decrease; the sign is turned where a denial stands shortly before."""

    @property
    def negated(self) -> bool:
        """Whether an odd number of denials stands in the text."""
        return len(self.negations) % 2 == 1

    @property
    def direction(self) -> int:
        """+1 when rises outnumber falls, -1 the other way round, 0 when neither does."""
        total = sum(cue.sign for cue in self.directions)
        return (total > 0) - (total < 0)


def denial_positions(words: Words) -> tuple[int, ...]:
    """Return the positions of the words that deny, by word or by meaning."""
    known = lexicon()
    found: list[int] = []
    for at, (surface, term) in enumerate(zip(words.surface, words.term, strict=True)):
        following = words.surface[at + 1] if at + 1 < len(words) else ""
        denies = surface in known.negation and f"{surface}_{following}" not in _NOT_DENYING
        pending = surface == "yet" and following == "to"
        if denies or pending or term in known.failing:
            found.append(at)
    return tuple(found)


@lru_cache(maxsize=4096)
def polarity(text: str) -> Polarity:
    """Return the denials and the words of rise and fall of `text`.

    >>> polarity("Costs did not fall.").direction
    1
    """
    words = scan(text)
    denials = denial_positions(words)
    direction = lexicon().direction
    moves: list[Cue] = []
    for at, term in enumerate(words.term):
        sign = direction.get(term)
        if sign is None or (at and f"{words.surface[at - 1]}_{words.surface[at]}" in _NOT_DENYING):
            continue
        turned = any(
            0 < at - denial <= _SCOPE and not _BREAK.search(text, words.end[denial], words.start[at])
            for denial in denials
        )
        moves.append(Cue(words.surface[at], -sign if turned else sign, words.start[at], words.end[at]))
    return Polarity(
        tuple(Cue(words.surface[at], -1, words.start[at], words.end[at]) for at in denials), tuple(moves)
    )
