"""How evidence was acquired: queries, hits, what was captured, and what was refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from porterlib.contracts.evidence import EvidenceSnapshot, Gap
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Grid, grid
from porterlib.display.parts import optional
from porterlib.display.words import FORCES, spoken

_COLUMNS = ("force", "sequence", "text", "contrary", "status", "hits", "rule")


def trace(result: Any) -> Built:
    """Return the queries of a run with their hits, the documents they led to, and every refusal."""
    snapshot = optional(result, EvidenceSnapshot)
    queries, held = result.queries, list(result.gaps)
    rejected = sum(query.status == "rejected" for query in queries)
    facts: list[tuple[str, object]] = [
        (
            "Queries",
            f"{len(queries) - rejected} executed, {rejected} rejected, "
            f"{sum(q.contrary for q in queries)} looking for contrary evidence",
        ),
        ("Hits", sum(query.hits for query in queries)),
    ]
    if snapshot is not None:
        facts += [
            (
                "Captured",
                f"{snapshot.documents_captured} documents, {snapshot.duplicates_folded} duplicates folded",
            ),
            (
                "Evidence",
                f"{len(snapshot.evidence)} passages of {len({e.url for e in snapshot.evidence})} documents",
            ),
        ]
    table = grid(
        ("Force", "No.", "Query", "Looks for", "Outcome", "Hits"),
        queries,
        lambda q: (
            FORCES[q.force],
            q.sequence,
            q.text or "(rejected: its words are kept nowhere)",
            Cell("contrary evidence", "warn") if q.contrary else "evidence",
            Cell(f"rejected: {q.rule}", "bad") if q.status == "rejected" else f"{q.provider or 'executed'}",
            q.hits,
        ),
        numeric=(1, 5),
        narrow=(3,),
    )
    blocks: list[Block] = [Facts(facts), table, Fold(f"Refused or not found: {len(held)}", [gap_table(held)])]
    if snapshot is not None:
        blocks.append(Fold("Documents that gave evidence", [_documents(snapshot)]))

    def rows() -> Iterator[dict[str, Any]]:
        for query in queries:
            yield query.to_dict()

    return Built("How the evidence was acquired", blocks, rows, columns=_COLUMNS)


def gaps(result: Any) -> Built:
    """Return what was refused or not found, with what to get or do instead."""
    held = list(result.gaps)
    counts = Counter(gap.rule for gap in held).most_common(6)
    summary = ", ".join(f"{spoken(rule)} {count}" for rule, count in counts) or "nothing"
    return Built(
        f"Refused or not found: {len(held)}",
        [Facts([("By reason", summary)]), gap_table(held)],
        lambda: (gap.to_dict() for gap in held),
        columns=tuple(Gap.model_fields),
    )


def gap_table(held: list[Gap]) -> Grid:
    """Return gaps with their reasons in words."""
    return grid(
        ("Reason", "Force", "Concerns", "What to do"),
        held,
        lambda g: (
            spoken(g.rule),
            FORCES[g.force] if g.force else "—",
            Cell(g.subject, mono=True),
            g.note or "—",
        ),
    )


def _documents(snapshot: EvidenceSnapshot) -> Grid:
    held: dict[tuple[str, str, str], int] = Counter(
        (e.publisher, e.published or "undated", e.url) for e in snapshot.evidence
    )
    return grid(
        ("Publisher", "Published", "Address", "Passages"),
        sorted(held.items()),
        lambda entry: (*entry[0], entry[1]),
        numeric=(3,),
    )
