"""What changed since the last approval: in this run, or in an earlier run of the same question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from porterlib.contracts.ledger import Record
from porterlib.ledger import LedgerReader
from porterlib.publication.approvals import standing_decisions
from porterlib.publication.artifacts import BRIEF_NAME
from porterlib.publication.decisions import read_decisions
from porterlib.publication.texts import brief_text, hidden_in
from porterlib.rendering.diff import text_diff
from porterlib.rendering.redact import redact
from porterlib.verbs.reviewed import ReviewedRun


class ApprovedText(NamedTuple):
    """A text that somebody approved."""

    run_id: str
    fingerprint: str
    text: str


def changes_since_approval(stored: ReviewedRun) -> str:
    """Return a unified diff of the brief against the text approved last, redacted; empty without a change."""
    request = stored.request
    before = next(_approved_texts(stored), None)
    if before is None or request is None or before.fingerprint == stored.fingerprint:
        return ""
    hidden = hidden_in(request)
    return text_diff(
        redact(before.text, hidden),
        brief_text(stored.outcome, request, label=stored.label),
        before_name=f"{BRIEF_NAME} approved as {before.fingerprint[:12]} in {before.run_id}",
        after_name=f"{BRIEF_NAME} now {stored.fingerprint[:12]}",
    )


def _approved_texts(stored: ReviewedRun) -> Iterator[ApprovedText]:
    """Yield approved texts, latest first: those of this run, then of earlier runs of the same question."""
    yield from _of_run(stored.ledger, stored.run_id)
    asked = _question(stored.ledger, stored.run_id)
    earlier = [row for row in stored.ledger.runs() if row.ordinal < stored.row.ordinal]
    for row in reversed(earlier):
        if _question(stored.ledger, row.run_id) == asked:
            yield from _of_run(stored.ledger, row.run_id)


def _of_run(ledger: LedgerReader, run_id: str) -> Iterator[ApprovedText]:
    decisions = read_decisions(ledger, run_id)
    artifacts = ledger.records(run_id, "artifact") if decisions else ()
    for entry in reversed(decisions):
        named = entry.approval.fingerprint
        if entry.approval.decision == "approve" and entry in standing_decisions(decisions, named):
            record = _brief_about(artifacts, named)
            if record is not None:
                yield ApprovedText(run_id, named, ledger.get_blob(record.payload["blob"]).decode())


def _brief_about(artifacts: tuple[Record, ...], fingerprint: str) -> Record | None:
    found = [
        r for r in artifacts if r.payload["name"] == BRIEF_NAME and r.payload.get("about") == fingerprint
    ]
    return found[-1] if found else None


def _question(ledger: LedgerReader, run_id: str) -> str:
    record = ledger.find(run_id, "contract", "contract")
    return " ".join(str(record.payload["question"]).casefold().split()) if record else run_id
