"""Cumulative cash month by month: how deep the trough is and when cash turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from porterlib.contracts.economics import Economics, ScenarioEconomics
from porterlib.display.blocks import Built, Cell, grid
from porterlib.display.charts.sheet import Layer, sheet, values
from porterlib.display.numbers import Scale, scale_for
from porterlib.display.parts import part
from porterlib.display.style import INK, PAPER, SERIES, SOFT
from porterlib.display.text import clean
from porterlib.errors import InputError

_OWN = ("no_action", "delayed", "targeted", "scaled")
_MOST = len(SERIES)


def cash(result: Any, *, scenarios: Sequence[str] | None = None) -> Built:
    """Return the base case's cumulative cash of up to six scenarios.

    Args:
        result: economics, or a result that holds them.
        scenarios: names or kinds; without them those that value an option, not those that stress one.

    Raises:
        InputError: too many scenarios, or none can be drawn.
        EconomicsError: there is no such scenario.

    """
    economics = part(result, Economics)
    chosen = _chosen(economics, scenarios)
    scale = scale_for(economics.currency, (v for entry in chosen for v in entry.cash_curve))
    colours = dict(zip((clean(e.name, 60) for e in chosen), SERIES, strict=False))
    lines = [row for entry in chosen for row in _line(entry, scale, colours)]
    described = f"Cumulative cash in {scale.unit}, base case. " + " ".join(
        _sentence(e, scale) for e in chosen
    )
    spec = sheet(
        "Cumulative cash",
        f"{scale.unit} by month, base case, undiscounted. Circle: deepest point. Diamond: month in which cash turns.",
        described,
        [_zero(), _lines(lines), _marks(chosen, scale, colours), _ends(lines)],
        height=320,
        width=380,
    )
    table = grid(
        (
            "Scenario",
            f"Deepest, {scale.unit}",
            "In month",
            "Cash turns in month",
            "Discounted",
            f"At the end, {scale.unit}",
        ),
        chosen,
        lambda e: (
            Cell(e.name, bold=True),
            scale.words(e.trough),
            "—" if e.trough_month is None else e.trough_month,
            e.payback_month.base if e.payback_month else "—",
            e.discounted_payback_month.base if e.discounted_payback_month else "—",
            scale.words(e.cash_curve[-1]),
        ),
        numeric=(1, 2, 3, 4, 5),
    )
    return Built(f"Cumulative cash, {scale.unit}", [table], lambda: _tidy(chosen), spec, described)


def _chosen(economics: Economics, wanted: Sequence[str] | None) -> list[ScenarioEconomics]:
    if wanted is not None:
        found = [economics.scenario(name) for name in wanted]
    else:
        held = [entry for entry in economics.scenarios if entry.cash_curve]
        found = ([entry for entry in held if entry.kind in _OWN] or held)[:_MOST]
    if len(found) > _MOST:
        raise InputError(
            f"scenarios: at most {_MOST} lines can be told apart, got {len(found)}", field="scenarios"
        )
    if absent := [entry.name for entry in found if not entry.cash_curve]:
        raise InputError(f"scenario {absent[0]!r} has no cash curve; .show('missing') lists what is needed")
    if not found:
        raise InputError("no scenario has a cash curve yet; .show('missing') lists what is needed")
    return found


def _line(entry: ScenarioEconomics, scale: Scale, colours: dict[str, str]) -> Iterator[dict[str, Any]]:
    label = clean(entry.name, 60)
    last = len(entry.cash_curve) - 1
    for month, value in enumerate(entry.cash_curve):
        yield {
            "label": label,
            "month": month,
            "cash": scale.number(value),
            "words": f"{label} {scale.words(value)}" if month == last else scale.words(value),
            "colour": colours[label],
            "last": month == last,
        }


def _axes() -> dict[str, Any]:
    return {
        "x": {
            "field": "month",
            "type": "quantitative",
            "title": "month",
            "axis": {"tickMinStep": 6, "grid": False},
            "scale": {"nice": False},
        },
        "y": {"field": "cash", "type": "quantitative", "title": None, "axis": {"format": ",.4~g"}},
    }


def _colour() -> dict[str, Any]:
    return {"field": "colour", "type": "nominal", "scale": None}


def _zero() -> Layer:
    return {
        "data": values([{"cash": 0}]),
        "mark": {"type": "rule", "color": SOFT, "strokeWidth": 1.2},
        "encoding": {"y": {"field": "cash", "type": "quantitative"}},
    }


def _lines(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "line", "strokeWidth": 2.4},
        "encoding": {
            **_axes(),
            "color": _colour(),
            "detail": {"field": "label", "type": "nominal"},
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "scenario"},
                {"field": "month", "type": "quantitative", "title": "month"},
                {"field": "words", "type": "nominal", "title": "cumulative cash"},
            ],
        },
    }


def _marks(chosen: Sequence[ScenarioEconomics], scale: Scale, colours: dict[str, str]) -> Layer:
    rows: list[dict[str, Any]] = []
    for entry in chosen:
        label = clean(entry.name, 60)
        if entry.trough is not None and entry.trough_month is not None and entry.trough < 0:
            rows.append(_mark("circle", entry.trough_month, scale.number(entry.trough), label, colours))
        turn = entry.payback_month.base if entry.payback_month else "never"
        if isinstance(turn, int) and 0 < turn < len(entry.cash_curve):
            rows.append(_mark("diamond", turn, scale.number(entry.cash_curve[turn]), label, colours))
    return {
        "data": values(rows),
        "mark": {
            "type": "point",
            "filled": True,
            "size": 90,
            "opacity": 1,
            "stroke": INK,
            "strokeWidth": 0.6,
        },
        "encoding": {
            **_axes(),
            "color": _colour(),
            "shape": {
                "field": "shape",
                "type": "nominal",
                "scale": {"domain": ["circle", "diamond"], "range": ["circle", "diamond"]},
                "legend": None,
            },
        },
    }


def _mark(shape: str, month: int, value: float, label: str, colours: dict[str, str]) -> dict[str, Any]:
    return {"shape": shape, "month": month, "cash": value, "label": label, "colour": colours[label]}


def _ends(rows: list[dict[str, Any]]) -> Layer:
    """Return each line's name at its end, pushed apart where ends lie close."""
    last = sorted((dict(row) for row in rows if row["last"]), key=lambda row: row["cash"])
    span = (max(r["cash"] for r in rows) - min(r["cash"] for r in rows)) or 1.0
    for lower, upper in pairwise(last):
        upper["cash"] = max(upper["cash"], lower["cash"] + span * 0.055)
    text = {"type": "text", "align": "left", "dx": 8, "fontWeight": 600}
    place = {**_axes(), "text": {"field": "words"}}
    # Drawn twice: a line of the grid must not run through a name.
    halo = {"mark": {**text, "stroke": PAPER, "strokeWidth": 5, "color": PAPER}, "encoding": place}
    return {
        "data": values(last),
        "layer": [halo, {"mark": text, "encoding": {**place, "color": _colour()}}],
    }


def _sentence(entry: ScenarioEconomics, scale: Scale) -> str:
    turn = entry.payback_month.base if entry.payback_month else "never"
    return (
        f"{clean(entry.name, 60)}: deepest {scale.words(entry.trough)} in month {entry.trough_month}, "
        f"cash turns {'never' if turn == 'never' else f'in month {turn}'}, ends at {scale.words(entry.cash_curve[-1])}."
    )


def _tidy(chosen: Sequence[ScenarioEconomics]) -> Iterator[dict[str, Any]]:
    for entry in chosen:
        for month, value in enumerate(entry.cash_curve):
            yield {"scenario": entry.name, "month": month, "cumulative_cash": value}
