"""Cost of delay as a waterfall: what waiting costs, what it saves, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from porterlib.contracts.economics import CostOfDelay, Economics
from porterlib.display.blocks import Block, Built, Cell, Listed, grid
from porterlib.display.charts.sheet import Layer, named_axis, sheet, values, zero_line
from porterlib.display.numbers import Scale, scale_for
from porterlib.display.parts import part
from porterlib.display.style import GREEN, INK, ORANGE, RED
from porterlib.display.text import clean
from porterlib.display.words import spoken
from porterlib.errors import InputError

_TOTAL = "cost of delay"


def delay(result: Any) -> Built:
    """Return the waterfall of the base case, with the range of each part and of the total.

    Raises:
        InputError: no cost of delay was asked for, or a part of it is missing.

    """
    economics = part(result, Economics)
    cost = economics.cost_of_delay
    if cost is None:
        raise InputError("no cost of delay was asked for; add `cost_of_delay:` to the inputs")
    if cost.base is None or cost.low is None or cost.high is None:
        raise InputError(f"the cost of delay is not complete; supply {', '.join(map(spoken, cost.missing))}")
    amounts = [v for c in cost.components for v in (c.low, c.base, c.high)] + [cost.low, cost.high]
    scale = scale_for(economics.currency, amounts)
    rows = list(_steps(cost, scale))
    described = (
        f"Cost of waiting {cost.months} months in {scale.unit}: "
        + "; ".join(f"{row['label']} {row['words']}" for row in rows)
        + "."
    )
    spec = sheet(
        f"What waiting {cost.months} months costs",
        f"{scale.unit}, base case; a saving runs back to the left. Thin lines: low to high. Below zero, waiting pays.",
        described,
        [_bars(rows), zero_line(), _whiskers(rows), _labels(rows)],
        height=42 * len(rows) + 10,
    )
    table = grid(
        ("Part", "Low", "Base", "High", "Owner", "Rests on"),
        list(_lines(cost)),
        lambda line: (
            Cell(spoken(str(line["component"])), bold=line["component"] == _TOTAL),
            *(scale.words(line[end]) for end in ("low", "base", "high")),
            line["owner"] or "—",
            line["basis"] or "—",
        ),
        numeric=(1, 2, 3),
        narrow=(5,),
    )
    blocks: list[Block] = [table, Listed("Formula", [cost.formula])]
    return Built(
        f"Cost of waiting {cost.months} months, {scale.unit}", blocks, lambda: _lines(cost), spec, described
    )


def _steps(cost: CostOfDelay, scale: Scale) -> Iterator[dict[str, Any]]:
    running = Decimal(0)
    for order, entry in enumerate(cost.components):
        start, running = running, running + entry.sign * entry.base
        low, high = sorted((entry.sign * entry.low, entry.sign * entry.high))
        colour = ORANGE if entry.sign > 0 else GREEN
        yield _step(
            order, spoken(entry.name), start, running, (start + low, start + high), (low, high), colour, scale
        )
    assert cost.base is not None
    assert cost.low is not None
    assert cost.high is not None
    colour = RED if cost.base > 0 else GREEN
    ends = (cost.low, cost.high)
    yield _step(len(cost.components), _TOTAL, Decimal(0), cost.base, ends, ends, colour, scale)


def _step(
    order: int,
    label: str,
    start: Decimal,
    end: Decimal,
    whisker: tuple[Decimal, Decimal],
    own: tuple[Decimal, Decimal],
    colour: str,
    scale: Scale,
) -> dict[str, Any]:
    reach = [scale.number(v) for v in (start, end, *whisker)]
    return {
        "order": order,
        "label": clean(label, 60),
        "start": reach[0],
        "end": reach[1],
        "low": reach[2],
        "high": reach[3],
        "right": max(reach),
        "words": f"{scale.words(end - start)}  ({scale.words(own[0])} to {scale.words(own[1])})",
        "colour": colour,
    }


def _bars(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "bar", "height": 18, "cornerRadius": 1},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "start", "type": "quantitative", "title": None, "axis": {"format": ",.4~g"}},
            "x2": {"field": "end"},
            "color": {"field": "colour", "type": "nominal", "scale": None},
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "part"},
                {"field": "words", "type": "nominal", "title": "base (low to high)"},
            ],
        },
    }


def _whiskers(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.4},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
        },
    }


def _labels(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 11.5},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "right", "type": "quantitative"},
            "text": {"field": "words"},
        },
    }


def _lines(cost: CostOfDelay) -> Iterator[dict[str, Any]]:
    for entry in cost.components:
        ends = {end: entry.sign * getattr(entry, end) for end in ("low", "base", "high")}
        yield {"component": entry.name, **ends, "owner": entry.owner or "", "basis": ", ".join(entry.basis)}
    yield {
        "component": _TOTAL,
        "low": cost.low,
        "base": cost.base,
        "high": cost.high,
        "owner": "",
        "basis": "",
    }
