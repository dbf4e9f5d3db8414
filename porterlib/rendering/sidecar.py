"""The audit sidecar and the evidence table: everything a brief rests on, as JSON and CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import ClaimEvidenceLink, EvidenceItem, EvidenceSnapshot
from porterlib.contracts.publication import Versions
from porterlib.contracts.request import DecisionRequest
from porterlib.contracts.supervision import GoalReport, RalphState
from porterlib.hashing import short_id
from porterlib.rendering.inert import cell

OFFSETS = (
    "evidence start and end count characters of the extracted text (text_sha256); link start and end count "
    "characters of the passage; quote is passage[start:end]"
)
_COLUMNS = (
    "id",
    "publisher",
    "title",
    "url",
    "source_class",
    "class_basis",
    "published",
    "forces",
    "authority",
    "quality",
    "freshness",
    "applicability",
    "text_sha256",
    "start",
    "end",
    "passage",
)


def sidecar(
    *,
    request: DecisionRequest,
    candidate: Candidate,
    snapshot: EvidenceSnapshot,
    economics: Economics | None,
    state: RalphState | None,
    report: GoalReport | None,
    versions: Versions,
    fingerprint: str,
) -> dict[str, Any]:
    """Return the sidecar; it stays local, because it holds the text of internal facts."""
    return {
        "schema_version": 1,
        "run_id": candidate.contract.run_id,
        "fingerprint": fingerprint,
        "snapshot_id": snapshot.snapshot_id,
        "offsets": OFFSETS,
        "contract": candidate.contract.to_dict(),
        "recommendation": candidate.recommendation.to_dict(),
        "evidence": [_evidence(item) for item in snapshot.evidence],
        "claims": [claim.to_dict() for claim in candidate.claims],
        "links": [_link(link) for link in candidate.links],
        "assumptions": [entry.to_dict() for entry in candidate.assumptions],
        "forces": [force.to_dict() for force in candidate.forces],
        "options": [option.to_dict() for option in candidate.options],
        "brief": candidate.brief.to_dict(),
        "challenge": candidate.challenge.to_dict(),
        "rules": [firing.to_dict() for firing in candidate.rules],
        "economics": economics.to_dict() if economics else None,
        "criteria": [evaluation.to_dict() for evaluation in report.evaluations] if report else [],
        "attempts": [attempt.to_dict() for attempt in state.attempts] if state else [],
        "best_attempt": state.best_attempt if state else None,
        "gaps": [gap.to_dict() for gap in snapshot.gaps],
        "tools": dict(snapshot.tools),
        "analyst": candidate.analyst.to_dict(),
        "versions": versions.to_dict(),
        "internal_facts": internal_facts(request),
    }


def internal_facts(request: DecisionRequest) -> list[dict[str, str]]:
    """Return the request's internal facts under the ids by which the brief names them."""
    return [
        {
            "id": short_id("F", "internal-fact", fact.to_dict()),
            "owner": fact.owner,
            "confidentiality": fact.confidentiality,
            "text": fact.text,
        }
        for fact in request.internal_facts
    ]


def evidence_csv(snapshot: EvidenceSnapshot) -> str:
    """Return the evidence as CSV in which no cell can act as a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for item in snapshot.evidence:
        values = item.to_dict()
        values["forces"] = " ".join(item.forces)
        writer.writerow([cell("" if values[name] is None else str(values[name])) for name in _COLUMNS])
    return stream.getvalue()


def _evidence(item: EvidenceItem) -> dict[str, Any]:
    return item.to_dict()


def _link(link: ClaimEvidenceLink) -> dict[str, Any]:
    row = link.to_dict()
    return {**row, **{name: row["levels"][name] for name in ("retrieved", "verbatim", "agrees", "lexical")}}
