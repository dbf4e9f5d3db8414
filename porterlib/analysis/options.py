"""Rates each option under four lenses and reversibility; lenses are never combined."""

from __future__ import annotations

from collections.abc import Mapping

from porterlib.analysis.workings import Workings
from porterlib.analyst import Offer, RateQuestion
from porterlib.contracts.assessment import RuleFiring
from porterlib.contracts.options import LENSES, Lens, LensRating, OptionAssessment
from porterlib.contracts.request import ACTION_KINDS, Option
from porterlib.contracts.sector import OptionTemplate

_ANCHORS: dict[Lens, dict[int, str]] = {
    "external_necessity": {
        1: "leaves external pressure unanswered",
        3: "answers part of it",
        5: "answers it",
    },
    "capability_fit": {1: "needs what few have", 3: "needs what can be built", 5: "needs nothing new"},
    "economics": {
        1: "loses value across its range",
        3: "range has both signs",
        5: "gains value even at worst",
    },
    "control_acceptability": {1: "outside appetite", 3: "acceptable with work", 5: "hardly any new exposure"},
    "reversibility": {1: "cannot be undone", 3: "undone at a cost", 5: "undone at will"},
}


def assess_options(work: Workings) -> tuple[OptionAssessment, ...]:
    """Return every option's assessment and record the rules that fired."""
    return tuple(_assess(option, work) for option in work.contract.options)


def _assess(option: Option, work: Workings) -> OptionAssessment:
    template = work.template(option.kind)
    action = option.kind in ACTION_KINDS
    return OptionAssessment(
        option_id=option.id,
        name=option.name,
        kind=option.kind,
        ratings=tuple(_rate(lens, option, template, work) for lens in LENSES),
        months_to_learning=option.learning_months or option.wait_months or template.learning_months,
        stop_conditions=template.stop_conditions if action else (),
        acceleration_conditions=template.acceleration_conditions if action else (),
    )


def _rate(lens: Lens, option: Option, template: OptionTemplate, work: Workings) -> LensRating:
    features, basis = _FEATURES[lens](option, template, work)
    claims = [work.book.claims[b] for b in basis if b in work.book.claims]
    answer = work.analyst.rate(
        RateQuestion(
            purpose="lens",
            subject=f"{option.id}:{lens}",
            text=f"How does the option {option.name!r} rate on {lens.replace('_', ' ')}?",
            anchors=_ANCHORS[lens],
            offers=tuple(Offer(claim.id, claim.text) for claim in claims),
            features=features,
        )
    )
    work.rules.append(
        RuleFiring(
            rule=answer.rule,
            subject=f"option:{option.id}:{lens}",
            outcome="not assessed" if answer.value is None else f"{answer.value} of 5",
            because=basis,
            note=answer.note,
            stood_in=answer.stood_in,
        )
    )
    return LensRating(lens=lens, rating=answer.value, basis=basis, rule=answer.rule, note=answer.note)


_Evidence = tuple[Mapping[str, float], tuple[str, ...]]


def _necessity(_option: Option, template: OptionTemplate, work: Workings) -> _Evidence:
    scored = [force for force in work.forces if force.score is not None]
    if not scored:
        gap = work.assume("No force could be assessed, so external necessity is open.", material=True)
        return {"highest_score": 0.0, "responds": float(template.responds_to_pressure)}, (gap,)
    top = max(scored, key=lambda force: (force.score or 0, force.force))
    features = {"highest_score": float(top.score or 0), "responds": float(template.responds_to_pressure)}
    return features, (top.evidence_for or top.evidence_against)[:4]


def _capability(option: Option, template: OptionTemplate, work: Workings) -> _Evidence:
    assumption = work.assume(
        f"The institution can staff and run “{option.name}” as its peers could.",
        material=option.kind in ACTION_KINDS,
    )
    return {"demand": float(template.capability_demand), "assumed": 1.0}, (assumption,)


def _economics(option: Option, _template: OptionTemplate, work: Workings) -> _Evidence:
    scenario = work.scenario(option)
    baseline = float(option.kind == "maintain")
    if scenario is None or scenario.npv is None:
        need = work.assume(f"No finance owner has valued “{option.name}”.", owner="finance")
        return {"known": 0.0, "baseline": baseline}, (need,)
    npv = scenario.npv
    figures = [work.figure(f"npv.{end}", scenario.name) for end in ("worst", "base", "best")]
    features = {
        "known": 1.0,
        "baseline": baseline,
        "worst": float(npv.worst),
        "base": float(npv.base),
        "best": float(npv.best),
    }
    return features, tuple(figure.id for figure in figures if figure)


def _control(option: Option, template: OptionTemplate, work: Workings) -> _Evidence:
    applying = {control.id for control in work.pack.controls if option.kind in control.applies_to}
    found: dict[str, str] = {}
    for claim in sorted(work.book.claims.values(), key=lambda c: c.id):
        clause = work.book.clauses.get(claim.id)
        if clause is None or not work.book.usable(claim):
            continue
        for control in clause.controls:
            if control in applying and (
                control not in found
                or work.book.order(claim) < work.book.order(work.book.claims[found[control]])
            ):
                found[control] = claim.id
    basis = tuple(dict.fromkeys(found[control] for control in sorted(found)))
    features = {
        "load": float(template.control_load),
        "duties": float(len(found)),
        "applying": float(len(applying)),
    }
    return features, basis or (work.assume(_unevidenced(option, len(applying))),)


def _unevidenced(option: Option, applying: int) -> str:
    if not applying:
        return f"The pack names no control duty for “{option.name}”."
    return (
        f"No usable source speaks to the {applying} control duties that the pack names for “{option.name}”."
    )


def _reversibility(option: Option, template: OptionTemplate, work: Workings) -> _Evidence:
    undone = template.reversible_elements or ("nothing beyond the course itself",)
    assumption = work.assume(f"Of “{option.name}” this can be undone: {'; '.join(undone).rstrip('.')}.")
    return {"template": float(template.reversibility)}, (assumption,)


_FEATURES = {
    "external_necessity": _necessity,
    "capability_fit": _capability,
    "economics": _economics,
    "control_acceptability": _control,
    "reversibility": _reversibility,
}
