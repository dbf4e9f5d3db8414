"""Writes the first page: why now, what waiting means, what could go wrong, the smallest step, confidence.

A director reads this page alone, so no quotation stands on it twice and each amount stands on it once.
"""

from __future__ import annotations

import re

from porterlib.analysis.audit import rated_drivers
from porterlib.analysis.narrative import quoted
from porterlib.analysis.recommend import decision_confidence
from porterlib.analysis.value import turning_point, waiting_points
from porterlib.analysis.wording import SHORT_QUOTE, first_clause, listed, lower_first
from porterlib.analysis.workings import Workings
from porterlib.analyst.policy import brief_confidence, confidence_word
from porterlib.analyst.ranking import ON_SUBJECT
from porterlib.contracts.assessment import ForceAssessment, Point
from porterlib.contracts.base import Force
from porterlib.contracts.brief import Gate
from porterlib.contracts.challenge import ChallengeReport
from porterlib.contracts.evidence import Claim
from porterlib.contracts.request import ACTION_KINDS, Option

_MONTH = re.compile(r"Month (\d+):\s*")
FORCE_NAMES: dict[Force, str] = {
    "new_entrants": "new entrants",
    "suppliers": "suppliers",
    "buyers": "buyers",
    "substitutes": "substitutes",
    "rivalry": "rivalry",
}


def why_now(work: Workings, challenge: ChallengeReport) -> tuple[Point, ...]:
    """Return where pressure is strongest, the best report of pressure to act, and what is growing."""
    scored = sorted((f for f in work.forces if f.score is not None), key=lambda f: (-(f.score or 0), f.force))
    if not scored:
        gap = work.assume("No force could be assessed.", material=True)
        return (Point(text="No source says that the question is urgent.", basis=(gap,)),)
    top = scored[0]
    basis = top.evidence_for or top.evidence_against
    text = f"Pressure is strongest from {FORCE_NAMES[top.force]}, at {top.score} of 5."
    points = [Point(text=text, basis=basis[:2])]
    if lead := _urgent(work, scored, challenge):
        points.append(quote("{p} reports: “{q}”.", lead, work))
    return (*points, _growing(scored, basis))


def _urgent(work: Workings, scored: list[ForceAssessment], challenge: ChallengeReport) -> Claim | None:
    """Return the best quotable claim of pressure that argues for acting, of the strongest force that has one."""
    used = _quoted_texts(work, challenge)
    for force in scored:
        claims = [work.book.claims[c] for c in force.evidence_for]
        arguing = [c for c in claims if work.book.clauses[c.id].side == "act"]
        near = [c for c in arguing if _on_subject(work, c)]
        for claim in sorted(
            near, key=lambda c: (work.book.clauses[c.id].words > SHORT_QUOTE, work.book.order(c))
        ):
            if work.book.clauses[claim.id].quotable and claim.text not in used:
                return claim
    return None


def _on_subject(work: Workings, claim: Claim) -> bool:
    clause = work.book.clauses[claim.id]
    return clause.on_topic >= ON_SUBJECT or clause.product == 1


def _quoted_texts(work: Workings, challenge: ChallengeReport) -> set[str]:
    """Return texts that the page quotes as what could go wrong."""
    cited = set(challenge.contrary_basis)
    cited.update(b for v in challenge.views if v.view == "cro_model_risk" for b in v.counterargument.basis)
    return {work.book.claims[b].text for b in cited if b in work.book.claims}


def _growing(scored: list[ForceAssessment], otherwise: tuple[str, ...]) -> Point:
    growing = [force for force in scored if force.trend == "increasing"]
    if growing:
        names = listed([FORCE_NAMES[force.force] for force in growing])
        basis = tuple(dict.fromkeys(c for force in growing for c in force.evidence_for[:2]))
        text = f"Growing, by two or more publishers: {names}."
        return Point(text=text, basis=basis or otherwise[:1])
    text = "No two publishers agree that any pressure is growing, so urgency rests on the cost of waiting."
    return Point(text=text, basis=otherwise[:1])


def quote(frame: str, claim: Claim, work: Workings) -> Point:
    """Return a claim quoted in a frame that names its publisher."""
    clause = work.book.clauses[claim.id]
    return Point(text=frame.format(p=clause.item.publisher, q=quoted(clause)), basis=(claim.id,))


def if_we_wait(work: Workings, challenge: ChallengeReport) -> tuple[Point, ...]:
    """Return what waiting costs; where finance has not said, the best report of pressure that eases."""
    points = waiting_points(work)
    if work.economics and work.economics.cost_of_delay and work.economics.cost_of_delay.base is not None:
        return points
    used = _quoted_texts(work, challenge)
    easing = [
        claim
        for force in work.forces
        if force.force != "suppliers"
        for c in force.evidence_against
        if (claim := work.book.claims[c]).text not in used
        and work.book.clauses[c].quotable
        and _on_subject(work, claim)
        and not work.book.clauses[c].favourable
    ]
    if not easing:
        return points
    best = min(easing, key=work.book.order)
    return (*points, quote("There is a case for waiting; {p} reports: “{q}”.", best, work))


