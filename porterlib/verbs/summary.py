"""What a terminal or a scheduler needs of a run, in one flat record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.publication import Outcome

SCRAP = "application/scrapbook.scrap.json+json"
"""Media type under which tools that read executed notebooks find recorded values."""
ACHIEVED = frozenset({"achieved_draft", "publishable"})


class RunSummary(Contract):
    """What a scheduler needs of a run; it stands in the executed notebook, in the run's folder and in the ledger."""

    run_id: Text
    """The run."""
    workspace: Text
    """Folder of its ledger."""
    ok: bool
    """Whether there is a draft that passed every check."""
    status: Text
    """Status the run ended with."""
    reason: str = ""
    """Why, if it did not succeed."""
    recommendation: str | None = None
    """Kind of recommendation, absent without a text."""
    fingerprint: str | None = None
    """Digest of the exact text, absent without one."""
    snapshot_id: Text
    """Digest of the evidence."""
    attempts: int = Field(0, ge=0)
    """Attempts made."""
    open_criteria: tuple[str, ...] = ()
    """Criteria that did not pass."""
    missing_forces: tuple[str, ...] = ()
    """Forces without evidence, when that ended the run."""
    evidence: int = Field(0, ge=0)
    """Passages in the snapshot."""
    claims: int = Field(0, ge=0)
    """Claims in the text."""
    quotes: int = Field(0, ge=0)
    """Links from claims to passages."""
    publishers: int = Field(0, ge=0)
    """Independent publishers."""
    analyst: Text
    """Kind, version and model of the analyst."""
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Artifact name to path."""
    elapsed_s: float = Field(0.0, ge=0)
    """Seconds the run took."""

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a notebook shows, with the values in a form that programs read from its output."""
        bundle, metadata = super()._repr_mimebundle_(**options)
        scrap = {"name": "summary", "data": self.to_dict(), "encoder": "json", "version": 1}
        return {**bundle, SCRAP: scrap}, {**metadata, "scrapbook": {"name": "summary", "data": True}}


def summarise(outcome: Outcome, workspace: str | Path) -> RunSummary:
    """Return the summary of an outcome; nothing is written."""
    candidate, snapshot, report = outcome.candidate, outcome.snapshot, outcome.report
    failed = report.evaluations if report is not None else ()
    return RunSummary(
        run_id=outcome.run_id,
        workspace=str(Path(workspace).expanduser().resolve()),
        ok=outcome.status in ACHIEVED,
        status=outcome.status,
        reason=outcome.reason,
        recommendation=candidate.recommendation.kind if candidate else None,
        fingerprint=outcome.fingerprint,
        snapshot_id=snapshot.snapshot_id,
        attempts=len(outcome.state.attempts) if outcome.state else 0,
        open_criteria=tuple(e.criterion_id for e in failed if e.outcome != "pass"),
        missing_forces=tuple(outcome.insufficient.forces) if outcome.insufficient else (),
        evidence=len(snapshot.evidence),
        claims=len(candidate.claims) if candidate else 0,
        quotes=len(candidate.links) if candidate else 0,
        publishers=len({item.publisher_key for item in snapshot.evidence}),
        analyst=outcome.versions.analyst,
        artifacts=dict(outcome.artifacts),
        elapsed_s=outcome.elapsed_s,
    )
