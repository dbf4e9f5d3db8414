"""Ids that come from content, so that two runs over one document agree and a changed record shows."""

from __future__ import annotations

from collections.abc import Iterable

from porterlib.contracts.base import Force
from porterlib.contracts.evidence import ClaimKind, EvidenceItem
from porterlib.hashing import digest, short_id

_FROM_A_PLACE: frozenset[ClaimKind] = frozenset(("external_fact", "internal_fact"))


def evidence_id(text_sha256: str, start: int, end: int) -> str:
    """Return the `E-…` id of a passage: digest of its text and its offsets."""
    return short_id("E", "evidence", {"text_sha256": text_sha256, "start": start, "end": end})


def claim_id(
    kind: ClaimKind,
    text: str,
    *,
    force: Force | None = None,
    driver_id: str | None = None,
    at: str | None = None,
    basis: Iterable[str] = (),
) -> str:
    """Return the `C-…` id of a claim.

    A fact is known by its text, its bearing and `at`, the evidence whose clause it is; every other kind by
    its text and the ids it rests on.
    """
    if kind in _FROM_A_PLACE:
        content = {"kind": kind, "text": text, "force": force, "driver": driver_id, "at": at}
    else:
        content = {"kind": kind, "text": text, "basis": sorted(basis)}  # type: ignore[dict-item]
    return short_id("C", "claim", content)


def link_id(claim: str, evidence: str, start: int, end: int) -> str:
    """Return the `L-…` id of a link: claim, evidence and span of the quote within the passage."""
    return short_id("L", "link", {"claim": claim, "evidence": evidence, "start": start, "end": end})


def evidence_snapshot_id(evidence: Iterable[EvidenceItem]) -> str:
    """Return SHA-256 over a body of evidence in order of id, without retrieval times (rule 7.7)."""
    rows = sorted(evidence, key=lambda item: item.id)
    return digest("snapshot", [item.model_dump(mode="json", exclude={"retrieved_at"}) for item in rows])