def what_could_go_wrong(work: Workings, challenge: ChallengeReport, step: Option | None) -> tuple[Point, ...]:
    """Return the strongest contrary evidence, the dependence, and the way back."""
    views = {view.view: view for view in challenge.views}
    points = [views["cro_model_risk"].counterargument]
    contrary = [work.book.claims[b] for b in challenge.contrary_basis if b in work.book.claims]
    if contrary:
        frame = "Against this stands {p}: “{q}”."
        points.insert(0, quote(frame, contrary[0], work))
    undo = work.template(step.kind).reversible_elements if step else ()
    if undo:
        way = work.assume(f"Exit path: {'; '.join(e.rstrip('.') for e in undo)}.")
        back = lower_first(undo[min(1, len(undo) - 1)]).rstrip(".")
        points.append(Point(text=f"The way back: {back}.", basis=(way,)))
    return tuple(points)


def largest_uncertainty(work: Workings) -> Point:
    """Return the input that turns the sign; without one, the force whose evidence is thinnest."""
    if point := turning_point(work):
        return point
    weakest = min(work.forces, key=lambda f: (f.confidence, f.force))
    basis = weakest.evidence_for + weakest.evidence_against
    gap = work.assume(
        f"Evidence on {FORCE_NAMES[weakest.force]} is the thinnest of the five forces.", material=True
    )
    text = f"Largest uncertainty: {FORCE_NAMES[weakest.force]}, where evidence is thinnest."
    return Point(text=text, basis=basis[:3] or (gap,))


def smallest_commitment(work: Workings, step: Option | None) -> Point:
    """Return the smallest sensible step, who owns it and when it teaches something."""
    if step is None:
        none = work.assume("The request offers no course that changes anything.", material=True)
        text = "No action option was put forward, so there is no smaller step to take."
        return Point(text=text, basis=(none,))
    template = work.template(step.kind)
    described = (step.description or template.description).rstrip(".")
    basis = work.assume(f"The smallest step is “{step.name}”: {described}.", material=False)
    months = step.wait_months or step.learning_months or template.learning_months
    when = "first results in" if step.kind in ACTION_KINDS else "the board decides again in"
    text = f"“{step.name}”: “{first_clause(described)}”. Owner: {work.contract.decision_owner}; {when} {months} months."
    return Point(text=text, basis=(basis,))


def gates(work: Workings, step: Option | None) -> tuple[Gate, ...]:
    """Return stage gates of the step and the control gates that a source speaks of, by month."""
    if step is None:
        return ()
    template = work.template(step.kind)
    learn = step.wait_months or step.learning_months or template.learning_months
    count = max(1, len(template.gates))
    rows = [
        Gate(
            month=learn if step.wait_months and at + 1 == count else _month(text, learn * (at + 1) // count),
            test=_MONTH.sub("", text),
            owner=work.contract.decision_owner,
        )
        for at, text in enumerate(template.gates)
    ]
    applying = [c for c in work.pack.controls if step.kind in c.applies_to]
    found = {control for clause in work.book.clauses.values() for control in clause.controls}
    evidenced = [c for c in applying if c.id in found] or applying
    rows += [Gate(month=learn, test=control.gate, owner=control.owner) for control in evidenced[:2]]
    return tuple(sorted(rows, key=lambda gate: (gate.month, gate.test)))


def _month(text: str, otherwise: int) -> int:
    """Return the month a gate's text names, else an even spacing."""
    found = _MONTH.match(text)
    return int(found.group(1)) if found else otherwise


def stop_conditions(work: Workings, step: Option | None) -> tuple[str, ...]:
    """Return what makes management stop."""
    own = work.template(step.kind).stop_conditions if step else ()
    return own or ("The board's success measures are not met by the date set for them.",)


def confidence(work: Workings) -> float:
    """Return the brief's confidence, by the policy's rule."""
    return brief_confidence(decision_confidence(work.forces), work.book.evidence_volume())


def confidence_point(work: Workings) -> Point:
    """Return confidence in a word, with the force that sets it and how thin its evidence is."""
    weakest = min(work.forces, key=lambda f: (f.confidence, f.force))
    claims = weakest.evidence_for + weakest.evidence_against
    name, value = FORCE_NAMES[weakest.force], confidence(work)
    if not claims:
        gap = work.assume(f"No usable source speaks to {name}.", material=True)
        text = f"It is {confidence_word(value)}: no usable source speaks to {name}."
        return Point(text=text, basis=(gap,))
    publishers = len({work.book.publisher(work.book.claims[c]) for c in claims})
    rated = rated_drivers(work)
    single = sum(driver.publishers == 1 for driver in rated)
    text = (
        f"It is {confidence_word(value)} ({value:.2f}): {weakest.confidence:.2f} for {name}, the least evidenced "
        f"force ({len(claims)} statements, {publishers} publisher{'' if publishers == 1 else 's'}), times "
        f"{brief_confidence(1.0, work.book.evidence_volume()):.2f} for all evidence. "
        f"{single} of {len(rated)} ratings rest on one publisher."
    )
    return Point(text=text, basis=claims[:4])
