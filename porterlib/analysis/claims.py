"""Turns clauses into claims and links: own quote, corroboration by other publishers, contradiction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from porterlib.analysis.reading import Clause
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, Stance
from porterlib.contracts.sector import EvidencePolicy, Hypothesis, SectorPack
from porterlib.evaluation.ids import claim_id, link_id
from porterlib.evaluation.strength import claim_strength, support_levels
from porterlib.evaluation.support import content_overlap, screen_support

CORROBORATORS = 6
"""Clauses of other publishers that are screened for each claim."""
_DUTY = frozenset(("shall", "must", "prohibited", "obliged"))


@dataclass
class ClaimBook:
    """Claims and links of one attempt, with the clause each claim came from."""

    policy: EvidencePolicy
    claims: dict[str, Claim] = field(default_factory=dict)
    inferences: dict[str, Claim] = field(default_factory=dict)
    links: dict[str, ClaimEvidenceLink] = field(default_factory=dict)
    clauses: dict[str, Clause] = field(default_factory=dict)

    def of_driver(self, driver_id: str, direction: str, *, usable: bool = True) -> tuple[Claim, ...]:
        """Return claims on one driver and direction, strongest lead first."""
        found = [
            claim
            for claim in self.claims.values()
            if claim.driver_id == driver_id
            and claim.direction == direction
            and (not usable or self.usable(claim))
        ]
        return tuple(sorted(found, key=self.order))

    def usable(self, claim: Claim) -> bool:
        """Return whether the claim may carry a material statement."""
        return claim.strength >= self.policy.usable_strength

    def order(self, claim: Claim) -> tuple[float, str]:
        """Sort key: better leads first, ties by id."""
        return (-self.clauses[claim.id].rank, claim.id)

    def publisher(self, claim: Claim) -> str:
        """Return what counts as the claim's publisher."""
        return self.clauses[claim.id].item.publisher_key

    def add_inference(
        self, text: str, basis: tuple[str, ...], *, rule: str, force: Force | None = None
    ) -> Claim:
        """Record a count or comparison that names the claims it rests on."""
        claim = Claim(
            id=claim_id("inference", text, basis=basis),
            kind="inference",
            text=text,
            force=force,
            basis=basis,
            strength=min((self.claims[b].strength for b in basis if b in self.claims), default=0.0),
            rule=rule,
        )
        return self.inferences.setdefault(claim.id, claim)  # apart: five forces read `claims` side by side


def build_claims(
    clauses: Iterable[Clause], pack: SectorPack, *, excluded: frozenset[str] = frozenset()
) -> ClaimBook:
    """Return one claim a document, driver and direction, with every link between them.

    Claims whose id is in `excluded` are left out: a repair names them.
    """
    book = ClaimBook(pack.evidence_policy)
    hypotheses = {h.id: h for part in pack.forces for h in part.hypotheses}
    for clause in _representatives(clauses):
        claim = _claim(clause, tuple(hypotheses.values()))
        if claim.id not in book.claims and claim.id not in excluded:
            book.claims[claim.id], book.clauses[claim.id] = claim, clause
            _link(book, claim, clause, "supports", "link.own_quote")
    _corroborate(book)
    _contradict(book)
    _weigh(book)
    return book


def _representatives(clauses: Iterable[Clause]) -> list[Clause]:
    """Keep the best clause of each document for each driver and direction, or control, or outcome."""
    best: dict[tuple[str, str, str], Clause] = {}
    for clause in clauses:
        bearings: list[tuple[str | None, str]] = []
        if clause.direction != "neutral":
            bearings.append((clause.driver_id, clause.direction))
        bearings += [("control:" + control, "neutral") for control in clause.controls]
        if clause.adverse or clause.favourable:
            bearings.append(("outcome", "adverse" if clause.adverse else "favourable"))
        for subject, direction in bearings:
            key = (clause.item.text_sha256, subject or "", direction)
            if key not in best or _prefer(clause) < _prefer(best[key]):
                best[key] = clause
    unique = {(c.item.id, c.start, c.end, c.driver_id): c for c in best.values()}
    return [unique[key] for key in sorted(unique, key=str)]


