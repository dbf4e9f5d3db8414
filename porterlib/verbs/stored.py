"""One run as the ledger holds it: each part rebuilt from hash-checked records, none computed again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from porterlib.contracts.analysis import AnalysisInput, Candidate, InsufficientEvidence
from porterlib.contracts.base import Contract
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.ledger import Record, RecordKind
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.publication import Outcome, Review, Versions
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.contracts.supervision import AttemptManifest, GoalReport, RalphState
from porterlib.errors import InputError, IntegrityError, TransitionError
from porterlib.evaluation import brief_fingerprint, evidence_snapshot_id, publication_label
from porterlib.ledger import REJECTED, Ledger, check_chain, observe
from porterlib.publication import approvals
from porterlib.publication.artifacts import BLOCKED_REPORT, BRIEF_NAME, latest_artifacts
from porterlib.publication.decisions import read_decisions
from porterlib.sectors import load_pack
from porterlib.supervision.plain import value_digest
from porterlib.verbs import supervising
from porterlib.workspace import Workspace

Model = TypeVar("Model", bound=Contract)
VERDICT = "verdict"
"""Field that marks the checkpoint of a verdict given after supervision ended."""
_FIXED = (
    "request",
    "contract",
    "pack",
    "plan",
    "snapshot",
    "inputs",
    "economics",
    "used_economics",
    "state",
    "best",
    "candidate",
    "versions",
    "fingerprint",
)
_REVIEWED = ("achieved_draft", "human_required", "publishable", "blocked")


class StoredRun:
    """The parts of one run, each read when it is first asked for.

    Raises:
        UnknownRunError: the ledger holds no such run.
        IntegrityError: a record or content was changed, or two parts do not belong together.

    """

    def __init__(self, place: Workspace, ledger: Ledger, run_id: str) -> None:
        self.place, self.ledger, self.run_id = place, ledger, run_id
        self.row = ledger.run(run_id)
        self.records = ledger.records(run_id)

    def refreshed(self) -> StoredRun:
        """Return the run as it is now; what a run never changes is not read and hashed again."""
        again = StoredRun(self.place, self.ledger, self.run_id)
        again.__dict__.update({name: self.__dict__[name] for name in _FIXED if name in self.__dict__})
        return again

    def check_chain(self) -> None:
        """Confirm the whole chain of the run before something is built on it; raises `IntegrityError`."""
        head = (self.row.records, self.row.head)
        if bad := check_chain(self.run_id, map(observe, self.records), head=head):
            raise IntegrityError(
                f"record {bad[0].place}: {bad[0].message}; run `porterlib verify`", place=bad[0].place
            )

    def of(self, kind: RecordKind) -> list[Record]:
        """Return the records of one kind, in order."""
        return [record for record in self.records if record.kind == kind]

    @cached_property
    def request(self) -> DecisionRequest | None:
        """Return the stored request."""
        return self._one(DecisionRequest, "request", "request")

    @cached_property
    def contract(self) -> DecisionContract | None:
        """Return the framed decision."""
        return self._one(DecisionContract, "contract", "contract")

    @cached_property
    def pack(self) -> SectorPack:
        """Return the sector pack of the decision, as it is now."""
        return load_pack(self._need(self.contract).sector)

    @cached_property
    def plan(self) -> ResearchPlan | None:
        """Return the plan recorded last, which is the one that was researched."""
        plans = self.of("plan")
        return self._read(ResearchPlan, plans[-1].payload, plans[-1].place) if plans else None

    @cached_property
    def snapshot(self) -> EvidenceSnapshot | None:
        """Return the frozen snapshot, its id confirmed over its evidence."""
        heads = self.of("snapshot")
        if not heads:
            return None
        items = [record.payload for record in self.of("evidence")]
        found = self._read(EvidenceSnapshot, {**heads[-1].payload, "evidence": items}, heads[-1].place)
        if evidence_snapshot_id(found.evidence) != found.snapshot_id:
            raise IntegrityError(f"record {heads[-1].place}: its evidence gives another snapshot id")
        return found

    @cached_property
    def inputs(self) -> EconomicsInputs | None:
        """Return the finance inputs as they were given."""
        return self._economics(EconomicsInputs, "inputs")

    @cached_property
    def economics(self) -> Economics | None:
        """Return the calculations."""
        return self._economics(Economics, "result")

    @cached_property
    def state(self) -> RalphState | None:
        """Return the supervision state committed last."""
        points = [record for record in self.of("checkpoint") if "state" in record.payload]
        return self._read(RalphState, points[-1].payload["state"], points[-1].place) if points else None

    @cached_property
    def best(self) -> AttemptManifest | None:
        """Return the attempt that counts."""
        if self.state is None or self.state.best_attempt is None:
            return None
        return self.state.attempts[self.state.best_attempt - 1]

    @cached_property
    def candidate(self) -> Candidate | None:
        """Return the text of the best attempt, from the content its record names."""
        if self.best is None:
            return None
        for record in self.of("attempt_finished"):
            if record.payload["manifest"]["attempt_id"] == self.best.attempt_id:
                content = self.ledger.get_blob(record.payload["candidate"])
                return self._parsed(Candidate, content, record.place)
        raise IntegrityError(
            f"run {self.run_id!r} holds no record of its best attempt; run `porterlib verify`"
        )

    @cached_property
    def used_economics(self) -> Economics | None:
        """Return the calculations the analysis read: those of the ledger, unless it was run without them."""
        if self.economics is None or self.state is None or not self.state.attempts:
            return self.economics
        bare = AnalysisInput(contract=self._need(self.contract), snapshot=self._need(self.snapshot))
        without = value_digest("ralph-input", bare)
        return None if self.state.attempts[0].input_sha256 == without else self.economics

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
            return self._read(GoalReport, self.verdicts[-1]["report"], f"{self.run_id}/verdict")
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
            snapshot=self._need(self.snapshot),
            economics=self.used_economics,
            state=self.state,
            report=self.report,
            versions=self.versions,
            artifacts=self.artifacts,
        )

    @cached_property
    def insufficient(self) -> InsufficientEvidence | None:
        """Return the report of what was missing, if the run ended for that."""
        record = next((r for r in self.of("checkpoint") if r.key == "insufficient"), None)
        if record is None or self.row.status != "insufficient_evidence":
            return None
        return self._read(InsufficientEvidence, record.payload, record.place)

    @cached_property
    def insufficient_outcome(self) -> Outcome:
        """Return the outcome of a run that lacked evidence."""
        report = self._need(self.insufficient)
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
        """Return name to path of the recorded artifacts that lie on disk."""
        folder: Path = self.place.path / "runs" / self.run_id
        names = latest_artifacts(self.records)
        if self.row.status != "blocked":
            names.pop(BLOCKED_REPORT, None)
        return {name: str(folder / name) for name in names if (folder / name).is_file()}

    def _one(self, model: type[Model], kind: RecordKind, key: str) -> Model | None:
        record = next((entry for entry in self.of(kind) if entry.key == key), None)
        return self._read(model, record.payload, record.place) if record else None

    def _economics(self, model: type[Model], part: str) -> Model | None:
        record = next((entry for entry in self.of("economics") if entry.key == "economics"), None)
        return self._read(model, record.payload[part], record.place) if record else None

    def _read(self, model: type[Model], payload: Mapping[str, Any], place: str) -> Model:
        try:
            return model.model_validate(payload)
        except ValidationError as error:
            raise IntegrityError(
                f"record {place} holds no {model.__name__} of this version; run `porterlib verify`",
                place=place,
            ) from error

    def _parsed(self, model: type[Model], content: bytes, place: str) -> Model:
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            raise IntegrityError(
                f"record {place} names no {model.__name__} of this version; run `porterlib verify`",
                place=place,
            ) from error

    def _need(self, part: Model | None) -> Model:
        if part is None:
            raise IntegrityError(f"run {self.run_id!r} lacks a part of its outcome; run `porterlib verify`")
        return part
