"""Says what the calculator found, in its own figures: value, payback, waiting, and what is missing.

The first page gives each amount once, rounded as the calculator rounds it; `exact_points` gives the same
amounts to the last digit, for who recomputes them.
"""

from __future__ import annotations

from decimal import Decimal

from porterlib.analysis.workings import Workings
from porterlib.contracts.assessment import Point
from porterlib.contracts.economics import Calculation, CostOfDelay, Economics, MissingInput, ScenarioEconomics
from porterlib.contracts.sector import Formula
from porterlib.economics import format_money
from porterlib.evaluation.support import content_overlap

_SHARES = frozenset(("realisation", "tax_rate", "inflation", "discount_rate"))
_YEARLY = frozenset(("gross_benefit", "run_cost", "control_cost", "expected_loss"))
LISTED = 4
"""Missing inputs named one by one before the rest is counted."""
ENDS = ("worst", "base", "best")


def rounded(figure: Calculation) -> str:
    """Return a figure as the calculator rounds it, without its exact form."""
    return figure.display.partition(" (")[0]


def value_points(work: Workings) -> tuple[Point, ...]:
    """Return the value of each valued option as a range, when cash turns, and who signed."""
    valued = _valued(work)
    if work.economics is None or not valued:
        return _without_value(work)
    points = [*_range(work, valued[0]), _payback(work, valued[0])]
    points += [p for scenario in valued[1:] + _losing_wait(work) for p in _range(work, scenario, brief=True)]
    points += _signature(work.economics)
    return tuple(point for point in points if point is not None)


def exact_points(work: Workings) -> tuple[Point, ...]:
    """Return every range of the first page in exact form."""
    points = []
    for scenario in _valued(work) + _losing_wait(work):
        figures = [f for end in ENDS if (f := work.figure(f"npv.{end}", scenario.name))]
        if len(figures) == len(ENDS):
            worst, base, best = (figure.display for figure in figures)
            text = f"{_spoken(scenario.name).capitalize()}: worst {worst}, base {base}, best {best}."
            points.append(Point(text=text, basis=tuple(figure.id for figure in figures)))
    delay = [f for end in ("low", "base", "high") if (f := work.figure(f"cost_of_delay.{end}", None))]
    if len(delay) == len(ENDS):
        low, base, high = (figure.display for figure in delay)
        text = f"Cost of delay: low {low}, base {base}, high {high}."
        points.append(Point(text=text, basis=tuple(figure.id for figure in delay)))
    return tuple(points)


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
        text = "What waiting costs is not known: finance has yet to supply the parts of the cost of delay."
        return (Point(text=text, basis=(need,)),)
    low, base, high = (figure for figure in figures if figure)
    verb = "costs" if delay.base >= 0 else "pays: its cost is"
    option = work.option_of(("wait",))
    own = option.wait_months if option else None
    other = f" (the option to wait lasts {own})" if own and own != delay.months else ""
    text = (
        f"Waiting {delay.months} months{other} {verb} {rounded(base)} in the base case, "
        f"from {rounded(low)} to {rounded(high)}."
    )
    points = [Point(text=text, basis=(base.id, low.id, high.id))]
    if delay.base >= 0 and delay.low is not None and delay.low < 0:
        text = "At the low end waiting pays."
        points.append(Point(text=text, basis=(low.id,)))
    return (*points, *_largest_part(delay, base))


def turning_point(work: Workings) -> Point | None:
    """Return the input that moves the value most, who owns it, and where it turns the sign."""
    economics = work.economics
    lead = economics.dominant_assumption if economics else None
    figure = work.figure("npv.base", lead.scenario) if lead else None
    if economics is None or lead is None or figure is None:
        return None
    line, owner = _spoken(lead.driver.line), lead.driver.owner or "nobody named"
    text = f"Largest uncertainty: {line}, owned by {owner}; "
    if lead.driver.switching_value is None or lead.driver.switching != "in range":
        text += "no value of it in the range given turns the sign."
    else:
        turning = turning_value(lead.driver.line, lead.driver.switching_value, economics.currency)
        text += f"the {_spoken(lead.scenario)} course is worth nothing at {turning}, inside its range."
    return Point(text=text, basis=(figure.id,))


def turning_value(line: str, value: Decimal, currency: str) -> str:
    """Return a switching value in the unit of its line."""
    name = line.rpartition(":")[2]
    if name in _SHARES:
        return f"{value * 100:.1f} %"
    if name == "start_month":
        return f"month {value:.1f}"
    amount = format_money(value, currency).partition(" (")[0].removeprefix(currency).strip()
    return f"{amount} {'a year ' if name in _YEARLY else ''}({currency})"


