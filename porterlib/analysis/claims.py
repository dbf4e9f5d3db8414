"""Turns clauses into claims and links: own quote, corroboration by other publishers, contradiction.

Whether two clauses corroborate each other depends on these two alone, and a document speaks through a usable
clause where it has one. So taking a document or a passage away can only take support away.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from porterlib.analysis.reading import Clause
from porterlib.analyst.policy import document_weight, volume
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, Stance
from porterlib.contracts.sector import EvidencePolicy, Hypothesis, SectorPack
from porterlib.evaluation.ids import claim_id, link_id
from porterlib.evaluation.strength import claim_strength, support_levels
from porterlib.evaluation.support import content_overlap, screen_support

NEAR = 0.2
"""Overlap of content from which a clause of another publisher is screened as corroboration."""
LINKED = 2
"""Opposing claims that are linked against the strongest claim of a driver and direction."""
_DUTY = frozenset(("shall", "must", "prohibited", "obliged"))


@dataclass
class ClaimBook:
    """Claims and links of one attempt, with the clause each claim came from."""

    policy: EvidencePolicy
    claims: dict[str, Claim] = field(default_factory=dict)
    inferences: dict[str, Claim] = field(default_factory=dict)
    links: dict[str, ClaimEvidenceLink] = field(default_factory=dict)
    clauses: dict[str, Clause] = field(default_factory=dict)
    reports: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Clauses by document, driver and direction."""

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

    def weight(self, claim: Claim) -> float:
        """Return what the claim's document weighs on its driver and direction."""
        clause = self.clauses[claim.id]
        return document_weight(clause.strength, self.reports[_bearing(clause)])

    def evidence_volume(self) -> float:
        """Return the volume of everything usable: each document once, publishers and documents decaying."""
        reports: Counter[str] = Counter()
        for (document, _, _), count in self.reports.items():
            reports[document] += count
        best: dict[tuple[str, str], float] = {}
        for claim in self.claims.values():
            if self.usable(claim):
                clause = self.clauses[claim.id]
                key = (clause.item.publisher_key, clause.document)
                best[key] = document_weight(clause.strength, reports[clause.document])
        strengths: dict[str, list[float]] = defaultdict(list)
        for (publisher, _), value in sorted(best.items()):
            strengths[publisher].append(value)
        return volume(strengths)

    def sides(self) -> frozenset[tuple[str, str]]:
        """Return the drivers and directions on which there are claims."""
        return frozenset(_groups(self))

    def contradict(self, claim: Claim, clause: Clause, rule: str) -> None:
        """Link a clause against a claim, unless it is linked already."""
        _link(self, claim, clause, "contradicts", rule)

    def add_inference(
        self, text: str, basis: tuple[str, ...], *, rule: str, force: Force | None = None
    ) -> Claim:
        """Record a count or comparison that names the claims it rests on."""
        claim = Claim(
            id=claim_id("inference", text, basis=basis),
            kind="inference",
            text=text,
            force=force,
            hypothesis_id=self._foremost_hypothesis(basis),
            basis=basis,
            strength=min((self.claims[b].strength for b in basis if b in self.claims), default=0.0),
            rule=rule,
        )
        return self.inferences.setdefault(claim.id, claim)  # apart: five forces read `claims` side by side

    def _foremost_hypothesis(self, basis: tuple[str, ...]) -> str | None:
        """Return the hypothesis that most claims of a basis bear on."""
        names = Counter(h for b in basis if b in self.claims and (h := self.claims[b].hypothesis_id))
        return min(names, key=lambda name: (-names[name], name)) if names else None


def build_claims(
    clauses: Iterable[Clause], pack: SectorPack, *, excluded: frozenset[str] = frozenset()
) -> ClaimBook:
    """Return one claim a document, driver and direction, with every link between them.

    Claims whose id is in `excluded` are left out: a repair names them.
    """
    book = ClaimBook(pack.evidence_policy)
    hypotheses = tuple(h for part in pack.forces for h in part.hypotheses)
    clauses = tuple(clauses)
    book.reports.update(_bearing(clause) for clause in clauses)
    groups = _grouped(clauses)
    backing = {_place(c): _backing(c, groups[_group(c)]) for c in clauses if _group(c) in groups}
    carries = frozenset(_place(c) for c in clauses if _carries(c, backing.get(_place(c), ()), book.policy))
    for clause in _representatives(clauses, carries):
        claim = _claim(clause, hypotheses)
        if claim.id not in book.claims and claim.id not in excluded:
            book.claims[claim.id], book.clauses[claim.id] = claim, clause
            _link(book, claim, clause, "supports", "link.own_quote")
            for other in backing.get(_place(clause), ()):
                _link(book, claim, other, "supports", "link.other_publisher_agrees")
    _contradict(book)
    _weigh(book, {clause.item.id: clause.item.publisher_key for clause in clauses})
    return book


