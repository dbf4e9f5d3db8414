"""Says of each hypothesis what the usable claims that bear on it add up to."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal, cast

from porterlib.analysis.claims import ClaimBook
from porterlib.analyst.policy import judge_hypothesis, volume
from porterlib.contracts.assessment import HypothesisTest
from porterlib.contracts.evidence import Claim
from porterlib.contracts.sector import Hypothesis, SectorPack

Verdict = Literal["supported", "contested", "weakened", "open"]


def judge_hypotheses(pack: SectorPack, book: ClaimBook) -> tuple[HypothesisTest, ...]:
    """Return a verdict on every hypothesis of the pack, in its order."""
    bearing: dict[str, list[Claim]] = defaultdict(list)
    for claim in sorted(book.claims.values(), key=lambda c: c.id):
        if claim.hypothesis_id and claim.driver_id and claim.direction != "neutral" and book.usable(claim):
            bearing[claim.hypothesis_id].append(claim)
    return tuple(
        _test(hypothesis, bearing[hypothesis.id], book)
        for part in pack.forces
        for hypothesis in part.hypotheses
    )


def _test(hypothesis: Hypothesis, claims: list[Claim], book: ClaimBook) -> HypothesisTest:
    supporting = [c for c in claims if c.direction == hypothesis.asserts]
    contradicting = [c for c in claims if c.direction != hypothesis.asserts]
    verdict, rule = judge_hypothesis(claim_volume(supporting, book), claim_volume(contradicting, book))
    return HypothesisTest(
        hypothesis_id=hypothesis.id,
        force=hypothesis.force,
        statement=hypothesis.statement,
        falsifier=hypothesis.falsifier,
        supporting=tuple(c.id for c in supporting),
        contradicting=tuple(c.id for c in contradicting),
        verdict=cast(Verdict, verdict),
        rule=rule,
    )


def claim_volume(claims: list[Claim] | tuple[Claim, ...], book: ClaimBook) -> float:
    """Return the volume of claims grouped by publisher, each by the weight of its document."""
    strengths: dict[str, list[float]] = defaultdict(list)
    for claim in claims:
        strengths[book.publisher(claim)].append(book.weight(claim))
    return volume(strengths)