def _valued(work: Workings) -> list[ScenarioEconomics]:
    """Return the scenarios that value the action options, the recommended one first."""
    chosen = work.recommendation.option_id if work.recommendation else None
    options = sorted(work.actions, key=lambda option: option.id != chosen)
    found = [work.scenario(option) for option in options]
    return [scenario for scenario in found if scenario is not None and scenario.npv is not None]


def _losing_wait(work: Workings) -> list[ScenarioEconomics]:
    """Return scenarios of waiting that lose value throughout; the brief must not pass over them."""
    found = [work.scenario(option) for option in work.contract.options if option.kind == "wait"]
    return [s for s in found if s is not None and s.npv is not None and s.npv.best <= 0]


def _range(work: Workings, scenario: ScenarioEconomics, *, brief: bool = False) -> list[Point | None]:
    worst, base, best = (work.figure(f"npv.{end}", scenario.name) for end in ENDS)
    if worst is None or base is None or best is None or scenario.npv is None:
        return []
    years = max((row.year for row in scenario.years), default=0)
    text = (
        f"Over {years} years the {_spoken(scenario.name)} course is worth {rounded(base)} in the base case, "
        f"{rounded(worst)} at worst and {rounded(best)} at best."
    )
    negative = scenario.npv.best <= 0
    if brief:
        name = _spoken(scenario.name).capitalize()
        tail = ", negative throughout" if negative else ""
        text = f"{name}: {rounded(base)}, from {rounded(worst)} to {rounded(best)}{tail}."
    points: list[Point | None] = [Point(text=text, basis=(base.id, worst.id, best.id))]
    if negative and not brief:
        text = "Its whole range is negative: it loses value even in its best case."
        points.append(Point(text=text, basis=(best.id,)))
    return points


def _payback(work: Workings, scenario: ScenarioEconomics) -> Point | None:
    base, worst = (work.figure(f"discounted_payback_month.{end}", scenario.name) for end in ("base", "worst"))
    if base is None or worst is None:
        return None
    if base.value == worst.value == "never":
        text = "Discounted cash turns positive neither in the base case nor at worst."
    else:
        text = f"Discounted cash turns positive {_month(base)} (base case), {_month(worst)} at worst."
    return Point(text=text, basis=(base.id, worst.id))


def _month(figure: Calculation) -> str:
    return "never" if figure.value == "never" else f"in month {figure.value}"


def _largest_part(delay: CostOfDelay, base: Calculation) -> list[Point]:
    """Return the largest part of what waiting costs, or of what it saves where it pays."""
    sign = 1 if delay.base is not None and delay.base >= 0 else -1
    parts = [part for part in delay.components if part.base is not None and part.sign == sign]
    if not parts:
        return []
    part = max(parts, key=lambda entry: (entry.base or 0, entry.name))
    text = f"Its largest part is {_spoken(part.name)}, owned by {part.owner or 'nobody named'}."
    return [Point(text=text, basis=(base.id,))]


def _signature(economics: Economics) -> list[Point]:
    if not economics.calculations:
        return []
    basis = (economics.calculations[0].id,)
    if economics.signed is None:
        return [Point(text="No finance owner has signed these inputs.", basis=basis)]
    return [Point(text=f"{economics.signed.owner} signed these inputs.", basis=basis)]


def _without_value(work: Workings) -> tuple[Point, ...]:
    """Name formula and requests in place of a value."""
    missing = [] if work.economics is None else work.economics.missing_inputs
    formula = _formula(work)
    need = work.assume(
        f"Value follows {formula}; its inputs are owed by finance.", owner="finance", material=True
    )
    text = "No value is stated, because finance has not supplied the inputs it is calculated from."
    points = [Point(text=text, basis=(need,)), Point(text=f"The formula is: {formula}.", basis=(need,))]
    if missing:
        named = "; ".join(f"{input_name(entry)} (from the {entry.supplier})" for entry in missing[:LISTED])
        more = f", and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        points.append(Point(text=f"Still to be supplied: {named}{more}.", basis=(need,)))
    return tuple(points)


def _formula(work: Workings) -> str:
    """Return the pack's formula nearest to the decision, by the words of its name and inputs."""
    asked = f"{work.contract.question} {work.contract.boundary.product}"

    def nearness(formula: Formula) -> float:
        return content_overlap(
            asked, f"{formula.id.replace('_', ' ')} {formula.name} {' '.join(formula.inputs)}"
        )

    return max(work.pack.formulas, key=nearness).expression


def input_name(entry: MissingInput) -> str:
    """Return what a missing input is called in a sentence: `gross benefit` for `lines.gross_benefit`."""
    return _spoken(entry.field.rpartition(".")[2])


def _spoken(name: str) -> str:
    return name.replace("_", " ")
