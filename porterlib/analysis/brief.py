"""Writes the board brief from assessed parts; every point carries the ids it rests on."""

from __future__ import annotations

from porterlib.analysis import page, sections, standing
from porterlib.analysis.challenge import NO_CONTRARY
from porterlib.analysis.contrary import FOR_ACTION, contrary_claims
from porterlib.analysis.modes import mode_view
from porterlib.analysis.questions import answer_board_questions
from porterlib.analysis.value import exact_points, value_points
from porterlib.analysis.wording import lower_first
from porterlib.analysis.workings import Workings
from porterlib.contracts.assessment import Point
from porterlib.contracts.brief import BoardBrief
from porterlib.contracts.challenge import ChallengeReport
from porterlib.contracts.evidence import Claim
from porterlib.contracts.options import Recommendation
from porterlib.contracts.request import Option


def write_brief(work: Workings, recommendation: Recommendation, challenge: ChallengeReport) -> BoardBrief:
    """Return the brief; dissent cites the challenge's contrary basis."""
    contract = work.contract
    step, action = smallest_step(work, recommendation), smallest_action(work, recommendation)
    return BoardBrief(
        question=contract.question,
        boundary=contract.boundary.statement,
        decision_requested=_requested(work),
        recommendation=recommendation.sentence,
        why_now=page.why_now(work, challenge),
        if_we_wait=page.if_we_wait(work, challenge),
        value=value_points(work),
        exact_values=exact_points(work),
        what_could_go_wrong=page.what_could_go_wrong(work, challenge, action),
        largest_uncertainty=page.largest_uncertainty(work),
        smallest_commitment=page.smallest_commitment(work, step),
        gates=page.gates(work, step),
        stop_conditions=page.stop_conditions(work, step),
        confidence=page.confidence(work),
        confidence_point=page.confidence_point(work),
        cutoff=contract.evidence_cutoff.isoformat() if contract.evidence_cutoff else "none given",
        context=sections.context(work),
        mode_view=mode_view(work, action),
        mechanisms=sections.mechanisms(work),
        entities=standing.entities(work),
        measures=standing.measures(work),
        risks=sections.risks(work, action),
        roadmap=sections.roadmap(work, step),
        board_questions=answer_board_questions(work, recommendation, step),
        analogies=tuple(sections.analogy(a, work, recommendation) for a in contract.audiences),
        dissent=_dissent(work, recommendation, challenge),
    )


def smallest_step(work: Workings, recommendation: Recommendation) -> Option | None:
    """Return the course whose gates and owner the first page gives: the recommended one, else today's."""
    chosen = next((o for o in work.contract.options if o.id == recommendation.option_id), None)
    return chosen or work.option_of(("maintain",))


def smallest_action(work: Workings, recommendation: Recommendation) -> Option | None:
    """Return the action whose duties and way back matter: the recommended one, else the most reversible."""
    chosen = next((o for o in work.contract.options if o.id == recommendation.option_id), None)
    if chosen in work.actions:
        return chosen
    return max(work.actions, key=lambda o: (work.rating(o.id, "reversibility") or 0, o.id), default=None)


def _requested(work: Workings) -> Point:
    contract = work.contract
    asked = contract.board_action_requested.rstrip(".")
    basis = work.assume(f"As the request states it: {asked}.")
    return Point(text=f"{contract.decision_owner} asks the board to {lower_first(asked)}.", basis=(basis,))


def _dissent(work: Workings, recommendation: Recommendation, challenge: ChallengeReport) -> tuple[Point, ...]:
    contrary = [work.book.claims[b] for b in challenge.contrary_basis if b in work.book.claims]
    acts = recommendation.kind in FOR_ACTION
    if not contrary:
        gap = work.assume(NO_CONTRARY, material=True)
        return (
            Point(text="No dissent can be documented from these sources.", basis=(gap,)),
            *_other_side(work, recommendation),
        )
    head = page.quote("The best documented case against comes from {p}: “{q}”.", contrary[0], work)
    basis = (*head.basis, *(b for b in challenge.contrary_basis if b != contrary[0].id))
    answer = Point(text=_answer(work, contrary[0], acts=acts), basis=(contrary[0].id,))
    return (head.model_copy(update={"basis": basis}), answer, *_other_side(work, recommendation))


def _other_side(work: Workings, recommendation: Recommendation) -> tuple[Point, ...]:
    """Return what speaks against holding back where evidence is awaited: neither side may be passed over."""
    if recommendation.kind != "missing_evidence":
        return ()
    frame = "Against holding back until then stands {p}: “{q}”."
    return tuple(page.quote(frame, claim, work) for claim in contrary_claims(work, "wait")[:1])


def _answer(work: Workings, contrary: Claim, *, acts: bool) -> str:
    support = [
        link
        for link in work.book.links.values()
        if link.claim_id == contrary.id and link.stance == "supports"
    ]
    keys = {e.id: e.publisher_key for e in work.inputs.snapshot.evidence}
    others = len({keys[link.evidence_id] for link in support}) - 1
    backing = (
        "No other publisher here repeats it"
        if others <= 0
        else f"It is repeated by {others} other publisher{'s' if others > 1 else ''}"
    )
    if acts:
        return f"{backing}; management must report on the same measure at the first gate."
    return f"{backing}; if a second source confirms it, the decision should return to the board."
