"""Attempts are spent coverage first, once a source, and then spread."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.acquisition.scheduling import Candidate, CaptureSchedule, attempts_for
from porterlib.contracts.base import FORCES, Force
from porterlib.errors import InputError

NAMES = st.lists(st.integers(0, 12).map(lambda n: f"S-{n}"), unique=True, max_size=8)
FIELDS = st.fixed_dictionaries(dict.fromkeys(FORCES, NAMES))


def rows(names: dict[Force, list[str]]) -> dict[Force, list[Candidate]]:
    return {force: [Candidate(name, f"publisher {name[-1]}") for name in row] for force, row in names.items()}


def play(names: dict[Force, list[str]], attempts: int, failing: frozenset[str]) -> list[str]:
    schedule = CaptureSchedule(rows(names), attempts=attempts)
    order = []
    while (candidate := schedule.next()) is not None:
        order.append(candidate.source_id)
        schedule.record(candidate.source_id, captured=candidate.source_id not in failing)
    return order


@settings(deadline=None)
@given(FIELDS, st.integers(1, 50), st.frozensets(st.integers(0, 12).map(lambda n: f"S-{n}")))
def test_no_source_is_tried_twice_and_attempts_are_all_that_is_spent(
    names: dict[Force, list[str]], attempts: int, failing: frozenset[str]
) -> None:
    order = play(names, attempts, failing)
    known = {name for row in names.values() for name in row}
    assert len(order) == len(set(order)) == min(attempts, len(known))
    assert order == play(names, attempts, failing)


@settings(deadline=None)
@given(FIELDS)
def test_every_force_with_candidates_is_covered_before_any_gets_more(names: dict[Force, list[str]]) -> None:
    schedule = CaptureSchedule(rows(names), attempts=50)
    coverable = {force for force, row in names.items() if row}
    spent = 0
    while set(schedule.uncovered) & coverable:
        candidate = schedule.next()
        assert candidate is not None
        schedule.record(candidate.source_id, captured=True)
        spent += 1
    assert spent <= len(coverable)


def test_a_failure_uses_an_attempt_and_the_force_is_tried_again_in_turn() -> None:
    names: dict[Force, list[str]] = {
        "new_entrants": ["S-1", "S-2"],
        "suppliers": ["S-3", "S-4"],
        "buyers": [],
        "substitutes": [],
        "rivalry": [],
    }
    assert play(names, 4, frozenset({"S-1"})) == ["S-1", "S-3", "S-2", "S-4"]
    assert play(names, 2, frozenset({"S-1"})) == ["S-1", "S-3"]


def test_after_coverage_attempts_go_to_other_publishers_first() -> None:
    schedule = CaptureSchedule(
        {"buyers": [Candidate("S-1", "a"), Candidate("S-2", "a"), Candidate("S-3", "b")]}, attempts=3
    )
    order = []
    while (candidate := schedule.next()) is not None:
        order.append(candidate.source_id)
        schedule.record(candidate.source_id, captured=True)
    assert order == ["S-1", "S-3", "S-2"]


def test_attempts_have_the_limits_of_web_and_corpus() -> None:
    assert attempts_for(None) == 15
    assert attempts_for(None, asked=50) == 50
    assert attempts_for(7) == 50
    assert attempts_for(320) == 320
    assert attempts_for(9000) == 500
    for asked in (0, 51):
        with pytest.raises(InputError, match="1 to 50"):
            attempts_for(None, asked=asked)
