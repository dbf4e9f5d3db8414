"""What follows from recorded decisions on one exact text: role states, status, and what is refused.

Pure: decisions enter, states and refusals leave. A rejection of the current text blocks it whoever approves
later; only the person who rejected it can take that back, in the same role.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar, cast, get_args

from porterlib.contracts.publication import REVIEW_ROLES, Approval, ReviewRole, RoleState
from porterlib.contracts.supervision import GoalReport
from porterlib.egress.confusables import fold
from porterlib.errors import FingerprintError, InputError
from porterlib.evaluation.labels import Standing, standing
from porterlib.ledger import REJECTED
from porterlib.rendering.inert import visible

Decision = Literal["approve", "reject"]
ReviewStatus = Literal["achieved_draft", "human_required", "publishable", "blocked"]
APPROVAL_CRITERION = "G-approval"
NAME_LIMIT = 200
"""Characters of a reviewer's name; longer ones are text, not names."""
COMMENT_LIMIT = 4000
"""Characters of a comment."""
_Choice = TypeVar("_Choice", bound=str)


class Recorded(NamedTuple):
    """One decision as the ledger holds it."""

    approval: Approval
    """The decision with the reviewer's name, which stays local."""
    person: str
    """Keyed digest of the normalised name: tells people apart without naming them."""
    same_person_allowed: bool = False
    """Policy under which it was recorded: this person may hold another role as well."""


def normalised(name: str) -> str:
    r"""Return a reviewer's name as it is compared.

    NFKC, without invisible characters and accents, look-alike letters of other scripts folded, case folded,
    white space collapsed.

    >>> normalised("  Éva\tＭeyer ") == normalised("eva meyer")
    True
    """
    return " ".join(fold(unicodedata.normalize("NFKC", visible(name))).casefold().split())


def role_of(value: str) -> ReviewRole:
    """Return a known role; raises `InputError` with the allowed ones."""
    return cast("ReviewRole", _choice("role", value, REVIEW_ROLES))


def decision_of(value: str) -> Decision:
    """Return a known decision; raises `InputError` with the allowed ones."""
    return cast("Decision", _choice("decision", value, get_args(Decision)))


def reviewer_of(value: str) -> str:
    """Return the name as it is stored: NFKC, one line, nothing invisible.

    Raises:
        InputError: nothing that names a person is left, or it is too long.

    """
    name = visible(unicodedata.normalize("NFKC", value)) if isinstance(value, str) else ""
    if not normalised(name) or not any(char.isalnum() for char in name):
        raise InputError("reviewer is empty; write the name of the person who decides", field="reviewer")
    if len(name) > NAME_LIMIT:
        raise InputError(f"reviewer has {len(name)} characters; at most {NAME_LIMIT}", field="reviewer")
    return name


def comment_of(value: str) -> str:
    """Return a comment that is short enough to be one; raises `InputError` otherwise."""
    if len(value) > COMMENT_LIMIT:
        raise InputError(f"comment has {len(value)} characters; at most {COMMENT_LIMIT}", field="comment")
    return value.strip()


def check_fingerprint(named: str | None, current: str) -> None:
    """Refuse a decision that names no text or another one.

    Raises:
        InputError: no fingerprint was given.
        FingerprintError: it is not the current one; `data["current"]` is.

    """
    if not named:
        raise InputError(
            f"fingerprint is missing: a decision is bound to one exact text; the current one is {current}",
            field="fingerprint",
            current=current,
        )
    if named.strip().lower() != current:
        raise FingerprintError(
            f"this decision names another text than the current one, {current}; read that text and name it",
            field="fingerprint",
            current=current,
        )


def standing_decisions(decisions: Sequence[Recorded], fingerprint: str) -> tuple[Recorded, ...]:
    """Return the decisions that still stand, oldest first.

    A rejection of this text falls only when the same person approves it later in the same role; an approval
    falls when the same person rejects it later in that role.
    """
    return tuple(
        entry
        for at, entry in enumerate(decisions)
        if entry.approval.fingerprint != fingerprint or not _superseded(entry, decisions[at + 1 :])
    )


