"""The five-force heatmap: score and word in each cell, trend, confidence and horizons; hatched if not assessed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import ForceAssessment
from porterlib.display.blocks import Built, Para
from porterlib.display.charts.sheet import Layer, sheet, values
from porterlib.display.parts import part
from porterlib.display.style import HEAT, HEAT_WORDS, INK, PAIRS, SOFT, Tone, heat
from porterlib.display.views.forces import force_rows, force_table
from porterlib.display.words import EFFECTS, FORCES, NOT_ASSESSED, TRENDS

_EDGES = (0.0, 1.05, 2.2, 3.35, 4.5, 5.65, 6.7)
"""Left edge of each column and the right edge of the last, in units of the drawing."""
_HEADS = ("Pressure now", "0–12 months", "12–36 months", "36+ months", "Trend", "Confidence")
_EFFECT_TONES: dict[str, Tone] = {"rising": "rising", "steady": "quiet", "easing": "easing"}
_CONFIDENCE_TONES: dict[str, Tone] = {"high": "good", "medium": "quiet", "low": "warn", "none": "bad"}
Cells = list[dict[str, Any]]


def heatmap(result: Any) -> Built:
    """Return the five forces of an analysis as a chart; data are one row a force and horizon."""
    candidate = part(result, Candidate)
    cells = [cell for row, entry in enumerate(candidate.forces) for cell in _cells(row, entry)]
    described = _described(candidate)
    spec = sheet(
        "Five forces",
        "Pressure on the institution. Every force stands alone; nothing is added up.",
        described,
        [
            _boxes(cells),
            _hatching(cells),
            _plates(cells),
            _main_text(cells),
            _sub_text(cells),
            _names(candidate),
            _heads(),
            *_legend(),
        ],
        height=60 * len(candidate.forces) + 62,
        width=580,
    )
    note = Para("Pressure on the institution; no score is added to another.", small=True)
    return Built(
        "Five forces", [note, force_table(candidate)], lambda: force_rows(candidate), spec, described
    )


def _described(candidate: Candidate) -> str:
    said = "; ".join(
        f"{FORCES[e.force]} {NOT_ASSESSED if e.score is None else f'{e.score} {heat(float(e.score))[1]}'}, "
        f"trend {e.trend}, confidence {e.confidence_word}"
        for e in candidate.forces
    )
    return f"Heatmap of the five forces, pressure from 1 low to 5 high. {said}."


def _cells(row: int, entry: ForceAssessment) -> Iterator[dict[str, Any]]:
    if entry.score is None:
        yield _cell(row, 0, NOT_ASSESSED, "", None)
    else:
        tone, word = heat(float(entry.score))
        yield _cell(row, 0, str(entry.score), word, tone)
    for place, effect in enumerate(entry.horizons, start=1):
        tone_of = _EFFECT_TONES.get(effect.effect)
        yield _cell(row, place, EFFECTS[effect.effect], "", tone_of)
    yield _cell(row, 4, TRENDS[entry.trend], "", "quiet")
    word = entry.confidence_word
    yield _cell(
        row, 5, word if word != "none" else "no evidence", f"{entry.confidence:.2f}", _CONFIDENCE_TONES[word]
    )


def _cell(row: int, column: int, main: str, sub: str, tone: Tone | None) -> dict[str, Any]:
    left, right = _EDGES[column] + 0.02, _EDGES[column + 1] - 0.02
    ground, ink = PAIRS[tone] if tone else ("#f3f2ee", INK)
    return {
        "x": left,
        "x2": right,
        "y": row + 0.04,
        "y2": row + 0.96,
        "cx": (left + right) / 2,
        "main_y": row + (0.4 if sub else 0.5),
        "sub_y": row + 0.7,
        "main": main,
        "sub": sub,
        "ground": ground,
        "ink": ink,
        "assessed": tone is not None,
        "heavy": tone in HEAT,
        "column": _HEADS[column],
    }


def _x(field: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [-1.2, 6.7], "nice": False},
    }


def _y(field: str) -> dict[str, Any]:
    scale = {"domain": [-0.4, 5.6], "nice": False, "reverse": True}
    return {"field": field, "type": "quantitative", "axis": None, "scale": scale}


def _boxes(cells: Cells) -> Layer:
    return {
        "data": values(cells),
        "mark": {"type": "rect", "cornerRadius": 3},
        "encoding": {
            "x": _x("x"),
            "x2": {"field": "x2"},
            "y": _y("y"),
            "y2": {"field": "y2"},
            "color": {"field": "ground", "type": "nominal", "scale": None},
        },
    }


def _hatching(cells: Cells) -> Layer:
    """Return diagonal strokes over every cell that was not assessed, drawn as lines so that print keeps them."""
    strokes = []
    for cell in (c for c in cells if not c["assessed"]):
        width, height, step = cell["x2"] - cell["x"], cell["y2"] - cell["y"], 0.1
        slope = 0.16
        count = int((width + slope) / step) + 1
        for index in range(count):
            start = cell["x"] - slope + index * step
            a, b = max(start, cell["x"]), min(start + slope, cell["x2"])
            if b <= a:
                continue
            strokes.append(
                {
                    "x": a,
                    "x2": b,
                    "y": cell["y2"] - (a - start) / slope * height,
                    "y2": cell["y2"] - (b - start) / slope * height,
                }
            )
    return {
        "data": values(strokes),
        "mark": {"type": "rule", "color": "#b9bdb8", "strokeWidth": 1},
        "encoding": {"x": _x("x"), "x2": {"field": "x2"}, "y": _y("y"), "y2": {"field": "y2"}},
    }


def _plates(cells: Cells) -> Layer:
    """Return a plain ground under the words of hatched cells, so that no stroke runs through a letter."""
    plates = [
        {"x": c["cx"] - 0.52, "x2": c["cx"] + 0.52, "y": c["main_y"] - 0.18, "y2": c["main_y"] + 0.18}
        for c in cells
        if not c["assessed"]
    ]
    return {
        "data": values(plates),
        "mark": {"type": "rect", "color": "#f3f2ee"},
        "encoding": {"x": _x("x"), "x2": {"field": "x2"}, "y": _y("y"), "y2": {"field": "y2"}},
    }


def _legend() -> list[Layer]:
    """Return the five steps with their words below the map."""
    steps = [
        {
            "x": i * 1.0,
            "x2": i * 1.0 + 0.96,
            "y": 5.22,
            "y2": 5.52,
            "cx": i * 1.0 + 0.48,
            "cy": 5.37,
            "words": f"{i + 1} {HEAT_WORDS[i]}",
            "ground": PAIRS[tone][0],
            "ink": PAIRS[tone][1],
        }
        for i, tone in enumerate(HEAT)
    ]
    place = {"x": _x("x"), "x2": {"field": "x2"}, "y": _y("y"), "y2": {"field": "y2"}}
    ground, ink = ({"color": {"field": name, "type": "nominal", "scale": None}} for name in ("ground", "ink"))
    words = {"x": _x("cx"), "y": _y("cy"), "text": {"field": "words"}}
    return [
        {"data": values(steps), "mark": {"type": "rect"}, "encoding": {**place, **ground}},
        {"data": values(steps), "mark": {"type": "text", "fontSize": 11}, "encoding": {**words, **ink}},
    ]


def _main_text(cells: Cells) -> Layer:
    return {
        "data": values(cells),
        "mark": {"type": "text", "fontSize": 12, "fontWeight": 600},
        "encoding": {
            "x": _x("cx"),
            "y": _y("main_y"),
            "text": {"field": "main"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }


def _sub_text(cells: Cells) -> Layer:
    return {
        "data": values([cell for cell in cells if cell["sub"]]),
        "mark": {"type": "text", "fontSize": 11.5},
        "encoding": {
            "x": _x("cx"),
            "y": _y("sub_y"),
            "text": {"field": "sub"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }


def _names(candidate: Candidate) -> Layer:
    rows = [{"x": -0.08, "y": i + 0.5, "text": FORCES[e.force]} for i, e in enumerate(candidate.forces)]
    return {
        "data": values(rows),
        "mark": {"type": "text", "align": "right", "fontSize": 12.5, "fontWeight": 600, "color": INK},
        "encoding": {"x": _x("x"), "y": _y("y"), "text": {"field": "text"}},
    }


def _heads() -> Layer:
    rows = [
        {"x": (a + b) / 2, "y": -0.2, "text": text}
        for a, b, text in zip(_EDGES, _EDGES[1:], _HEADS, strict=False)
    ]
    return {
        "data": values(rows),
        "mark": {"type": "text", "fontSize": 11.5, "color": SOFT},
        "encoding": {"x": _x("x"), "y": _y("y"), "text": {"field": "text"}},
    }
