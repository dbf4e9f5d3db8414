"""Rules over recorded decisions, without a ledger."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.contracts.publication import REVIEW_ROLES, Approval
from porterlib.errors import FingerprintError, InputError
from porterlib.publication import approvals
from porterlib.publication.approvals import Recorded
from porterlib.rendering import bundle, diff

TEXT, EARLIER = "a" * 64, "b" * 64
NOW = datetime(2026, 7, 1, tzinfo=UTC)


def decided(
    role: str, person: str, decision: str = "approve", text: str = TEXT, allowed: bool = False
) -> Recorded:
    approval = Approval.model_validate(
        {"role": role, "decision": decision, "reviewer": person, "fingerprint": text, "at": NOW}
    )
    return Recorded(approval, person, allowed)


ALL = tuple(decided(role, f"person-{role}") for role in REVIEW_ROLES)


def states(decisions: tuple[Recorded, ...]) -> dict[str, str]:
    return {entry.role: entry.state for entry in approvals.role_states(decisions, TEXT)}


@pytest.mark.parametrize("module", [approvals, bundle, diff])
def test_public_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "Ada Strand",
        "  ada   STRAND ",
        "Ada\u00a0Strand",
        "A\u200bda Strand",
        "\uff21da Strand",
        "Аda Strand",
        "Adá Strand",
    ],
)
def test_one_person_however_the_name_is_typed(name: str) -> None:
    assert approvals.normalised(name) == "ada strand"


@pytest.mark.parametrize("name", ["", "   ", "\u200b\u200d", "—", "...", "x" * 201])
def test_a_reviewer_must_be_named(name: str) -> None:
    with pytest.raises(InputError) as refused:
        approvals.reviewer_of(name)
    assert refused.value.data["field"] == "reviewer"
    assert refused.value.exit_code == 2


def test_stored_name_is_one_visible_line() -> None:
    assert approvals.reviewer_of(" Ada\n\u202eStrand\x07 ") == "Ada Strand"


def test_unknown_role_and_decision_name_the_allowed_values() -> None:
    with pytest.raises(InputError) as role:
        approvals.role_of("legal")
    assert role.value.data == {"field": "role", "allowed": ["strategy", "finance", "technology", "risk"]}
    with pytest.raises(InputError) as decision:
        approvals.decision_of("maybe")
    assert decision.value.data == {"field": "decision", "allowed": ["approve", "reject"]}


def test_a_decision_names_the_current_text() -> None:
    approvals.check_fingerprint(TEXT.upper(), TEXT)
    with pytest.raises(FingerprintError) as other:
        approvals.check_fingerprint(EARLIER, TEXT)
    assert other.value.data["current"] == TEXT
    assert TEXT in other.value.message
    assert other.value.exit_code == 2
    for absent in (None, ""):
        with pytest.raises(InputError) as missing:
            approvals.check_fingerprint(absent, TEXT)
        assert missing.value.data["field"] == "fingerprint"


def test_roles_start_missing() -> None:
    assert set(states(()).values()) == {"missing"}
    assert approvals.status_of((), TEXT, draft_valid=True) == ("human_required", "human_required")


def test_four_approvals_of_four_people_publish() -> None:
    assert set(states(ALL).values()) == {"approved"}
    assert approvals.status_of(ALL, TEXT, draft_valid=True) == ("publishable", None)


def test_an_invalid_draft_is_never_publishable() -> None:
    assert approvals.status_of(ALL, TEXT, draft_valid=False)[0] == "human_required"


def test_three_approvals_wait_for_the_fourth() -> None:
    assert states(ALL[:3])["risk"] == "missing"
    assert approvals.status_of(ALL[:3], TEXT, draft_valid=True)[0] == "human_required"


def test_a_rejection_blocks_whoever_approves_later() -> None:
    decisions = (decided("finance", "eve", "reject"), *ALL)
    assert states(decisions)["finance"] == "rejected"
    assert approvals.status_of(decisions, TEXT, draft_valid=True) == ("blocked", "rejected")
    assert next(e for e in approvals.role_states(decisions, TEXT) if e.role == "finance").reviewer == "eve"


def test_a_rejection_is_taken_back_by_the_person_who_gave_it() -> None:
    decisions = (*ALL, decided("finance", "person-finance", "reject"))
    assert approvals.status_of(decisions, TEXT, draft_valid=True)[0] == "blocked"
    again = (*decisions, decided("finance", "person-finance"))
    assert approvals.status_of(again, TEXT, draft_valid=True)[0] == "publishable"


def test_decisions_on_an_earlier_text_are_stale_and_hold_no_role() -> None:
    earlier = tuple(decided(role, f"person-{role}", text=EARLIER) for role in REVIEW_ROLES)
    assert set(states(earlier).values()) == {"stale"}
    assert approvals.status_of(earlier, TEXT, draft_valid=True)[0] == "human_required"
    approvals.check_distinct(earlier, TEXT, "risk", "person-finance", allowed=False)


def test_a_rejection_of_an_earlier_text_does_not_block_this_one() -> None:
    decisions = (decided("risk", "person-risk", "reject", text=EARLIER), *ALL)
    assert approvals.status_of(decisions, TEXT, draft_valid=True)[0] == "publishable"


def test_one_person_holds_one_role() -> None:
    with pytest.raises(InputError) as refused:
        approvals.check_distinct(ALL[:1], TEXT, "risk", "person-strategy", allowed=False)
    assert refused.value.data == {"field": "reviewer", "held": "strategy"}
    assert "person-strategy" not in refused.value.message


def test_a_role_given_to_another_person_frees_the_first() -> None:
    decisions = (decided("finance", "ada"), decided("finance", "bo"))
    approvals.check_distinct(decisions, TEXT, "risk", "ada", allowed=False)
    with pytest.raises(InputError):
        approvals.check_distinct(decisions, TEXT, "risk", "bo", allowed=False)


def test_policy_lets_one_person_hold_several_roles_only_where_it_was_recorded() -> None:
    approvals.check_distinct(ALL[:1], TEXT, "risk", "person-strategy", allowed=True)
    doubled = (*ALL[:3], decided("risk", "person-strategy", allowed=True))
    assert approvals.status_of(doubled, TEXT, draft_valid=True)[0] == "publishable"
    forged = (*ALL[:3], decided("risk", "person-strategy"))
    assert approvals.status_of(forged, TEXT, draft_valid=True)[0] == "human_required"


def test_no_verdict_sees_a_name() -> None:
    shown = approvals.masked(ALL, TEXT)
    assert [entry.reviewer for entry in shown] == ["reviewer 1", "reviewer 2", "reviewer 3", "reviewer 4"]
    assert all(not entry.comment for entry in shown)


people = st.sampled_from(["ada", "bo", "cy", "di", "eve"])
some_decisions = st.lists(
    st.builds(
        decided,
        st.sampled_from(REVIEW_ROLES),
        people,
        st.sampled_from(["approve", "reject"]),
        st.sampled_from([TEXT, EARLIER]),
    ),
    max_size=14,
).map(tuple)


@given(some_decisions)
def test_publishable_means_four_distinct_people_and_no_standing_rejection(
    decisions: tuple[Recorded, ...],
) -> None:
    status, _ = approvals.status_of(decisions, TEXT, draft_valid=True)
    last: dict[tuple[str, str], str] = {}
    holders: dict[str, str] = {}
    for entry in decisions:
        if entry.approval.fingerprint == TEXT:
            last[(entry.approval.role, entry.person)] = entry.approval.decision
            holders[entry.approval.role] = entry.person
    rejected = "reject" in last.values()
    assert (status == "blocked") == rejected
    if status == "publishable":
        assert set(holders) == set(REVIEW_ROLES)
        assert len(set(holders.values())) == 4


@given(some_decisions)
def test_only_decisions_on_this_text_move_its_status(decisions: tuple[Recorded, ...]) -> None:
    own = tuple(entry for entry in decisions if entry.approval.fingerprint == TEXT)
    assert approvals.status_of(own, TEXT, draft_valid=True) == approvals.status_of(
        decisions, TEXT, draft_valid=True
    )
