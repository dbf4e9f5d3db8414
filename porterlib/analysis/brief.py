"""Writes the board brief from assessed parts; every point carries the ids it rests on."""

from __future__ import annotations

import re

from porterlib.analysis.narrative import quoted
from porterlib.analysis.questions import answer_board_questions
from porterlib.analyst.ranking import ON_SUBJECT
from porterlib.analysis.recommend import decision_confidence
from porterlib.analysis.value import value_points, waiting_points
from porterlib.analysis.workings import Workings
from porterlib.analyst import ChooseQuestion, Offer
from porterlib.analyst.policy import confidence_word
from porterlib.contracts.analysis import (
    BoardBrief,
    BriefAnalogy,
    ChallengeReport,
    ForceAssessment,
    Gate,
    Mechanism,
    Point,
    Recommendation,
)
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import Claim
from porterlib.contracts.request import Audience, Option
from porterlib.contracts.sector import SectorAnalogy

_MONTH = re.compile(r"Month (\d+):\s*")
FORCE_NAMES: dict[Force, str] = {
    "new_entrants": "new entrants",
    "suppliers": "suppliers",
    "buyers": "buyers",
    "substitutes": "substitutes",
    "rivalry": "rivalry",
}


def write_brief(work: Workings, recommendation: Recommendation, challenge: ChallengeReport) -> BoardBrief:
    """Return the brief; dissent cites the challenge's contrary basis."""
    contract = work.contract
    request = work.assume(f"As the request states it: {contract.board_action_requested.rstrip('.')}.")
    step = _step_option(work, recommendation)
    return BoardBrief(
        question=contract.question,
        boundary=contract.boundary.statement,
        decision_requested=Point(
            text=f"{contract.decision_owner} asks the board to {_lower(contract.board_action_requested.rstrip('.'))}.",
            basis=(request,),
        ),
        recommendation=recommendation.sentence,
        why_now=_why_now(work),
        if_we_wait=waiting_points(work) + _relief(work, challenge),
        value=value_points(work),
        what_could_go_wrong=_wrong(work, challenge),
        largest_uncertainty=_uncertainty(work),
        smallest_commitment=_smallest(work, step),
        gates=_gates(work, step),
        stop_conditions=_stops(work, step),
        confidence=decision_confidence(work.forces),
        confidence_point=_confidence(work),
        cutoff=contract.evidence_cutoff.isoformat() if contract.evidence_cutoff else "none given",
        context=_context(work),
        mechanisms=_mechanisms(work),
        risks=_risks(work),
        roadmap=_roadmap(work, step),
        board_questions=answer_board_questions(work, recommendation, step),
        analogies=tuple(_analogy(audience, work, recommendation) for audience in contract.audiences),
        dissent=_dissent(work, challenge),
    )


def _step_option(work: Workings, recommendation: Recommendation) -> Option | None:
    """Return the smallest action the brief may describe: the recommended one, else the most reversible."""
    chosen = next((o for o in work.contract.options if o.id == recommendation.option_id), None)
    if chosen in work.actions:
        return chosen
    return max(work.actions, key=lambda o: (work.rating(o.id, "reversibility") or 0, o.id), default=None)


def _scored(work: Workings) -> list[ForceAssessment]:
    return sorted((f for f in work.forces if f.score is not None), key=lambda f: (-(f.score or 0), f.force))


