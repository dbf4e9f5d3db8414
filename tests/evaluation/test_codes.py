"""For every code, a case that breaks exactly that rule; the unbroken case breaks none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from porterlib.contracts.assessment import Point
from porterlib.contracts.evidence import Claim, SupportLevels
from porterlib.contracts.options import LENSES
from porterlib.contracts.request import Assumption
from porterlib.evaluation import CODES, EvaluationContext, claim_id, evidence_id, gate, link_id
from porterlib.hashing import sha256_hex

from .factory import (
    LOWERING,
    PASSES,
    RAISING,
    all_approvals,
    altered,
    approval,
    calculation,
    economics,
    fact,
    item_of,
    link_to,
    publishing,
    settle,
    snapshot_of,
    swap,
    valid_context,
)

Break = Callable[[EvaluationContext], EvaluationContext]
CASES: list[tuple[str, str, Break]] = []


def case(code: str, name: str = "") -> Callable[[Break], Break]:
    def register(function: Break) -> Break:
        CASES.append((code, name or function.__name__, function))
        return function

    return register


def simple(code: str, path: str, value: Any, name: str = "") -> None:
    CASES.append((code, name or path, lambda context: altered(context, path, value)))


def on_snapshot(context: EvaluationContext, items: Any) -> EvaluationContext:
    """Replace the evidence, keeping its identity and the candidate's reference to it coherent."""
    snapshot = snapshot_of(items)
    candidate = context.candidate.model_copy(update={"snapshot_id": snapshot.snapshot_id})
    return replace(context, snapshot=snapshot, candidate=candidate)


def extra_claim(context: EvaluationContext, claim: Claim, links: tuple[Any, ...] = ()) -> EvaluationContext:
    context = altered(context, "claims", lambda old: (*old, claim))
    return settle(altered(context, "links", lambda old: (*old, *links)))


def statement(kind: Any, text: str, basis: tuple[str, ...] = ()) -> Claim:
    return Claim(id=claim_id(kind, text, basis=basis), kind=kind, text=text, basis=basis)


def cite(context: EvaluationContext, name: str, place: str = "brief.why_now.0") -> EvaluationContext:
    return settle(altered(context, f"{place}.basis", lambda old: (*old, name)))


PRIOR = statement("model_prior", "Models improve every year.")


def with_prior(context: EvaluationContext) -> EvaluationContext:
    return extra_claim(context, PRIOR)


# --- malformed input


@case("MALFORMED_GATE_INPUT")
def candidate_is_not_a_candidate(context: EvaluationContext) -> EvaluationContext:
    return replace(context, candidate="no candidate")


@case("MALFORMED_GATE_INPUT")
def score_contradicts_its_drivers(context: EvaluationContext) -> EvaluationContext:
    return altered(context, "forces.0.score", Decimal("2.0"))


# --- decision contract and fidelity


@case("DECISION_NOT_READY")
def questions_are_open(context: EvaluationContext) -> EvaluationContext:
    change = {"ready": False, "open_questions": ("Which market?",)}
    contract = context.candidate.contract.model_copy(update=change)
    return replace(altered(context, "contract", contract), contract=contract)


@case("DECISION_PART_MISSING")
def baseline_is_blank(context: EvaluationContext) -> EvaluationContext:
    contract = context.candidate.contract.model_copy(update={"baseline": "  "})
    return replace(altered(context, "contract", contract), contract=contract)


simple("CONTRACT_CHANGED", "contract.horizon_months", 60)
simple("QUESTION_CHANGED", "brief.question", "Should the bank adopt AI?")
simple("BOUNDARY_CHANGED", "brief.boundary", "Banking")


@case("BOUNDARY_CHANGED")
def framed_boundary_differs_from_the_request(context: EvaluationContext) -> EvaluationContext:
    request = context.request.model_copy(update={"market_boundary": "Another market"})
    return replace(context, request=request)


# --- five forces


@case("FORCE_MISSING")
def four_forces(context: EvaluationContext) -> EvaluationContext:
    return settle(altered(context, "forces", lambda old: old[1:]))


simple("FORCE_DUPLICATED", "forces", lambda old: (*old, old[0]))
simple("FORCE_HORIZONS_INCOMPLETE", "forces.0.horizons", lambda old: (old[0], old[1], old[1]))
simple("FORCE_REVERSAL_MISSING", "forces.0.indicators", ())
simple("FORCE_REVERSAL_MISSING", "forces.0.reversal_conditions", ())


