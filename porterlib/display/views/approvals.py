"""Who decided on which text: current decisions, stale ones marked, and what changed since the last approval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.publication import Review
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Listed, Para, grid
from porterlib.display.parts import part
from porterlib.display.words import APPROVALS, STATUSES


def approvals(result: Any) -> Built:
    """Return the four roles on the current text, then every decision, oldest first."""
    review = part(result, Review)
    word, tone = STATUSES[review.status]
    stale = sum(entry.fingerprint != review.fingerprint for entry in review.approvals)
    roles = grid(
        ("Role", "Where it stands", "Reviewer", "When"),
        review.roles,
        lambda r: (
            r.role,
            Cell(*APPROVALS[r.state]),
            r.reviewer or "—",
            f"{r.at:%Y-%m-%d %H:%M} UTC" if r.at else "—",
        ),
    )
    decisions = grid(
        ("When", "Role", "Decision", "Reviewer", "Comment", "On the text"),
        review.approvals,
        lambda a: (
            f"{a.at:%Y-%m-%d %H:%M} UTC",
            a.role,
            Cell(a.decision, "good" if a.decision == "approve" else "bad"),
            a.reviewer,
            a.comment or "—",
            "current"
            if a.fingerprint == review.fingerprint
            else Cell(f"stale: {a.fingerprint[:12]}", "warn"),
        ),
        caption="All decisions",
        limit=40,
        narrow=(4,),
    )
    facts: list[tuple[str, object]] = [
        ("Run", review.run_id),
        ("Status", Cell(word, tone)),
        ("Text", Cell(review.fingerprint, mono=True)),
        ("Revision", review.revision),
    ]
    blocks: list[Block] = [Facts(facts), roles, Para(review.identity_note, small=True)]
    if review.approvals:
        blocks.append(decisions)
    if review.diff:
        lines = review.diff.splitlines()
        blocks.append(
            Fold(f"What changed since the last approval ({len(lines)} lines)", [Listed("", lines[:40])])
        )
    title = (
        f"Approvals: {sum(r.state == 'approved' for r in review.roles)} of 4 roles approve the current text"
    )
    return Built(
        title + (f", {stale} stale" if stale else ""), blocks, lambda: _rows(review), columns=_COLUMNS
    )


_COLUMNS = ("run_id", "at", "role", "decision", "reviewer", "comment", "fingerprint", "stale")


def _rows(review: Review) -> Iterator[dict[str, Any]]:
    for entry in review.approvals:
        yield {
            "run_id": review.run_id,
            "at": entry.at,
            "role": entry.role,
            "decision": entry.decision,
            "reviewer": entry.reviewer,
            "comment": entry.comment,
            "fingerprint": entry.fingerprint,
            "stale": entry.fingerprint != review.fingerprint,
        }
