"""Where a run stands: its current text under the current versions, decisions, verdict, label and files."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.publication import Outcome, Review, Versions
from porterlib.contracts.supervision import GoalReport
from porterlib.errors import InputError, TransitionError
from porterlib.evaluation import brief_fingerprint, evidence_snapshot_id, publication_label
from porterlib.hashing import sha256_hex
from porterlib.ledger import REJECTED
from porterlib.publication import approvals
from porterlib.publication.artifacts import BRIEF_NAME, latest_artifacts, recorded_files
from porterlib.publication.decisions import read_decisions
from porterlib.verbs import supervising
from porterlib.verbs.stored import StoredRun

VERDICT = "verdict"
"""Field that marks the checkpoint of a verdict given after supervision ended."""
_REVIEWED = ("achieved_draft", "human_required", "publishable", "blocked")


class ReviewedRun(StoredRun):
    """A stored run with its review."""

    @cached_property
    def decisions(self) -> tuple[approvals.Recorded, ...]:
        """Return all decisions of reviewers, oldest first."""
        return read_decisions(self.ledger, self.run_id)

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """Return the verdicts given after supervision ended, oldest first."""
        return [record.payload[VERDICT] for record in self.of("checkpoint") if VERDICT in record.payload]

    @cached_property
    def report(self) -> GoalReport | None:
        """Return the latest verdict on the text."""
        if self.verdicts:
            return self.read(GoalReport, self.verdicts[-1]["report"], f"{self.run_id}/verdict")
        return self.best.report if self.best else None

    @cached_property
    def versions(self) -> Versions:
        """Return the versions that a decision taken now would bind."""
        return supervising.versions(self.pack, self.used_economics, self.candidate)

    @cached_property
    def fingerprint(self) -> str:
        """Return the digest of the current text under the current versions.

        Raises:
            InputError: the run has no text.

        """
        self._check_ended()
        if self.candidate is None or self.snapshot is None:
            raise InputError(
                f"run {self.run_id!r} is {self.row.status} and has no text to review; read its report",
                run_id=self.run_id,
                status=self.row.status,
            )
        return brief_fingerprint(
            self.candidate, self.snapshot.snapshot_id, self.used_economics, self.versions
        )

    @cached_property
    def bound(self) -> str | None:
        """Return the fingerprint under which the brief was written last."""
        record = latest_artifacts(self.records).get(BRIEF_NAME)
        return record.payload["about"] if record else None

    def check_reviewable(self) -> None:
        """Refuse a run on whose text nobody can decide.

        Raises:
            InputError: the run has not ended, or ended without a text.
            TransitionError: the run is blocked for another reason than a rejection.

        """
        self._check_ended()
        if self.blocked_for_good:
            raise TransitionError(
                f"run {self.run_id!r} is blocked ({self.row.reason}); its text cannot be approved, "
                "start a new run",
                run_id=self.run_id,
                status=self.row.status,
            )

    def _check_ended(self) -> None:
        if self.row.status not in _REVIEWED:
            raise InputError(
                f"run {self.run_id!r} is {self.row.status}; only a finished draft can be reviewed",
                run_id=self.run_id,
                status=self.row.status,
            )

    @property
    def standing(self) -> tuple[approvals.ReviewStatus, str | None]:
        """Return where the run stands on its current text, with the reason."""
        self._check_ended()
        status, reason = self.row.status, self.row.reason
        if not self.decisions or self.blocked_for_good:
            return status, reason  # type: ignore[return-value]
        return approvals.status_of(self.decisions, self.fingerprint, draft_valid=self.draft_valid)

    @property
    def blocked_for_good(self) -> bool:
        """Return whether the run is blocked for another reason than a rejection."""
        return self.row.status == "blocked" and self.row.reason != REJECTED

    @property
    def draft_valid(self) -> bool:
        """Return whether the latest verdict passes every criterion of a draft."""
        passed = self.report is not None and not approvals.failed_criteria(self.report)
        return passed and not self.blocked_for_good

    @property
    def label(self) -> str:
        """Return what the current text may be called."""
        stands = approvals.stands_of(self.decisions, self.fingerprint) if self.decisions else None
        return publication_label(draft_valid=self.draft_valid, stands=stands)

    @cached_property
    def outcome(self) -> Outcome:
        """Return the outcome as it stands now, with the current fingerprint and versions."""
        status, reason = self.standing
        return Outcome(
            run_id=self.run_id,
            status=status,
            reason=reason or "",
            fingerprint=self.fingerprint if self.candidate is not None else None,
            candidate=self.candidate,
            snapshot=self.need(self.snapshot),
            economics=self.used_economics,
            state=self.state,
            report=self.report,
            versions=self.versions,
            artifacts=self.artifacts,
        )

    @cached_property
    def insufficient_outcome(self) -> Outcome:
        """Return the outcome of a run that lacked evidence."""
        report = self.need(self.insufficient)
        executed = sum(record.payload["status"] == "executed" for record in self.of("query"))
        captured = sum(record.payload["outcome"] == "captured" for record in self.of("capture"))
        return Outcome(
            run_id=self.run_id,
            status="insufficient_evidence",
            reason=self.row.reason or "",
            fingerprint=None,
            candidate=None,
            snapshot=EvidenceSnapshot(
                run_id=self.run_id,
                snapshot_id=evidence_snapshot_id(()),
                evidence=(),
                gaps=report.gaps,
                queries_executed=executed,
                documents_captured=captured,
            ),
            economics=self.economics,
            state=None,
            report=None,
            versions=self.versions,
            insufficient=report,
            artifacts=self.artifacts,
        )

    @cached_property
    def review(self) -> Review:
        """Return the approvals against the current text; nothing is written."""
        from porterlib.verbs.comparing import changes_since_approval

        return Review(
            run_id=self.run_id,
            fingerprint=self.fingerprint,
            status=self.standing[0],
            roles=approvals.role_states(self.decisions, self.fingerprint),
            approvals=tuple(entry.approval for entry in self.decisions),
            diff=changes_since_approval(self),
            revision=1 + len(self.decisions),
        )

    @cached_property
    def artifacts(self) -> dict[str, str]:
        """Return name to path of the artifacts on disk; a file that is not as recorded is left out."""
        folder: Path = self.place.path / "runs" / self.run_id
        return {name: str(folder / name) for name, blob in self.files.items() if _is_at(folder / name, blob)}

    @property
    def files(self) -> dict[str, str]:
        """Return name to digest of the files that belong into the run's folder now."""
        return recorded_files(self.records, self.row.status)


def _is_at(path: Path, blob: str) -> bool:
    return path.is_file() and sha256_hex(path.read_bytes()) == blob
