"""The calculator: finance inputs in, economics out. Pure: no clock, no network, no ledger."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from porterlib.contracts.economics import DominantAssumption, Economics, LadderResult, ScenarioEconomics
from porterlib.contracts.economics_estimates import Estimate
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.arithmetic import exact
from porterlib.economics.bias import uplift
from porterlib.economics.checks import check_inputs
from porterlib.economics.delay import cost_of_delay
from porterlib.economics.evaluate import evaluate, unvalued
from porterlib.economics.figures import figures
from porterlib.economics.gaps import missing_inputs
from porterlib.economics.ladder import climb
from porterlib.economics.loading import load_inputs
from porterlib.economics.scenarios import RATE, Case, resolve
from porterlib.economics.signing import inputs_sha256, valid_signature
from porterlib.errors import EconomicsError

CALCULATOR_VERSION = "1"


def calculate(inputs: EconomicsInputs) -> Economics:
    """Return the economics of `inputs`.

    Missing inputs become requests and leave the figures that need them empty; nothing is made up.

    Raises:
        EconomicsError: an input is impossible; the message names the field and what would be right.

    """
    with exact():
        return _calculate(inputs)


def _calculate(inputs: EconomicsInputs) -> Economics:
    check_inputs(inputs)
    ladder = climb(inputs.benefit_ladder, inputs.currency) if inputs.benefit_ladder else None
    factors, label = uplift(inputs)
    cases = resolve(inputs, shared_lines(inputs, ladder), factors)
    scenarios = _scenarios(cases, inputs)
    delay = cost_of_delay(inputs.cost_of_delay) if inputs.cost_of_delay else None
    signed, remark = valid_signature(inputs)
    return Economics(
        title=inputs.title,
        synthetic=inputs.synthetic,
        currency=inputs.currency,
        scenarios=scenarios,
        cost_of_delay=delay,
        benefit_ladder=ladder,
        calculations=figures(scenarios, delay, inputs.currency),
        missing_inputs=missing_inputs(inputs, cases),
        dominant_assumption=_dominant(scenarios),
        optimism_bias=label,
        signed=signed,
        inputs_sha256=inputs_sha256(inputs),
        calculator_version=CALCULATOR_VERSION,
        warnings=_warnings(inputs, remark, label),
    )


def shared_lines(inputs: EconomicsInputs, ladder: LadderResult | None) -> dict[str, Estimate]:
    """Return the lines that are supplied, with the booked value of the ladder and the discount rate."""
    named = {name: getattr(inputs.lines, name) for name in type(inputs.lines).model_fields}
    lines = {name: estimate for name, estimate in named.items() if estimate is not None}
    if ladder is not None:
        lines["gross_benefit"] = ladder.booked
    if inputs.discount_rate is not None:
        lines[RATE] = inputs.discount_rate
    return lines


def cases_of(inputs: EconomicsInputs) -> tuple[Case, ...]:
    """Return the resolved scenarios, for simulation and sensitivity tables."""
    with exact():
        check_inputs(inputs)
        ladder = climb(inputs.benefit_ladder, inputs.currency) if inputs.benefit_ladder else None
        return resolve(inputs, shared_lines(inputs, ladder), uplift(inputs)[0])


def case_named(inputs: EconomicsInputs, scenario: str) -> Case:
    """Return one complete resolved scenario, by name or else by kind.

    Raises:
        EconomicsError: there is no such scenario, or it lacks inputs.

    """
    cases = cases_of(inputs)
    named = [case for case in cases if case.name == scenario] or [c for c in cases if c.kind == scenario]
    if not named:
        known = ", ".join(repr(case.name) for case in cases) or "none"
        raise EconomicsError(f"no scenario {scenario!r}; there is {known}", field="scenario")
    gaps = named[0].missing + (("horizon_years",) if inputs.horizon_years is None else ())
    if gaps:
        raise EconomicsError(
            f"scenario {scenario!r} cannot be valued: supply {', '.join(gaps)}", field=gaps[0]
        )
    return named[0]


def _scenarios(cases: tuple[Case, ...], inputs: EconomicsInputs) -> tuple[ScenarioEconomics, ...]:
    horizon = ("horizon_years",) if inputs.horizon_years is None else ()
    complete = [case for case in cases if not case.missing and not horizon]
    reference = next((case for case in complete if case.kind == "no_action"), None)
    return tuple(
        evaluate(case, reference, inputs)
        if case in complete
        else unvalued(case, inputs, case.missing + horizon)
        for case in cases
    )


def _dominant(scenarios: tuple[ScenarioEconomics, ...]) -> DominantAssumption | None:
    """Return the largest driver of the targeted scenario, or of the first action that is valued."""
    valued = [entry for entry in scenarios if entry.drivers and entry.kind != "no_action"]
    main = next((entry for entry in valued if entry.kind == "targeted"), valued[0] if valued else None)
    if main is None or main.drivers[0].swing == Decimal(0):
        return None
    return DominantAssumption(scenario=main.name, driver=main.drivers[0])


def _warnings(inputs: EconomicsInputs, remark: str | None, label: str | None) -> tuple[str, ...]:
    found = [remark, label]
    if inputs.synthetic:
        found.insert(0, "synthetic figures: made up for illustration, not an organisation's numbers")
    ownerless = sorted(name for name, e in shared_lines(inputs, None).items() if not e.owner)
    if ownerless:
        found.append(f"nobody answers for: {', '.join(ownerless)}; name an owner")
    return tuple(text for text in found if text)


REPORT_DRAWS = 10_000
"""Draws of the simulation in a report; enough for percentiles to one per cent of the spread."""


def calculate_report(path: str | Path) -> dict[str, Any]:
    """Return the economics of an inputs file as plain JSON values.

    Besides the result it holds, for the scenario that the dominant assumption was found in, a seeded
    `simulation` and a `two_way` table of its two largest drivers; both are None where nothing is valued.
    """
    inputs = load_inputs(Path(path))
    result = calculate(inputs)
    return {**result.to_dict(), **_depth(inputs, result)}


def _depth(inputs: EconomicsInputs, result: Economics) -> dict[str, Any]:
    from porterlib.economics.simulation import simulate
    from porterlib.economics.since import two_way_table

    lead = result.dominant_assumption
    if lead is None:
        return {"simulation": None, "two_way": None}
    drivers = [driver.line for driver in result.scenario(lead.scenario).drivers if driver.swing > 0]
    table = two_way_table(inputs, *drivers[:2], scenario=lead.scenario) if len(drivers) > 1 else None
    return {
        "simulation": simulate(inputs, scenario=lead.scenario, draws=REPORT_DRAWS).to_dict(),
        "two_way": table.to_dict() if table else None,
    }