def _unassessed(force: Any, gaps: tuple[str, ...]) -> Any:
    driver = force.drivers[0].model_copy(update={"rating": None, "weight": 0.0})
    return force.model_copy(update={"score": None, "drivers": (driver, force.drivers[1]), "gaps": gaps})


@case("FORCE_NOT_ASSESSED")
def two_forces_open_under_a_reversible_step(context: EvaluationContext) -> EvaluationContext:
    for at in (3, 4):
        context = altered(context, f"forces.{at}", lambda old: _unassessed(old, ("no source",)))
    return settle(context)


@case("FORCE_NOT_ASSESSED")
def one_force_open_is_a_warning(context: EvaluationContext) -> EvaluationContext:
    return settle(altered(context, "forces.4", lambda old: _unassessed(old, ("no source",))))


@case("FORCE_GAP_MISSING")
def force_open_without_a_reason(context: EvaluationContext) -> EvaluationContext:
    return settle(altered(context, "forces.4", lambda old: _unassessed(old, (" ",))))


@case("FORCE_CLAIM_MISSING")
def driver_rated_without_claims(context: EvaluationContext) -> EvaluationContext:
    context = altered(context, "forces.2.drivers.0.raising", ())
    return settle(altered(context, "forces.2.drivers.0.lowering", ()))


@case("FORCE_CLAIM_MISSING")
def driver_rated_on_a_wish(context: EvaluationContext) -> EvaluationContext:
    wish = statement("recommendation", "Rivals should be feared.", ("A-staff",))
    context = extra_claim(context, wish)
    return settle(altered(context, "forces.2.drivers.0.raising", lambda old: (*old, wish.id)))


@case("NO_COUNTEREVIDENCE")
def force_with_one_side_only(context: EvaluationContext) -> EvaluationContext:
    context = altered(context, "forces.2.evidence_against", ())
    return settle(altered(context, "forces.2.drivers.0.lowering", ()))


# --- records


@case("DUPLICATE_EVIDENCE_ID")
def evidence_twice(context: EvaluationContext) -> EvaluationContext:
    return on_snapshot(context, (*context.snapshot.evidence, context.snapshot.evidence[0]))


simple("DUPLICATE_CLAIM_ID", "claims", lambda old: (*old, old[0]))
simple("DUPLICATE_ASSUMPTION_ID", "assumptions", lambda old: (*old, old[0]))


@case("DUPLICATE_LEDGER_CLAIM_ID")
def ledger_claim_twice(context: EvaluationContext) -> EvaluationContext:
    claims = context.candidate.claims
    return replace(context, ledger_claims=(*claims, claims[0]))


@case("CLAIM_ABSENT_FROM_LEDGER")
def cited_claim_is_unknown(context: EvaluationContext) -> EvaluationContext:
    return cite(context, "C-000000000000")


@case("CLAIM_ABSENT_FROM_LEDGER")
def ledger_lacks_a_claim(context: EvaluationContext) -> EvaluationContext:
    return replace(context, ledger_claims=context.candidate.claims[1:])


@case("CLAIM_LEDGER_MISMATCH")
def claim_text_changed_under_its_id(context: EvaluationContext) -> EvaluationContext:
    at = next(i for i, c in enumerate(context.candidate.claims) if c.text == RAISING["rivalry"])
    return altered(context, f"claims.{at}.text", RAISING["rivalry"].replace("Rival banks", "Rival lenders"))


@case("CLAIM_LEDGER_MISMATCH")
def ledger_holds_another_direction(context: EvaluationContext) -> EvaluationContext:
    first, *rest = context.candidate.claims
    held = (first.model_copy(update={"legal_review": True}), *rest)
    return replace(context, ledger_claims=held)


simple("CLAIM_MATERIALITY_MISMATCH", "claims.0.material", lambda old: not old)
simple("CLAIM_STRENGTH_MISMATCH", "claims.0.strength", 0.99)
simple("CLAIM_AGREEMENT_MISMATCH", "claims.0.agreement", 0.25)
simple("CLAIM_LINK_MISMATCH", "links.0.id", "L-000000000000")
simple("CLAIM_LINK_MISMATCH", "links.0.strength", 1.0)


