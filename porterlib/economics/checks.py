"""What makes finance inputs impossible, each with its field, the problem and an example of what is right."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.economics_estimates import Estimate, Measure
from porterlib.contracts.economics_inputs import MEASURES, EconomicsInputs
from porterlib.economics.delay import COMPONENTS
from porterlib.errors import EconomicsError


def check_inputs(inputs: EconomicsInputs) -> None:
    """Refuse inputs that cannot be right.

    Raises:
        EconomicsError: with the path of the first impossible field.

    """
    for path, estimate, measure in _estimates(inputs):
        problem = estimate.problem(measure, inputs.currency)
        if problem:
            raise EconomicsError(f"{path}: {problem}", field=path)
    for check in (_start, _scenario_names, _one_benefit, _inflation, _correlations):
        for path, problem in check(inputs):
            raise EconomicsError(f"{path}: {problem}", field=path)


def _estimates(inputs: EconomicsInputs) -> Iterator[tuple[str, Estimate, Measure]]:
    if inputs.discount_rate is not None:
        yield "discount_rate", inputs.discount_rate, "share"
    for name in type(inputs.lines).model_fields:
        if (estimate := getattr(inputs.lines, name)) is not None:
            yield f"lines.{name}", estimate, MEASURES[name]
    for index, scenario in enumerate(inputs.scenarios):
        for line, change in scenario.changes.items():
            if change.to is not None:
                yield f"scenarios[{index}].changes.{line}.to", change.to, MEASURES[line]
    if inputs.cost_of_delay is not None:
        for name, _ in COMPONENTS:
            if (estimate := getattr(inputs.cost_of_delay, name)) is not None:
                yield f"cost_of_delay.{name}", estimate, "money"
    yield from _ladder_estimates(inputs)


def _ladder_estimates(inputs: EconomicsInputs) -> Iterator[tuple[str, Estimate, Measure]]:
    ladder = inputs.benefit_ladder
    if ladder is None:
        return
    yield "benefit_ladder.hours_saved", ladder.hours_saved, "hours/year"
    yield "benefit_ladder.released_share", ladder.released_share, "share"
    yield "benefit_ladder.redeployed_share", ladder.redeployed_share, "share"
    for index, line in enumerate(ladder.booked):
        yield f"benefit_ladder.booked[{index}].amount", line.amount, "money/year"


def _start(inputs: EconomicsInputs) -> Iterator[tuple[str, str]]:
    start = inputs.lines.start_month
    if start is None:
        return
    if start.low < 1:
        yield "lines.start_month", f"{start.low} is before month 1; write for example base: 7"
    if inputs.horizon_years is not None and start.high > inputs.horizon_years * 12:
        months = inputs.horizon_years * 12
        yield (
            "lines.start_month",
            f"benefits start in month {start.high}, after the horizon of {months} months; "
            f"write a month up to {months} or lengthen horizon_years",
        )


def _scenario_names(inputs: EconomicsInputs) -> Iterator[tuple[str, str]]:
    known: list[str] = []
    for index, scenario in enumerate(inputs.scenarios):
        if scenario.name in known:
            yield (
                f"scenarios[{index}].name",
                f"{scenario.name!r} is used twice; give each scenario its own name",
            )
        parent = scenario.derives_from
        if parent is not None and parent not in known:
            yield (
                f"scenarios[{index}].derives_from",
                f"{parent!r} is no earlier scenario; write one of {known or 'those above it'}",
            )
        known.append(scenario.name)
    if sum(scenario.kind == "no_action" for scenario in inputs.scenarios) > 1:
        yield "scenarios", "two scenarios are no action; keep one, since all others are compared with it"


def _one_benefit(inputs: EconomicsInputs) -> Iterator[tuple[str, str]]:
    if inputs.benefit_ladder is not None and inputs.lines.gross_benefit is not None:
        yield (
            "lines.gross_benefit",
            "the benefit ladder already gives the benefit, so it would count twice; remove one of them",
        )


def _inflation(inputs: EconomicsInputs) -> Iterator[tuple[str, str]]:
    mixed = inputs.prices == "real" and inputs.rate_basis == "nominal"
    if mixed and inputs.lines.inflation is None:
        yield (
            "lines.inflation",
            "amounts are real and the rate is nominal, so inflation is needed; write for example "
            "inflation: {base: 0.02, unit: share, basis: [A-inflation-1]}, or state both on one basis",
        )
    if not mixed and inputs.lines.inflation is not None:
        yield (
            "lines.inflation",
            f"{inputs.prices} amounts with a {inputs.rate_basis} rate need no conversion; remove inflation, "
            "or write prices: real with rate_basis: nominal",
        )
    if inputs.prices == "nominal" and inputs.rate_basis == "real":
        yield "rate_basis", "nominal amounts cannot be discounted at a real rate; write rate_basis: nominal"


def _correlations(inputs: EconomicsInputs) -> Iterator[tuple[str, str]]:
    for index, pair in enumerate(inputs.correlations):
        path = f"correlations[{index}]"
        if not -1 <= pair.rho <= 1:
            yield f"{path}.rho", f"{pair.rho} leaves -1 to 1; write for example 0.3"
        for end, name in (("first", pair.first), ("second", pair.second)):
            if name not in MEASURES:
                yield f"{path}.{end}", f"{name!r} is no line; write one of {', '.join(MEASURES)}"
        if pair.first == pair.second:
            yield path, f"{pair.first!r} is paired with itself; name two different lines"
