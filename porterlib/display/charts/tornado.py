"""The tornado: what each input alone does to base net present value, largest swing first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from porterlib.contracts.economics import Driver, Economics, ScenarioEconomics
from porterlib.contracts.economics_inputs import MEASURES
from porterlib.display.blocks import Built, Cell, grid
from porterlib.display.charts.sheet import Layer, named_axis, sheet, values, zero_line
from porterlib.display.numbers import Scale, scale_for, trimmed
from porterlib.display.parts import part
from porterlib.display.style import BLUE, INK, ORANGE
from porterlib.display.text import clean
from porterlib.display.words import spoken
from porterlib.errors import InputError

_SHOWN = 12
_LOW, _HIGH = "input at its low end", "input at its high end"


def tornado(result: Any, *, scenario: str | None = None) -> Built:
    """Return the tornado of one scenario; inputs without effect are left out of the picture and counted.

    Args:
        result: economics, or a result that holds them.
        scenario: name or kind; without it the targeted one, else the first that is valued.

    Raises:
        InputError: the scenario has no value, or no input moves it.
        EconomicsError: there is no such scenario.

    """
    economics = part(result, Economics)
    entry = scenario_of(economics, scenario)
    if entry.npv is None:
        raise InputError(f"scenario {entry.name!r} has no value yet; supply {', '.join(entry.missing)}")
    moving = [d for d in entry.drivers if d.swing > 0]
    if not moving:
        raise InputError(f"no input of scenario {entry.name!r} has a range; give low, base and high")
    shown, base = moving[:_SHOWN], entry.npv.base
    scale = scale_for(economics.currency, (v for d in shown for v in (d.npv_at_low, d.npv_at_high)))
    left_out = f" {len(moving) - _SHOWN} smaller ones are in the table." if len(moving) > _SHOWN else ""
    described = _described(entry, shown, base, scale)
    rows = [row for i, d in enumerate(shown) for row in _ends(i, d, base, scale)]
    spec = sheet(
        "What moves the result",
        f"Net present value in {scale.unit} with one input at its end, others at base.{left_out}",
        described,
        [_bars(rows), zero_line(), _base(base, scale), _labels(shown, base, scale)],
        height=40 * len(shown) + 10,
        subject=clean(entry.name, 60),
    )
    table = grid(
        (
            "Input",
            "Low",
            "High",
            f"NPV at low, {scale.unit}",
            "NPV at high",
            "Swing",
            "Turns the sign at",
            "Owner",
        ),
        moving,
        lambda d: (
            input_name(d),
            _input(d, d.low_input),
            _input(d, d.high_input),
            scale.words(d.npv_at_low),
            scale.words(d.npv_at_high),
            scale.words(d.swing),
            Cell(_switch(d) or "not in its range", "warn" if d.flips_sign else None),
            d.owner or Cell("no owner", "warn"),
        ),
        numeric=(1, 2, 3, 4, 5),
        narrow=(3, 4),
    )
    return Built(
        f"What moves the result of {entry.name}, {scale.unit}", [table], lambda: _tidy(entry), spec, described
    )


def scenario_of(economics: Economics, wanted: str | None) -> ScenarioEconomics:
    """Return the scenario asked for, else the targeted one, else the first that has a value, else the first."""
    if wanted is not None:
        return economics.scenario(wanted)
    own = economics.main_scenario("targeted")
    if own is not None and own.npv is not None:
        return own
    valued = [entry for entry in economics.scenarios if entry.npv is not None]
    if not (valued or economics.scenarios):
        raise InputError("these economics have no scenario; add `scenarios:` to the inputs")
    return (valued or list(economics.scenarios))[0]


def input_name(driver: Driver) -> str:
    """Return an input's name for reading; the scenario before the colon is said elsewhere."""
    return clean(spoken(driver.line.rsplit(":", 1)[-1]), 40)


def _measure(driver: Driver) -> str:
    return MEASURES.get(driver.line.rsplit(":", 1)[-1], "money")


def _input(driver: Driver, value: Decimal) -> str:
    """Return an input value as its owner thinks of it: shares in percent, money in millions where it is large."""
    measure = _measure(driver)
    if measure == "share":
        return f"{trimmed(value * 100)} %"
    if measure.startswith("money"):
        own = scale_for("", (value,))
        return f"{trimmed(round(value / own.factor, 2))}{own.suffix}"
    return trimmed(value)