@case("DANGLING_CLAIM_LINK")
def link_to_no_claim(context: EvaluationContext) -> EvaluationContext:
    item = context.snapshot.evidence[0]
    orphan = fact(context.snapshot, "rivalry", item.passage, "raises").model_copy(update={"id": "C-none"})
    return altered(context, "links", lambda old: (*old, link_to(orphan, item)))


@case("DANGLING_EVIDENCE_LINK")
def link_to_no_evidence(context: EvaluationContext) -> EvaluationContext:
    first = context.candidate.links[0]
    change = {"evidence_id": "E-none", "id": link_id(first.claim_id, "E-none", first.start, first.end)}
    return altered(context, "links", lambda old: (*old, first.model_copy(update=change)))


@case("EVIDENCE_ID_MISMATCH")
def evidence_under_another_id(context: EvaluationContext) -> EvaluationContext:
    spare = context.snapshot.evidence[0].model_copy(
        update={"id": "E-other", "start": 9, "end": 10, "passage": "p"}
    )
    context = replace(context, texts={})
    return on_snapshot(
        context, (*context.snapshot.evidence, spare.model_copy(update={"text_sha256": "1" * 64}))
    )


@case("EVIDENCE_TEXT_MISMATCH")
def frozen_text_differs(context: EvaluationContext) -> EvaluationContext:
    digest = context.snapshot.evidence[0].text_sha256
    return replace(context, texts={digest: "Some other page."})


@case("EVIDENCE_TEXT_MISMATCH")
def overlapping_passages_disagree(context: EvaluationContext) -> EvaluationContext:
    first = context.snapshot.evidence[0]
    start, end = first.start + 1, first.end + 1
    change = {"id": evidence_id(first.text_sha256, start, end), "start": start, "end": end}
    context = replace(context, texts={})
    return on_snapshot(context, (*context.snapshot.evidence, first.model_copy(update=change)))


def _with_spare(context: EvaluationContext, change: dict[str, Any]) -> EvaluationContext:
    """Add an item that nothing links to, with one thing changed."""
    spare = context.snapshot.evidence[0]
    change = {"text_sha256": "1" * 64, "id": evidence_id("1" * 64, spare.start, spare.end), **change}
    return on_snapshot(context, (*context.snapshot.evidence, spare.model_copy(update=change)))


@case("EVIDENCE_AUTHORITY_MISMATCH")
def vendor_with_a_regulators_authority(context: EvaluationContext) -> EvaluationContext:
    return _with_spare(context, {"source_class": "vendor", "authority": 1.0})


@case("EVIDENCE_AFTER_CUTOFF")
def page_published_later(context: EvaluationContext) -> EvaluationContext:
    return _with_spare(context, {"published": "2026-02-01"})


@case("CLAIM_ORIGIN_MISMATCH")
def external_fact_from_the_owner(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["rivalry"])
    item = item_of(context.snapshot, claim.text)
    change = {
        "text_sha256": "2" * 64,
        "id": evidence_id("2" * 64, item.start, item.end),
        "origin": "internal",
        "source_class": "internal_document",
        "authority": 0.8,
        "publisher_key": "bank",
    }
    own = item.model_copy(update=change)
    context = on_snapshot(context, (*context.snapshot.evidence, own))
    return settle(altered(context, "links", lambda old: (*old, link_to(claim, own))))


@case("SNAPSHOT_ID_MISMATCH")
def candidate_rests_on_another_snapshot(context: EvaluationContext) -> EvaluationContext:
    return altered(context, "snapshot_id", "0" * 64)


@case("SNAPSHOT_ID_MISMATCH")
def evidence_changed_after_freezing(context: EvaluationContext) -> EvaluationContext:
    changed = swap(context.snapshot, "evidence.0.title", "Another title")
    return replace(context, snapshot=changed)


def _misquoted(context: EvaluationContext, quote: Callable[[str], str]) -> EvaluationContext:
    """Alter the quote of one of a claim's two links, honestly marked as not verbatim."""
    at = next(i for i, link in enumerate(context.candidate.links) if "30 percent" in link.quote)
    context = altered(context, f"links.{at}.quote", quote)
    levels = PASSES.model_copy(update={"verbatim": False})
    return settle(altered(context, f"links.{at}.levels", levels))


@case("EVIDENCE_QUOTE_NOT_FOUND")
def quote_with_another_ending(context: EvaluationContext) -> EvaluationContext:
    return _only_publisher_left(_misquoted(context, lambda old: old.replace(".", "!")))


