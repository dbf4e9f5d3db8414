"""Ranges of net present value: worst, base and best of every scenario on one line each."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Literal

from porterlib.contracts.economics import Economics, ScenarioEconomics, Spread
from porterlib.display.blocks import Block, Built, Cell, Listed, grid
from porterlib.display.charts.sheet import Layer, named_axis, sheet, values, zero_line
from porterlib.display.numbers import Scale, scale_for
from porterlib.display.parts import part
from porterlib.display.style import BLUE, GREEN, INK, RED
from porterlib.display.text import clean
from porterlib.display.words import spoken
from porterlib.errors import InputError

Measure = Literal["npv", "incremental_npv"]
_WHAT = {"npv": "Net present value", "incremental_npv": "Net present value above no action"}


def ranges(result: Any, *, measure: Measure = "npv") -> Built:
    """Return the ranges of all scenarios that can be valued; the others are named.

    Args:
        result: economics, or a result that holds them.
        measure: on its own, or above no action with shared inputs moved together.

    Raises:
        InputError: unknown measure, or no scenario can be valued.

    """
    economics = part(result, Economics)
    if measure not in _WHAT:
        raise InputError(f"measure: {measure!r} is unknown; write npv or incremental_npv", field="measure")
    found = [(entry, getattr(entry, measure)) for entry in economics.scenarios]
    held = [(entry, spread) for entry, spread in found if spread is not None]
    if not held:
        raise InputError("no scenario can be valued yet; .show('missing') lists what is needed")
    scale = scale_for(economics.currency, (v for _, s in held for v in (s.worst, s.base, s.best)))
    rows = [_row(i, entry, spread, scale) for i, (entry, spread) in enumerate(held)]
    described = (
        f"{_WHAT[measure]} in {scale.unit}: " + "; ".join(f"{r['label']} {r['words']}" for r in rows) + "."
    )
    spec = sheet(
        _WHAT[measure],
        f"{scale.unit}; worst, base and best over all inputs. The tick is base; red is loss throughout, green gain.",
        described,
        [_bars(rows, scale), zero_line(), _ticks(rows), _labels(rows)],
        height=36 * len(rows) + 10,
    )
    absent = [entry.name for entry, spread in found if spread is None]
    table = grid(
        ("Scenario", "Worst", "Base", "Best"),
        held,
        lambda e: (Cell(e[0].name, bold=True), *(scale.words(v) for v in (e[1].worst, e[1].base, e[1].best))),
        numeric=(1, 2, 3),
    )
    blocks: list[Block] = [table, Listed("Not valued, inputs are missing", absent)]
    return Built(f"{_WHAT[measure]}, {scale.unit}", blocks, lambda: _tidy(held, measure), spec, described)


def _row(order: int, entry: ScenarioEconomics, spread: Spread, scale: Scale) -> dict[str, Any]:
    points = (spread.worst, spread.base, spread.best)
    worst, base, best = (scale.number(p) for p in points)
    return {
        "order": order,
        "label": clean(entry.name, 60),
        "worst": worst,
        "base": base,
        "best": best,
        "words": f"{scale.words(points[0])} … {scale.words(points[1])} … {scale.words(points[2])}",
        "colour": RED if best < 0 else GREEN if worst > 0 else BLUE,
        "kind": spoken(entry.kind),
    }


def _bars(rows: list[dict[str, Any]], scale: Scale) -> Layer:
    del scale
    return {
        "data": values(rows),
        "mark": {"type": "bar", "height": 12, "cornerRadius": 2, "opacity": 0.85},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "worst", "type": "quantitative", "title": None, "axis": {"format": ",.4~g"}},
            "x2": {"field": "best"},
            "color": {"field": "colour", "type": "nominal", "scale": None},
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "scenario"},
                {"field": "kind", "type": "nominal", "title": "kind"},
                {"field": "words", "type": "nominal", "title": "worst … base … best"},
            ],
        },
    }


def _ticks(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "tick", "thickness": 3, "size": 22, "color": INK},
        "encoding": {"y": named_axis(len(rows)), "x": {"field": "base", "type": "quantitative"}},
    }


def _labels(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 11.5},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "best", "type": "quantitative"},
            "text": {"field": "words"},
        },
    }


def _tidy(held: list[tuple[ScenarioEconomics, Spread]], measure: str) -> Iterator[dict[str, Any]]:
    for entry, spread in held:
        for end in ("worst", "base", "best"):
            value: Decimal = getattr(spread, end)
            yield {"scenario": entry.name, "kind": entry.kind, "measure": measure, "end": end, "value": value}
