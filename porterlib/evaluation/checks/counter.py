"""The challenge: six views of their own, and a contrary basis that the board sees as dissent (rule 10.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from porterlib.contracts.challenge import VIEWS
from porterlib.contracts.evidence import Claim, ClaimKind
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found

_STATES_SOMETHING: frozenset[ClaimKind] = frozenset(
    ("external_fact", "internal_fact", "inference", "calculation")
)
_FOR_ACTION = frozenset(("proceed", "reversible_step"))


def challenge_views(case: Case) -> Iterator[Finding]:
    """Check that the six views are there once each and do not all say the same."""
    views = case.candidate.challenge.views
    given = Counter(view.view for view in views)
    for name in VIEWS:
        if given[name] != 1:
            yield found(
                "CHALLENGE_VIEW_MISSING", f"challenge.{name}", f"the view is given {given[name]} times"
            )
    bases: dict[frozenset[str], str] = {}
    for view in views:
        basis = frozenset(view.counterargument.basis)
        if bases.setdefault(basis, view.view) != view.view:
            message = f"it rests on the same ids as {bases[basis]}"
            yield found("CHALLENGE_BASIS_SHARED", f"challenge.{view.view}", message)


def contrary_basis(case: Case) -> Iterator[Finding]:
    """Check that the contrary basis is canonical, opposes the recommendation, and reaches the dissent."""
    basis = case.candidate.challenge.contrary_basis
    place = "challenge.contrary_basis"
    if not basis:
        yield found("CONTRARY_BASIS_MISSING", place, "the challenge rests on no contrary claim or link")
        return
    for name in basis:
        if name not in case.claims and name not in case.links:
            yield found("CONTRARY_BASIS_UNKNOWN", place, f"the ledger holds no claim or link {name}")
        elif fault := _not_contrary(case, name):
            yield found("CONTRARY_BASIS_NOT_CONTRARY", place, f"{name} {fault}")
    dissent = {name for point in case.candidate.brief.dissent for name in point.basis}
    if not dissent & set(basis):
        yield found(
            "DISSENT_BASIS_MISMATCH", "brief.dissent", "it cites none of the challenge's contrary basis"
        )


def _not_contrary(case: Case, name: str) -> str | None:
    """Return why a claim or link cannot stand against the recommendation, or None."""
    if name in case.links:
        stance = case.links[name].stance
        return None if stance == "contradicts" else f"is a link whose stance is {stance}"
    claim = case.claims[name]
    if claim.kind not in _STATES_SOMETHING:
        return f"is {claim.kind.replace('_', ' ')}, which states nothing against it"
    if claim.kind in ("external_fact", "internal_fact") and name not in case.sound_links:
        return "has no supporting quote that passes all levels"
    side = _side(case, claim)
    if side is not None and case.candidate.recommendation.kind == "missing_evidence":
        return None  # it decides nothing yet, so either side is contrary to it
    if side is not None:
        for_action = case.candidate.recommendation.kind in _FOR_ACTION
        return None if (side == "caution") == for_action else f"argues for {side}, as the recommendation does"
    if name in case.candidate.recommendation.sentence.basis:
        return "carries the recommendation itself"
    return None


def _side(case: Case, claim: Claim) -> str | None:
    """Return what the claim argues for, where the pack says so of its driver."""
    high = case.context.argues.get(claim.driver_id or "")
    if high is None or claim.direction == "neutral":
        return None
    if claim.direction == "raises":
        return high
    return "caution" if high == "act" else "act"
