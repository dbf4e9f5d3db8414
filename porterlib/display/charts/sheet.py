"""What all charts share: a light sheet with dark text, legible on any page, and specifications as plain dicts.

Texts of sources and owners enter as data values only; field names, titles and the few expressions are constants of
the library, so nothing a page or an owner wrote can become an expression, an address or a mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from porterlib.display.style import FONT, INK, PAPER, RULE, SOFT

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 330
"""Of the drawing, in pixels; with names and values beside it a chart fits a notebook in a window of 800."""
_LINE = 84
"""Characters of a subtitle's line."""
Layer = dict[str, Any]


def sheet(
    title: str,
    subtitle: str,
    description: str,
    layers: Sequence[Layer],
    *,
    height: int,
    width: int = WIDTH,
    subject: str = "",
) -> dict[str, Any]:
    """Return a whole specification.

    Args:
        title: what the chart shows; a constant of the library.
        subtitle: how to read it; a constant, or units and counts.
        description: the same for readers who do not see it.
        layers: marks in the order of drawing, each with its data.
        height: in pixels.
        width: in pixels.
        subject: what it is about, such as a scenario's name; drawn as data, since an owner wrote it.

    """
    about = [_about(subject, width)] if subject else []
    return {
        "$schema": SCHEMA,
        "description": description,
        "title": {"text": title, "subtitle": wrap(subtitle, _LINE), "anchor": "start", "offset": 14},
        "background": PAPER,
        "padding": 16,
        "width": width,
        "height": height,
        "layer": [*layers, *about],
        "config": _CONFIG,
    }


def _about(subject: str, width: int) -> Layer:
    return {
        "data": values([{"subject": subject}]),
        "mark": {"type": "text", "align": "right", "x": width, "y": -12, "fontSize": 12.5, "fontWeight": 600},
        "encoding": {"text": {"field": "subject"}},
    }


_CONFIG: dict[str, Any] = {
    "font": FONT,
    "view": {"stroke": None},
    "title": {
        "fontSize": 16,
        "fontWeight": 600,
        "color": INK,
        "subtitleColor": SOFT,
        "subtitleFontSize": 12.5,
        "subtitlePadding": 5,
    },
    "axis": {
        "labelColor": INK,
        "titleColor": SOFT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e7e6e1",
        "domainColor": RULE,
        "tickColor": RULE,
        "labelLimit": 170,
        "labelFlush": False,
        "labelOverlap": "greedy",
    },
    "legend": {"labelColor": INK, "titleColor": SOFT, "labelFontSize": 12, "orient": "top", "title": None},
    "text": {"color": INK, "fontSize": 12},
}


def values(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return inline data."""
    return {"values": list(rows)}


def named_axis(rows: int) -> dict[str, Any]:
    """Return the encoding of a vertical axis of names, in the order of the field `order`."""
    return {
        "field": "label",
        "type": "nominal",
        "sort": {"field": "order"},
        "title": None,
        "axis": {"ticks": False, "domain": False, "labelPadding": 8, "grid": False},
        "scale": {"paddingInner": 0.35 if rows > 1 else 0.1},
    }


def zero_line() -> Layer:
    """Return the line at which a gain becomes a loss."""
    return {
        "data": values([{"zero": 0}]),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.2},
        "encoding": {"x": {"field": "zero", "type": "quantitative"}},
    }
