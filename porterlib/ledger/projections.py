"""What follows from a run's records: its status, reason and goals, and which status changes are allowed.

The writer applies these rules when it appends; `verify` replays them from nothing and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from porterlib.contracts.ledger import RUN_STATUSES, UNFINISHED, Record, RunStatus

INTERRUPTED = "interrupted"
REJECTED = "rejected"
RESUMED = "resumed"

_STOPS: frozenset[RunStatus] = frozenset({"blocked", "failed", "cancelled"})
NEXT: Mapping[RunStatus, frozenset[RunStatus]] = {
    "created": _STOPS | {"acquiring_evidence", "verifying"},
    "acquiring_evidence": _STOPS | {"verifying", "insufficient_evidence"},
    "verifying": _STOPS | {"achieved_draft", "human_required", "publishable", "insufficient_evidence"},
    "achieved_draft": frozenset({"human_required", "publishable", "blocked"}),
    "human_required": frozenset({"achieved_draft", "publishable", "blocked"}),
    "publishable": frozenset({"achieved_draft", "human_required", "blocked"}),
    "blocked": frozenset(),
    "insufficient_evidence": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}
"""Allowed changes besides resuming; a finished draft moves only between the states of its approval."""

_AFTER_REJECTION: frozenset[RunStatus] = frozenset({"achieved_draft", "human_required", "publishable"})


def refusal(current: RunStatus, reason: str | None, new: RunStatus, new_reason: str | None) -> str | None:
    """Return why a run may not go from `current` to `new`, or `None` if it may."""
    if new == "failed" and not new_reason:
        return "a failed run needs a reason"
    if new in NEXT[current]:
        return None
    # A rejection is a person's decision, and so may be taken back by one; every other block is final.
    if current == "blocked" and reason == REJECTED and new in _AFTER_REJECTION:
        return None
    hint = "; use resume to reopen it" if may_reopen(current, reason) else ""
    return f"a run that is {current} cannot become {new}{hint}"


def may_reopen(status: RunStatus, reason: str | None) -> bool:
    """Return whether `resume` may reopen a run: only interrupted and cancelled ones."""
    return status == "cancelled" or (status == "failed" and reason == INTERRUPTED)


class ReplayError(ValueError):
    """A record does not say what its kind must say; the message names the problem."""


@dataclass
class Replay:
    """State of one run, rebuilt record by record."""

    run_id: str
    status: RunStatus = "created"
    reason: str | None = None
    ordinal: int = 0
    request_sha256: str = ""
    created_at: datetime | None = None
    changed_at: datetime | None = None
    records: int = 0
    head: str = ""
    goals: dict[str, tuple[str, int]] = field(default_factory=dict)

    def apply(self, record: Record) -> None:
        """Take one more record into account.

        Raises:
            ReplayError: The record is an impossible status change or lacks a field that its kind needs.

        """
        self.records, self.head = record.seq, record.hash
        if (record.kind == "run_created") != (record.seq == 1):
            raise ReplayError("a run's first record, and no other, creates it")
        if record.kind == "run_created":
            self.ordinal = _typed(record.payload, "ordinal", int)
            self.request_sha256 = _typed(record.payload, "request_sha256", str)
            self.created_at = self.changed_at = record.recorded_at
        elif record.kind == "event":
            self._event(record)
        elif record.kind == "goal":
            goal_id, status = goal_of(record.payload)
            self.goals[goal_id] = (status, record.seq)

    def _event(self, record: Record) -> None:
        old, new = (_typed(record.payload, name, str) for name in ("from", "to"))
        reason = record.payload.get("reason")
        if new not in RUN_STATUSES or not (reason is None or isinstance(reason, str)):
            raise ReplayError(f"status change to {new!r} is not known")
        current, was = self.status, self.reason
        self.status, self.reason, self.changed_at = cast("RunStatus", new), reason, record.recorded_at
        if old != current:
            raise ReplayError(f"status change starts from {old!r}, but the run was {current}")
        if record.payload.get("reopened") is True:
            if not may_reopen(current, was) or new not in UNFINISHED:
                raise ReplayError(f"a run that is {current} was reopened as {new}")
        elif problem := refusal(current, was, self.status, reason):
            raise ReplayError(problem)


def goal_of(payload: Mapping[str, Any]) -> tuple[str, str]:
    """Return goal id and status of a goal record's payload.

    Raises:
        ReplayError: `goal_id` or `status` is absent or empty.

    """
    goal_id, status = _typed(payload, "goal_id", str), _typed(payload, "status", str)
    if not goal_id or not status:
        raise ReplayError("a goal needs a goal_id and a status")
    return goal_id, status


def _typed(payload: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    value = payload.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ReplayError(f"field {name!r} is missing or not {kind.__name__}")
    return value