def stands_of(decisions: Sequence[Recorded], fingerprint: str) -> Standing:
    """Return where the roles stand on the text of `fingerprint`."""
    return standing(
        masked(decisions, fingerprint), fingerprint, one_person_many_roles=many_roles(decisions, fingerprint)
    )


def masked(decisions: Sequence[Recorded], fingerprint: str) -> tuple[Approval, ...]:
    """Return the standing decisions with numbers for names, so that no verdict can print a name."""
    people: dict[str, str] = {}
    shown = []
    for entry in standing_decisions(decisions, fingerprint):
        label = people.setdefault(entry.person, f"reviewer {len(people) + 1}")
        shown.append(entry.approval.model_copy(update={"reviewer": label, "comment": ""}))
    return tuple(shown)


def many_roles(decisions: Sequence[Recorded], fingerprint: str) -> bool:
    """Return whether a decision on this text was recorded under the policy that one person may hold roles."""
    return any(entry.same_person_allowed for entry in _on(decisions, fingerprint))


def check_distinct(
    decisions: Sequence[Recorded], fingerprint: str, role: ReviewRole, person: str, *, allowed: bool
) -> None:
    """Refuse a second role for one person on one text, unless policy allows it.

    Raises:
        InputError: the person already holds another role on this text; the message names the role only.

    """
    holders: dict[ReviewRole, str] = {}
    for entry in standing_decisions(decisions, fingerprint):
        if entry.approval.fingerprint == fingerprint:
            holders[entry.approval.role] = entry.person
    held = [other for other, holder in holders.items() if holder == person and other != role]
    if held and not allowed:
        raise InputError(
            f"this reviewer already decided as {held[0]}; another person must decide as {role}, "
            "or the policy must allow one person several roles (allow_same_person)",
            field="reviewer",
            held=held[0],
        )


def role_states(decisions: Sequence[Recorded], fingerprint: str) -> tuple[RoleState, ...]:
    """Return each role's state on the current text, with who decided last."""
    states = stands_of(decisions, fingerprint).states
    current = standing_decisions(decisions, fingerprint)
    return tuple(_role_state(role, states[role], current, fingerprint) for role in REVIEW_ROLES)


def status_of(
    decisions: Sequence[Recorded], fingerprint: str, *, draft_valid: bool
) -> tuple[ReviewStatus, str | None]:
    """Return status and reason after the decisions (rule 13.2): rejected, complete, or waiting for people."""
    stands = stands_of(decisions, fingerprint)
    if "rejected" in stands.states.values():
        return "blocked", REJECTED
    if draft_valid and stands.complete:
        return "publishable", None
    return "human_required", "human_required"


def failed_criteria(report: GoalReport) -> tuple[str, ...]:
    """Return the criteria besides human approval that the text fails; empty when the draft is valid."""
    return tuple(
        entry.criterion_id
        for entry in report.evaluations
        if entry.outcome == "fail" and entry.criterion_id != APPROVAL_CRITERION
    )


def _choice(field: str, value: object, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise InputError(
            f"{field} {value!r} is not known; use one of {', '.join(allowed)}",
            field=field,
            allowed=list(allowed),
        )
    return str(value)


def _on(decisions: Sequence[Recorded], fingerprint: str) -> list[Recorded]:
    return [entry for entry in decisions if entry.approval.fingerprint == fingerprint]


def _superseded(entry: Recorded, later: Sequence[Recorded]) -> bool:
    own = entry.approval
    return any(
        other.person == entry.person
        and other.approval.role == own.role
        and other.approval.fingerprint == own.fingerprint
        for other in later
    )


def _role_state(
    role: ReviewRole,
    state: Literal["missing", "approved", "rejected", "stale"],
    decisions: Sequence[Recorded],
    fingerprint: str,
) -> RoleState:
    own = [entry.approval for entry in decisions if entry.approval.role == role]
    if state != "stale":
        own = [entry for entry in own if entry.fingerprint == fingerprint]
    if state == "rejected":
        own = [entry for entry in own if entry.decision == "reject"]
    if not own:
        return RoleState(role=role, state=state)
    return RoleState(role=role, state=state, reviewer=own[-1].reviewer, at=own[-1].at)
