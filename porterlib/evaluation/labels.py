"""Where reviewers stand on one text, and what the text may therefore be called (rules 11.2 and 13.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from porterlib.contracts.publication import REVIEW_ROLES, Approval, ReviewRole

Stand = Literal["missing", "approved", "rejected", "stale"]


@dataclass(frozen=True)
class Standing:
    """How the four roles stand on one fingerprint."""

    states: dict[ReviewRole, Stand]
    """Each role; `stale` means it decided on an earlier text only."""
    held_twice: tuple[ReviewRole, ...]
    """Roles approved by somebody who approved in another one, where that is barred."""

    @property
    def complete(self) -> bool:
        """Return True when all four roles approve, nobody rejects, and people are as distinct as required."""
        return set(self.states.values()) == {"approved"} and not self.held_twice


def same_person(name: str) -> str:
    """Return a reviewer's name as it is compared: NFKC, case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def standing(
    approvals: Iterable[Approval], fingerprint: str, *, one_person_many_roles: bool = False
) -> Standing:
    """Return where the roles stand on the text of `fingerprint`.

    A rejection of this text stands, whoever approves later: it calls for another text, not another reviewer.

    Args:
        approvals: all decisions on the run, oldest first.
        fingerprint: the current text; with an empty one nothing can be approved.
        one_person_many_roles: whether one person may approve in two roles.

    """
    decisions = tuple(approvals)
    states: dict[ReviewRole, Stand] = {}
    holders: dict[str, ReviewRole] = {}
    held_twice: list[ReviewRole] = []
    for role in REVIEW_ROLES:
        own = [entry for entry in decisions if entry.role == role]
        current = [entry for entry in own if fingerprint and entry.fingerprint == fingerprint]
        states[role] = _state(own, current)
        if states[role] == "approved":
            person = same_person(current[-1].reviewer)
            if holders.setdefault(person, role) != role and not one_person_many_roles:
                held_twice.append(role)
    return Standing(states, tuple(held_twice))


def _state(own: list[Approval], current: list[Approval]) -> Stand:
    if any(entry.decision == "reject" for entry in current):
        return "rejected"
    if current:
        return "approved"
    return "stale" if own else "missing"


def publication_label(*, draft_valid: bool, stands: Standing | None = None) -> str:
    """Return what a text may be called; every label but the last says draft, and only the last board-ready.

    Args:
        draft_valid: whether the text passes every criterion of a draft.
        stands: where the reviewers stand on exactly this text, if anybody was asked.

    """
    if not draft_valid:
        return "DRAFT: its checks have failed; not for decision"
    if stands is None:
        return "DRAFT: not reviewed"
    rejecting = [role for role in REVIEW_ROLES if stands.states[role] == "rejected"]
    if rejecting:
        return f"DRAFT: rejected by {_listed(rejecting)}"
    waiting = [
        role for role in REVIEW_ROLES if stands.states[role] != "approved" or role in stands.held_twice
    ]
    if waiting:
        return f"DRAFT: awaiting approval by {_listed(waiting)}"
    return f"Board-ready: this exact text is approved by {_listed(list(REVIEW_ROLES))}"


def _listed(names: list[ReviewRole]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
