"""The five forces: each once, assessed from claims, open about what is missing (rules 6.5 and 8.1)."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.assessment import DriverRating, ForceAssessment
from porterlib.contracts.base import FORCES
from porterlib.contracts.evidence import ClaimKind
from porterlib.contracts.options import RecommendationKind
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import Severity, found

_STATES_NO_PRESSURE: frozenset[ClaimKind] = frozenset(("assumption", "recommendation"))
_UNASSESSED_ALLOWED: dict[RecommendationKind, int] = {
    "proceed": 0,
    "reversible_step": 1,
    "wait": 1,
    "stop": len(FORCES),
    "missing_evidence": len(FORCES),
}
"""How many forces may stay open under each recommendation: the bolder it is, the fewer."""


def five_forces(case: Case) -> Iterator[Finding]:
    """Check that there are exactly five assessments and that each stands on claims."""
    given = [assessment.force for assessment in case.candidate.forces]
    for force in FORCES:
        if force not in given:
            yield found("FORCE_MISSING", f"forces.{force}", f"{force} is not assessed")
        elif given.count(force) > 1:
            yield found(
                "FORCE_DUPLICATED", f"forces.{force}", f"{force} is assessed {given.count(force)} times"
            )
    for assessment in case.candidate.forces:
        yield from _assessment(case, assessment)
    yield from _open_forces(case)


def _assessment(case: Case, force: ForceAssessment) -> Iterator[Finding]:
    place = f"forces.{force.force}"
    if sorted(effect.horizon for effect in force.horizons) != ["long", "medium", "near"]:
        yield found("FORCE_HORIZONS_INCOMPLETE", place, "near, medium and long are not given once each")
    if force.score is None:
        return
    for driver in force.drivers:
        if driver.rating is not None:
            yield from _rated(case, driver, f"{place}.{driver.driver_id}")
    if not force.indicators or not force.reversal_conditions:
        yield found("FORCE_REVERSAL_MISSING", place, "no leading indicator or no reversal condition")


def _rated(case: Case, driver: DriverRating, place: str) -> Iterator[Finding]:
    claims = [case.claims[name] for name in driver.raising + driver.lowering if name in case.claims]
    if not claims:
        yield found("FORCE_CLAIM_MISSING", place, f"rated {driver.rating} without a claim of the ledger")
    for claim in claims:
        if claim.kind in _STATES_NO_PRESSURE:
            message = f"{claim.id} is {claim.kind}, which reports no pressure"
            yield found("FORCE_CLAIM_MISSING", place, message)


def _open_forces(case: Case) -> Iterator[Finding]:
    kind = case.candidate.recommendation.kind
    unassessed = [force for force in case.candidate.forces if force.score is None]
    severity: Severity = "error" if len(unassessed) > _UNASSESSED_ALLOWED[kind] else "warning"
    for force in unassessed:
        place = f"forces.{force.force}"
        explained = any(gap.strip() for gap in force.gaps)
        if not explained:
            yield found("FORCE_GAP_MISSING", place, "not assessed, and no gap says why")
        if explained or severity == "error":
            message = f"not assessed, while the recommendation is {kind}"
            yield found("FORCE_NOT_ASSESSED", place, message, severity=severity)


def counter_coverage(case: Case) -> Iterator[Finding]:
    """Warn of assessed forces for which nothing on the other side is known."""
    contradicted = {link.claim_id for link in case.candidate.links if link.stance == "contradicts"}
    for force in case.candidate.forces:
        cited = set(force.evidence_for) | set(force.evidence_against)
        one_sided = not force.evidence_for or not force.evidence_against
        if force.score is not None and one_sided and not cited & contradicted:
            place = f"forces.{force.force}"
            yield found(
                "NO_COUNTEREVIDENCE", place, "all its evidence points one way and nothing contradicts it"
            )
