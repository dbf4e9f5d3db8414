"""Coherence with the economics: the calculator's figures, digit for digit (rule 11.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Calculation, Economics, ScenarioEconomics
from porterlib.contracts.options import OptionAssessment
from porterlib.contracts.request import ACTION_KINDS, OptionKind
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.citations import Citation
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found

_VALUED_BY: dict[OptionKind, tuple[str, str]] = {
    "maintain": ("no_action", "no_action"),
    "wait": ("wait", "delayed"),
    "targeted": ("targeted", "targeted"),
    "scaled": ("scaled", "scaled"),
}
"""Kind of option to the calculator's option and the scenario kind that values it; others are `other`."""
_MOST = 2


def valuing_scenario(economics: Economics, kind: OptionKind) -> ScenarioEconomics | None:
    """Return the scenario that values an option of that kind, or None when nothing does.

    It is the scenario of the option's own kind where there is one, else the first that values the option;
    shocks and upside cases of the same option never stand in for it.
    """
    option, own = _VALUED_BY.get(kind, ("other", ""))
    valued = [entry for entry in economics.scenarios if entry.option == option and entry.npv is not None]
    return next((entry for entry in valued if entry.kind == own), valued[0] if valued else None)


def wholly_negative(economics: Economics, kind: OptionKind) -> bool:
    """Return whether even the best net present value of an option loses; the baseline is no such option."""
    entry = None if kind == "maintain" else valuing_scenario(economics, kind)
    return entry is not None and entry.npv is not None and entry.npv.best < 0


def required_figures(candidate: Candidate, economics: Economics) -> tuple[Calculation, ...]:
    """Return the figures the brief must print: worst and best value of each action, and the cost of delay."""
    wanted: set[tuple[str, str | None]] = {("cost_of_delay.low", None), ("cost_of_delay.high", None)}
    for option in candidate.contract.options:
        entry = valuing_scenario(economics, option.kind)
        if option.kind in ACTION_KINDS and entry is not None:
            wanted |= {("npv.worst", entry.name), ("npv.best", entry.name)}
    return tuple(entry for entry in economics.calculations if (entry.name, entry.scenario) in wanted)


def states(citation: Citation, figure: Calculation) -> bool:
    """Return whether a point cites the figure and prints it, digit for digit, in one of its written forms."""
    if citation.text is None or figure.id not in citation.ids:
        return False
    return any(_stands_in(form, citation.text) for form in _forms(figure))


def _forms(figure: Calculation) -> tuple[str, ...]:
    forms = [figure.display, figure.value]
    if re.fullmatch(r"-?\d+(\.\d+)?", figure.value):
        forms.append(f"{Decimal(figure.value):,f}")
    return tuple(forms)


def _stands_in(form: str, text: str) -> bool:
    pattern = rf"(?<![\d.,\-−]){re.escape(_spaced(form))}(?![\d]|[.,]\d)"
    return re.search(pattern, _spaced(text)) is not None


def _spaced(text: str) -> str:
    return " ".join(text.split())


def values_reach_brief(case: Case) -> Iterator[Finding]:
    """Check that the brief prints every required figure, and the challenge a worst value."""
    if case.economics is None or not case.economics.calculations:
        return
    points = [entry for entry in case.citations if entry.place.startswith("brief.")]
    required = required_figures(case.candidate, case.economics)
    for figure in required:
        if not any(states(point, figure) for point in points):
            message = (
                f"{figure.name} of {figure.scenario or 'waiting'} is not printed with its id {figure.id}"
            )
            yield found("ECONOMICS_VALUE_ABSENT", "brief", message)
    worst = [figure for figure in required if figure.name == "npv.worst"]
    challenge = [entry for entry in case.citations if entry.where == "challenge"]
    if worst and not any(states(point, figure) for point in challenge for figure in worst):
        message = "no view prints the worst value of an action option with its id"
        yield found("ECONOMICS_VALUE_ABSENT", "challenge", message)


def figures_are_exact(case: Case) -> Iterator[Finding]:
    """Check that every amount of money in a point stands in a figure, claim or assumption it cites."""
    if case.economics is None:
        return
    money = re.compile(
        rf"\b{re.escape(case.economics.currency)}\s?[-−]?\d[\d,]*(?:\.\d+)?(?:\s?(?:k|m|bn))?\b"
    )
    for citation in case.citations:
        if citation.text is None:
            continue
        printed = _amounts(money, [citation.text])
        allowed = _amounts(money, _sources(case, citation)) if printed else frozenset()
        for amount in sorted(printed - allowed):
            message = f"{amount} stands in no figure, claim or assumption that the point cites"
            yield found("ECONOMICS_FIGURE_DIFFERS", citation.place, message)


def _amounts(money: re.Pattern[str], texts: Iterable[str]) -> frozenset[str]:
    return frozenset(match.replace(" ", "") for text in texts for match in money.findall(_spaced(text)))


def _sources(case: Case, citation: Citation) -> Iterator[str]:
    for name in citation.ids:
        if name in case.calculations:
            currency = case.calculations[name].unit
            yield case.calculations[name].display
            yield from (f"{currency} {form}" for form in _forms(case.calculations[name]))
        elif name in case.claims:
            yield case.claims[name].text
            yield from (link.quote for link in case.links_of.get(name, ()))
        elif name in case.assumptions:
            yield case.assumptions[name].text
        elif name in case.links:
            yield case.links[name].quote


def negative_ranges(case: Case) -> Iterator[Finding]:
    """Check that an option whose whole range is negative is called so, rated low, and not recommended."""
    if case.economics is None:
        return
    for option in case.candidate.options:
        if wholly_negative(case.economics, option.kind):
            yield from _negative(case, case.economics, option)


def _negative(case: Case, economics: Economics, option: OptionAssessment) -> Iterator[Finding]:
    place = f"options.{option.option_id}"
    entry = valuing_scenario(economics, option.kind)
    best = next(
        (f for f in economics.calculations if f.name == "npv.best" and entry and f.scenario == entry.name),
        None,
    )
    points = [citation for citation in case.citations if citation.place.startswith("brief.")]
    if best is None or not any(states(point, best) for point in points):
        message = f"even the best value of {option.name} is negative and the brief does not print it"
        yield found("NEGATIVE_RANGE_NOT_STATED", place, message)
    ratings = [rating.rating for rating in option.ratings if rating.lens == "economics"]
    if any(rating is None or rating > _MOST for rating in ratings):
        message = f"its whole range is negative and economics is rated {ratings[0] or 'not assessed'}"
        yield found("ECONOMICS_RATING_TOO_HIGH", f"{place}.economics", message)
    advice = case.candidate.recommendation
    if advice.kind == "proceed" and advice.option_id == option.option_id:
        yield found("RECOMMENDATION_IGNORES_ECONOMICS", "recommendation", f"{option.name} loses at its best")


def unsigned_inputs(case: Case) -> Iterator[Finding]:
    """Warn when no finance owner has signed the inputs."""
    if case.economics is not None and case.economics.calculations and case.economics.signed is None:
        yield found("ECONOMICS_UNSIGNED", "economics", "no finance owner has signed these inputs")
