"""Says what the calculator found, in its own figures: value, payback, waiting, and what is missing."""

from __future__ import annotations

from decimal import Decimal

from porterlib.analysis.workings import Workings
from porterlib.contracts.analysis import Point
from porterlib.contracts.economics import Calculation, Economics, ScenarioEconomics
from porterlib.economics import format_money

_SHARES = frozenset(("realisation", "tax_rate", "inflation", "discount_rate"))
LISTED = 4
"""Missing inputs named one by one before the rest is counted."""


def value_points(work: Workings) -> tuple[Point, ...]:
    """Return the value of each valued option as a range, then the assumption that dominates it."""
    if work.economics is None or not _valued(work):
        return _without_value(work)
    points = [point for scenario in _valued(work) for point in _range(work, scenario)]
    points += [point for scenario in _losing_wait(work) for point in _range(work, scenario)]
    points += [_payback(work, scenario) for scenario in _valued(work)[:1]]
    points += _dominant(work) + _signature(work)
    return tuple(point for point in points if point is not None)


def waiting_points(work: Workings) -> tuple[Point, ...]:
    """Return what waiting costs or saves, with its range; a request where finance has not said."""
    delay = work.economics.cost_of_delay if work.economics else None
    figures = [work.figure(f"cost_of_delay.{end}", None) for end in ("low", "base", "high")]
    if delay is None or delay.base is None or not all(figures):
        need = work.assume(
            "Cost of delay = foregone benefit + competitive erosion + technical and control debt + lost learning "
            "- savings from waiting; finance has not supplied it.",
            owner="finance",
        )
        return (
            Point(
                text="What waiting costs is not known: finance has yet to supply the parts of the cost of delay.",
                basis=(need,),
            ),
        )
    low, base, high = (figure for figure in figures if figure)
    spread = f"from {_short(low)} to {_short(high)}"
    text = f"Waiting {delay.months} months costs {_short(base)} in the base case, in a range {spread}."
    if delay.base < 0:
        text = f"Waiting {delay.months} months pays: the cost of delay is {_short(base)} in the base case, {spread}."
    points = [Point(text=text, basis=(base.id, low.id, high.id))]
    if delay.base >= 0 and delay.low is not None and delay.low < 0:
        points.append(
            Point(
                text="At the low end waiting pays, because its savings outweigh the benefit foregone.",
                basis=(low.id,),
            )
        )
    return tuple(points)


def _valued(work: Workings) -> list[ScenarioEconomics]:
    found = [work.scenario(option) for option in work.actions]
    return [scenario for scenario in found if scenario is not None and scenario.npv is not None]


def _losing_wait(work: Workings) -> list[ScenarioEconomics]:
    """Return scenarios of waiting that lose value throughout; the brief must not pass over them."""
    found = [work.scenario(option) for option in work.contract.options if option.kind == "wait"]
    return [s for s in found if s is not None and s.npv is not None and s.npv.best <= 0]


def _range(work: Workings, scenario: ScenarioEconomics) -> list[Point | None]:
    worst, base, best = (work.figure(f"npv.{end}", scenario.name) for end in ("worst", "base", "best"))
    if worst is None or base is None or best is None or scenario.npv is None:
        return []
    name = scenario.name.replace("_", " ")
    years = max((row.year for row in scenario.years), default=0)
    text = (
        f"Net present value of the {name} course over {years} years: {_short(base)} in the base case, "
        f"from {_short(worst)} at worst to {_short(best)} at best."
    )
    points: list[Point | None] = [Point(text=text, basis=(base.id, worst.id, best.id))]
    if scenario.npv.best <= 0:
        negative = f"The whole range of the {name} course is negative: it loses value even in its best case."
        points.append(Point(text=negative, basis=(best.id,)))
    return points


def _payback(work: Workings, scenario: ScenarioEconomics) -> Point | None:
    figures = {
        end: work.figure(f"discounted_payback_month.{end}", scenario.name)
        for end in ("worst", "base", "best")
    }
    base, worst = figures["base"], figures["worst"]
    if base is None or worst is None:
        return None
    words = {figure.value: _month(figure) for figure in (base, worst)}
    text = f"Discounted cash turns positive {words[base.value]} in the base case and {words[worst.value]} in the worst."
    return Point(text=text, basis=(base.id, worst.id))


def _month(figure: Calculation) -> str:
    return "never" if figure.value == "never" else f"in month {figure.value}"


def _dominant(work: Workings) -> list[Point]:
    economics = work.economics
    if economics is None or economics.dominant_assumption is None:
        return []
    lead = economics.dominant_assumption
    figure = work.figure("npv.base", lead.scenario)
    if figure is None:
        return []
    line, owner = lead.driver.line.replace("_", " "), lead.driver.owner or "nobody named"
    if lead.driver.switching_value is None:
        text = f"One input moves it most: {line}, owned by {owner}; no value of it alone turns the sign."
    else:
        place = "inside" if lead.driver.switching == "in range" else "outside"
        turning = _turning(lead.driver.line, lead.driver.switching_value, economics.currency)
        text = f"One input moves it most: {line}, owned by {owner}. Value is nil at {turning}, {place} the range given."
    return [Point(text=text, basis=(figure.id,))]


def _signature(work: Workings) -> list[Point]:
    economics = work.economics
    if economics is None or not economics.calculations:
        return []
    basis = (economics.calculations[0].id,)
    if economics.signed is None:
        return [Point(text="No finance owner has signed these inputs.", basis=basis)]
    return [Point(text=f"{economics.signed.owner} signed these inputs.", basis=basis)]


def _without_value(work: Workings) -> tuple[Point, ...]:
    """Name formula and requests in place of a value."""
    missing = _missing(work.economics)
    formula = next(iter(work.pack.formulas)).expression
    need = work.assume(
        f"Value follows {formula}; its inputs are owed by finance.", owner="finance", material=True
    )
    points = [
        Point(
            text="No value is stated, because finance has not supplied the inputs it is calculated from.",
            basis=(need,),
        )
    ]
    points.append(Point(text=f"The formula is: {formula}.", basis=(need,)))
    if missing:
        named = "; ".join(missing[:LISTED])
        more = f", and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        points.append(Point(text=f"Still to be supplied: {named}{more}.", basis=(need,)))
    return tuple(points)


def _missing(economics: Economics | None) -> list[str]:
    return [] if economics is None else [f"{m.field} (from {m.supplier})" for m in economics.missing_inputs]


def _short(figure: Calculation) -> str:
    """Return rounded and exact form: a reader must be able to trust every digit."""
    return figure.display


def _turning(line: str, value: Decimal, currency: str) -> str:
    """Return a switching value in the unit of its line."""
    name = line.rpartition(":")[2]
    if name in _SHARES:
        return f"{value * 100:.1f} %"
    if name == "start_month":
        return f"month {value:.1f}"
    return format_money(value, currency).partition(" (")[0].removeprefix(currency).strip() + f" ({currency})"
