"""Cuts extracted text into passages: spans of whole blocks or sentences that depend on the text alone.

Extracted text has one block a line. Blocks are gathered until a passage is long enough to be read by itself;
a heading opens a new passage and stays with what follows it; a block too long for one passage is cut between
sentences, and only a sentence too long for one passage is cut between words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from porterlib.contracts.capture import Heading

ENOUGH = 500
"""Characters from which a passage may end at the next block or sentence."""
MOST = 1100
"""Characters no passage exceeds."""
_HEADED = 160  # a passage this short is not closed for a heading: nested headings stay together


class Passage(NamedTuple):
    """A span of text; `text[start:end]` has no white space at its ends."""

    start: int
    """First character."""
    end: int
    """Character after the last one."""


def cut_passages(text: str, headings: Sequence[Heading] = ()) -> tuple[Passage, ...]:
    """Return the passages of `text` in order, without overlap, covering all of it but white space.

    Args:
        text: extracted text, one block a line.
        headings: headings as spans of `text`.

    """
    opening = frozenset(heading.start for heading in headings)
    passages: list[Passage] = []
    start = end = -1
    for piece in _pieces(text):
        size = end - start
        full = size >= ENOUGH or piece.end - start > MOST
        if start >= 0 and (full or (piece.start in opening and size >= _HEADED)):
            passages.append(Passage(start, end))
            start = -1
        start, end = (piece.start if start < 0 else start), piece.end
    if start >= 0:
        passages.append(Passage(start, end))
    return tuple(passages)


def _pieces(text: str) -> Iterator[Passage]:
    """Yield the blocks of `text`, those longer than a passage cut into sentences or words."""
    at = 0
    for line in text.split("\n"):
        block = _trimmed(text, at, at + len(line))
        at += len(line) + 1
        if block is None:
            continue
        if block.end - block.start <= MOST:
            yield block
        else:
            yield from _sentences(text, block)


def _sentences(text: str, block: Passage) -> Iterator[Passage]:
    # Imported here: the planning half of this package must not load the word lists behind it.
    from porterlib.evaluation.support.sentences import sentences

    for start, end in sentences(text[block.start : block.end]):
        sentence = Passage(block.start + start, block.start + end)
        if end - start <= MOST:
            yield sentence
        else:
            yield from _words(text, sentence)


def _words(text: str, span: Passage) -> Iterator[Passage]:
    start = span.start
    while span.end - start > MOST:
        cut = text.rfind(" ", start + ENOUGH, start + MOST)
        cut = cut if cut > 0 else start + MOST
        piece = _trimmed(text, start, cut)
        if piece is not None:
            yield piece
        start = cut
    rest = _trimmed(text, start, span.end)
    if rest is not None:
        yield rest


def _trimmed(text: str, start: int, end: int) -> Passage | None:
    piece = text[start:end]
    kept = piece.strip()
    if not kept:
        return None
    begin = start + len(piece) - len(piece.lstrip())
    return Passage(begin, begin + len(kept))
