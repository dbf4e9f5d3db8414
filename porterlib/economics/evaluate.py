"""One scenario, valued: range, paybacks, rates of return, year table, drivers and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from porterlib.contracts.economics import (
    Corner,
    PaybackMonth,
    Paybacks,
    ScenarioEconomics,
    Setting,
    Spread,
)
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.arithmetic import ONE, exact, horner, stored
from porterlib.economics.cashflows import (
    NPV_FORMULA,
    PER_YEAR,
    Frame,
    discount_factors,
    periodic_growth,
    return_on_investment,
    schedule,
    timing_offset,
    year_table,
)
from porterlib.economics.cautions import cautions
from porterlib.economics.corners import Found, find_spread
from porterlib.economics.recovery import discounted, recover, running
from porterlib.economics.roots import period_roots
from porterlib.economics.scenarios import Case
from porterlib.economics.sensitivity import break_even, tornado

ENDS: tuple[Literal["worst", "base", "best"], ...] = ("worst", "base", "best")
_BENEFIT_LINES = ("gross_benefit", "realisation")
_COST_LINES = ("upfront_cost", "run_cost", "control_cost", "expected_loss")


def frame_of(inputs: EconomicsInputs) -> Frame:
    """Return horizon, period length and timing (one year stands in while the horizon is missing)."""
    return Frame(inputs.horizon_years or 1, PER_YEAR[inputs.periods], inputs.timing)


def convention(inputs: EconomicsInputs) -> str:
    """Return the conventions in one sentence."""
    when = {"end": "at its end", "mid": "at its middle", "begin": "at its start"}[inputs.timing]
    rate = (
        "the yearly rate" if inputs.periods == "annual" else f"the yearly rate / {PER_YEAR[inputs.periods]}"
    )
    period = {"annual": "year", "quarterly": "quarter", "monthly": "month"}[inputs.periods]
    prices = f"{inputs.prices} amounts, {inputs.rate_basis} rate"
    if inputs.lines.inflation is not None:
        prices += ", converted to a real rate (1 + rate) / (1 + inflation) - 1"
    return (
        f"upfront cost at time zero; flows of each {period} fall {when}; "
        f"discounted at {rate}; {prices}; paybacks on monthly flows at a twelfth of the yearly rate"
    )


def unvalued(case: Case, inputs: EconomicsInputs, missing: tuple[str, ...]) -> ScenarioEconomics:
    """Return the scenario without figures, naming what it waits for."""
    return ScenarioEconomics(
        **_identity(case, inputs),
        missing=missing,
        warnings=(f"not valued: {', '.join(missing)} not supplied",),
    )


def _identity(case: Case, inputs: EconomicsInputs) -> dict[str, Any]:
    return {
        "name": case.name,
        "kind": case.kind,
        "option": case.option,
        "changes": case.changes,
        "npv": None,
        "incremental_npv": None,
        "roi": None,
        "roi_present_value": None,
        "basis": case.basis,
        "owners": case.owners,
        "formula": NPV_FORMULA,
        "convention": convention(inputs),
    }


def evaluate(case: Case, reference: Case | None, inputs: EconomicsInputs) -> ScenarioEconomics:
    """Return the economics of a complete case; `reference` is no action, when it can be valued."""
    frame = frame_of(inputs)
    found = find_spread(case, None, frame)
    against = None if reference is None else find_spread(case, reference, frame)
    values = {end: case.values(found[end].settings) for end in ENDS}
    drivers = tornado(case, frame)
    base = _base_figures(values["base"], frame)
    roi = _roi(case, frame)
    figures = {
        **_identity(case, inputs),
        **base,
        "npv": _spread(found),
        "incremental_npv": None if against is None else _spread(against),
        "roi": roi,
        "payback_month": Paybacks(**{end: _payback(values[end], frame, plain_rate=True)[0] for end in ENDS}),
        "discounted_payback_month": Paybacks(**{end: _payback(values[end], frame)[0] for end in ENDS}),
        "corners": tuple(_corner(end, found[end]) for end in ENDS),
        "drivers": drivers,
    }
    return ScenarioEconomics(**{**figures, "warnings": cautions(case, figures, drivers)})


def _spread(found: Mapping[Literal["worst", "base", "best"], Found]) -> Spread:
    return Spread(worst=found["worst"].value, base=found["base"].value, best=found["best"].value)


def _corner(end: Literal["worst", "base", "best"], found: Found) -> Corner:
    settings = tuple(
        Setting(name=name, value=stored(value)) for name, value in sorted(found.settings.items())
    )
    return Corner(end=end, settings=settings, interior_rate=found.interior_rate)


def _base_figures(values: Mapping[str, Decimal], frame: Frame) -> dict[str, Any]:
    years = year_table(values, frame)
    _, recrosses = _payback(values, frame, plain_rate=True)
    with exact():
        rows = schedule(values, frame)
        flows = tuple(row.net for row in rows)
        growth = periodic_growth(values, frame)
        worth = years[-1].cumulative_present_value
        cash = running([row.net for row in schedule(values, frame.monthly())])
        low = min(cash)
        annuity = horner([ONE] * frame.periods, growth) / frame.per_year
        outlay = -flows[0]
        return {
            "years": years,
            "roi_present_value": return_on_investment(rows, discount_factors(values, frame)),
            "payback_recrosses": recrosses,
            "break_even_year": break_even([row.cumulative_present_value for row in years]),
            "irr": _yearly_irr(flows, frame),
            "trough": stored(min(low, Decimal(0))),
            "trough_month": cash.index(low) if low < 0 else 0,
            "cash_curve": tuple(stored(value) for value in cash),
            "equivalent_annual_value": stored(worth / annuity),
            "profitability_index": stored((worth + outlay) / outlay) if outlay > 0 else None,
        }


def _yearly_irr(flows: Sequence[Decimal], frame: Frame) -> tuple[Decimal, ...]:
    """Return the roots as yearly rates on the same convention as the discount rate."""
    with exact():
        return tuple(stored(root * frame.per_year) for root in period_roots(flows, timing_offset(frame)))


def _payback(
    values: Mapping[str, Decimal], frame: Frame, *, plain_rate: bool = False
) -> tuple[PaybackMonth, bool]:
    monthly = frame.monthly()
    with exact():
        amounts = tuple(row.net for row in schedule(values, monthly))
        if not plain_rate:
            amounts = discounted(amounts, periodic_growth(values, monthly))
        result = recover(amounts)
    return result.first_whole, result.recrosses


def _roi(case: Case, frame: Frame) -> Spread | None:
    """Return the ratio at its extremes: it rises in every benefit line and falls in every cost line."""
    worst, best = _roi_settings(case, "low", "high"), _roi_settings(case, "high", "low")
    with exact():
        low, base, high = (
            return_on_investment(schedule(case.values(settings), frame)) for settings in (worst, {}, best)
        )
    if low is None or base is None or high is None:
        return None
    return Spread(worst=low, base=base, best=high)


def _roi_settings(case: Case, benefit_end: str, cost_end: str) -> dict[str, Decimal]:
    ends = (
        dict.fromkeys(_BENEFIT_LINES, benefit_end)
        | dict.fromkeys(_COST_LINES, cost_end)
        | {"start_month": cost_end}
    )
    return {
        case.bounds[line].variable.name: case.bounds[line].variable.at(end)
        for line, end in ends.items()
        if line in case.bounds
    }
