"""Findings, criteria, attempts and state of the Ralph loop (rules 11.1 to 11.6)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Sha256, Text, UtcTime, Versioned

Outcome3 = Literal["pass", "fail", "human_required"]
RalphStatus = Literal["running", "achieved_draft", "human_required", "publishable", "blocked"]


LIMITS: dict[str, tuple[int, int]] = {
    "max_attempts": (1, 10),
    "max_budget_units": (1, 100),
    "stall_limit": (2, 10),
}
"""Lowest and highest value of each limit (rule 11.4)."""


class CompletionTarget(StrEnum):
    """What supervision works towards."""

    DRAFT = "draft"
    PUBLISHABLE = "publishable"


class Finding(Contract):
    """One defect the gate found."""

    code: Text
    """Stable code such as `EVIDENCE_QUOTE_NOT_FOUND`."""
    severity: Literal["error", "warning"]
    """Errors fail a criterion; warnings are shown."""
    place: Text
    """Where: an id or a path such as `brief.why_now[0]`."""
    message: Text
    """What is wrong."""
    remedy: Text
    """What to do about it."""


class GoalCriterion(Contract):
    """One part of the definition of done."""

    criterion_id: Text
    """Stable id such as `G-evidence`."""
    description: Text
    """What must hold."""
    verification_method: Text
    """How it is checked."""
    required: bool = True
    """False for criteria that are shown and do not decide."""
    retryable: bool = True
    """False when another attempt cannot help."""


class CriterionEvaluation(Contract):
    """The result for one criterion."""

    criterion_id: Text
    """The criterion."""
    outcome: Outcome3
    """Pass, fail or a person is needed."""
    remediation: str = ""
    """What to do; needed unless it passed."""
    progress_marker: str = ""
    """Stable marker of how far the gap got; wording never enters the fingerprint."""
    findings: tuple[Finding, ...] = ()
    """Findings behind the outcome."""

    @model_validator(mode="after")
    def _remedied(self) -> CriterionEvaluation:
        if self.outcome != "pass" and not self.remediation.strip():
            raise ValueError(f"criterion {self.criterion_id}: outcome {self.outcome} needs a remediation")
        return self


class GoalReport(Contract):
    """One evaluator's verdict on one attempt."""

    attempt_id: Text
    """Attempt it judges."""
    summary: Text
    """The verdict in a sentence."""
    evaluations: tuple[CriterionEvaluation, ...] = Field(min_length=1)
    """Exactly one per criterion."""
    budget_units_used: int = Field(1, ge=0)
    """Retry budget this attempt used."""


class GapDirective(Contract):
    """A typed instruction for the next attempt."""

    criterion_id: Text
    """Criterion that failed."""
    instruction: Text
    """What to change."""
    progress_marker: str = ""
    """Marker of the gap."""


class AttemptManifest(Contract):
    """A finished attempt; never rewritten."""

    attempt_number: int = Field(ge=1)
    """From 1, contiguous."""
    attempt_id: Text
    """Unique id."""
    thread_id: Text
    """Unique graph thread."""
    evidence_snapshot_id: Text
    """Evidence universe; the same in every attempt."""
    input_sha256: Sha256
    """Digest of the attempt's input."""
    output_sha256: Sha256
    """Digest of its output."""
    gap_fingerprint: str = ""
    """Digest over sorted open gaps; empty when nothing is open."""
    report: GoalReport
    """The verdict."""
    directives: tuple[GapDirective, ...] = ()
    """Instructions for the next attempt."""
    started_at: UtcTime
    """When it began."""
    finished_at: UtcTime
    """When its verdict was complete."""

    @model_validator(mode="after")
    def _ordered(self) -> AttemptManifest:
        if self.finished_at < self.started_at:
            raise ValueError("finished_at: lies before started_at")
        if self.report.attempt_id != self.attempt_id:
            raise ValueError("report: judges another attempt")
        return self


class RalphState(Versioned):
    """Everything supervision knows; frozen and rebuilt with validation after each step."""

    run_id: Text
    """The run."""
    objective: dict[str, Any]
    """What is to be achieved; immutable."""
    criteria: tuple[GoalCriterion, ...] = Field(min_length=1)
    """Definition of done; immutable."""
    evidence_snapshot_id: Text
    """Evidence universe; immutable."""
    target: CompletionTarget = CompletionTarget.DRAFT
    """What supervision works towards."""
    status: RalphStatus = "running"
    """Where it stands."""
    reason: str = ""
    """Why it ended, if it did: `non_retryable`, `attempts`, `budget`, `stalled`, …"""
    max_attempts: int = Field(3, ge=LIMITS["max_attempts"][0], le=LIMITS["max_attempts"][1])
    """Limit on attempts."""
    max_budget_units: int = Field(6, ge=LIMITS["max_budget_units"][0], le=LIMITS["max_budget_units"][1])
    """Limit on retry budget."""
    stall_limit: int = Field(2, ge=LIMITS["stall_limit"][0], le=LIMITS["stall_limit"][1])
    """Same open gaps so many times in a row block the run."""
    attempts: tuple[AttemptManifest, ...] = ()
    """Finished attempts."""
    budget_units_used: int = Field(0, ge=0)
    """Sum over attempts."""
    best_attempt: int | None = None
    """Number of the best attempt so far, which is the one that counts."""

    @model_validator(mode="after")
    def _coherent(self) -> RalphState:
        ids = [criterion.criterion_id for criterion in self.criteria]
        if len(set(ids)) != len(ids):
            raise ValueError("criteria: an id occurs twice")
        if [attempt.attempt_number for attempt in self.attempts] != list(range(1, len(self.attempts) + 1)):
            raise ValueError("attempts: numbers are not contiguous from 1")
        for field in ("attempt_id", "thread_id"):
            values = [getattr(attempt, field) for attempt in self.attempts]
            if len(set(values)) != len(values):
                raise ValueError(f"attempts: a {field} occurs twice")
        if any(attempt.evidence_snapshot_id != self.evidence_snapshot_id for attempt in self.attempts):
            raise ValueError("attempts: an attempt used another evidence snapshot")
        used = sum(attempt.report.budget_units_used for attempt in self.attempts)
        if used != self.budget_units_used:
            raise ValueError(f"budget_units_used: {self.budget_units_used} but attempts used {used}")
        if self.best_attempt is not None and not 1 <= self.best_attempt <= len(self.attempts):
            raise ValueError("best_attempt: names no finished attempt")
        return self
