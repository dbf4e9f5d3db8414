"""Blocks as plain text: at most forty lines of at most a hundred and ten characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from porterlib.display.blocks import Bars, Block, Cell, Facts, Fold, Grid, Listed, Para, Passage, Value
from porterlib.display.html import left_out_note
from porterlib.display.text import clean, spread_out

MAX_LINES = 40
WIDTH = 110
_COLUMN = 44
_ROWS = 14


def page(title: str, blocks: Sequence[Block]) -> str:
    """Return a whole view; what does not fit is counted."""
    lines = [clean(title, WIDTH)]
    for block in blocks:
        lines.extend(_lines(block))
    if len(lines) > MAX_LINES:
        hidden = len(lines) - MAX_LINES + 1
        lines = [
            *lines[: MAX_LINES - 1],
            f"… {hidden} more lines; .to_pandas() and .to_dict() hold everything",
        ]
    return "\n".join(line.rstrip() for line in lines)


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Para):
        yield from _wrapped(clean(block.text, 700))
    elif isinstance(block, Facts):
        yield from _facts(block)
    elif isinstance(block, Listed):
        yield from _listed(block)
    elif isinstance(block, Grid):
        yield from _grid(block)
    elif isinstance(block, Passage):
        yield from _passage(block)
    elif isinstance(block, Bars):
        yield from _bars(block)
    elif isinstance(block, Fold) and block.open and block.plain:
        yield clean(block.title)
        for inner in block.blocks:
            yield from _lines(inner)


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent) or [""]


def _facts(block: Facts) -> Iterator[str]:
    width = max((len(clean(label, 30)) for label, _ in block.pairs), default=0)
    for label, value in block.pairs:
        yield f"  {clean(label, 30):<{width}}  {clean(_text(value), WIDTH - width - 4)}"


def _listed(block: Listed) -> Iterator[str]:
    if block.items and block.title:
        yield clean(block.title) + ":"
    for item in block.items[:6]:
        yield f"  - {clean(_text(item), WIDTH - 4)}"
    if len(block.items) > 6:
        yield f"  … and {len(block.items) - 6} more"


def _grid(block: Grid) -> Iterator[str]:
    kept = [i for i in range(len(block.head)) if i not in block.narrow]
    shown = block.rows[:_ROWS]
    table = [[clean(block.head[i], _COLUMN) for i in kept]]
    table += [[clean(_text(row[i]), _COLUMN) for i in kept] for row in shown]
    widths = fitted([max(len(row[k]) for row in table) for k in range(len(kept))])
    if block.caption:
        yield clean(block.caption)
    for row in table:
        yield clean_row(row, widths, [i in block.numeric for i in kept])
    rest = Grid(block.head, shown, left_out=block.left_out + len(block.rows) - len(shown))
    if rest.left_out:
        yield "  " + left_out_note(rest)


def fitted(widths: list[int]) -> list[int]:
    """Return column widths that fit a line: the widest column gives way first, none below six characters."""
    room = WIDTH - 2 * len(widths)
    while sum(widths) > room and max(widths) > 6:
        widths[widths.index(max(widths))] -= 1
    return widths


def clean_row(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    """Return cells padded or shortened to their widths, cut at the width of a line."""
    short = [text if len(text) <= w else text[: w - 1] + "…" for text, w in zip(row, widths, strict=True)]
    cells = [
        f"{text:>{w}}" if right else f"{text:<{w}}"
        for text, w, right in zip(short, widths, numeric, strict=True)
    ]
    line = "  " + "  ".join(cells)
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def _passage(block: Passage) -> Iterator[str]:
    before, quote, after = spread_out(block.text, block.start, block.end, around=90)
    marked = f"{before} »{quote}« {after}" if quote else before
    yield from _wrapped(clean(marked, 600), "  ")
    yield "  — " + clean(block.source, WIDTH - 4)
    if block.notes:
        yield "    " + clean(block.notes[0], WIDTH - 4)


def _bars(block: Bars) -> Iterator[str]:
    width = max((len(clean(row[0], 40)) for row in block.rows), default=0)
    for label, *_, words in block.rows:
        yield f"  {clean(label, 40):<{width}}  {clean(words, WIDTH - width - 4)}"
    yield "  " + clean(block.caption, WIDTH - 2)


def _text(value: Value | object) -> object:
    if isinstance(value, Cell):
        return value.text
    return "" if value is None else value
