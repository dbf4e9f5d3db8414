"""Outcome, approvals and reviews of one exact text (rules 13.1 to 13.4)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.analysis import Candidate, InsufficientEvidence
from porterlib.contracts.base import Contract, Sha256, Text, UtcTime, Versioned
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.supervision import GoalReport, RalphState

ReviewRole = Literal["strategy", "finance", "technology", "risk"]
REVIEW_ROLES: tuple[ReviewRole, ...] = ("strategy", "finance", "technology", "risk")


class Versions(Contract):
    """Versions a fingerprint binds."""

    evaluator: Text
    """Version of the evaluator."""
    pack: Text
    """Name and version of the sector pack."""
    calculator: Text
    """Version of the calculator."""
    prompts: Text
    """Version of the prompts; `none` for the offline analyst."""
    analyst: Text
    """Kind, version and model of the analyst."""


class Approval(Contract):
    """One reviewer's decision on one exact text."""

    role: ReviewRole
    """Role in which the reviewer decides."""
    decision: Literal["approve", "reject"]
    """The decision."""
    reviewer: Text
    """Self-declared name, white space and case folded for comparison."""
    comment: str = ""
    """Why."""
    fingerprint: Sha256
    """Text it binds to."""
    at: UtcTime
    """When it was given."""


class RoleState(Contract):
    """Where one role stands on the current text."""

    role: ReviewRole
    """The role."""
    state: Literal["missing", "approved", "rejected", "stale"]
    """`stale`: it decided on an earlier text."""
    reviewer: str = ""
    """Who decided last."""
    at: UtcTime | None = None
    """When."""


class Review(Versioned):
    """Approvals of a run against its current text."""

    run_id: Text
    """The run."""
    fingerprint: Sha256
    """Current text."""
    status: Literal["achieved_draft", "human_required", "publishable", "blocked"]
    """Where the run stands."""
    roles: tuple[RoleState, ...] = Field(min_length=4, max_length=4)
    """Each of the four roles."""
    approvals: tuple[Approval, ...]
    """All decisions, oldest first."""
    diff: str = ""
    """Unified diff against the text approved last, if that differs."""
    revision: int = Field(ge=1)
    """Counts up with each decision."""
    identity_note: str = "Reviewer identity is self-declared; it is not authenticated."
    """What a reader must know about the names."""


class Outcome(Versioned):
    """What supervision ended with."""

    run_id: Text
    """The run."""
    status: Literal["achieved_draft", "human_required", "publishable", "blocked", "insufficient_evidence"]
    """Status of the run."""
    reason: str = ""
    """Why, if it is not a success."""
    fingerprint: Sha256 | None
    """Digest of the exact text, absent without one."""
    candidate: Candidate | None
    """The best attempt's candidate."""
    snapshot: EvidenceSnapshot
    """Evidence it rests on."""
    economics: Economics | None
    """Calculations it rests on."""
    state: RalphState | None
    """How supervision went."""
    report: GoalReport | None
    """Verdict on the best attempt."""
    versions: Versions
    """Versions the fingerprint binds."""
    insufficient: InsufficientEvidence | None = None
    """Report when evidence did not suffice."""
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Artifact name to path."""
    elapsed_s: float = Field(0.0, ge=0)
    """Seconds the run took; not part of the fingerprint."""
