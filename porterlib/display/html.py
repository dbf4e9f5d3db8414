"""Blocks as HTML: inline styles only, every text escaped, no script, no address to fetch.

The root carries the class that keeps a notebook's formula renderer away: a dollar sign in evidence is money.
"""

from __future__ import annotations

from collections.abc import Sequence

from porterlib.display.blocks import Bars, Block, Cell, Facts, Fold, Grid, Listed, Para, Passage, Value
from porterlib.display.style import HATCH, PAIRS, Tone
from porterlib.display.text import escaped, spread_out
from porterlib.rendering.inert import markup

MAX_CHARS = 600_000
"""Size beyond which a page shows its plain form instead."""
_ID_LENGTH = 24
_ROOT = "font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:14px;line-height:1.45;max-width:1080px"
_LINE = "1px solid rgba(128,128,128,.35)"
_TABLE = f"font-size:inherit;border-collapse:collapse;width:100%;table-layout:auto;margin:6px 0 10px;border-bottom:{_LINE}"
_CELL = f"text-align:left;vertical-align:top;padding:5px 7px;border-top:{_LINE};overflow-wrap:break-word"
_HEAD = "text-align:left;vertical-align:bottom;padding:4px 7px;font-weight:600;font-size:12.5px"


def page(title: str, blocks: Sequence[Block]) -> str:
    """Return a whole view."""
    inner = "".join(_block(block) for block in blocks)
    heading = f'<div style="font-size:16px;font-weight:600;margin:2px 0 6px">{escaped(title)}</div>'
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{_ROOT}">{heading}{inner}</div>'


def plain_page(text: str, note: str = "") -> str:
    """Return plain text as an HTML page, for when there is nothing better."""
    said = f"<div>{escaped(note)}</div>" if note else ""
    return (
        f'<div class="tex2jax_ignore mathjax_ignore">{said}'
        f'<pre style="white-space:pre-wrap;background:transparent;color:inherit">{markup(text)}</pre></div>'
    )


def _block(block: Block) -> str:
    if isinstance(block, Para):
        return _para(block)
    if isinstance(block, Facts):
        return _facts(block)
    if isinstance(block, Listed):
        return _listed(block)
    if isinstance(block, Grid):
        return _grid(block)
    if isinstance(block, Passage):
        return _passage(block)
    if isinstance(block, Bars):
        return _bars(block)
    return _fold(block)


def _paint(tone: Tone | None) -> str:
    if tone is None:
        return ""
    ground, ink = PAIRS[tone]
    return f"background-color:{ground};color:{ink};"


def _para(block: Para) -> str:
    size = "font-size:12.5px;" if block.small else ""
    weight = "font-weight:600;margin:10px 0 2px;" if block.bold else "margin:3px 0 5px;"
    pad = "padding:5px 9px;border-radius:3px;" if block.tone else ""
    return f'<div style="{weight}{size}{pad}{_paint(block.tone)}">{escaped(block.text, 1600)}</div>'


def _facts(block: Facts) -> str:
    rows = "".join(
        f'<tr style="background-color:transparent"><th style="{_HEAD};vertical-align:top;width:11em;'
        f'border:none;padding:2px 9px 2px 0">{escaped(label)}</th>'
        f'<td style="text-align:left;vertical-align:top;border:none;padding:2px 0">{_inline(value)}</td></tr>'
        for label, value in block.pairs
    )
    return f'<table style="font-size:inherit;border-collapse:collapse;table-layout:auto;margin:2px 0 8px">{rows}</table>'


def _inline(value: object) -> str:
    if isinstance(value, Cell):
        pill = f"{_paint(value.tone)}padding:1px 7px;border-radius:9px;" if value.tone else ""
        return f'<span style="{pill}{_face(value)}">{escaped(value.text)}</span>'
    return escaped(value, 900)


def _face(value: Cell) -> str:
    bold = "font-weight:600;" if value.bold else ""
    if not value.mono:
        return bold
    kept = "white-space:nowrap;" if len(str(value.text)) <= _ID_LENGTH else "overflow-wrap:anywhere;"
    return f"{bold}{kept}font-family:ui-monospace,Menlo,monospace;font-size:12.5px;"


def _listed(block: Listed) -> str:
    if not block.items:
        return ""
    items = "".join(f'<li style="margin:1px 0">{_inline(item)}</li>' for item in block.items[:40])
    more = f"<li>… and {len(block.items) - 40} more</li>" if len(block.items) > 40 else ""
    title = f'<div style="font-weight:600;margin:8px 0 0">{escaped(block.title)}</div>' if block.title else ""
    return f'{title}<ul style="margin:2px 0 8px;padding-left:1.4em">{items}{more}</ul>'