def _place(clause: Clause) -> tuple[str, int, int, str]:
    return (clause.item.id, clause.start, clause.end, clause.driver_id or "")


def _bearing(clause: Clause) -> tuple[str, str, str]:
    return (clause.document, clause.driver_id or "", clause.direction)


def _group(clause: Clause) -> tuple[str, str]:
    return (clause.driver_id or "", clause.direction)


def _grouped(clauses: Iterable[Clause]) -> dict[tuple[str, str], list[Clause]]:
    groups: dict[tuple[str, str], list[Clause]] = defaultdict(list)
    for clause in clauses:
        if clause.driver_id and clause.direction != "neutral":
            groups[_group(clause)].append(clause)
    return groups


def _backing(clause: Clause, group: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the clauses of other publishers that say the same of the same driver."""
    own = clause.item.publisher_key
    return tuple(
        other
        for other in group
        if other.item.publisher_key != own
        and content_overlap(clause.text, other.text) >= NEAR
        and screen_support(clause.text, other.text).supported
    )


def _carries(clause: Clause, backing: Iterable[Clause], policy: EvidencePolicy) -> bool:
    """Return whether a claim made of this clause would be usable."""
    links = [(clause.strength, clause.item.publisher_key)]
    links += [(other.strength, other.item.publisher_key) for other in backing]
    return claim_strength(links) >= policy.usable_strength


def _representatives(
    clauses: Iterable[Clause], carries: frozenset[tuple[str, int, int, str]]
) -> list[Clause]:
    """Keep the best clause of each document for each driver and direction, or control, or outcome."""
    best: dict[tuple[str, str, str], Clause] = {}

    def prefer(clause: Clause) -> tuple[bool, float, str, int]:
        return (_place(clause) not in carries, -clause.rank, clause.item.id, clause.start)

    for clause in clauses:
        for subject, direction in _bears_on(clause):
            key = (clause.document, subject, direction)
            if key not in best or prefer(clause) < prefer(best[key]):
                best[key] = clause
    unique = {_place(clause): clause for clause in best.values()}
    return [unique[key] for key in sorted(unique)]


def _bears_on(clause: Clause) -> Iterator[tuple[str, str]]:
    if clause.direction != "neutral":
        yield clause.driver_id or "", clause.direction
    for control in clause.controls:
        yield "control:" + control, "neutral"
    if clause.outcome:
        yield "outcome", clause.outcome


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


def _hypothesis(clause: Clause, hypotheses: tuple[Hypothesis, ...]) -> str:
    """Return the hypothesis whose wording is nearest to the clause, on its driver where it has one."""
    fitting = [h for h in hypotheses if clause.driver_id in h.driver_ids] or hypotheses
    return min(
        fitting, key=lambda h: (-content_overlap(f"{h.statement} {' '.join(h.questions)}", clause.text), h.id)
    ).id


def _link(book: ClaimBook, claim: Claim, clause: Clause, stance: Stance, rule: str) -> bool:
    """Record a link; return whether all four levels hold."""
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
        disagreements=() if levels.all else _disagreements(claim.text, clause.text),
        rule=rule,
    )
    book.links.setdefault(link.id, link)
    return levels.all


def _disagreements(claim: str, quote: str) -> tuple[str, ...]:
    return tuple(f"{entry.kind}: {entry.note}" for entry in screen_support(claim, quote).disagreements)


def _contradict(book: ClaimBook) -> None:
    """Link the strongest clause of each direction against the strongest claim of the other."""
    groups = _groups(book)
    for (driver, direction), group in groups.items():
        opposing = groups.get((driver, "lowers" if direction == "raises" else "raises"), [])
        if opposing:
            first = min(group, key=book.order)
            for claim in sorted(opposing, key=book.order)[:LINKED]:
                _link(book, first, book.clauses[claim.id], "contradicts", "link.opposite_direction")


def _groups(book: ClaimBook) -> dict[tuple[str, str], list[Claim]]:
    groups: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in book.claims.values():
        if claim.driver_id and claim.direction != "neutral":
            groups[claim.driver_id, claim.direction].append(claim)
    return groups


def _weigh(book: ClaimBook, publishers: dict[str, str]) -> None:
    """Set each claim's strength from its supporting links that pass all four levels."""
    support: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for link in book.links.values():
        if link.stance == "supports" and link.levels.all:
            support[link.claim_id].append((link.strength, publishers[link.evidence_id]))
    for name, claim in book.claims.items():
        strength = claim_strength(support[name])
        book.claims[name] = claim.model_copy(update={"strength": strength})
