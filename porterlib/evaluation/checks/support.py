"""Support of material statements by evidence (rules 7.5 and 7.6)."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.evidence import Claim, ClaimKind
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found
from porterlib.evaluation.strength import usable

_NEEDS_EVIDENCE: frozenset[ClaimKind] = frozenset(("external_fact", "internal_fact", "inference"))
_FACTS: frozenset[ClaimKind] = frozenset(("external_fact", "internal_fact"))
_PRIMARY = frozenset(("legislation", "regulator"))


def material_support(case: Case) -> Iterator[Finding]:
    """Check that every fact has support, and each material statement support that is strong enough.

    An inference may have quotes of its own, or rest on claims that have; those are then material themselves.
    """
    for claim in case.candidate.claims:
        material = claim.id in case.material and claim.kind in _NEEDS_EVIDENCE
        quoted = any(link.stance == "supports" for link in case.links_of.get(claim.id, ()))
        below = [name for name in claim.basis if name in case.claims or name in case.calculations]
        if material:
            yield from _alignment(case, claim)
        if not quoted and (claim.kind in _FACTS or (material and not below)):
            yield found("MISSING_EVIDENCE", claim.id, f"{claim.kind} without any supporting evidence")
        elif material and (quoted or any(name in case.claims for name in below)):
            yield from _sufficient(case, claim)
        if claim.kind == "calculation" and not any(name in case.calculations for name in claim.basis):
            yield found(
                "MISSING_CALCULATION", claim.id, "a calculation that names no figure of the calculator"
            )


def _alignment(case: Case, claim: Claim) -> Iterator[Finding]:
    for link in case.links_of.get(claim.id, ()):
        levels = case.levels.get(link.id)
        if levels is not None and not (levels.lexical and link.levels.lexical):
            message = f"the quote hardly shares words with {claim.id}"
            yield found("SUPPORT_QUOTE_LOW_ALIGNMENT", link.id, message)


def _sufficient(case: Case, claim: Claim) -> Iterator[Finding]:
    strength = case.strengths[claim.id]
    if usable(strength, case.context.policy):
        return
    needed = case.context.policy.usable_strength
    if claim.id not in case.sound_links and not claim.basis:
        message = "no supporting quote passes all four levels"
    else:
        message = f"its support has strength {strength:.3g}, below {needed:g}"
    yield found("INSUFFICIENT_ENTAILED_SUPPORT", claim.id, message)


def levels_not_overstated(case: Case) -> Iterator[Finding]:
    """Check that no supporting link states a level that the texts do not give."""
    for link in case.candidate.links:
        derived = case.levels.get(link.id)
        if derived is None or link.levels.verbatim != derived.verbatim:
            continue  # a quote that is not there has a finding of its own
        for name in ("agrees", "lexical"):
            if getattr(link.levels, name) and not getattr(derived, name):
                yield found(
                    "SUPPORT_LEVELS_OVERSTATED", link.id, f"level {name!r} is stated and does not hold"
                )


def fact_origins(case: Case) -> Iterator[Finding]:
    """Check that external facts rest on public sources and internal facts on the organisation's own."""
    for link in case.candidate.links:
        claim, item = case.claims.get(link.claim_id), case.evidence.get(link.evidence_id)
        if claim is None or item is None or link.stance != "supports" or claim.kind not in _FACTS:
            continue
        public = item.origin in ("web", "corpus")
        if public != (claim.kind == "external_fact"):
            message = f"{claim.kind} is supported by evidence of origin {item.origin}"
            yield found("CLAIM_ORIGIN_MISMATCH", link.id, message)


def single_sources(case: Case) -> Iterator[Finding]:
    """Warn of usable material facts that one publisher alone supports."""
    for claim in case.candidate.claims:
        strong = usable(case.strengths[claim.id], case.context.policy)
        if strong and claim.id in case.material and claim.kind in _NEEDS_EVIDENCE:
            sound = case.sound_links.get(claim.id, [])
            items = [case.evidence[link.evidence_id] for link in sound]
            if len({item.publisher_key for item in items}) == 1:
                message = f"only {min(item.publisher for item in items)} supports it"
                yield found("SINGLE_SOURCE_MATERIAL_FACT", claim.id, message)


def legal_texts(case: Case) -> Iterator[Finding]:
    """Warn of material legal conclusions without a primary text among their sources."""
    for claim in case.candidate.claims:
        if claim.legal_review and claim.id in case.material:
            links = case.sound_links.get(claim.id, [])
            if not any(case.evidence[link.evidence_id].source_class in _PRIMARY for link in links):
                yield found("LEGAL_PRIMARY_TEXT_MISSING", claim.id, "no law or regulator's text supports it")


def model_priors(case: Case) -> Iterator[Finding]:
    """Check that a model's prior knowledge supports nothing and has no support lent to it."""
    for link in case.candidate.links:
        claim = case.claims.get(link.claim_id)
        if claim is not None and claim.kind == "model_prior" and link.stance == "supports":
            yield found("MODEL_PRIOR_AS_FACT", link.id, f"{claim.id} is a lead and takes no supporting quote")
    for claim in case.candidate.claims:
        for name in claim.basis:
            if name in case.claims and case.claims[name].kind == "model_prior":
                yield found("MODEL_PRIOR_AS_FACT", claim.id, f"it rests on {name}, a model's prior knowledge")
