"""Finds the part of a result that a view needs, whichever result it was asked of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import Claim, EvidenceSnapshot
from porterlib.contracts.publication import Review
from porterlib.contracts.supervision import GoalReport, RalphState
from porterlib.errors import InputError

Part = TypeVar("Part")
_ADVICE: Mapping[Any, str] = {
    Candidate: "no analysis yet; supervise() makes one",
    EvidenceSnapshot: "no evidence; ask the outcome, or the snapshot itself",
    Economics: "no economics; calculate() makes them from finance inputs",
    RalphState: "no attempts yet; supervise() makes them",
    Review: "no approvals; only a finished draft can be reviewed",
    GoalReport: "no verdict yet; supervise() makes one",
}
_FIELDS: Mapping[Any, str] = {
    Candidate: "candidate",
    EvidenceSnapshot: "snapshot",
    Economics: "economics",
    RalphState: "state",
    Review: "review",
    GoalReport: "report",
}


def part(result: Any, kind: type[Part]) -> Part:
    """Return the part of that kind.

    Raises:
        InputError: the result holds none; the message says what makes one.

    """
    found = optional(result, kind)
    if found is None:
        raise InputError(f"{type(result).__name__} holds {_ADVICE[kind]}")
    return found


def optional(result: Any, kind: type[Part]) -> Part | None:
    """Return the part of that kind, or None: the result itself, one of its fields, or one of its outcome's."""
    for holder in (result, getattr(result, "outcome", None)):
        if isinstance(holder, kind):
            return holder
        found = getattr(holder, _FIELDS[kind], None)
        if isinstance(found, kind):
            return found
    return None


def said(claim: Claim) -> str:
    """Return the text of a claim; an internal fact is named and its text stays where it is."""
    if claim.kind == "internal_fact":
        return f"internal fact {claim.id}; its text stays in the local sidecar"
    return claim.text