def _only_publisher_left(context: EvaluationContext) -> EvaluationContext:
    """Give the rivalry claim a third publisher, so that losing one link leaves two."""
    snapshot = context.snapshot
    twin = item_of(snapshot, RAISING["rivalry"], "academic")
    text = f"Synthetic third page. {RAISING['rivalry']}"
    digest = sha256_hex(text.encode())
    start, end = text.index(RAISING["rivalry"]), len(text)
    third = twin.model_copy(
        update={
            "id": evidence_id(digest, start, end),
            "text_sha256": digest,
            "start": start,
            "end": end,
            "publisher_key": "third.example",
        }
    )
    context = on_snapshot(context, (*snapshot.evidence, third))
    claim = next(c for c in context.candidate.claims if c.text == RAISING["rivalry"])
    return settle(altered(context, "links", lambda old: (*old, link_to(claim, third))))


# --- support


@case("SUPPORT_QUOTE_LOW_ALIGNMENT")
def quote_about_something_else(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["rivalry"])
    other = item_of(context.snapshot, LOWERING["new_entrants"])
    honest = SupportLevels(retrieved=True, verbatim=True, agrees=False, lexical=False)
    stray = link_to(claim, other, levels=honest)
    return settle(altered(context, "links", lambda old: (*old, stray)))


@case("SUPPORT_LEVELS_OVERSTATED")
def figure_said_to_agree(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["rivalry"])
    return _restated_by(context, claim, RAISING["rivalry"].replace("30 percent", "45 percent"))


def _restated_by(context: EvaluationContext, claim: Claim, sentence: str) -> EvaluationContext:
    twin = item_of(context.snapshot, RAISING["rivalry"])
    digest = sha256_hex(sentence.encode())
    change = {
        "id": evidence_id(digest, 0, len(sentence)),
        "text_sha256": digest,
        "passage": sentence,
        "start": 0,
        "end": len(sentence),
        "publisher_key": "third.example",
    }
    item = twin.model_copy(update=change)
    context = on_snapshot(context, (*context.snapshot.evidence, item))
    # Settled before the link is added: the gate does not count what does not hold.
    return altered(settle(context), "links", lambda old: (*old, link_to(claim, item)))