def _switch(driver: Driver) -> str:
    if driver.switching_value is None or driver.switching != "in range":
        return ""
    value = driver.switching_value
    if _measure(driver) == "share":
        return f"{round(value * 100, 1)} %"
    if _measure(driver).startswith("money"):
        own = scale_for("", (value,))
        return f"{round(value / own.factor, 1):,}{own.suffix}"
    return trimmed(round(value, 1))


def _ends(order: int, driver: Driver, base: Decimal, scale: Scale) -> Iterator[dict[str, Any]]:
    for which, value, given in (
        (_LOW, driver.npv_at_low, driver.low_input),
        (_HIGH, driver.npv_at_high, driver.high_input),
    ):
        yield {
            "order": order,
            "label": f"{input_name(driver)} {_input(driver, driver.low_input)} – {_input(driver, driver.high_input)}",
            "end": which,
            "base": scale.number(base),
            "npv": scale.number(value),
            "words": f"{scale.words(value)} at {_input(driver, given)}",
            "owner": clean(driver.owner or "no owner", 60),
        }


def _bars(rows: list[dict[str, Any]]) -> Layer:
    return {
        "data": values(rows),
        "mark": {"type": "bar", "height": 17},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "base", "type": "quantitative", "title": None, "axis": {"format": ",.4~g"}},
            "x2": {"field": "npv"},
            "color": {
                "field": "end",
                "type": "nominal",
                "scale": {"domain": [_LOW, _HIGH], "range": [BLUE, ORANGE]},
                "legend": {"orient": "top", "title": None},
            },
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "input"},
                {"field": "words", "type": "nominal", "title": "net present value"},
                {"field": "owner", "type": "nominal", "title": "owner"},
            ],
        },
    }


def _base(base: Decimal, scale: Scale) -> Layer:
    row = {"base": scale.number(base), "words": f"base {scale.words(base)}"}
    place = {"x": {"field": "base", "type": "quantitative"}}
    line = {
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1.2},
        "encoding": place,
    }
    word = {
        "mark": {"type": "text", "align": "left", "dx": 5, "y": -5, "fontSize": 11.5, "fontWeight": 600},
        "encoding": {**place, "text": {"field": "words"}},
    }
    return {"data": values([row]), "layer": [line, word]}


def _labels(shown: Sequence[Driver], base: Decimal, scale: Scale) -> Layer:
    rows = [
        {
            "order": i,
            "label": next(_ends(i, d, base, scale))["label"],
            "right": scale.number(max(d.npv_at_low, d.npv_at_high, base)),
            "words": f"turns at {_switch(d)}" if _switch(d) else "",
        }
        for i, d in enumerate(shown)
    ]
    return {
        "data": values(rows),
        "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 11.5, "fontWeight": 600},
        "encoding": {
            "y": named_axis(len(rows)),
            "x": {"field": "right", "type": "quantitative"},
            "text": {"field": "words"},
        },
    }


def _described(entry: ScenarioEconomics, shown: Sequence[Driver], base: Decimal, scale: Scale) -> str:
    said = "; ".join(
        f"{input_name(d)} {scale.words(min(d.npv_at_low, d.npv_at_high))} to "
        f"{scale.words(max(d.npv_at_low, d.npv_at_high))}"
        + (f", sign turns at {_switch(d)}" if _switch(d) else "")
        for d in shown[:6]
    )
    return f"Tornado of {clean(entry.name, 60)} in {scale.unit}, base {scale.words(base)}. Largest first: {said}."


def _tidy(entry: ScenarioEconomics) -> Iterator[dict[str, Any]]:
    for d in entry.drivers:
        yield {
            "scenario": entry.name,
            "input": d.line,
            "low_input": d.low_input,
            "high_input": d.high_input,
            "npv_at_low": d.npv_at_low,
            "npv_at_high": d.npv_at_high,
            "swing": d.swing,
            "flips_sign": d.flips_sign,
            "switching_value": d.switching_value,
            "switching": d.switching,
            "owner": d.owner,
            "basis": ", ".join(d.basis),
        }
