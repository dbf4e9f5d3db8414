"""Finds what speaks most strongly against the recommendation among the canonical claims."""

from __future__ import annotations

from collections.abc import Mapping

from porterlib.analysis.reading import ON_SUBJECT, Clause
from porterlib.analysis.workings import Workings
from porterlib.analyst import ChooseQuestion, Offer
from porterlib.contracts.analysis import RecommendationKind
from porterlib.contracts.evidence import Claim

WIDENED_BY = "G-counterevidence"
"""Directive after which any claim that points the other way may serve, not only one on the subject itself."""
FOR_ACTION: frozenset[RecommendationKind] = frozenset(("proceed", "reversible_step"))
_OUTCOME, _OFF_SUBJECT = 4.0, 3.0
OFFERED = 6


def opposes(clause: Clause, kind: RecommendationKind, argues: Mapping[str, str]) -> bool:
    """Return whether a clause speaks against a recommendation of that kind."""
    against_action = clause.adverse or _argues_caution(clause, argues)
    for_action = clause.favourable or _argues_action(clause, argues)
    return (
        against_action and not clause.favourable if kind in FOR_ACTION else for_action and not clause.adverse
    )


def contrary_claims(work: Workings, kind: RecommendationKind) -> tuple[Claim, ...]:
    """Return claims against the recommendation, strongest first.

    A report of the opposite outcome on the decision's own subject outranks any structural argument. Unless a
    directive has widened the search, only such reports qualify: what speaks against acting in general is no
    answer to a recommendation in particular.
    """
    argues = {driver.id: driver.argues for part in work.pack.forces for driver in part.drivers}
    widened = WIDENED_BY in work.inputs.directives
    found = [
        claim
        for claim in work.book.claims.values()
        if (clause := work.book.clauses.get(claim.id)) is not None
        and opposes(clause, kind, argues)
        and work.book.usable(claim)
        and (widened or _outcome_on_subject(clause, kind))
    ]
    return tuple(sorted(found, key=lambda c: (-weight(work.book.clauses[c.id]), c.id)))


def weight(clause: Clause) -> float:
    """Return how strongly a clause serves as counter-evidence: outcome, subject, strength, readability."""
    outcome = _OUTCOME if clause.adverse or clause.favourable else 0.0
    subject = 0.0 if clause.on_topic >= ON_SUBJECT else -_OFF_SUBJECT
    return outcome + subject + 3.0 * clause.on_topic + 3.0 * clause.strength + 0.3 * clause.rank


def strongest(work: Workings, kind: RecommendationKind) -> Claim | None:
    """Ask the analyst for the strongest of the best contrary claims."""
    claims = contrary_claims(work, kind)[:OFFERED]
    if not claims:
        return None
    offers = tuple(Offer(c.id, c.text, {"rank": weight(work.book.clauses[c.id])}) for c in claims)
    choice = work.analyst.choose(
        ChooseQuestion(
            purpose="contrary",
            subject="recommendation",
            text="Which statement speaks most strongly against the recommendation?",
            offers=offers,
        )
    )
    return work.book.claims[choice.ids[0]] if choice.ids else claims[0]


def _outcome_on_subject(clause: Clause, kind: RecommendationKind) -> bool:
    reported = clause.adverse if kind in FOR_ACTION else clause.favourable
    return reported and clause.on_topic >= ON_SUBJECT


def _argues_caution(clause: Clause, argues: Mapping[str, str]) -> bool:
    side = argues.get(clause.driver_id or "")
    return (side == "caution" and clause.direction == "raises") or (
        side == "act" and clause.direction == "lowers"
    )


def _argues_action(clause: Clause, argues: Mapping[str, str]) -> bool:
    side = argues.get(clause.driver_id or "")
    return (side == "act" and clause.direction == "raises") or (
        side == "caution" and clause.direction == "lowers"
    )
