"""Economics as tables: ranges, paybacks, what is missing, where the benefit comes from, and the inputs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from porterlib.contracts.economics import Economics, Explanation, ScenarioEconomics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.economics_simulation import Simulation
from porterlib.display.blocks import Bars, Block, Built, Cell, Facts, Fold, Grid, Listed, Para, grid
from porterlib.display.numbers import Scale, scale_for, trimmed
from porterlib.display.parts import part
from porterlib.display.style import Tone
from porterlib.display.words import spoken
from porterlib.errors import InputError

_SIGNS: dict[str, tuple[str, Tone]] = {
    "gain": ("gain throughout", "good"),
    "mixed": ("gain or loss", "warn"),
    "loss": ("loss throughout", "bad"),
    "unknown": ("not valued", "quiet"),
}
_DELAY = {
    "always": "Waiting pays in the whole range.",
    "never": "Waiting costs in the whole range.",
    "depends": "Waiting costs or pays, depending on the inputs.",
    "unknown": "Whether waiting pays cannot be said yet.",
}


def economics(result: Economics) -> Built:
    """Return the ranges of net present value, the main warnings and what is missing."""
    blocks: list[Block] = [Facts(_facts(result)), *money_blocks(result), _scenario_table(result)]
    blocks.append(Listed("Warnings", result.warnings))
    drawn = "Pictures: .show('ranges'), .show('tornado', scenario=…), .show('cash'), .show('delay')."
    blocks.append(Para(drawn, small=True))
    return Built(
        f"Economics: {result.title}", blocks, lambda: _rows(result), columns=("scenario", "kind", "option")
    )


def money_scale(result: Economics) -> Scale:
    """Return the one unit in which all net present values of a result are written."""
    values = [v for s in result.scenarios if s.npv for v in (s.npv.worst, s.npv.base, s.npv.best)]
    return scale_for(result.currency, values)


def money_blocks(result: Economics) -> Iterator[Block]:
    """Yield the ranges as bars, what waiting costs, and the requests for missing inputs."""
    scale = money_scale(result)
    valued = [entry for entry in result.scenarios if entry.npv]
    if valued:
        caption = f"Net present value in {scale.unit}: worst, base and best over all inputs; the tick is base, the line zero."
        yield Bars([_bar(entry, scale) for entry in valued], caption)
    if result.cost_of_delay is not None:
        cost = result.cost_of_delay
        own = scale_for(result.currency, (cost.low, cost.base, cost.high))
        yield Para(
            f"Cost of waiting {cost.months} months: {own.words(cost.low)} to {own.words(cost.high)} {own.unit}, "
            f"base {own.words(cost.base)}. {_DELAY[cost.waiting_pays]}"
        )
    if result.missing_inputs:
        yield Listed(
            "Missing inputs", [f"{m.field}: {m.question} ({m.supplier})" for m in result.missing_inputs]
        )


def _facts(result: Economics) -> list[tuple[str, object]]:
    signed = (
        Cell(f"signed by {result.signed.owner}, {result.signed.signed_at:%Y-%m-%d}", "good")
        if result.signed
        else Cell("not signed by a finance owner", "warn")
    )
    facts: list[tuple[str, object]] = [
        ("Inputs", signed),
        (
            "Owners",
            ", ".join(sorted({owner for s in result.scenarios for owner in s.owners})) or "none named",
        ),
        ("Digest", Cell(result.inputs_sha256, mono=True)),
        ("Calculator", result.calculator_version),
    ]
    if result.synthetic:
        facts.insert(0, ("Synthetic", Cell("figures are made up", "warn")))
    if result.optimism_bias:
        facts.append(("Optimism uplift", result.optimism_bias))
    if result.dominant_assumption:
        facts.append(
            (
                "Moves most",
                f"{spoken(result.dominant_assumption.driver.line)} ({result.dominant_assumption.scenario})",
            )
        )
    return facts


def _bar(entry: ScenarioEconomics, scale: Scale) -> tuple[str, float, float, float, str]:
    assert entry.npv is not None
    points = (entry.npv.worst, entry.npv.base, entry.npv.best)
    worst, base, best = (scale.number(p) for p in points)
    words = f"{scale.words(points[0])} … {scale.words(points[1])} … {scale.words(points[2])}"
    return entry.name, worst, base, best, words


def _scenario_table(result: Economics) -> Grid:
    scale = money_scale(result)
    return grid(
        ("Scenario", "Values", f"Base, {scale.unit}", "ROI, base", "Payback, month", "Discounted"),
        result.scenarios,
        lambda entry: (
            Cell(entry.name, bold=True),
            Cell(*_SIGNS[entry.range_sign]),
            scale.words(entry.npv.base) if entry.npv else "missing inputs",
            f"{float(entry.roi.base):.1%}" if entry.roi else "undefined",
            entry.payback_month.base if entry.payback_month else "—",
            entry.discounted_payback_month.base if entry.discounted_payback_month else "—",
        ),
        numeric=(2, 3, 4, 5),
    )


def _rows(result: Economics) -> Iterator[dict[str, Any]]:
    for entry in result.scenarios:
        yield {
            "scenario": entry.name,
            "kind": entry.kind,
            "option": entry.option,
            "npv_worst": entry.npv and entry.npv.worst,
            "npv_base": entry.npv and entry.npv.base,
            "npv_best": entry.npv and entry.npv.best,
            "range": entry.range_sign,
        }


def missing(result: Any) -> Built:
    """Return each missing input as a request with its formula."""
    asked = part(result, Economics).missing_inputs
    table = grid(
        ("Field", "Question", "Needed for", "Supplier", "Write"),
        asked,
        lambda m: (
            Cell(m.field, mono=True),
            m.question,
            ", ".join(m.needed_for) or "—",
            m.supplier,
            Cell(m.example, mono=True),
        ),
        narrow=(4,),
    )
    formulas = Listed("Formulas that wait", sorted({m.formula for m in asked}))
    columns = ("field", "question", "formula", "needed_for", "supplier", "example")
    return Built(
        f"Missing inputs: {len(asked)}",
        [table, formulas],
        lambda: (m.to_dict() for m in asked),
        columns=columns,
    )


def ladder(result: Any) -> Built:
    """Return the benefit ladder from hours saved to booked value.

    Raises:
        InputError: the inputs hold no benefit ladder.

    """
    held = part(result, Economics)
    found = held.benefit_ladder
    if found is None:
        raise InputError("these economics have no benefit ladder; add `benefit_ladder:` to the inputs")
    hours = [
        (spoken(name), getattr(found, name), "hours/year")
        for name in ("hours_saved", "hours_released", "hours_redeployed", "hours_booked")
    ]
    rungs: list[tuple[str, Decimal, str]] = [*hours, ("booked value", found.booked.base, found.booked.unit)]
    table = grid(("Rung", "Base", "Unit"), rungs, lambda r: (r[0], trimmed(r[1]), r[2]), numeric=(1,))
    note = Para(
        "Only booked value enters net present value; hours alone are worth nothing to the accounts.",
        small=True,
    )
    return Built(
        "Benefit ladder",
        [note, table],
        lambda: ({"rung": rung, "base": base, "unit": unit} for rung, base, unit in rungs),
    )


def inputs(given: EconomicsInputs) -> Built:
    """Return the inputs a finance owner answers for, with unit, owner and basis."""
    lines = [(name, getattr(given.lines, name)) for name in type(given.lines).model_fields]
    if given.discount_rate is not None:
        lines.append(("discount_rate", given.discount_rate))
    held = [(name, estimate) for name, estimate in lines if estimate is not None]
    table = grid(
        ("Line", "Low", "Base", "High", "Unit", "Owner", "Basis"),
        held,
        lambda entry: (
            spoken(entry[0]),
            trimmed(entry[1].low),
            trimmed(entry[1].base),
            trimmed(entry[1].high),
            entry[1].unit,
            entry[1].owner or Cell("no owner", "warn"),
            ", ".join(entry[1].basis),
        ),
        numeric=(1, 2, 3),
        narrow=(6,),
    )
    facts: list[tuple[str, object]] = [
        ("Currency", given.currency),
        ("Horizon", f"{given.horizon_years} years" if given.horizon_years else Cell("missing", "warn")),
        ("Scenarios", ", ".join(s.name for s in given.scenarios) or "none"),
        ("Signed", given.sign_off.owner if given.sign_off else Cell("not signed", "warn")),
    ]
    blocks: list[Block] = [Facts(facts), table, Fold("What differs by scenario", [_changes(given)])]

    def rows() -> Iterator[dict[str, Any]]:
        for name, estimate in held:
            yield {"line": name, **estimate.to_dict()}

    return Built(f"Finance inputs: {given.title}", blocks, rows, columns=("line", "low", "base", "high"))


def _changes(given: EconomicsInputs) -> Grid:
    changes = [(s.name, line, change) for s in given.scenarios for line, change in s.changes.items()]

    def how(change: Any) -> str:
        if change.to is not None:
            return f"{trimmed(change.to.low)} / {trimmed(change.to.base)} / {trimmed(change.to.high)} {change.to.unit}"
        return f"× {change.factor}" if change.factor is not None else f"+ {change.add}"

    return grid(
        ("Scenario", "Line", "Becomes", "Because", "Owner"),
        changes,
        lambda c: (c[0], spoken(c[1]), how(c[2]), c[2].because, c[2].owner or "no owner"),
    )


def explanation(trace: Explanation) -> Built:
    """Return the steps that lead to one figure, the figure last."""
    blocks: list[Block] = [
        Para(trace.formula),
        Para(trace.convention, small=True),
        *(Para(f"{row.label}: {row.amount}") for row in trace.rows),
    ]
    title = f"{trace.figure} of {trace.scenario}, step by step"
    return Built(title, blocks, lambda: ({"step": row.label, "amount": row.amount} for row in trace.rows))


def simulation(drawn: Simulation) -> Built:
    """Return the distribution of net present value in figures."""
    scale = scale_for(drawn.currency, [Decimal(str(p.value)) for p in drawn.percentiles])

    def words(value: float) -> str:
        return scale.words(Decimal(str(value)))

    facts: list[tuple[str, object]] = [
        ("Scenario", drawn.scenario),
        (
            "Probability of loss",
            f"{drawn.probability_of_loss:.1%} (± {drawn.probability_standard_error:.2%})",
        ),
        ("Mean", f"{words(drawn.mean)} {scale.unit}"),
        (f"Mean of the worst {drawn.shortfall_tail:.0%}", f"{words(drawn.expected_shortfall)} {scale.unit}"),
        ("Draws", f"{drawn.draws:,}, seed {drawn.seed}, {drawn.generator}"),
        ("Inputs move", drawn.correlation),
    ]
    table = grid(
        ("Percentile", f"NPV, {scale.unit}", "Sampling error"),
        drawn.percentiles,
        lambda p: (f"P{p.percent:g}", words(p.value), words(p.standard_error)),
        numeric=(1, 2),
    )
    shares = Listed("Spread goes with", [f"{spoken(d.line)}: {d.share:.0%}" for d in drawn.drivers[:8]])
    return Built(
        f"Simulation of {drawn.scenario}",
        [Facts(facts), table, shares, Para(drawn.caution, small=True)],
        lambda: (p.model_dump() for p in drawn.percentiles),
    )
