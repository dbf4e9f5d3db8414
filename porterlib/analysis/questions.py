"""Answers the ten questions a board asks, each from what the analysis found."""

from __future__ import annotations

from porterlib.analysis.value import rounded
from porterlib.analysis.wording import listed
from porterlib.analysis.workings import Workings
from porterlib.contracts.assessment import Point
from porterlib.contracts.brief import BoardQuestion
from porterlib.contracts.options import Recommendation
from porterlib.contracts.request import Option

_BENEFIT = ("gross_benefit", "realisation")


def answer_board_questions(
    work: Workings, recommendation: Recommendation, step: Option | None
) -> tuple[BoardQuestion, ...]:
    """Return the ten questions in the order a board asks them."""
    asked = (
        ("What becomes true if we approve?", _becomes_true(work, step)),
        ("What if we do nothing?", _nothing(work)),
        ("When does the return become visible?", _visible(work)),
        ("Which assumption dominates the value?", _dominates(work)),
        ("Is this an advantage that lasts, or what everyone must have?", _moat(work)),
        ("What is the smallest commitment that cannot be undone?", _irreversible(work, step)),
        ("Can regulation or vendor pricing erase the value?", _erase(work)),
        ("Who answers for the benefit?", _owner(work)),
        ("Does this create a new concentration risk?", _concentration(work)),
        ("What would make management stop?", _stop(work, step, recommendation)),
    )
    return tuple(BoardQuestion(question=question, answer=answer) for question, answer in asked)


def _becomes_true(work: Workings, step: Option | None) -> Point:
    if step is None or step not in work.actions:
        basis = work.assume("Approval starts nothing new; the current course goes on.")
        text = "Nothing new starts; the current course goes on until the board decides again."
        return Point(text=text, basis=(basis,))
    name = step.name
    basis = work.assume(f"Approval authorises “{name}” and nothing beyond its gates.")
    return Point(
        text=f"“{name}” may start, and every further step returns to the board at a gate.", basis=(basis,)
    )


def _nothing(work: Workings) -> Point:
    baseline = work.assume(
        f"Baseline, as the owner states it: {work.contract.baseline.rstrip('.')}.", material=True
    )
    scenario = next(
        (s for o in work.contract.options if o.kind == "maintain" and (s := work.scenario(o))), None
    )
    figure = work.figure("npv.base", scenario.name) if scenario else None
    if figure is None:
        return Point(
            text=f"The current course goes on: {work.contract.baseline.rstrip('.')}.", basis=(baseline,)
        )
    return Point(
        text=f"The current course goes on, at a net present value of {rounded(figure)} in the base case.",
        basis=(figure.id, baseline),
    )


def _visible(work: Workings) -> Point:
    for option in work.actions:
        scenario = work.scenario(option)
        figure = work.figure("discounted_payback_month.base", scenario.name) if scenario else None
        if scenario and figure:
            when = "at no time within the horizon" if figure.value == "never" else f"in month {figure.value}"
            return Point(
                text=f"In the base case of the {scenario.name.replace('_', ' ')} course, discounted cash is recovered {when}.",
                basis=(figure.id,),
            )
    need = work.assume("The date of return depends on inputs finance has not supplied.", owner="finance")
    return Point(text="No date can be given before finance supplies its inputs.", basis=(need,))


def _dominates(work: Workings) -> Point:
    economics = work.economics
    if (
        economics
        and economics.dominant_assumption
        and (figure := work.figure("npv.base", economics.dominant_assumption.scenario))
    ):
        lead = economics.dominant_assumption.driver
        return Point(
            text=f"{lead.line.replace('_', ' ').capitalize()}, for which {lead.owner or 'nobody named'} answers.",
            basis=(figure.id,),
        )
    need = work.assume(
        "Which assumption dominates cannot be told before finance supplies its inputs.", owner="finance"
    )
    return Point(text="That cannot be told before finance supplies its inputs.", basis=(need,))


def _moat(work: Workings) -> Point:
    rivalry = next(f for f in work.forces if f.force == "rivalry")
    basis = rivalry.evidence_for + rivalry.evidence_against
    if not basis or rivalry.score is None:
        gap = work.assume("No usable source says whether rivals gain a lasting advantage.")
        return Point(
            text="Not assessed: no usable source says whether rivals gain a lasting advantage.", basis=(gap,)
        )
    text = "Nearer to what everyone must have" if rivalry.score >= 3 else "Not yet what everyone must have"
    return Point(
        text=f"{text}: rivalry scores {rivalry.score}, and what several rivals can buy lasts for none of them.",
        basis=basis[:3],
    )


def _irreversible(work: Workings, step: Option | None) -> Point:
    fixed = work.template(step.kind).irreversible_elements if step else ()
    text = "; ".join(e.rstrip(".") for e in fixed) if fixed else "nothing beyond the money spent"
    basis = work.assume(f"Irreversible in the smallest step: {text}.")
    return Point(text=text[0].upper() + text[1:] + ".", basis=(basis,))


def _erase(work: Workings) -> Point:
    economics = work.economics
    shocks = [
        s
        for s in (economics.scenarios if economics else ())
        if s.kind in ("vendor_shock", "control_shock", "downside") and s.npv
    ]
    if shocks:
        worst = min(shocks, key=lambda s: s.npv.base if s.npv else 0)
        figure = work.figure("npv.base", worst.name)
        if figure:
            return Point(
                text=f"Under “{worst.name.replace('_', ' ')}” the base value is {rounded(figure)}.",
                basis=(figure.id,),
            )
    suppliers = next(f for f in work.forces if f.force == "suppliers")
    basis = suppliers.evidence_for or suppliers.evidence_against
    gap = work.assume("No shock to prices or rules has been valued.", owner="finance")
    return Point(
        text="Not valued yet: finance has supplied no case for a price or control shock.",
        basis=(gap, *basis[:2]),
    )


def _owner(work: Workings) -> Point:
    """Name who answers for the benefit of the first valued action, by the owner of its benefit line."""
    for option in work.actions:
        scenario = work.scenario(option)
        figure = work.figure("npv.base", scenario.name) if scenario else None
        owners = [d.owner for d in scenario.drivers if d.line in _BENEFIT and d.owner] if scenario else []
        if figure and owners:
            return Point(text=f"{listed(list(dict.fromkeys(owners)))}, by the inputs.", basis=(figure.id,))
    need = work.assume("No owner of the benefit has been named.", owner="finance", material=True)
    text = f"Nobody is named yet; {work.contract.decision_owner} must name one before the first gate."
    return Point(text=text, basis=(need,))


def _concentration(work: Workings) -> Point:
    suppliers = next(f for f in work.forces if f.force == "suppliers")
    basis = suppliers.evidence_for or suppliers.evidence_against
    if suppliers.score is None or not basis:
        gap = work.assume("No usable source on supplier concentration was promoted.", material=True)
        return Point(
            text="Not assessed: no usable source on supplier concentration was promoted.", basis=(gap,)
        )
    answer = "Yes" if suppliers.score >= 3 else "To a limited degree"
    return Point(
        text=f"{answer}: supplier power scores {suppliers.score} on the evidence cited.", basis=basis[:3]
    )


def _stop(work: Workings, step: Option | None, recommendation: Recommendation) -> Point:
    stops = work.template(step.kind).stop_conditions if step else ()
    text = stops[0] if stops else "The success measures are missed at the date set for them"
    basis = work.assume(f"Stop condition: {text.rstrip('.')}.")
    return Point(text=text.rstrip(".") + ".", basis=(basis, *recommendation.sentence.basis[:1]))
