"""Every transition and limit of the loop, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from porterlib.contracts.supervision import CompletionTarget

from .scripted import FAIL, HUMAN, PASS, Script, Verdict, criterion, start, supervisor

P, F, H = Verdict(PASS), Verdict(FAIL, "same"), Verdict(HUMAN, "waits")
A, B = criterion("G-a"), criterion("G-b")
FINAL = criterion("G-b", retryable=False)
OPTIONAL = criterion("G-b", required=False)


def moving(count: int) -> list[dict[str, Verdict]]:
    return [{"G-a": Verdict(FAIL, f"step {i}"), "G-b": P} for i in range(count)]


TABLE: list[tuple[str, tuple[Any, ...], list[dict[str, Verdict]], dict[str, Any], str, str, int]] = [
    ("all pass", (A, B), [{"G-a": P, "G-b": P}], {}, "achieved_draft", "", 1),
    (
        "all pass, publish target",
        (A, B),
        [{"G-a": P, "G-b": P}],
        {"target": CompletionTarget.PUBLISHABLE},
        "publishable",
        "",
        1,
    ),
    ("person needed", (A, B), [{"G-a": P, "G-b": H}], {}, "human_required", "human_required", 1),
    ("failure outranks a person", (A, B), [{"G-a": F, "G-b": H}], {}, "blocked", "stalled", 2),
    (
        "failure, then only a person",
        (A, B),
        [{"G-a": F, "G-b": H}, {"G-a": P, "G-b": H}],
        {},
        "human_required",
        "human_required",
        2,
    ),
    ("non-retryable at once", (A, FINAL), [{"G-a": P, "G-b": F}], {}, "blocked", "non_retryable", 1),
    (
        "non-retryable outranks the attempt limit",
        (A, FINAL),
        [{"G-a": F, "G-b": F}],
        {"max_attempts": 1},
        "blocked",
        "non_retryable",
        1,
    ),
    (
        "non-retryable person is a pause",
        (A, FINAL),
        [{"G-a": P, "G-b": H}],
        {},
        "human_required",
        "human_required",
        1,
    ),
    ("default attempt limit", (A, B), moving(9), {}, "blocked", "attempts", 3),
    ("attempt limit of one", (A, B), moving(9), {"max_attempts": 1}, "blocked", "attempts", 1),
    (
        "attempt limit of ten",
        (A, B),
        moving(11),
        {"max_attempts": 10, "max_budget_units": 99},
        "blocked",
        "attempts",
        10,
    ),
    ("budget", (A, B), moving(9), {"max_budget_units": 2, "max_attempts": 9}, "blocked", "budget", 2),
    (
        "attempts outrank budget",
        (A, B),
        moving(9),
        {"max_budget_units": 2, "max_attempts": 2},
        "blocked",
        "attempts",
        2,
    ),
    (
        "budget outranks stall",
        (A, B),
        [{"G-a": F, "G-b": P}],
        {"max_budget_units": 2},
        "blocked",
        "budget",
        2,
    ),
    ("stall", (A, B), [{"G-a": F, "G-b": P}], {"max_attempts": 9}, "blocked", "stalled", 2),
    (
        "stall limit of three",
        (A, B),
        [{"G-a": F, "G-b": P}],
        {"max_attempts": 9, "max_budget_units": 50, "stall_limit": 3},
        "blocked",
        "stalled",
        3,
    ),
    (
        "stall must be consecutive",
        (A, B),
        [{"G-a": Verdict(FAIL, marker), "G-b": P} for marker in ("x", "y", "x", "x")],
        {"max_attempts": 9, "max_budget_units": 50},
        "blocked",
        "stalled",
        4,
    ),
    (
        "second attempt succeeds",
        (A, B),
        [{"G-a": F, "G-b": P}, {"G-a": P, "G-b": P}],
        {},
        "achieved_draft",
        "",
        2,
    ),
    ("optional failure decides nothing", (A, OPTIONAL), [{"G-a": P, "G-b": F}], {}, "achieved_draft", "", 1),
    ("optional person decides nothing", (A, OPTIONAL), [{"G-a": P, "G-b": H}], {}, "achieved_draft", "", 1),
]


@pytest.mark.parametrize(
    ("criteria", "rows", "limits", "status", "reason", "attempts"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_transition(criteria: Any, rows: Any, limits: Any, status: str, reason: str, attempts: int) -> None:
    ralph = supervisor(Script(rows))
    state = ralph.run(start(ralph, *criteria, **limits))
    assert (state.status, state.reason, len(state.attempts)) == (status, reason, attempts)


def test_an_evaluator_that_charges_more_reaches_the_budget_sooner() -> None:
    ralph = supervisor(Script(moving(9), units=3))
    state = ralph.run(start(ralph, A, B))
    assert (state.reason, len(state.attempts), state.budget_units_used) == ("budget", 2, 6)


def test_a_free_attempt_uses_no_budget() -> None:
    ralph = supervisor(Script(moving(9), units=0))
    state = ralph.run(start(ralph, A, B, max_budget_units=1))
    assert (state.reason, state.budget_units_used) == ("attempts", 0)


def test_other_words_do_not_hide_a_stall() -> None:
    rows = [{"G-a": Verdict(FAIL, "same", wording=f"wording {i}")} for i in range(5)]
    ralph = supervisor(Script(rows))
    state = ralph.run(start(ralph, A, max_attempts=5))
    assert (state.reason, len(state.attempts)) == ("stalled", 2)


def test_the_order_of_results_does_not_hide_a_stall() -> None:
    rows = [{"G-a": F, "G-b": F}, {"G-b": F, "G-a": F}]
    ralph = supervisor(Script(rows))
    assert ralph.run(start(ralph, A, B)).reason == "stalled"


@pytest.mark.parametrize(
    "limits",
    [
        {"max_attempts": 0},
        {"max_attempts": 11},
        {"max_budget_units": 0},
        {"max_budget_units": 101},
        {"stall_limit": 1},
        {"stall_limit": 11},
    ],
)
def test_limits_outside_their_range_are_refused(limits: dict[str, int]) -> None:
    ralph = supervisor(Script([{"G-a": P}]))
    with pytest.raises(ValueError, match=next(iter(limits))):
        start(ralph, A, **limits)


def test_directives_name_what_failed_and_only_when_a_retry_follows() -> None:
    rows = [{"G-a": Verdict(FAIL, "m1", wording="add a source"), "G-b": P}, {"G-a": F, "G-b": P}]
    ralph = supervisor(Script(rows))
    state = ralph.run(start(ralph, A, B, max_attempts=2))
    first, last = state.attempts
    assert [d.model_dump() for d in first.directives] == [
        {"criterion_id": "G-a", "instruction": "add a source", "progress_marker": "m1"}
    ]
    assert last.directives == ()
