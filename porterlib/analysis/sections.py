"""Writes the sections after the first page: context, mechanisms, risks, roadmap, comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field

from porterlib.analysis.page import gates
from porterlib.analysis.wording import listed
from porterlib.analysis.workings import Workings
from porterlib.analyst import ChooseQuestion, Offer
from porterlib.contracts.assessment import Mechanism, Point
from porterlib.contracts.base import Force
from porterlib.contracts.brief import BriefAnalogy
from porterlib.contracts.options import Recommendation
from porterlib.contracts.request import Audience, Option
from porterlib.contracts.sector import SectorAnalogy

RISKS = 5
"""Risks listed, the suppliers' implication first."""


def context(work: Workings) -> tuple[Point, ...]:
    """Return what the request states, what the frame takes as given, and what the request leaves open."""
    contract = work.contract
    measures = "; ".join(measure.rstrip(".") for measure in contract.success_measures)
    limits = "; ".join(limit.rstrip(".") for limit in contract.constraints)
    stated = (
        ("Current course", "Baseline, as the owner states it", contract.baseline, True),
        ("Market", "Market boundary, as the owner states it", contract.boundary.statement, False),
        ("Constraints on every option", "Constraints, as stated", limits, False),
        ("Risk appetite", "Risk appetite, as stated", contract.risk_appetite, False),
        ("Success is measured by", "Success measures, as stated", measures, False),
    )
    points = []
    for title, source, text, material in stated:
        if text:
            basis = work.assume(f"{source}: {text.rstrip('.')}.", material=material)
            points.append(Point(text=f"{title}: {text.rstrip('.')}.", basis=(basis,)))
    points += [Point(text=f"Taken as given: {a.text}", basis=(a.id,)) for a in contract.assumptions]
    if contract.missing_inputs:
        names = listed([entry.name.replace("_", " ") for entry in contract.missing_inputs])
        gap = work.assume(f"The request leaves open: {names}.")
        points.append(Point(text=f"Not stated in the request: {names}.", basis=(gap,)))
    return tuple(points)


@dataclass
class _Reach:
    """Where one mechanism works and what stands behind it."""

    text: str
    forces: dict[Force, None] = field(default_factory=dict)
    claims: dict[str, None] = field(default_factory=dict)


def mechanisms(work: Workings) -> tuple[Mechanism, ...]:
    """Return each mechanism once, with every force it works in; the widest first."""
    drivers = {d.id: d for part in work.pack.forces for d in part.drivers}
    found: dict[str, _Reach] = {}
    for force in work.forces:
        for rating in force.drivers:
            if rating.rating is not None:
                text = drivers[rating.driver_id].mechanism
                reach = found.setdefault(rating.mechanism_id, _Reach(text))
                reach.forces[force.force] = None
                reach.claims.update(dict.fromkeys(rating.raising + rating.lowering))
    rows = [
        Mechanism(
            id=mechanism_id,
            forces=tuple(reach.forces),
            point=Point(text=reach.text, basis=tuple(reach.claims)[:3]),
            claim_ids=tuple(reach.claims),
        )
        for mechanism_id, reach in found.items()
    ]
    return tuple(sorted(rows, key=lambda m: (-len(m.forces), -len(m.claim_ids), m.id)))


def risks(work: Workings, step: Option | None) -> tuple[Point, ...]:
    """Return concentration, the control duties that sources speak of, and what cannot be undone."""
    suppliers = next(force for force in work.forces if force.force == "suppliers")
    points = [suppliers.implication] if suppliers.implication else []
    kind = step.kind if step else "targeted"
    for control in (c for c in work.pack.controls if kind in c.applies_to):
        speaking = [
            claim
            for claim in work.book.claims.values()
            if control.id in work.book.clauses[claim.id].controls and work.book.usable(claim)
        ]
        if speaking and len(points) < RISKS:
            duty = control.requirement.rstrip(".")
            text = f"{control.title}: {duty}. Owner: {control.owner}. Primary text: {control.primary_text}."
            points.append(Point(text=text, basis=(min(speaking, key=work.book.order).id,)))
    fixed = work.template(step.kind).irreversible_elements if step else work.contract.irreversible_elements
    if fixed:
        text = f"Cannot be undone: {'; '.join(element.rstrip('.') for element in fixed)}."
        points.append(Point(text=text, basis=(work.assume(text),)))
    return tuple(points)


def roadmap(work: Workings, step: Option | None) -> tuple[Point, ...]:
    """Return the gates with their owners, and the exit path."""
    points = []
    for gate in gates(work, step):
        basis = work.assume(f"Gate in month {gate.month}, owned by {gate.owner}: {gate.test.rstrip('.')}.")
        text = f"Month {gate.month}, {gate.owner}: {gate.test.rstrip('.')}."
        points.append(Point(text=text, basis=(basis,)))
    undo = work.template(step.kind).reversible_elements if step else ()
    if undo:
        text = f"Exit path: {'; '.join(element.rstrip('.') for element in undo)}."
        points.append(Point(text=text, basis=(work.assume(text),)))
    return tuple(points)


def analogy(audience: Audience, work: Workings, recommendation: Recommendation) -> BriefAnalogy:
    """Return the comparison that fits an audience and the recommendation best."""
    fitting = [
        a
        for a in work.pack.analogies
        if a.audience == audience and (not a.fits or recommendation.kind in a.fits)
    ]
    own = fitting or [a for a in work.pack.analogies if a.audience == audience] or list(work.pack.analogies)
    offers = tuple(Offer(a.id, a.analogy, {"rank": _fit(a, recommendation)}) for a in own)
    choice = work.analyst.choose(
        ChooseQuestion(
            purpose="analogy",
            subject=audience,
            text=f"Which comparison helps the {audience.replace('_', ' ')} most with this recommendation?",
            offers=offers,
        )
    )
    chosen = next(a for a in own if a.id == (choice.ids[0] if choice.ids else own[0].id))
    return BriefAnalogy(
        audience=audience,
        analogy=chosen.analogy,
        correspondences=chosen.correspondences,
        implication=chosen.implication,
        breaking_point=chosen.breaking_point,
    )


def _fit(analogy: SectorAnalogy, recommendation: Recommendation) -> float:
    return 2.0 if recommendation.kind in analogy.fits else 1.0