def _why_now(work: Workings) -> tuple[Point, ...]:
    scored = _scored(work)
    if not scored:
        gap = work.assume("No force could be assessed.", material=True)
        return (Point(text="No source says that the question is urgent.", basis=(gap,)),)
    top = scored[0]
    claims = top.evidence_for or top.evidence_against
    lead = min((work.book.claims[c] for c in claims), key=work.book.order)
    points = [
        Point(
            text=f"The strongest pressure comes from {FORCE_NAMES[top.force]} ({top.score} of 5).",
            basis=claims[:3],
        ),
        _quote("{p} put it so: “{q}”.", lead, work),
    ]
    growing = [f for f in scored if f.trend == "increasing"]
    if growing:
        names = _listed([FORCE_NAMES[f.force] for f in growing])
        basis = tuple(dict.fromkeys(c for f in growing for c in f.evidence_for[:2]))
        points.append(
            Point(
                text=f"Two or more publishers report that pressure from {names} is growing.",
                basis=basis or claims[:1],
            )
        )
    else:
        points.append(
            Point(
                text="No force has a direction that two publishers agree on, so urgency rests on the cost of waiting.",
                basis=claims[:1],
            )
        )
    return tuple(points)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _lower(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _quote(frame: str, claim: Claim, work: Workings) -> Point:
    clause = work.book.clauses[claim.id]
    return Point(text=frame.format(p=clause.item.publisher, q=quoted(clause)), basis=(claim.id,))


def _relief(work: Workings, challenge: ChallengeReport) -> tuple[Point, ...]:
    """Return the best reported reason to wait: pressure that eases where action would answer it."""
    claims = [work.book.claims[c] for f in work.forces for c in f.evidence_against if f.force != "suppliers"]
    held = {work.book.claims[b].text for b in challenge.contrary_basis if b in work.book.claims}
    claims = [c for c in claims if c.text not in held]  # the case against is quoted in its own place
    on_subject = [c for c in claims if work.book.clauses[c.id].on_topic >= ON_SUBJECT] or claims
    if not on_subject:
        return ()
    return (
        _quote(
            "There is a case for waiting; {p} reports: “{q}”.", min(on_subject, key=work.book.order), work
        ),
    )


def _wrong(work: Workings, challenge: ChallengeReport) -> tuple[Point, ...]:
    views = {view.view: view for view in challenge.views}
    points = [views["cro_model_risk"].counterargument]
    contrary = [work.book.claims[b] for b in challenge.contrary_basis if b in work.book.claims]
    if contrary:
        clause = work.book.clauses[contrary[0].id]
        reported = clause.adverse or clause.favourable
        frame = (
            "Results elsewhere speak against it; {p} records: “{q}”."
            if reported
            else "One argument weighs against it, from {p}: “{q}”."
        )
        points.insert(0, _quote(frame, contrary[0], work))
    return tuple(points)


def _dissent(work: Workings, challenge: ChallengeReport) -> tuple[Point, ...]:
    contrary = [work.book.claims[b] for b in challenge.contrary_basis if b in work.book.claims]
    if not contrary:
        gap = work.assume(
            "No contrary source on the subject was found, which may be a gap in the search.", material=True
        )
        return (Point(text="No dissent can be documented from these sources.", basis=(gap,)),)
    clause = work.book.clauses[contrary[0].id]
    head = Point(
        text=f"The best documented case against comes from {clause.item.publisher}: “{quoted(clause)}”.",
        basis=(contrary[0].id, *(b for b in challenge.contrary_basis if b != contrary[0].id)),
    )
    answer = Point(text=_answer(work, contrary[0]), basis=(contrary[0].id,))
    return (head, answer)


def _answer(work: Workings, contrary: Claim) -> str:
    support = [
        link
        for link in work.book.links.values()
        if link.claim_id == contrary.id and link.stance == "supports"
    ]
    keys = {work.book.clauses[c].item.id: work.book.clauses[c].item.publisher_key for c in work.book.clauses}
    others = len({keys[link.evidence_id] for link in support}) - 1
    backing = (
        "No other publisher here repeats it"
        if others <= 0
        else f"It is repeated by {others} other publisher{'s' if others > 1 else ''}"
    )
    return f"{backing}, and the first gate below is set so that the same outcome would end the programme."


def _uncertainty(work: Workings) -> Point:
    economics = work.economics
    if (
        economics
        and economics.dominant_assumption
        and (figure := work.figure("npv.base", economics.dominant_assumption.scenario))
    ):
        lead = economics.dominant_assumption.driver
        turn = "can turn the sign alone" if lead.flips_sign else "does not turn the sign alone"
        text = f"Largest uncertainty: {lead.line.replace('_', ' ')}, which moves the value more than any other input and {turn}."
        return Point(text=text, basis=(figure.id,))
    weakest = min(work.forces, key=lambda f: (f.confidence, f.force))
    basis = weakest.evidence_for + weakest.evidence_against
    gap = work.assume(
        f"Evidence on {FORCE_NAMES[weakest.force]} is the thinnest of the five forces.", material=True
    )
    return Point(
        text=f"Largest uncertainty: {FORCE_NAMES[weakest.force]}, where evidence is thinnest.",
        basis=basis[:3] or (gap,),
    )


def _smallest(work: Workings, step: Option | None) -> Point:
    if step is None:
        none = work.assume("The request offers no course that changes anything.", material=True)
        return Point(
            text="No action option was put forward, so there is no smaller step to take.", basis=(none,)
        )
    template = work.template(step.kind)
    text = (step.description or template.description).rstrip(".")
    basis = work.assume(f"The smallest step is “{step.name}”: {text}.", material=False)
    months = step.learning_months or template.learning_months
    return Point(
        text=f"“{step.name}”: {text[0].lower() + text[1:]}; first results in {months} months.", basis=(basis,)
    )


def _gates(work: Workings, step: Option | None) -> tuple[Gate, ...]:
    if step is None:
        return ()
    template = work.template(step.kind)
    owner = work.contract.decision_owner
    learn = step.learning_months or template.learning_months
    count = max(1, len(template.gates))
    gates = [
        Gate(month=_month(text, learn * (i + 1) // count), test=_MONTH.sub("", text), owner=owner)
        for i, text in enumerate(template.gates)
    ]
    applying = [c for c in work.pack.controls if step.kind in c.applies_to]
    found = {control for clause in work.book.clauses.values() for control in clause.controls}
    evidenced = [c for c in applying if c.id in found] or applying
    gates += [Gate(month=learn, test=control.gate, owner=control.owner) for control in evidenced[:2]]
    return tuple(sorted(gates, key=lambda g: (g.month, g.test)))


def _month(text: str, otherwise: int) -> int:
    """Return the month a gate's text names, else an even spacing."""
    found = _MONTH.match(text)
    return int(found.group(1)) if found else otherwise


def _stops(work: Workings, step: Option | None) -> tuple[str, ...]:
    own = work.template(step.kind).stop_conditions if step else ()
    return own or ("The board's success measures are not met by the date set for them.",)


def _confidence(work: Workings) -> Point:
    weakest = min(work.forces, key=lambda f: (f.confidence, f.force))
    claims = weakest.evidence_for + weakest.evidence_against
    publishers = len({work.book.publisher(work.book.claims[c]) for c in claims})
    word = confidence_word(decision_confidence(work.forces))
    if not claims:
        gap = work.assume(f"No usable source speaks to {FORCE_NAMES[weakest.force]}.", material=True)
        return Point(
            text=f"Confidence is {word}: no usable source speaks to {FORCE_NAMES[weakest.force]}.",
            basis=(gap,),
        )
    text = (
        f"Confidence is {word}, set by the least evidenced force: {FORCE_NAMES[weakest.force]} rests on "
        f"{len(claims)} statements by {publishers} publisher{'' if publishers == 1 else 's'}."
    )
    return Point(text=text, basis=claims[:6])


def _context(work: Workings) -> tuple[Point, ...]:
    contract = work.contract
    baseline = work.assume(
        f"Baseline, as the owner states it: {contract.baseline.rstrip('.')}.", material=True
    )
    boundary = work.assume(
        f"Market boundary, as the owner states it: {contract.boundary.statement.rstrip('.')}."
    )
    points = [
        Point(text=f"Current course: {contract.baseline.rstrip('.')}.", basis=(baseline,)),
        Point(text=f"Market: {contract.boundary.statement.rstrip('.')}.", basis=(boundary,)),
    ]
    if contract.risk_appetite:
        appetite = work.assume(f"Risk appetite, as stated: {contract.risk_appetite.rstrip('.')}.")
        points.append(Point(text=f"Risk appetite: {contract.risk_appetite.rstrip('.')}.", basis=(appetite,)))
    if contract.success_measures:
        measures = work.assume(
            f"Success measures, as stated: {'; '.join(m.rstrip('.') for m in contract.success_measures)}."
        )
        points.append(
            Point(
                text=f"Success is measured by {'; '.join(m.rstrip('.') for m in contract.success_measures)}.",
                basis=(measures,),
            )
        )
    return tuple(points)


def _mechanisms(work: Workings) -> tuple[Mechanism, ...]:
    """Return each mechanism once, with every force it works in; the ones behind high ratings first."""
    found: dict[str, dict[str, object]] = {}
    drivers = {d.id: d for part in work.pack.forces for d in part.drivers}
    for force in work.forces:
        for rating in force.drivers:
            if rating.rating is None:
                continue
            entry = found.setdefault(rating.mechanism_id, {"forces": [], "claims": [], "driver": rating})
            entry["forces"].append(force.force)  # type: ignore[attr-defined]
            entry["claims"].extend(rating.raising + rating.lowering)  # type: ignore[attr-defined]
    mechanisms = []
    for mechanism_id, entry in found.items():
        claims: tuple[str, ...] = tuple(dict.fromkeys(entry["claims"]))  # type: ignore[call-overload]
        text = drivers[entry["driver"].driver_id].mechanism  # type: ignore[attr-defined]
        forces: tuple[Force, ...] = tuple(dict.fromkeys(entry["forces"]))  # type: ignore[call-overload]
        mechanisms.append(
            Mechanism(
                id=mechanism_id, forces=forces, point=Point(text=text, basis=claims[:3]), claim_ids=claims
            )
        )
    return tuple(sorted(mechanisms, key=lambda m: (-len(m.forces), -len(m.claim_ids), m.id)))


def _risks(work: Workings) -> tuple[Point, ...]:
    points: list[Point] = []
    suppliers = next(f for f in work.forces if f.force == "suppliers")
    if suppliers.implication:
        points.append(suppliers.implication)
    for control in work.pack.controls:
        claims = [
            c
            for c in work.book.claims.values()
            if c.id in work.book.clauses and control.id in work.book.clauses[c.id].controls
        ]
        usable = sorted((c for c in claims if work.book.usable(c)), key=work.book.order)
        if usable and len(points) < 5:
            duty = control.requirement.rstrip(".")
            text = f"{control.title}: {duty} (owner: {control.owner}; primary text: {control.primary_text})."
            points.append(Point(text=text, basis=(usable[0].id,)))
    irreversible = work.contract.irreversible_elements
    if irreversible:
        fixed = work.assume(f"Cannot be undone: {'; '.join(e.rstrip('.') for e in irreversible)}.")
        points.append(
            Point(text=f"Cannot be undone: {'; '.join(e.rstrip('.') for e in irreversible)}.", basis=(fixed,))
        )
    return tuple(points)


def _roadmap(work: Workings, step: Option | None) -> tuple[Point, ...]:
    points = []
    for gate in _gates(work, step):
        basis = work.assume(f"Gate in month {gate.month}, owned by {gate.owner}: {gate.test.rstrip('.')}.")
        points.append(
            Point(text=f"Month {gate.month}, {gate.owner}: {gate.test.rstrip('.')}.", basis=(basis,))
        )
    undo = work.template(step.kind).reversible_elements if step else ()
    if undo:
        path = work.assume(f"Exit path: {'; '.join(e.rstrip('.') for e in undo)}.")
        points.append(Point(text=f"Exit path: {'; '.join(e.rstrip('.') for e in undo)}.", basis=(path,)))
    return tuple(points)


def _analogy(audience: Audience, work: Workings, recommendation: Recommendation) -> BriefAnalogy:
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
