"""Puts the candidate together: materiality from where claims are cited, everything in order of id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from porterlib.analysis.hypotheses import judge_hypotheses
from porterlib.analysis.workings import Workings
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import RuleFiring
from porterlib.contracts.brief import BoardBrief
from porterlib.contracts.challenge import ChallengeReport
from porterlib.contracts.options import Recommendation
from porterlib.evaluation import claim_agreements


def assemble_candidate(
    work: Workings,
    recommendation: Recommendation,
    brief: BoardBrief,
    challenge: ChallengeReport,
    firings: Iterable[RuleFiring],
    *,
    repairs: int,
) -> Candidate:
    """Return the candidate of this attempt."""
    material = _with_bases(work, _load_bearing(work, recommendation))
    made = {**work.book.claims, **work.book.inferences}
    # Asked last, since an analyst may add dissent on the way.
    evidence = {item.id: item for item in work.inputs.snapshot.evidence}
    agreements = claim_agreements(made.values(), work.book.links.values(), evidence)
    claims = tuple(
        claim.model_copy(update={"material": claim_id in material, "agreement": agreements[claim_id]})
        for claim_id, claim in sorted(made.items())
    )
    assumptions = tuple(
        entry.model_copy(update={"material": entry.material or key in material})
        for key, entry in sorted(work.assumptions.items())
    )
    return Candidate(
        contract=work.contract,
        snapshot_id=work.inputs.snapshot.snapshot_id,
        claims=claims,
        links=tuple(link for _, link in sorted(work.book.links.items())),
        assumptions=(*work.contract.assumptions, *assumptions),
        forces=work.forces,
        hypotheses=judge_hypotheses(work.pack, work.book),
        options=work.options,
        recommendation=recommendation,
        brief=brief,
        challenge=challenge,
        rules=(*firings, *work.rules),
        analyst=work.analyst.stamp,
        repairs=repairs,
    )


def _load_bearing(work: Workings, recommendation: Recommendation) -> Iterator[str]:
    """Yield ids on which the recommendation, a rating, a score or a gate rests (rule 7.5)."""
    yield from recommendation.sentence.basis
    for option in work.options:
        for rating in option.ratings:
            yield from rating.basis
    for force in work.forces:
        for driver in force.drivers:
            if driver.rating is not None:
                yield from driver.raising
                yield from driver.lowering


def _with_bases(work: Workings, ids: Iterable[str]) -> frozenset[str]:
    """Return the ids with everything an inference among them rests on."""
    found: set[str] = set()
    queue = list(ids)
    while queue:
        current = queue.pop()
        if current not in found:
            found.add(current)
            claim = work.book.inferences.get(current)
            queue.extend(claim.basis if claim else ())
    return frozenset(found)