@case("MISSING_EVIDENCE")
def material_fact_without_links(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    bare = claim.model_copy(
        update={"id": claim_id("external_fact", claim.text, force="buyers", driver_id="buyers.main")}
    )
    context = extra_claim(context, bare)
    return settle(altered(context, "forces.2.drivers.0.raising", lambda old: (*old, bare.id)))


@case("MISSING_EVIDENCE")
def fact_that_nothing_rests_on_without_support(context: EvaluationContext) -> EvaluationContext:
    item = item_of(context.snapshot, RAISING["buyers"])
    text = "Every client left."
    claim = Claim(id=claim_id("external_fact", text, at=item.id), kind="external_fact", text=text)
    return extra_claim(context, claim, (link_to(claim, item, stance="context"),))


@case("MISSING_EVIDENCE")
def material_inference_from_nothing(context: EvaluationContext) -> EvaluationContext:
    inference = statement("inference", "It must be so.", ("A-staff",))
    return cite(extra_claim(context, inference), inference.id, "options.0.ratings.0")


@case("MISSING_EVIDENCE")
def cited_evidence_is_unknown(context: EvaluationContext) -> EvaluationContext:
    return cite(context, "E-000000000000")


@case("INSUFFICIENT_ENTAILED_SUPPORT")
def one_vendor_page_carries_a_rating(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    change = {"source_class": "vendor", "authority": 0.45, "quality": 0.55, "publisher_key": "vendor.example"}
    items = [i.model_copy(update=change) if i.passage == claim.text else i for i in context.snapshot.evidence]
    return _relinked(context, claim, items)


@case("INSUFFICIENT_ENTAILED_SUPPORT")
def no_link_passes_all_levels(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    for at, link in enumerate(context.candidate.links):
        if link.claim_id == claim.id:
            levels = PASSES.model_copy(update={"agrees": False})
            context = altered(context, f"links.{at}.levels", levels)
    return settle(context)


@case("INSUFFICIENT_ENTAILED_SUPPORT")
def inference_on_a_weak_claim(context: EvaluationContext) -> EvaluationContext:
    context = no_link_passes_all_levels(context)
    weak = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    inference = statement("inference", "One source reports moves.", (weak.id,))
    context = extra_claim(context, inference)
    return cite(context, inference.id, "options.0.ratings.0")


def _relinked(context: EvaluationContext, claim: Claim, items: list[Any]) -> EvaluationContext:
    """Replace the evidence and link the claim to all items that hold its text."""
    context = on_snapshot(context, items)
    links = [link for link in context.candidate.links if link.claim_id != claim.id]
    links += [link_to(claim, item) for item in items if item.passage == claim.text]
    return settle(altered(context, "links", tuple(links)))


@case("SINGLE_SOURCE_MATERIAL_FACT")
def one_regulator_alone(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    academic = item_of(context.snapshot, claim.text, "academic")
    links = tuple(link for link in context.candidate.links if link.evidence_id != academic.id)
    return settle(altered(context, "links", links))


@case("LEGAL_PRIMARY_TEXT_MISSING")
def legal_conclusion_from_secondary_texts(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["buyers"])
    at = context.candidate.claims.index(claim)
    context = altered(context, f"claims.{at}.legal_review", True)
    change = {"source_class": "industry_research", "authority": 0.7}
    items = [i.model_copy(update=change) if i.passage == claim.text else i for i in context.snapshot.evidence]
    return _relinked(context, claim, items)


@case("MODEL_PRIOR_AS_FACT")
def prior_with_a_supporting_quote(context: EvaluationContext) -> EvaluationContext:
    text = RAISING["rivalry"]
    item = item_of(context.snapshot, text)
    prior = statement("model_prior", text)
    return extra_claim(context, prior, (link_to(prior, item),))


@case("MODEL_PRIOR_AS_FACT")
def inference_from_a_prior(context: EvaluationContext) -> EvaluationContext:
    context = with_prior(context)
    return extra_claim(context, statement("inference", "So it will pay.", (PRIOR.id,)))


@case("MODEL_PRIOR_AS_FACT")
def prior_counted_as_evidence_of_a_force(context: EvaluationContext) -> EvaluationContext:
    context = with_prior(context)
    return settle(altered(context, "forces.0.evidence_for", lambda old: (*old, PRIOR.id)))


# --- basis


@case("MODEL_PRIOR_BOARD_BASIS")
def board_point_on_a_prior(context: EvaluationContext) -> EvaluationContext:
    return cite(with_prior(context), PRIOR.id)


@case("MODEL_PRIOR_OPTION_BASIS")
def rating_on_a_prior(context: EvaluationContext) -> EvaluationContext:
    return cite(with_prior(context), PRIOR.id, "options.0.ratings.0")


simple("BOARD_POINT_BASIS_MISSING", "brief.why_now.0.basis", ("",))
simple("BOARD_POINT_BASIS_MISSING", "brief.board_questions.3.answer.basis", (" ",))
simple("OPTION_BASIS_MISSING", "options.0.ratings.0.basis", ())
simple("UNKNOWN_BASIS_ID", "brief.why_now.0.basis", lambda old: (*old, "page 4"))
simple("UNKNOWN_BASIS_ID", "brief.context.0.basis", lambda old: (*old, "H-rivalry-1"))


@case("MISSING_ASSUMPTION")
def cited_assumption_is_unknown(context: EvaluationContext) -> EvaluationContext:
    return cite(context, "A-none")


@case("MISSING_CALCULATION")
def cited_figure_is_unknown(context: EvaluationContext) -> EvaluationContext:
    return cite(context, "X-000000000000")


@case("MISSING_CALCULATION")
def calculation_by_nobody(context: EvaluationContext) -> EvaluationContext:
    return extra_claim(context, statement("calculation", "It pays for itself twice.", ("A-staff",)))


@case("REJECTED_ASSUMPTION_REFERENCED")
def rejected_assumption_cited(context: EvaluationContext) -> EvaluationContext:
    rejected = Assumption(id="A-gone", text="Vendors never fail.", status="rejected")
    return cite(altered(context, "assumptions", lambda old: (*old, rejected)), "A-gone")


@case("MATERIAL_ASSUMPTION_UNVALIDATED")
def open_assumption_carries_a_rating(context: EvaluationContext) -> EvaluationContext:
    return altered(context, "assumptions.0.status", "open")


# --- board decision

simple("OPTION_SET_MISMATCH", "options", lambda old: (*old[:2], old[2].model_copy(update={"name": "Other"})))
simple("OPTION_CONDITIONS_MISSING", "options.2.stop_conditions", ())
simple("OPTION_CONDITIONS_MISSING", "options.2.acceleration_conditions", (" ",))
simple("OPTION_LENS_MISSING", "options.0.ratings.0.lens", LENSES[1])
simple("RECOMMENDATION_INCOHERENT", "recommendation.option_id", "O1")
simple("RECOMMENDATION_INCOHERENT", "recommendation.option_id", None, "no option named")
simple("RECOMMENDATION_INCOHERENT", "brief.recommendation.text", "Approve everything at once.")
simple("GATES_MISSING", "brief.gates", ())
simple("MODE_VIEW_MISSING", "brief.mode_view", None)
simple("BOARD_QUESTIONS_INCOMPLETE", "brief.board_questions", lambda old: old[:9])
simple("BOARD_QUESTIONS_INCOMPLETE", "brief.board_questions.1.question", "SYNTHETIC  question 1?")
simple("CUTOFF_MISMATCH", "brief.cutoff", "2026-02-01")
simple("CONFIDENCE_OVERSTATED", "brief.confidence", 0.9)

# --- analogies

simple("ANALOGY_MISSING", "brief.analogies", lambda old: old[:1])
simple("ANALOGY_DUPLICATED", "brief.analogies", lambda old: (*old, old[0]))
simple("ANALOGY_CORRESPONDENCE_EMPTY", "brief.analogies.0.correspondences", ("trainee ↔ model", " — "))
simple(
    "ANALOGY_CORRESPONDENCE_EMPTY",
    "brief.analogies.0.correspondences",
    ("trainee ↔ model",) * 2,
    "same twice",
)
simple(
    "ANALOGY_CORRESPONDENCE_EMPTY",
    "brief.analogies.0.correspondences",
    ("a model ↔ the models", "x ↔ desk"),
    "same sides",
)
simple(
    "ANALOGY_RESTATES",
    "brief.analogies.0.breaking_point",
    "The assistant is a trainee whose tickets a senior signs.",
    "breaking point repeats the analogy",
)
simple(
    "ANALOGY_RESTATES",
    "brief.analogies.0.breaking_point",
    "Authority to release stays with named people.",
    "breaking point repeats the implication",
)
simple(
    "ANALOGY_RESTATES",
    "brief.analogies.0.analogy",
    "Adopting generative AI is like the adoption of generative AI.",
    "compared with itself",
)
simple(
    "ANALOGY_RESTATES",
    "brief.analogies.0.analogy",
    "The bank should adopt generative AI for KYC investigations later.",
    "question repeated",
)
simple(
    "ANALOGY_RESTATES",
    "brief.analogies.0.implication",
    "A senior signs the tickets of the trainee.",
    "implication repeats the analogy",
)

# --- counterevidence


def _contrary(context: EvaluationContext, *names: str) -> EvaluationContext:
    context = altered(context, "challenge.contrary_basis", names)
    return altered(context, "brief.dissent.0.basis", lambda old: (*old, *(n for n in names if n[0] in "CL")))


simple("CONTRARY_BASIS_MISSING", "challenge.contrary_basis", ())
simple("CHALLENGE_VIEW_MISSING", "challenge.views.1.view", "cfo")


@case("CHALLENGE_BASIS_SHARED")
def two_views_on_one_basis(context: EvaluationContext) -> EvaluationContext:
    point = context.candidate.challenge.views[2].counterargument
    return altered(
        context, "challenge.views.1.counterargument", Point(text="Other words.", basis=point.basis)
    )


@case("CONTRARY_BASIS_UNKNOWN")
def contrary_basis_is_not_in_the_ledger(context: EvaluationContext) -> EvaluationContext:
    first = context.candidate.challenge.contrary_basis[0]
    return altered(context, "challenge.contrary_basis", (first, "C-none"))


@case("CONTRARY_BASIS_NOT_CONTRARY")
def contrary_claim_argues_for_the_recommendation(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == RAISING["rivalry"])
    return _contrary(context, claim.id)


@case("CONTRARY_BASIS_NOT_CONTRARY")
def contrary_claim_without_a_sound_quote(context: EvaluationContext) -> EvaluationContext:
    item = item_of(context.snapshot, LOWERING["buyers"])
    name = claim_id("external_fact", LOWERING["buyers"], force="buyers", at=item.id)
    claim = fact(context.snapshot, "buyers", LOWERING["buyers"], "lowers")
    claim = claim.model_copy(update={"driver_id": None, "id": name})
    weak = link_to(claim, item, levels=PASSES.model_copy(update={"agrees": False}))
    return _contrary(extra_claim(context, claim, (weak,)), claim.id)


@case("CONTRARY_BASIS_NOT_CONTRARY")
def supporting_link_as_contrary_basis(context: EvaluationContext) -> EvaluationContext:
    return _contrary(context, context.candidate.links[0].id)


@case("CONTRARY_BASIS_NOT_CONTRARY")
def claim_that_carries_the_recommendation(context: EvaluationContext) -> EvaluationContext:
    name = context.candidate.recommendation.sentence.basis[0]
    return replace(_contrary(context, name), argues={})


@case("DISSENT_BASIS_MISMATCH")
def dissent_on_another_basis(context: EvaluationContext) -> EvaluationContext:
    claim = next(c for c in context.candidate.claims if c.text == LOWERING["buyers"])
    return altered(context, "brief.dissent.0.basis", (claim.id,))


# --- economics


def _with_economics(context: EvaluationContext, worst: int, best: int, rating: int = 3) -> EvaluationContext:
    """Replace the figures everywhere, so that the new range is printed as it should be."""
    old, new = context.economics, economics(Decimal(worst), Decimal(best))
    text = context.candidate.model_dump_json()
    for before, after in zip(old.calculations, new.calculations, strict=True):
        text = text.replace(before.id, after.id).replace(before.display, after.display)
    context = replace(context, candidate=type(context.candidate).model_validate_json(text), economics=new)
    at = LENSES.index("economics")
    return settle(altered(context, f"options.2.ratings.{at}.rating", rating))


@case("CALCULATION_ID_MISMATCH")
def figure_altered_after_calculation(context: EvaluationContext) -> EvaluationContext:
    return replace(context, economics=swap(context.economics, "calculations.0.formula", "another"))


@case("ECONOMICS_VALUE_ABSENT")
def delay_figure_not_printed(context: EvaluationContext) -> EvaluationContext:
    delay = calculation("cost_of_delay.low", Decimal(1_500_000), None)
    return replace(context, economics=swap(context.economics, "calculations", lambda old: (*old, delay)))


@case("ECONOMICS_VALUE_ABSENT")
def challenge_without_the_worst_value(context: EvaluationContext) -> EvaluationContext:
    return altered(context, "challenge.views.0.counterargument.text", "The worst case is bad.")


@case("ECONOMICS_VALUE_ABSENT")
def value_printed_without_its_id(context: EvaluationContext) -> EvaluationContext:
    best = context.economics.calculations[1]
    worst = context.economics.calculations[0].id
    quoted = statement("calculation", f"At best {best.display}.", (worst,))
    context = extra_claim(context, quoted)
    basis = (worst, quoted.id)
    return settle(altered(context, "brief.value.0.basis", basis))


@case("ECONOMICS_FIGURE_DIFFERS")
def amount_that_nobody_calculated(context: EvaluationContext) -> EvaluationContext:
    extra = Point(text="It saves EUR 31.5m.", basis=context.candidate.brief.value[0].basis)
    return altered(context, "brief.value", lambda old: (*old, extra))


@case("NEGATIVE_RANGE_NOT_STATED")
def losses_left_unsaid(context: EvaluationContext) -> EvaluationContext:
    context = _with_economics(context, -9_000_000, -1_000_000, rating=1)
    wait = context.economics.scenarios[0].model_copy(
        update={"name": "delayed", "kind": "delayed", "option": "wait"}
    )
    value = swap(context.economics, "scenarios", lambda old: (*old, wait))
    figures = (*value.calculations, calculation("npv.best", Decimal(-1_000_000), "delayed"))
    context = replace(context, economics=value.model_copy(update={"calculations": figures}))
    at = LENSES.index("economics")
    context = altered(context, f"options.1.ratings.{at}.rating", 1)
    return settle(altered(context, f"options.1.ratings.{at}.basis", (figures[-1].id,)))


@case("ECONOMICS_RATING_TOO_HIGH")
def losing_option_rated_mixed(context: EvaluationContext) -> EvaluationContext:
    return _with_economics(context, -9_000_000, -1_000_000, rating=3)


@case("ECONOMICS_RATING_TOO_HIGH")
def losing_option_left_unrated(context: EvaluationContext) -> EvaluationContext:
    context = _with_economics(context, -9_000_000, -1_000_000)
    return altered(context, f"options.2.ratings.{LENSES.index('economics')}.rating", None)


@case("RECOMMENDATION_IGNORES_ECONOMICS")
def proceeding_with_a_losing_option(context: EvaluationContext) -> EvaluationContext:
    context = _with_economics(context, -9_000_000, -1_000_000, rating=1)
    return altered(context, "recommendation.kind", "proceed")


@case("ECONOMICS_UNSIGNED")
def inputs_nobody_signed(context: EvaluationContext) -> EvaluationContext:
    return replace(context, economics=economics(signed=False))


# --- approval


@case("CURRENT_BRIEF_REJECTED")
def risk_rejects(context: EvaluationContext) -> EvaluationContext:
    return publishing(context, *all_approvals(), approval("risk", decision="reject"))


@case("CURRENT_BRIEF_REJECTED")
def rejection_stands_after_a_later_approval(context: EvaluationContext) -> EvaluationContext:
    return publishing(context, approval("risk", "Another", decision="reject"), *all_approvals())


@case("REQUIRED_APPROVAL_MISSING")
def three_of_four_roles(context: EvaluationContext) -> EvaluationContext:
    return publishing(context, *all_approvals()[:3])


@case("STALE_APPROVAL")
def draft_with_an_earlier_approval(context: EvaluationContext) -> EvaluationContext:
    old = approval("risk", fingerprint="0" * 64)
    return replace(context, approvals=(*all_approvals()[:3], old))


@case("REVIEWER_HOLDS_TWO_ROLES")
def one_person_in_two_roles(context: EvaluationContext) -> EvaluationContext:
    same = approval("risk", "  SYNTHETIC   Strategy ")
    return publishing(context, *all_approvals()[:3], same)


@pytest.mark.parametrize(
    ("code", "broken"), [(c[0], c[2]) for c in CASES], ids=[f"{c[0]}:{c[1]}" for c in CASES]
)
def test_a_broken_rule_gives_its_code_and_no_other(code: str, broken: Break) -> None:
    findings = gate(broken(valid_context()))
    assert {finding.code for finding in findings} == {code}, findings
    assert all(finding.remedy and finding.message and finding.place for finding in findings)


def test_the_valid_case_has_no_finding() -> None:
    assert gate(valid_context()) == ()


def test_every_code_has_a_case() -> None:
    assert {code for code, _, _ in CASES} == set(CODES)


def test_the_codes_of_the_earlier_gate_are_all_there() -> None:
    errors = [
        "MALFORMED_GATE_INPUT",
        "CLAIM_ABSENT_FROM_LEDGER",
        "CLAIM_LEDGER_MISMATCH",
        "OPTION_BASIS_MISSING",
        "MODEL_PRIOR_OPTION_BASIS",
        "BOARD_POINT_BASIS_MISSING",
        "MODEL_PRIOR_BOARD_BASIS",
        "DUPLICATE_EVIDENCE_ID",
        "DUPLICATE_CLAIM_ID",
        "DUPLICATE_LEDGER_CLAIM_ID",
        "DUPLICATE_ASSUMPTION_ID",
        "DANGLING_CLAIM_LINK",
        "DANGLING_EVIDENCE_LINK",
        "MISSING_EVIDENCE",
        "MISSING_ASSUMPTION",
        "CLAIM_LINK_MISMATCH",
        "INSUFFICIENT_ENTAILED_SUPPORT",
        "MODEL_PRIOR_AS_FACT",
        "FORCE_CLAIM_MISSING",
        "REJECTED_ASSUMPTION_REFERENCED",
        "EVIDENCE_QUOTE_NOT_FOUND",
        "SUPPORT_QUOTE_LOW_ALIGNMENT",
    ]
    warnings = [
        "SINGLE_SOURCE_MATERIAL_FACT",
        "NO_COUNTEREVIDENCE",
        "MATERIAL_ASSUMPTION_UNVALIDATED",
        "STALE_APPROVAL",
        "REQUIRED_APPROVAL_MISSING",
    ]
    assert {CODES[code].severity for code in errors} == {"error"}
    assert {CODES[code].severity for code in warnings} == {"warning"}
    assert "CURRENT_BRIEF_REJECTED" in CODES
