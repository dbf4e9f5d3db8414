"""What the system of record hands out: records, runs, chain links and the report of a verification."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field

from porterlib.contracts.base import Contract, Sha256, Text, UtcTime

RunStatus = Literal[
    "created",
    "acquiring_evidence",
    "verifying",
    "achieved_draft",
    "human_required",
    "publishable",
    "blocked",
    "insufficient_evidence",
    "failed",
    "cancelled",
]
RUN_STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
UNFINISHED: tuple[RunStatus, ...] = ("created", "acquiring_evidence", "verifying")

RecordKind = Literal[
    "run_created",
    "request",
    "contract",
    "plan",
    "plan_approval",
    "economics",
    "query",
    "hit",
    "capture",
    "gap",
    "evidence",
    "snapshot",
    "attempt_started",
    "attempt_finished",
    "goal",
    "model_call",
    "checkpoint",
    "artifact",
    "approval",
    "event",
    "permission",
    "sign_off",
    "step",
    "profile",
]
RECORD_KINDS: tuple[RecordKind, ...] = get_args(RecordKind)

RunId = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")


class ChainLink(Contract):
    """What the hash chain needs to know of a record; the payload itself may be withheld."""

    run_id: str = RunId
    """Run whose chain the record belongs to."""
    seq: int = Field(ge=1, lt=2**53)
    """Position in the run's chain, from 1 without gaps."""
    kind: RecordKind
    """What the record is about."""
    key: Text | None = None
    """Idempotency key, unique per run and kind; `None` where repetition is meant."""
    recorded_at: UtcTime
    """When the record was committed; no fingerprint depends on it."""
    payload_sha256: Sha256
    """Digest of the payload's canonical JSON, so that a chain verifies even where a payload is withheld."""
    blobs: dict[Sha256, Text] = Field(default_factory=dict)
    """Contents the record refers to: digest to media type."""
    prev_hash: Sha256
    """Hash of the record before; for the first, a value derived from the run id."""
    hash: Sha256
    """Hash over all fields above."""

    @property
    def place(self) -> str:
        """Return `run_id/seq/kind`, the name findings use."""
        return f"{self.run_id}/{self.seq}/{self.kind}"


class Record(ChainLink):
    """One committed, append-only record."""

    payload: dict[str, Any]
    """Content as plain JSON values, decoded anew at each read: changing it changes nothing stored."""

    def link(self) -> ChainLink:
        """Return the record without its payload, for an export that keeps the text local."""
        return ChainLink(**self.model_dump(exclude={"payload"}))


class RunRow(Contract):
    """Current state of a run: a projection of its records, which `verify` recomputes."""

    run_id: str = RunId
    """Identifier of the run."""
    ordinal: int = Field(ge=1)
    """Position in the order of creation, from 1 without gaps."""
    status: RunStatus
    """Current status."""
    reason: str | None = None
    """Why the run is in this status, e.g. `interrupted`."""
    request_sha256: Sha256
    """Digest of the request the run answers."""
    created_at: UtcTime
    """When the run was created."""
    changed_at: UtcTime
    """When the status last changed."""
    records: int = Field(ge=1)
    """Number of records in the run's chain."""
    head: Sha256
    """Hash of the last record; worth keeping elsewhere."""


class GoalRow(Contract):
    """Current state of a goal: the latest goal record of that id."""

    run_id: str = RunId
    """Run the goal belongs to."""
    goal_id: Text
    """Identifier of the goal within the run."""
    status: Text
    """Latest status given to it."""
    seq: int = Field(ge=1)
    """Record that gave it."""


LedgerFindingCode = Literal[
    "NOT_A_LEDGER",
    "SCHEMA_TOO_NEW",
    "SCHEMA_CHANGED",
    "FILE_CORRUPT",
    "RECORD_MALFORMED",
    "RECORD_CHANGED",
    "RECORD_MISSING",
    "LINK_BROKEN",
    "RUN_UNKNOWN",
    "RUN_MISSING",
    "HEAD_WRONG",
    "SAVED_HEAD_ABSENT",
    "TRANSITION_ILLEGAL",
    "PROJECTION_WRONG",
    "BLOB_CHANGED",
    "BLOB_MISSING",
    "BLOB_UNREFERENCED",
    "ARTIFACT_CHANGED",
    "ARTIFACT_MISSING",
    "ARTIFACT_STALE",
    "MORE_FINDINGS",
]


class LedgerFinding(Contract):
    """One thing a verification found."""

    code: LedgerFindingCode
    """Stable name of the kind of finding."""
    severity: Literal["error", "warning"] = "error"
    """A warning leaves the ledger valid: nothing recorded rests on what it names."""
    place: Text
    """`run_id/seq/kind` of a record (`…/missing` for an absent one), or `blob/…`, `schema/…`, `runs/…`, `file`."""
    message: Text
    """What was found, in a sentence."""


VERIFY_LIMIT = (
    "The chain shows every change that was made without rewriting it. Whoever owns the file can rewrite "
    "a whole chain, or cut its end together with the stored head; only a head kept elsewhere shows that."
)


class VerifyReport(Contract):
    """Outcome of re-hashing a ledger."""

    ok: bool
    """True if no finding is an error."""
    runs: int = Field(ge=0)
    """Runs read."""
    records: int = Field(ge=0)
    """Records read."""
    blobs: int = Field(0, ge=0)
    """Contents re-hashed."""
    first_bad: str | None = None
    """Place of the first bad record in reading order; else of the first error."""
    heads: dict[str, str] = Field(default_factory=dict)
    """Run id to hash of its last record, to be kept somewhere safe and passed to a later verification."""
    findings: tuple[LedgerFinding, ...] = ()
    """Everything found, errors and warnings, in reading order."""
    limit: str = VERIFY_LIMIT
    """What a verification cannot show."""
