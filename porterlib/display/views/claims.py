"""Claims and quotes, read in both directions: what carries a claim, and what a passage is cited for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceItem, EvidenceSnapshot
from porterlib.display.blocks import Block, Built, Cell, Facts, Listed, Para, grid
from porterlib.display.parts import optional, part, said
from porterlib.display.views.evidence import level_words, quote_passage, source_line
from porterlib.display.words import FORCES, NO_PROOF, spoken
from porterlib.errors import InputError


def claims(
    result: Any, *, claim: str | None = None, evidence: str | None = None, material: bool | None = None
) -> Built:
    """Return all claims with their quotes, one claim with its quotes, or one passage with its claims.

    Args:
        result: an analysis; passages need the snapshot too.
        claim: id of the claim to read.
        evidence: id of the passage to read in the other direction.
        material: keep what the decision rests on, or what it does not.

    Raises:
        InputError: no such claim or passage.

    """
    candidate = part(result, Candidate)
    snapshot = optional(result, EvidenceSnapshot)
    items = {entry.id: entry for entry in snapshot.evidence} if snapshot else {}
    if claim is not None:
        return _one_claim(_known(candidate.claims, claim, "claim"), candidate, items)
    if evidence is not None:
        return _one_passage(_known(tuple(items.values()), evidence, "evidence"), candidate)
    return _all(candidate, items, material)


def _known(entries: Sequence[Any], wanted: str, name: str) -> Any:
    found = next((entry for entry in entries if entry.id == wanted), None)
    if found is None:
        raise InputError(
            f"{name}: there is no {wanted!r} here; .to_pandas('claims') lists the ids", field=name
        )
    return found


def _links_by_claim(candidate: Candidate) -> dict[str, list[ClaimEvidenceLink]]:
    found: dict[str, list[ClaimEvidenceLink]] = defaultdict(list)
    for link in candidate.links:
        found[link.claim_id].append(link)
    for own in found.values():
        own.sort(key=lambda e: (e.stance != "supports", -e.strength, e.id))
    return found


def _all(candidate: Candidate, items: dict[str, EvidenceItem], material: bool | None) -> Built:
    links = _links_by_claim(candidate)
    kept = [c for c in candidate.claims if material is None or c.material == material]
    kept.sort(key=lambda c: (not c.material, -c.strength, c.id))
    table = grid(
        ("Claim", "Statement", "Kind", "Force", "Strength", "Supports", "Contradicts"),
        kept,
        lambda entry: _row(entry, links[entry.id]),
        numeric=(4, 5, 6),
        narrow=(2,),
    )
    used = sum(entry.material for entry in candidate.claims)
    title = f"Claims: {len(kept)} of {len(candidate.claims)}, {used} of them carry the decision"
    note = "One claim with its quotes: .show('claims', claim='C-…'). One passage: .show('claims', evidence='E-…')."
    return Built(title, [Para(note, small=True), table], lambda: _rows(kept, links, items))


def _row(entry: Claim, own: Sequence[ClaimEvidenceLink]) -> Sequence[Any]:
    return (
        Cell(entry.id, mono=True, bold=entry.material),
        said(entry),
        spoken(entry.kind),
        FORCES[entry.force] if entry.force else "—",
        f"{entry.strength:.2f}",
        sum(link.stance == "supports" for link in own),
        sum(link.stance == "contradicts" for link in own),
    )


def _one_claim(entry: Claim, candidate: Candidate, items: dict[str, EvidenceItem]) -> Built:
    links = _links_by_claim(candidate)
    facts: list[tuple[str, object]] = [
        ("Claim", Cell(entry.id, mono=True)),
        ("Kind", spoken(entry.kind)),
        ("Carries the decision", "yes" if entry.material else "no"),
        ("Strength", f"{entry.strength:.2f}; best supporting link and a quarter of the next two publishers"),
        ("Agreement", _agreement(entry)),
        ("Rests on", ", ".join(entry.basis[:12]) or "quotes alone"),
    ]
    if entry.legal_review:
        facts.append(("Legal text", "for qualified review"))
    blocks: list[Block] = [Para(said(entry), bold=True), Facts(facts), Para(NO_PROOF, small=True)]
    blocks += [_quoted(link, items) for link in links[entry.id][:20]]
    return Built(f"Claim {entry.id} and its quotes", blocks, lambda: _rows([entry], links, items))


def _agreement(entry: Claim) -> str:
    if entry.agreement is None:
        return "no publisher speaks to it directly"
    return f"{entry.agreement:.2f}; share of the publishers on record about it that support it"


def _quoted(link: ClaimEvidenceLink, items: dict[str, EvidenceItem]) -> Block:
    if link.evidence_id in items:
        return quote_passage(link, items[link.evidence_id])
    return Listed("", [f"{link.stance}: “{link.quote}” ({link.evidence_id}); {level_words(link.levels)}"])


def _one_passage(entry: EvidenceItem, candidate: Candidate) -> Built:
    own = [link for link in candidate.links if link.evidence_id == entry.id]
    by_id = {claim.id: claim for claim in candidate.claims}
    blocks: list[Block] = [Facts([("Source", source_line(entry)), ("Cited", f"{len(own)} times")])]
    for link in own[:20]:
        blocks.append(Para(f"{link.stance} {link.claim_id}: {said(by_id[link.claim_id])}", bold=True))
        blocks.append(quote_passage(link, entry))
    links = {link.claim_id: [o for o in own if o.claim_id == link.claim_id] for link in own}
    cited = [by_id[claim_id] for claim_id in links]
    return Built(
        f"Passage {entry.id} and the claims it is cited for",
        blocks,
        lambda: _rows(cited, links, {entry.id: entry}),
    )


def _rows(
    kept: Sequence[Claim], links: dict[str, list[ClaimEvidenceLink]], items: dict[str, EvidenceItem]
) -> Iterator[dict[str, Any]]:
    for entry in kept:
        base = {
            "claim_id": entry.id,
            "statement": said(entry),
            "kind": entry.kind,
            "force": entry.force,
            "material": entry.material,
            "claim_strength": entry.strength,
            "claim_agreement": entry.agreement,
        }
        for link in links.get(entry.id) or (None,):
            source = items.get(link.evidence_id) if link else None
            yield {
                **base,
                "evidence_id": link.evidence_id if link else None,
                "stance": link.stance if link else None,
                "quote": link.quote if link else None,
                "levels": level_words(link.levels) if link else None,
                "publisher": source.publisher if source else None,
                "published": source.published if source else None,
            }
