"""How much a link and a claim can carry (rules 7.4 and 7.6).

Strengths order review and gate what may be used; they are not probabilities of truth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import fsum
from types import MappingProxyType

from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceItem, SupportLevels
from porterlib.contracts.sector import EvidencePolicy, SourceClass
from porterlib.evaluation.support import screen_support

AUTHORITY: Mapping[SourceClass, float] = MappingProxyType(
    {
        "regulator": 1.0,
        "legislation": 1.0,
        "calculator": 1.0,
        "official_statistics": 0.95,
        "audited_filing": 0.95,
        "academic": 0.85,
        "company_disclosure": 0.8,
        "internal_document": 0.8,
        "industry_research": 0.7,
        "reputable_media": 0.65,
        "user_assertion": 0.5,
        "vendor": 0.45,
    }
)
"""Authority of each class of source (rule 7.4), against which every item's stated authority is held."""
_DIGITS = 6
_FURTHER_PUBLISHERS = 2
_FURTHER_SHARE = 0.25


def link_strength(item: EvidenceItem, policy: EvidencePolicy) -> float:
    """Return authority times quality, halved once when the item is stale or hardly applies."""
    weak = item.freshness < policy.min_freshness or item.applicability < policy.min_applicability
    return round(item.authority * item.quality * (0.5 if weak else 1.0), _DIGITS)


def claim_strength(supports: Iterable[tuple[float, str]]) -> float:
    """Return a claim's strength from `(link strength, publisher key)` of its supporting links.

    The best link counts whole, the next two from other publishers a quarter each; one publisher counts once,
    however many of its pages agree.

    >>> claim_strength([(0.2475, "one.example")])
    0.2475
    >>> claim_strength([(0.2475, "one.example"), (0.2475, "two.example")])
    0.309375
    """
    best: dict[str, float] = {}
    for strength, publisher in supports:
        best[publisher] = max(strength, best.get(publisher, 0.0))
    ranked = sorted(best.values(), reverse=True)
    if not ranked:
        return 0.0
    return round(ranked[0] + _FURTHER_SHARE * fsum(ranked[1 : 1 + _FURTHER_PUBLISHERS]), _DIGITS)


def claim_agreement(supporting: Iterable[str], contradicting: Iterable[str]) -> float | None:
    """Return the share of publishers that support a claim among those that support or contradict it.

    Scored apart (rule 7.4): it shows dissent and decides nothing. A publisher on both sides counts on both.

    >>> claim_agreement(["one.example", "two.example"], ["three.example"]), claim_agreement([], [])
    (0.666667, None)
    """
    sides = len(set(supporting)), len(set(contradicting))
    return round(sides[0] / sum(sides), _DIGITS) if any(sides) else None


def usable(strength: float, policy: EvidencePolicy) -> bool:
    """Return whether a claim of this strength may carry a material statement."""
    return strength >= policy.usable_strength


def support_levels(
    claim_text: str, quote: str, item: EvidenceItem, start: int, end: int, policy: EvidencePolicy
) -> SupportLevels:
    """Return the four levels of rule 7.6 for a quote, computed from the texts alone."""
    screen = screen_support(claim_text, quote)
    return SupportLevels(
        retrieved=True,
        verbatim=item.passage[start:end] == quote,
        agrees=(
            screen.numbers_agree and screen.dates_agree and screen.negation_agrees and screen.direction_agrees
        ),
        lexical=screen.lexical_score >= policy.min_alignment,
    )


def claim_strengths(
    claims: Iterable[Claim],
    links: Iterable[ClaimEvidenceLink],
    evidence: Mapping[str, EvidenceItem],
    policy: EvidencePolicy,
) -> dict[str, float]:
    """Return the strength of every claim by id.

    Only supporting links that pass all four levels count. A claim without such links that rests on other
    claims is as strong as the weakest of them: a chain carries no more than its weakest part.

    Args:
        claims: the claims, in any order; a basis may name later ones.
        links: links with their levels; links to unknown evidence count nothing.
        evidence: evidence by id.
        policy: thresholds of the sector pack.

    """
    supports: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for link in links:
        item = evidence.get(link.evidence_id)
        if item is not None and link.stance == "supports" and link.levels.all:
            supports[link.claim_id].append((link_strength(item, policy), item.publisher_key))
    known = {claim.id: claim for claim in claims}
    found = {name: claim_strength(supports[name]) for name in known if name in supports}
    rest = {name: _claims_below(known[name], known) for name in known if name not in found}
    while ready := [name for name, parts in rest.items() if all(part in found for part in parts)]:
        for name in ready:
            found[name] = min((found[part] for part in rest.pop(name)), default=0.0)
    # What is left rests on itself in a circle, and carries nothing.
    return found | dict.fromkeys(rest, 0.0)


def claim_agreements(
    claims: Iterable[Claim], links: Iterable[ClaimEvidenceLink], evidence: Mapping[str, EvidenceItem]
) -> dict[str, float | None]:
    """Return the agreement of every claim by id, from supporting links that pass all levels and contradicting ones."""
    sides: dict[str, tuple[set[str], set[str]]] = {claim.id: (set(), set()) for claim in claims}
    for link in links:
        item = evidence.get(link.evidence_id)
        if item is None or link.claim_id not in sides:
            continue
        if link.stance == "supports" and link.levels.all:
            sides[link.claim_id][0].add(item.publisher_key)
        elif link.stance == "contradicts":
            sides[link.claim_id][1].add(item.publisher_key)
    return {name: claim_agreement(*found) for name, found in sides.items()}


def _claims_below(claim: Claim, known: Mapping[str, Claim]) -> tuple[str, ...]:
    return tuple(part for part in claim.basis if part in known)
