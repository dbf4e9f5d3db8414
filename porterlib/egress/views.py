"""The forms in which a query is read: as given, and with each disguise taken off, one or two layers deep."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from porterlib.egress.confusables import fold, fold_lowered

_TAG_START, _TAG_END = 0xE0020, 0xE007E
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}")
_ESCAPED = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_BLANK = re.compile(r"\s+")
_PARTED = re.compile(r"[^\w%]|_")
_JOINTS = re.compile(r"[\s\-.,;:|·•*~_/\\]+")


@dataclass(frozen=True)
class View:
    """One reading of a query."""

    text: str
    """The text of this reading."""
    compact: bool
    """True when separators were removed, so that word boundaries mean nothing."""


@lru_cache(maxsize=8)  # guard and budget read the same query in turn
def views(query: str) -> tuple[View, ...]:
    """Return every distinct reading: the query, each operation, and each ordered pair of them."""
    found = {View(query, compact=False): None}
    for name, text in _single(query):
        found[View(text, compact=name in _COMPACTING)] = None
        for second, inner in _single(text):
            compact = second in _COMPACTING or (name in _COMPACTING and second not in _PARTING)
            found[View(inner, compact=compact)] = None
    return tuple(found)


def _single(text: str) -> Iterator[tuple[str, str]]:
    for name, operation in _OPERATIONS:
        for result in operation(text):
            if result != text:
                yield name, result


def without_invisible(text: str) -> str:
    """Return `text` without format and filler characters; tag characters become the ASCII they stand for."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        chr(ord(char) - 0xE0000)
        if _TAG_START <= ord(char) <= _TAG_END
        else ""
        if unicodedata.category(char) in {"Cf", "Cc"} - ({"Cc"} if char in "\t\n\r" else set())
        or char in _INVISIBLE_LETTERS
        or 0xFE00 <= ord(char) <= 0xFE0F
        or 0xE0100 <= ord(char) <= 0xE01EF
        else char
        for char in text
    )


def compacted(text: str) -> str:
    """Return the letters and digits of `text` only."""
    return "".join(filter(str.isalnum, text))


def from_percent(text: str) -> Iterator[str]:
    """Yield `text` with percent escapes decoded, in place and set apart from what they are glued to."""
    if _ESCAPED.search(text):
        yield _ESCAPED.sub(lambda match: _unescaped(match[0]), text)
        yield _ESCAPED.sub(lambda match: f" {_unescaped(match[0])} ", text)


def from_parted_escapes(text: str) -> Iterator[str]:
    """Yield `text` with the signs between single characters of percent escapes left out."""
    if "%" in text:
        yield _PARTED.sub("", text)


def _unescaped(run: str) -> str:
    decoded = unquote(run, errors="replace")
    return unquote(run, encoding="latin-1") if "\ufffd" in decoded else decoded


def from_base64(text: str) -> Iterator[str]:
    """Yield what the base64 runs of `text` hold, for each of the four alignments a run can be cut at.

    A run glued to other words decodes to noise before the hidden text; the noise does no harm.
    """
    runs = _BASE64_RUN.findall(text)
    for shift in range(4):
        pieces = [_decoded(run, shift) for run in runs]
        if any(pieces):
            yield " ".join(pieces)


def _decoded(run: str, shift: int) -> str:
    data = run[shift:].rstrip("=").replace("-", "+").replace("_", "/")
    data = data[: len(data) - (len(data) % 4 == 1)]
    return base64.b64decode(data + "=" * (-len(data) % 4)).decode("utf-8", "replace")


_OPERATIONS: tuple[tuple[str, Callable[[str], tuple[str, ...] | Iterator[str]]], ...] = (
    ("nfkc", lambda text: (unicodedata.normalize("NFKC", text),)),
    ("invisible", lambda text: (without_invisible(text),)),
    ("confusables", lambda text: (fold(text), fold_lowered(text))),
    ("percent", from_percent),
    ("base64", from_base64),
    ("separators", lambda text: (compacted(text),)),
    ("blanks", lambda text: (_BLANK.sub("", text),)),  # keeps the signs of base64, e-mail and percent escapes
    ("joints", lambda text: (_JOINTS.sub("", text),)),
    ("escapes", from_parted_escapes),
)
_PARTING = frozenset({"base64", "percent"})  # what they decode is set apart again
_COMPACTING = frozenset({"separators", "blanks", "joints", "escapes"})
