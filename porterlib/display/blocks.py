"""What a view is made of: a few kinds of block, each of which can be written as HTML and as plain text.

Blocks hold raw text. Escaping happens in one place each, `html.py` and `plain.py`, so that no view can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from porterlib.display.style import Tone

ROWS_SHOWN = 100
"""Rows of a table before the rest is counted instead of shown."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: object
    tone: Tone | None = None
    bold: bool = False
    mono: bool = False
    hatched: bool = False
    span: tuple[int, int] | None = None
    """Part of the text that is marked, such as the quote in its passage."""
    notes: Sequence[str] = ()
    """Small lines below the text."""


Value: TypeAlias = "Cell | str | int | float | None"


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph, or a heading when it is bold."""

    text: str
    bold: bool = False
    tone: Tone | None = None
    small: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with values, one a line."""

    pairs: Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A short list of sentences."""

    title: str
    items: Sequence[object]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; `left_out` counts the rows that exist and are not in `rows`."""

    head: Sequence[str]
    rows: Sequence[Sequence[Value]]
    caption: str = ""
    left_out: int = 0
    numeric: frozenset[int] = frozenset()
    narrow: frozenset[int] = frozenset()
    """Columns that plain text leaves out."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with the exact quote marked in it."""

    text: str
    start: int
    end: int
    source: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """Ranges on one scale: label, worst, base and best, and the words beside them."""

    rows: Sequence[tuple[str, float, float, float, str]]
    caption: str


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a heading that opens; plain text names it only."""

    title: str
    blocks: Sequence[Block]
    open: bool = False
    plain: bool = True
    """Whether plain text shows an open fold."""


Block: TypeAlias = "Para | Facts | Listed | Grid | Passage | Bars | Fold"


@dataclass(frozen=True)
class Built:
    """What a view function returns: title, blocks, tidy rows, and a chart's specification if it is one."""

    title: str
    blocks: Sequence[Block]
    rows: Callable[[], Iterable[dict[str, Any]]]
    spec: dict[str, Any] | None = None
    alt: str = ""
    columns: Sequence[str] = field(default=())
    """Columns of the tidy table, for when it has no rows."""


def grid(
    head: Sequence[str],
    items: Sequence[Item],
    row: Callable[[Item], Sequence[Value]],
    *,
    caption: str = "",
    limit: int = ROWS_SHOWN,
    numeric: Iterable[int] = (),
    narrow: Iterable[int] = (),
) -> Grid:
    """Return a table of the first `limit` items; only those are turned into rows."""
    shown = [row(item) for item in items[:limit]]
    left_out = len(items) - len(shown)
    return Grid(head, shown, caption, left_out, frozenset(numeric), frozenset(narrow))