def _grid(block: Grid) -> str:
    head = "".join(
        f'<th scope="col" style="{_HEAD}{_right(i in block.numeric)}">{escaped(name)}</th>'
        for i, name in enumerate(block.head)
    )
    body = "".join(_row(row, block.numeric) for row in block.rows)
    title = (
        f'<caption style="caption-side:top;text-align:left;color:inherit;font-weight:600;padding:4px 0">'
        f"{escaped(block.caption)}</caption>"
        if block.caption
        else ""
    )
    left_out = f"<div>{escaped(left_out_note(block))}</div>" if block.left_out else ""
    # A wide table scrolls in its own box, so that the page never does.
    return (
        f'<div style="overflow-x:auto"><table style="{_TABLE}">{title}<thead><tr style="background-color:'
        f'transparent">{head}</tr></thead><tbody>{body}</tbody></table></div>{left_out}'
    )


def left_out_note(block: Grid) -> str:
    """Return the sentence that says how much of a table is not shown."""
    total = len(block.rows) + block.left_out
    return f"Shown are {len(block.rows):,} of {total:,} rows; .to_pandas() holds all of them."


def _right(numeric: bool) -> str:
    return ";text-align:right" if numeric else ""


def _row(row: Sequence[Value], numeric: frozenset[int]) -> str:
    cells = "".join(_cell(value, i in numeric) for i, value in enumerate(row))
    return f'<tr style="background-color:transparent">{cells}</tr>'


def _cell(value: Value, numeric: bool) -> str:
    style = _CELL + _right(numeric)
    if not isinstance(value, Cell):
        return f'<td style="{style}">{escaped("" if value is None else value)}</td>'
    if value.hatched:
        # The strokes in the text stay where a front end drops the background of unsigned output.
        style += f";background-image:{HATCH}"
        return f'<td style="{style}">╱╱&nbsp;{escaped(value.text)}</td>'
    inner = _marked(str(value.text), value.span) if value.span else escaped(value.text)
    notes = "".join(
        f'<div style="font-size:12.5px;margin-top:2px">{escaped(note)}</div>' for note in value.notes
    )
    return f'<td style="{style};{_paint(value.tone)}{_face(value)}">{inner}{notes}</td>'


def _passage(block: Passage) -> str:
    notes = "".join(
        f'<div style="font-size:12.5px">{escaped(note)}</div>'
        for note in (block.source, *block.notes)
        if note
    )
    return (
        f'<div style="border-left:3px solid rgba(128,128,128,.5);margin:6px 0 10px;padding:2px 0 2px 12px">'
        f"<div>{_marked(block.text, (block.start, block.end))}</div>{notes}</div>"
    )


def _marked(text: str, span: tuple[int, int]) -> str:
    """Return a passage with exactly its quote marked, the rest cut to what surrounds it."""
    before, quote, after = spread_out(text, *span)
    ground, ink = PAIRS["mark"]
    style = f"background-color:{ground};color:{ink};padding:0 2px"
    marked = f'<mark style="{style}">{markup(quote)}</mark>' if quote else ""
    return f"{markup(before)}{marked}{markup(after)}"


def _bars(block: Bars) -> str:
    low = min([0.0, *(row[1] for row in block.rows)])
    high = max([0.0, *(row[3] for row in block.rows)])
    span = (high - low) or 1.0
    rows = "".join(_bar(row, low, span) for row in block.rows)
    note = f'<div style="font-size:12.5px;margin:2px 0 8px">{escaped(block.caption)}</div>'
    table = f'<table style="font-size:inherit;border-collapse:collapse;width:100%;table-layout:auto;margin:6px 0">{rows}</table>'
    return f'<div style="overflow-x:auto">{table}</div>{note}'


def _bar(row: tuple[str, float, float, float, str], low: float, span: float) -> str:
    label, worst, base, best, words = row

    def at(value: float) -> str:
        return f"{(value - low) / span * 100:.2f}%"

    width = f"{max((best - worst) / span * 100, 0.4):.2f}%"
    colour = "#b9480f" if best < 0 else "#2b7a4b" if worst > 0 else "#5d87ab"
    bar = (
        f'<div style="position:relative;height:16px;min-width:180px">'
        f'<div style="position:absolute;left:{at(0)};top:-4px;width:1px;height:24px;background-color:rgba(128,128,128,.9)">'
        f'</div><div style="position:absolute;left:{at(worst)};width:{width};top:3px;height:10px;'
        f'background-color:{colour};border-radius:2px"></div>'
        f'<div style="position:absolute;left:{at(base)};top:-1px;width:3px;height:18px;margin-left:-1px;'
        f'background-color:currentColor"></div></div>'
    )
    edge = "border:none;padding:3px 9px 3px 0;text-align:left;vertical-align:middle"
    return (
        f'<tr style="background-color:transparent"><td style="{edge};white-space:nowrap">{escaped(label, 60)}</td>'
        f'<td style="{edge};width:50%">{bar}</td><td style="{edge}">{escaped(words)}</td></tr>'
    )


def _fold(block: Fold) -> str:
    inner = "".join(_block(entry) for entry in block.blocks)
    opened = " open" if block.open else ""
    return (
        f'<details{opened} style="margin:4px 0"><summary style="cursor:pointer;font-weight:600">'
        f"{escaped(block.title)}</summary>{inner}</details>"
    )
