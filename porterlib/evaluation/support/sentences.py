"""Where sentences begin and end: at a newline always, at a full stop only where it closes a sentence.

Full stops of abbreviations, initials, decimals, list marks and section numbers do not end a sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from porterlib.evaluation.support.wordlists import word_list

_BLOCK = re.compile(r"[^\r\n\u2028\u2029]+")
_STOP = re.compile(r"(?:[.!?…]+|[.!?]\s?(?=[.!?]))[\"'”’»)\]]*(?:\[\d{1,3}\])*(?=\s)")
_NEXT = re.compile(r"\s+[\"'“‘«(\[]*(\S+)")
_BEFORE_WORD = frozenset("\"'“‘«([")
_LIST_MARK = re.compile(
    r"\s*(?:[-*•–#>]+\s*)*[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,5})[.)\]]?$"
)
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]")
_ALWAYS = frozenset(word_list("abbreviation"))
_SOMETIMES = frozenset(word_list("abbreviation_or_end"))
_OPENERS = frozenset(word_list("opener"))


def _closes(block: str, stop: int, following: str) -> bool:
    """Return whether the full stop at `stop` in `block` ends a sentence before the word `following`."""
    last = _last_word(block, stop).rstrip(".")
    low = last.lower()
    if low in _ALWAYS and not (low == "no" and following[0].isupper()):
        return False
    opener = following.rstrip(",;:").lower() in _OPENERS
    if low in _SOMETIMES or _INITIALS.fullmatch(last):
        return opener
    if len(last) == 1 and last.isupper():  # an initial, except "Vitamin C. The …"
        return opener and last != "J"
    return True


def _last_word(block: str, stop: int) -> str:
    """Return what stands before `stop` up to a blank or an opening mark, walking back: a block may be long."""
    start = stop
    while start and not (block[start - 1].isspace() or block[start - 1] in _BEFORE_WORD):
        start -= 1
    return block[start:stop]


def _stops(block: str) -> list[int]:
    """Return the offsets in `block` at which a sentence ends."""
    ends: list[int] = []
    begin = 0
    for match in _STOP.finditer(block):
        following = _NEXT.match(block, match.end())
        if following is None or following.group(1)[0].islower():
            continue
        if match.group()[0] == "." and (
            _LIST_MARK.fullmatch(block, begin, match.start() + 1)
            or not _closes(block, match.start(), following.group(1))
        ):
            continue
        ends.append(match.end())
        begin = match.end()
    return ends


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return `(start, end)` of each sentence of `text`, without surrounding white space, in order.

    >>> [text[a:b] for text in ["See Art. 28(3). It costs 1.5 bn."] for a, b in sentences(text)]
    ['See Art. 28(3).', 'It costs 1.5 bn.']
    """
    spans: list[tuple[int, int]] = []
    for block in _BLOCK.finditer(text):
        begin = block.start()
        body = block.group()
        for end in [*(block.start() + stop for stop in _stops(body)), block.end()]:
            piece = text[begin:end]
            kept = piece.strip()
            if kept:
                start = begin + len(piece) - len(piece.lstrip())
                spans.append((start, start + len(kept)))
            begin = end
    return tuple(spans)
