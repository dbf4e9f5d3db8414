"""Records of the ledger: unique ids, ids that follow from content, derived values derived again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceItem
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found
from porterlib.evaluation.ids import claim_id, evidence_id, evidence_snapshot_id, link_id
from porterlib.evaluation.strength import AUTHORITY, link_strength
from porterlib.hashing import sha256_hex, short_id

_TOLERANCE = 1e-6


def unique_ids(case: Case) -> Iterator[Finding]:
    """Check that no id stands for two records."""
    ledger = case.context.ledger_claims or ()
    groups = {
        "DUPLICATE_EVIDENCE_ID": [item.id for item in case.snapshot.evidence],
        "DUPLICATE_CLAIM_ID": [claim.id for claim in case.candidate.claims],
        "DUPLICATE_LEDGER_CLAIM_ID": [claim.id for claim in ledger],
        "DUPLICATE_ASSUMPTION_ID": [assumption.id for assumption in case.candidate.assumptions],
    }
    for code, names in groups.items():
        for name, count in Counter(names).items():
            if count > 1:
                yield found(code, name, f"the id occurs {count} times")


def snapshot_identity(case: Case) -> Iterator[Finding]:
    """Check that the candidate rests on this snapshot, whose id follows from its evidence."""
    derived = evidence_snapshot_id(case.snapshot.evidence)
    if case.snapshot.snapshot_id != derived:
        yield found("SNAPSHOT_ID_MISMATCH", "snapshot.snapshot_id", "it does not follow from the evidence")
    if case.candidate.snapshot_id != case.snapshot.snapshot_id:
        yield found("SNAPSHOT_ID_MISMATCH", "candidate.snapshot_id", "the candidate names another snapshot")


def evidence_records(case: Case) -> Iterator[Finding]:
    """Check each item's id, authority, date and passage, the last against frozen text and neighbours."""
    cutoff = case.candidate.contract.evidence_cutoff
    for item in case.snapshot.evidence:
        if abs(item.authority - AUTHORITY[item.source_class]) > _TOLERANCE:
            message = f"{item.source_class} has authority {AUTHORITY[item.source_class]:g}"
            yield found("EVIDENCE_AUTHORITY_MISMATCH", item.id, message)
        # A partial date is after the cutoff only where its whole month or year is.
        if cutoff and item.published and item.published[:10] > cutoff.isoformat()[: len(item.published)]:
            yield found("EVIDENCE_AFTER_CUTOFF", item.id, f"published {item.published}, cutoff {cutoff}")
        if item.id != evidence_id(item.text_sha256, item.start, item.end):
            yield found(
                "EVIDENCE_ID_MISMATCH", item.id, "the id does not follow from text digest and offsets"
            )
        text = case.context.texts.get(item.text_sha256)
        if text is not None and not _is_from(item, text):
            yield found("EVIDENCE_TEXT_MISMATCH", item.id, "the frozen text differs from passage or digest")
    yield from _neighbours(case.snapshot.evidence)


def _is_from(item: EvidenceItem, text: str) -> bool:
    same_text = sha256_hex(text.encode("utf-8", "surrogatepass")) == item.text_sha256
    return same_text and text[item.start : item.end] == item.passage


def _neighbours(evidence: Iterable[EvidenceItem]) -> Iterator[Finding]:
    """Two passages of one text must agree where they overlap."""
    ordered = sorted(evidence, key=lambda item: (item.text_sha256, item.start, item.end, item.id))
    for first, second in pairwise(ordered):
        if first.text_sha256 == second.text_sha256 and second.start < first.end:
            end = min(first.end, second.end)
            ours = first.passage[second.start - first.start : end - first.start]
            if ours != second.passage[: end - second.start]:
                yield found("EVIDENCE_TEXT_MISMATCH", second.id, f"it overlaps {first.id} with other words")


def claim_records(case: Case) -> Iterator[Finding]:
    """Check each claim's id, its copy in the ledger, its materiality, its strength and its agreement."""
    held = None
    if case.context.ledger_claims is not None:
        held = {claim.id: claim for claim in case.context.ledger_claims}
    for claim in case.candidate.claims:
        if held is not None and claim.id not in held:
            yield found("CLAIM_ABSENT_FROM_LEDGER", claim.id, "the ledger holds no claim of this id")
        elif not _id_follows(case, claim) or (held is not None and held[claim.id] != claim):
            yield found(
                "CLAIM_LEDGER_MISMATCH", claim.id, "the claim's content is not what its id stands for"
            )
        if claim.material != (claim.id in case.material):
            needed = "the decision rests on it" if claim.id in case.material else "nothing rests on it"
            yield found("CLAIM_MATERIALITY_MISMATCH", claim.id, f"marked {claim.material}, but {needed}")
        derived = case.strengths[claim.id]
        if abs(claim.strength - derived) > _TOLERANCE:
            message = f"strength {claim.strength:g} is stated, {derived:g} follows from its links"
            yield found("CLAIM_STRENGTH_MISMATCH", claim.id, message)
        if claim.agreement not in (None, case.agreements[claim.id]):  # absent in texts of earlier versions
            message = (
                f"agreement {claim.agreement} is stated, {case.agreements[claim.id]} follows from its links"
            )
            yield found("CLAIM_AGREEMENT_MISMATCH", claim.id, message)


def _id_follows(case: Case, claim: Claim) -> bool:
    places = {link.evidence_id for link in case.links_of.get(claim.id, ())}
    return any(
        claim.id
        == claim_id(
            claim.kind,
            claim.text,
            force=claim.force,
            driver_id=claim.driver_id,
            at=place,
            basis=claim.basis,
        )
        for place in (None, *sorted(places))
    )


def link_records(case: Case) -> Iterator[Finding]:
    """Check that each link joins two records, quotes byte for byte, and states what follows from both."""
    for link in case.candidate.links:
        if link.claim_id not in case.claims:
            yield found("DANGLING_CLAIM_LINK", link.id, f"there is no claim {link.claim_id}")
        item = case.evidence.get(link.evidence_id)
        if item is None:
            yield found(
                "DANGLING_EVIDENCE_LINK", link.id, f"the snapshot holds no evidence {link.evidence_id}"
            )
        else:
            yield from _quote(link, item)
        if link.id != link_id(link.claim_id, link.evidence_id, link.start, link.end):
            yield found(
                "CLAIM_LINK_MISMATCH", link.id, "the id does not follow from claim, evidence and span"
            )
        elif item is not None and abs(link.strength - link_strength(item, case.context.policy)) > _TOLERANCE:
            yield found(
                "CLAIM_LINK_MISMATCH",
                link.id,
                f"strength {link.strength:g} does not follow from the evidence",
            )


def _quote(link: ClaimEvidenceLink, item: EvidenceItem) -> Iterator[Finding]:
    if item.passage[link.start : link.end] != link.quote:
        yield found(
            "EVIDENCE_QUOTE_NOT_FOUND", link.id, f"the quote does not stand at {link.start}:{link.end}"
        )


def calculation_records(case: Case) -> Iterator[Finding]:
    """Check that each figure's id follows from its value, formula and basis, as the calculator minted it."""
    for entry in case.calculations.values():
        content = {
            "name": entry.name,
            "scenario": entry.scenario,
            "value": entry.value,
            "unit": entry.unit,
            "formula": entry.formula,
            "basis": list(entry.basis),
        }
        if entry.id != short_id("X", "calculation", content):
            yield found(
                "CALCULATION_ID_MISMATCH", entry.id, f"{entry.name} was altered after it was calculated"
            )
