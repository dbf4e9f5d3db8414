"""Text on its way to a screen: one line, no invisible characters, restricted terms withheld, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from porterlib.rendering.inert import markup, visible
from porterlib.rendering.redact import redact, redactor

CELL_LIMIT = 480
"""Characters of one text in a table before it is shortened, visibly."""

Pattern = re.Pattern[str]
_withheld: dict[str, Pattern] = {}
_hidden: ContextVar[Pattern | None] = ContextVar("hidden", default=None)


def withhold(run_id: str, *, terms: Iterable[str] = (), facts: Iterable[str] = ()) -> None:
    """Keep restricted terms and internal facts of a run out of all its displays in this process.

    Results do not carry them, so whoever read the request says them here once.
    """
    pattern = redactor(terms, facts)
    if pattern is None:
        _withheld.pop(run_id, None)
    else:
        _withheld[run_id] = pattern


def withheld_for(run_id: str) -> Pattern | None:
    """Return what must not be shown of a run."""
    return _withheld.get(run_id)


@contextmanager
def hiding(pattern: Pattern | None) -> Iterator[None]:
    """Withhold what the pattern finds from every text made inside the block."""
    token = _hidden.set(pattern)
    try:
        yield
    finally:
        _hidden.reset(token)


def hidden_now() -> Pattern | None:
    """Return the pattern in force."""
    return _hidden.get()


def clean(value: object, limit: int = CELL_LIMIT) -> str:
    """Return any value as one bounded line that is safe to print, not yet escaped for HTML."""
    # Bounded before cleaning, so that a text of many megabytes costs no more than a long one.
    raw = str(value)[: limit * 8 + 4000]
    return shorten(redact(visible(raw), _hidden.get()), limit)


def shorten(text: str, limit: int) -> str:
    """Return text cut at a word near `limit`, with a mark where something is left out."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit * 0.6 else cut).rstrip(" ,;:") + "…"


def escaped(value: object, limit: int = CELL_LIMIT) -> str:
    """Return `clean(value)` escaped for HTML content and attributes."""
    return markup(clean(value, limit))


def spread_out(passage: str, start: int, end: int, around: int = 220) -> tuple[str, str, str]:
    """Return what stands before, inside and after a span, for marking a quote in its passage.

    When a withheld term crosses an edge of the span, the whole is withheld consistently and nothing is marked.
    """
    pattern = _hidden.get()
    parts = (passage[:start], passage[start:end], passage[end:])
    clear = [redact(part, pattern) for part in parts]
    if pattern is not None and "".join(clear) != redact(passage, pattern):
        return redact(passage, pattern)[: around * 4], "", ""
    before, quote, after = clear
    if len(before) > around:
        before = "…" + before[-around:].split(" ", 1)[-1]
    if len(after) > around:
        after = after[:around].rsplit(" ", 1)[0] + "…"
    return before, shorten(quote, CELL_LIMIT * 3), after
