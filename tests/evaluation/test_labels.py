"""What a text may be called: draft until four people have approved exactly it."""

from __future__ import annotations

from itertools import product

import pytest

from porterlib.contracts.publication import REVIEW_ROLES
from porterlib.evaluation import publication_label, standing

from .factory import FINGERPRINT, all_approvals, approval

STATES = list(product(("missing", "approved", "rejected", "stale"), repeat=4))
FULL = standing(all_approvals(), FINGERPRINT)


@pytest.mark.parametrize("states", STATES)
@pytest.mark.parametrize("valid", [True, False])
def test_nothing_is_board_ready_before_all_four_approve(states: tuple[str, ...], valid: bool) -> None:
    approvals = []
    for role, state in zip(REVIEW_ROLES, states, strict=True):
        if state == "approved":
            approvals.append(approval(role))
        elif state == "rejected":
            approvals.append(approval(role, decision="reject"))
        elif state == "stale":
            approvals.append(approval(role, fingerprint="0" * 64))
    stands = standing(approvals, FINGERPRINT)
    assert tuple(stands.states.values()) == states
    label = publication_label(draft_valid=valid, stands=stands)
    ready = valid and set(states) == {"approved"}
    assert stands.complete == (set(states) == {"approved"})
    assert ("board-ready" in label.casefold()) == ready
    assert ("draft" in label.casefold()) != ready


def test_labels_say_who_is_awaited() -> None:
    assert publication_label(draft_valid=True) == "DRAFT: not reviewed"
    stands = standing(all_approvals()[:2], FINGERPRINT)
    assert (
        publication_label(draft_valid=True, stands=stands)
        == "DRAFT: awaiting approval by technology and risk"
    )
    stands = standing([*all_approvals(), approval("finance", decision="reject")], FINGERPRINT)
    assert publication_label(draft_valid=True, stands=stands) == "DRAFT: rejected by finance"
    assert publication_label(draft_valid=True, stands=FULL).endswith("strategy, finance, technology and risk")


@pytest.mark.parametrize("name", ["Ann Example", " ann  EXAMPLE ", "Ａｎｎ Example"])
def test_one_person_cannot_hold_two_roles_under_another_spelling(name: str) -> None:
    approvals = [approval("strategy", "Ann Example"), *all_approvals()[1:3], approval("risk", name)]
    stands = standing(approvals, FINGERPRINT)
    assert stands.held_twice == ("risk",)
    assert not stands.complete
    label = publication_label(draft_valid=True, stands=stands)
    assert label == "DRAFT: awaiting approval by risk"
    assert standing(approvals, FINGERPRINT, one_person_many_roles=True).complete


def test_an_empty_fingerprint_approves_nothing() -> None:
    assert set(standing(all_approvals(), "").states.values()) == {"stale"}


def test_a_new_approval_of_the_current_text_replaces_a_stale_one() -> None:
    old = approval("risk", fingerprint="0" * 64)
    assert standing([old, *all_approvals()], FINGERPRINT).complete
