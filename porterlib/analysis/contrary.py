"""Finds what speaks most strongly against the recommendation among the canonical claims.

A claim that a course like this went badly (or well, where the recommendation is not to act) on the decision's
own subject comes before any structural argument, whoever makes it; the order is `ranking.contrary_rank`.
"""

from __future__ import annotations

from porterlib.analysis.reading import Clause
from porterlib.analysis.workings import Workings
from porterlib.analyst import ChooseQuestion, Offer
from porterlib.analyst.ranking import ON_SUBJECT, contrary_rank
from porterlib.contracts.evidence import Claim
from porterlib.contracts.options import RecommendationKind

WIDENED_BY = "G-counterevidence"
"""Directive after which any claim that points the other way may serve, not only one on the subject itself."""
FOR_ACTION: frozenset[RecommendationKind] = frozenset(("proceed", "reversible_step"))
_FACES_CAUTION: frozenset[RecommendationKind] = FOR_ACTION | {"missing_evidence"}
"""Answers against which caution speaks. To await evidence keeps the course open, so what would close it counts."""
OFFERED = 6


def opposes(clause: Clause, kind: RecommendationKind) -> bool:
    """Return whether a clause speaks against a recommendation of that kind.

    An outcome does so on the decision's own subject only: that another course went badly is no case against
    this one. An argument does so through its driver, unless the clause tells the opposite outcome.
    """
    cautious = kind in _FACES_CAUTION
    told, opposite = (clause.adverse, clause.favourable) if cautious else (clause.favourable, clause.adverse)
    argued = clause.side == ("caution" if cautious else "act")
    return not opposite and (argued or (told and clause.on_topic >= ON_SUBJECT))


def contrary_claims(work: Workings, kind: RecommendationKind) -> tuple[Claim, ...]:
    """Return claims against the recommendation, strongest first.

    Unless a directive has widened the search, only outcomes on the decision's own subject qualify: what speaks
    against acting in general is no answer to a recommendation in particular.
    """
    widened = WIDENED_BY in work.inputs.directives
    found = [
        claim
        for claim in work.book.claims.values()
        if opposes(clause := work.book.clauses[claim.id], kind)
        and work.book.usable(claim)
        and (widened or _outcome_on_subject(clause, kind))
        and not _argues_for(clause, kind)
    ]
    return tuple(sorted(found, key=lambda c: (-weight(work.book.clauses[c.id]), c.id)))


def weight(clause: Clause) -> float:
    """Return how strongly a clause serves as counter-evidence, by `contrary_rank`."""
    return contrary_rank(
        {
            "outcome": clause.adverse or clause.favourable,
            "figure": clause.has_figure,
            "possible": clause.possible,
            "dependence": clause.direction == "raises" and clause.side == "caution",
            "on_topic": clause.on_topic,
            "product": clause.product,
            "strength": clause.strength,
            "rank": clause.rank,
        }
    )


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
    told = clause.adverse if kind in _FACES_CAUTION else clause.favourable
    return told and clause.on_topic >= ON_SUBJECT


def _argues_for(clause: Clause, kind: RecommendationKind) -> bool:
    """Return whether the clause's driver argues the recommendation's own way, which no dissent may rest on."""
    return clause.side == ("act" if kind in _FACES_CAUTION else "caution")
