"""Missing inputs as requests: what to supply, for which formula, by whom, and what an answer looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from porterlib.contracts.economics import MissingInput
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.cashflows import NPV_FORMULA
from porterlib.economics.delay import COMPONENTS, DELAY_FORMULA
from porterlib.economics.scenarios import Case

_RANGE = "low: {low}, base: {base}, high: {high}, unit: {unit}, basis: [A-{short}-1], owner: <name>"
_REQUESTS: Mapping[str, tuple[str, str, str]] = {
    "upfront_cost": (
        "What does it cost once, before the first benefit?",
        "technology owner",
        "20 35 55 {c} m",
    ),
    "gross_benefit": (
        "What is booked in a year if every promise holds (spend removed, revenue, losses avoided)?",
        "business owner of the benefit",
        "35 90 150 {c} m/year",
    ),
    "realisation": (
        "Which share of that has been booked in comparable cases?",
        "finance owner",
        "0.35 0.55 0.75 share",
    ),
    "start_month": (
        "In which month after the start do benefits flow?",
        "business owner of the benefit",
        "7 7 7 month",
    ),
    "run_cost": ("What does a year of operation cost?", "technology owner", "8 12 18 {c} m/year"),
    "control_cost": (
        "What does a year of controls, review and assurance cost?",
        "risk owner",
        "4 7 12 {c} m/year",
    ),
    "expected_loss": (
        "Which yearly loss is expected from errors and incidents?",
        "risk owner",
        "1 3 8 {c} m/year",
    ),
    "discount_rate": (
        "Which yearly rate does the organisation discount with?",
        "treasury",
        "0.08 0.10 0.12 share",
    ),
}
_DELAY_QUESTIONS: Mapping[str, tuple[str, str]] = {
    "foregone_benefit": ("Which benefit is not earned while waiting?", "business owner of the benefit"),
    "competitive_erosion": ("Which margin or share is lost to those who move?", "strategy owner"),
    "technical_and_control_debt": (
        "What does carrying old systems and controls longer cost?",
        "technology owner",
    ),
    "lost_learning": ("What is the learning worth that waiting forgoes?", "business owner of the benefit"),
    "savings_from_waiting": ("What does waiting save, for example in price or rework?", "technology owner"),
}


def missing_inputs(inputs: EconomicsInputs, cases: Sequence[Case]) -> tuple[MissingInput, ...]:
    """Return one request for each input that keeps a figure from being calculated."""
    requests = [
        _line_request(name, waiting, inputs.currency) for name, waiting in _waiting(inputs, cases).items()
    ]
    if inputs.horizon_years is None:
        requests.append(_horizon(cases))
    if not inputs.scenarios:
        requests.append(_scenarios())
    elif not any(case.kind == "no_action" for case in cases):
        requests.append(_no_action(cases))
    return (*requests, *_delay(inputs))


def _waiting(inputs: EconomicsInputs, cases: Sequence[Case]) -> dict[str, tuple[str, ...]]:
    names = _REQUESTS if cases else [n for n in _REQUESTS if _absent(inputs, n)]
    waiting = {name: tuple(case.name for case in cases if name in case.missing) for name in names}
    return {name: scenarios for name, scenarios in waiting.items() if scenarios or not cases}


def _absent(inputs: EconomicsInputs, name: str) -> bool:
    if name == "discount_rate":
        return inputs.discount_rate is None
    if name == "gross_benefit" and inputs.benefit_ladder is not None:
        return False
    return getattr(inputs.lines, name) is None


def _line_request(name: str, waiting: tuple[str, ...], currency: str) -> MissingInput:
    question, supplier, example = _REQUESTS[name]
    low, base, high, unit = example.format(c=currency).split(" ", 3)
    filled = _RANGE.format(low=low, base=base, high=high, unit=unit, short=name.split("_")[0])
    field = name if name == "discount_rate" else f"lines.{name}"
    return MissingInput(
        field=field,
        question=question,
        formula=NPV_FORMULA,
        needed_for=waiting,
        supplier=supplier,
        example=f"{name}: {{{filled}}}",
    )


def _horizon(cases: Sequence[Case]) -> MissingInput:
    return MissingInput(
        field="horizon_years",
        question="Over how many years is the decision valued?",
        formula=NPV_FORMULA,
        needed_for=tuple(case.name for case in cases),
        supplier="finance owner",
        example="horizon_years: 3",
    )


def _scenarios() -> MissingInput:
    return MissingInput(
        field="scenarios",
        question="Which courses are compared: no action, delayed, targeted, scaled, and which shocks?",
        formula=NPV_FORMULA,
        needed_for=(),
        supplier="finance owner",
        example="scenarios: [{name: targeted, kind: targeted, option: targeted}]",
    )


def _no_action(cases: Iterable[Case]) -> MissingInput:
    return MissingInput(
        field="scenarios",
        question="What does carrying on as today cost? No action has costs of its own.",
        formula="incremental npv = npv of the scenario - npv of no action, shared inputs moved together",
        needed_for=tuple(case.name for case in cases),
        supplier="business owner of the benefit",
        example="scenarios: [{name: no action, kind: no_action, option: no_action, changes: {…}}]",
    )


def _delay(inputs: EconomicsInputs) -> tuple[MissingInput, ...]:
    if inputs.cost_of_delay is None:
        return ()
    absent = [name for name, _ in COMPONENTS if getattr(inputs.cost_of_delay, name) is None]
    unit = f"{inputs.currency} m"
    return tuple(
        MissingInput(
            field=f"cost_of_delay.{name}",
            question=_DELAY_QUESTIONS[name][0],
            formula=DELAY_FORMULA,
            needed_for=("cost of delay",),
            supplier=_DELAY_QUESTIONS[name][1],
            example=f"{name}: {{low: 4, base: 8, high: 15, unit: {unit}, basis: [A-delay-1], owner: <name>}}",
        )
        for name in absent
    )