def _prefer(clause: Clause) -> tuple[float, str, int]:
    return (-clause.rank, clause.item.id, clause.start)


def _claim(clause: Clause, hypotheses: tuple[Hypothesis, ...]) -> Claim:
    duty = clause.item.source_class == "legislation" or not _DUTY.isdisjoint(clause.text.casefold().split())
    return Claim(
        id=claim_id(
            "external_fact", clause.text, force=clause.force, driver_id=clause.driver_id, at=clause.item.id
        ),
        kind="external_fact",
        text=clause.text,
        force=clause.force,
        hypothesis_id=_hypothesis(clause, hypotheses),
        driver_id=clause.driver_id,
        direction=clause.direction,
        legal_review=clause.item.source_class in ("legislation", "regulator") and duty,
        rule="claim.best_clause_of_document",
    )


def _hypothesis(clause: Clause, hypotheses: tuple[Hypothesis, ...]) -> str | None:
    """Return the hypothesis on the clause's driver whose wording is nearest to it."""
    fitting = [h for h in hypotheses if clause.driver_id in h.driver_ids]
    if not fitting:
        return None
    return min(
        fitting, key=lambda h: (-content_overlap(f"{h.statement} {' '.join(h.questions)}", clause.text), h.id)
    ).id


def _link(book: ClaimBook, claim: Claim, clause: Clause, stance: Stance, rule: str) -> bool:
    """Record a link; return whether all four levels hold."""
    screen = screen_support(claim.text, clause.text)
    levels = support_levels(claim.text, clause.text, clause.item, clause.start, clause.end, book.policy)
    link = ClaimEvidenceLink(
        id=link_id(claim.id, clause.item.id, clause.start, clause.end),
        claim_id=claim.id,
        evidence_id=clause.item.id,
        stance=stance,
        quote=clause.text,
        start=clause.start,
        end=clause.end,
        levels=levels,
        strength=clause.strength,
        disagreements=tuple(f"{d.kind}: {d.note}" for d in screen.disagreements),
        rule=rule,
    )
    book.links.setdefault(link.id, link)
    return levels.all


def _corroborate(book: ClaimBook) -> None:
    """Link clauses of other publishers that say the same of the same driver."""
    for group in _groups(book).values():
        for claim in group:
            own = book.clauses[claim.id]
            others = [book.clauses[c.id] for c in group if book.publisher(c) != own.item.publisher_key]
            near = sorted(others, key=lambda c: (-content_overlap(claim.text, c.text), c.item.id, c.start))
            for clause in near[:CORROBORATORS]:
                if screen_support(claim.text, clause.text).supported:
                    _link(book, claim, clause, "supports", "link.other_publisher_agrees")


def _contradict(book: ClaimBook) -> None:
    """Link the strongest clause of each direction against the strongest claim of the other."""
    groups = _groups(book)
    for (driver, direction), group in groups.items():
        opposing = groups.get((driver, "lowers" if direction == "raises" else "raises"), [])
        if opposing:
            first = min(group, key=book.order)
            for claim in sorted(opposing, key=book.order)[:2]:
                _link(book, first, book.clauses[claim.id], "contradicts", "link.opposite_direction")


def _groups(book: ClaimBook) -> dict[tuple[str, str], list[Claim]]:
    groups: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in book.claims.values():
        if claim.driver_id and claim.direction != "neutral":
            groups[claim.driver_id, claim.direction].append(claim)
    return groups


def _weigh(book: ClaimBook) -> None:
    """Set each claim's strength from its supporting links that pass all four levels."""
    support: dict[str, list[tuple[float, str]]] = defaultdict(list)
    publishers = {clause.item.id: clause.item.publisher_key for clause in book.clauses.values()}
    for link in book.links.values():
        if link.stance == "supports" and link.levels.all:
            support[link.claim_id].append((link.strength, publishers[link.evidence_id]))
    for name, claim in book.claims.items():
        strength = claim_strength(support[name])
        book.claims[name] = claim.model_copy(update={"strength": strength})
