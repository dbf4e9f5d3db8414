"""Word-for-word overlap with texts that must stay, and the single words of them, all as keyed hashes.

A run of `QUESTION_RUN` words shared with the question, or `FACT_RUN` with an internal fact, blocks a query.
Of 472 harmless queries of the field none shares more than four words in a row with the question of a shipped
request, nor more than one with an internal fact. Five words are the length of a named phrase ("know your
customer due diligence"), so a question may be touched by one, while four words of an internal fact already
state something. Runs that the approved public context holds too, and runs with fewer than three words of
meaning, do not count. A text shorter than its run may not be repeated whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porterlib.egress.key import fast_digest
from porterlib.egress.words import is_content, words

QUESTION_RUN = 6
FACT_RUN = 4
_MEANING = 3
_FIGURE = re.compile(r"\d{1,3}(?:[ ,.'’]\d{3})+(?!\d)|\d+")
_YEAR = re.compile(r"^(?:19|20)\d{2}$")


@dataclass(frozen=True, repr=False)
class SealedText:
    """A text that must stay, as hashes of its runs and of its telling words."""

    run: int
    """Words in a run."""
    runs: frozenset[bytes]
    """Hashes of the runs that may not occur."""
    words: frozenset[bytes] = field(default=frozenset())
    """Hashes of its content words and figures that the approved context does not hold."""
    figures: frozenset[bytes] = field(default=frozenset())
    """Hashes of its telling figures that the approved context does not hold."""


def seal(text: str, *, run: int, approved: Sequence[str], key: bytes) -> SealedText:
    """Return `text` as hashes, without what the `approved` texts hold as well."""
    public = [words(other) for other in approved]
    public_words = {word for other in public for word in other}
    own = words(text)
    run = max(1, min(run, len(own)))  # a text shorter than a run may not be repeated whole
    public_runs = {shingle for other in public for shingle in _shingles(other, run)}
    own_figures = figures(text) - {digits for other in approved for digits in figures(other)}
    telling = {word for word in own if is_content(word) and word not in public_words}
    return SealedText(
        run=run,
        runs=frozenset(fast_digest(key, shingle) for shingle in set(_shingles(own, run)) - public_runs),
        words=frozenset(fast_digest(key, word) for word in telling),
        figures=frozenset(fast_digest(key, digits) for digits in own_figures),
    )


def repeats(query_words: list[str], sealed: SealedText, key: bytes) -> bool:
    """Tell whether a query repeats a run of a sealed text."""
    return any(fast_digest(key, shingle) in sealed.runs for shingle in _shingles(query_words, sealed.run))


def _shingles(parts: list[str], run: int) -> Iterator[str]:
    for start in range(len(parts) - run + 1):
        piece = parts[start : start + run]
        if sum(map(is_content, piece)) >= min(_MEANING, run):
            yield " ".join(piece)


def figures(text: str) -> set[str]:
    """Return the digits of the telling figures of a text: four or more, neither a year nor round."""
    found = {re.sub(r"\D", "", number) for number in _FIGURE.findall(text)}
    return {
        digits
        for digits in found
        if len(digits.rstrip("0")) >= 3 and len(digits) >= 4 and not _YEAR.match(digits)
    }
