"""The distribution of simulated net present value, with what of it is loss."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.economics_simulation import Simulation
from porterlib.display.blocks import Block, Built, Cell, Facts, Para, grid
from porterlib.display.charts.sheet import Layer, sheet, values
from porterlib.display.numbers import Scale, scale_for
from porterlib.display.style import BLUE, INK, RED
from porterlib.display.text import clean
from porterlib.errors import InputError

_NAMED = (10.0, 50.0, 90.0)


def histogram(drawn: Simulation, *, inputs: EconomicsInputs | None = None) -> Built:
    """Return the distribution as a chart.

    Args:
        drawn: a simulation; it keeps percentiles, from which steps of density are drawn between P1 and P99.
        inputs: the inputs it was drawn from; with them the same draws are made again and counted in full.

    Raises:
        InputError: the inputs are not those of the simulation.

    """
    scale = scale_for(drawn.currency, [Decimal(str(p.value)) for p in drawn.percentiles])
    factor = float(scale.factor)
    bins = _counted(drawn, inputs, factor) if inputs is not None else _between(drawn, factor)
    marks = [
        {"x": p.value / factor, "words": f"P{p.percent:g} {scale.words(Decimal(str(p.value)))}", "level": i}
        for i, p in enumerate(p for p in drawn.percentiles if p.percent in _NAMED)
    ]
    how = "all draws" if inputs is not None else "density between the stored percentiles P1 and P99"
    described = (
        f"Distribution of simulated net present value in {scale.unit}, {drawn.draws:,} draws, seed {drawn.seed}. "
        f"Probability of loss {drawn.probability_of_loss:.1%}. "
        + ", ".join(str(m["words"]) for m in marks)
        + "."
    )
    spec = sheet(
        f"Simulated net present value: {drawn.probability_of_loss:.0%} of draws lose",
        f"{scale.unit}; {drawn.draws:,} draws, seed {drawn.seed}, {how}. Red: loss.",
        described,
        [_bars(bins), *_rules(marks)],
        height=280,
        width=550,
        subject=clean(drawn.scenario, 60),
    )
    table = grid(
        ("Percentile", f"NPV, {scale.unit}"),
        drawn.percentiles,
        lambda p: (f"P{p.percent:g}", scale.words(Decimal(str(p.value)))),
        numeric=(1,),
    )
    blocks: list[Block] = [
        Facts([("Probability of loss", Cell(f"{drawn.probability_of_loss:.1%}", bold=True))]),
        table,
        Para(drawn.caution, small=True),
    ]
    return Built(
        f"Simulated net present value, {scale.unit}", blocks, lambda: _tidy(bins, scale), spec, described
    )


def _counted(drawn: Simulation, inputs: EconomicsInputs, factor: float) -> list[dict[str, Any]]:
    """Return the bins of the very draws behind a simulation, made again from its seed."""
    from porterlib.economics.evaluate import frame_of
    from porterlib.economics.report import case_named
    from porterlib.economics.signing import inputs_sha256
    from porterlib.economics.simulation import histogram as count
    from porterlib.economics.simulation import sample_inputs, value_draws

    if inputs_sha256(inputs) != drawn.inputs_sha256:
        raise InputError(
            "inputs: these are not the inputs of the simulation; simulate them again", field="inputs"
        )
    case = case_named(inputs, drawn.scenario)
    samples = sample_inputs(case, inputs, drawn.draws, drawn.seed)
    edges, counts = count(value_draws(case, frame_of(inputs), samples, drawn.draws))
    return [
        _bin(left / factor, right / factor, n / drawn.draws / (right - left) * factor, n / drawn.draws)
        for left, right, n in zip(edges, edges[1:], counts, strict=False)
        if right > left
    ]


def _between(drawn: Simulation, factor: float) -> list[dict[str, Any]]:
    steps = []
    for lower, upper in pairwise(drawn.percentiles):
        share, width = (upper.percent - lower.percent) / 100, (upper.value - lower.value) / factor
        if width > 0:
            steps.append(_bin(lower.value / factor, upper.value / factor, share / width, share))
    return steps


def _bin(left: float, right: float, density: float, share: float) -> dict[str, Any]:
    return {"left": left, "right": right, "density": density, "share": share}


def _bars(bins: list[dict[str, Any]]) -> Layer:
    """Return the bars, those across zero cut in two so that loss has a colour of its own."""
    pieces = []
    for entry in bins:
        cuts = [entry["left"], *([0.0] if entry["left"] < 0 < entry["right"] else []), entry["right"]]
        for left, right in pairwise(cuts):
            pieces.append(
                {**entry, "left": left, "right": right, "foot": 0, "colour": RED if right <= 0 else BLUE}
            )
    return {
        "data": values(pieces),
        "mark": {"type": "rect", "opacity": 0.8},
        "encoding": {
            "x": {
                "field": "left",
                "type": "quantitative",
                "title": None,
                "axis": {"grid": False, "format": ",.4~g"},
            },
            "x2": {"field": "right"},
            "y": {
                "field": "foot",
                "type": "quantitative",
                "title": "density",
                "axis": {"labels": False, "ticks": False, "grid": False},
            },
            "y2": {"field": "density"},
            "color": {"field": "colour", "type": "nominal", "scale": None},
            "tooltip": [
                {"field": "left", "type": "quantitative", "title": "from", "format": ",.1f"},
                {"field": "right", "type": "quantitative", "title": "to", "format": ",.1f"},
                {"field": "share", "type": "quantitative", "title": "share of draws", "format": ".1%"},
            ],
        },
    }


def _rules(marks: list[dict[str, Any]]) -> Iterator[Layer]:
    place = {"x": {"field": "x", "type": "quantitative"}}
    yield {
        "data": values(marks),
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1.2},
        "encoding": place,
    }
    yield {
        "data": values(marks),
        "mark": {"type": "text", "align": "left", "dx": 4, "y": 6, "fontSize": 11.5, "fontWeight": 600},
        "encoding": {**place, "text": {"field": "words"}},
    }


def _tidy(bins: list[dict[str, Any]], scale: Scale) -> Iterator[dict[str, Any]]:
    for entry in bins:
        yield {**entry, "unit": scale.unit}
