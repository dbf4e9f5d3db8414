"""The gate as a whole: never crashes, always in the same order, and a verdict that follows from findings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.supervision import CompletionTarget
from porterlib.evaluation import EvaluationContext, default_criteria, evaluate, gate

from .factory import all_approvals, altered, approval, publishing, valid_context

VALID = valid_context()
PLAIN: Any = json.loads(VALID.candidate.model_dump_json())
DRAFT = ("G-decision", "G-forces", "G-evidence", "G-board", "G-analogies", "G-fidelity", "G-counterevidence")


def outcomes(context: EvaluationContext) -> dict[str, str]:
    return {entry.criterion_id: entry.outcome for entry in evaluate(context).evaluations}


class TestCriteria:
    def test_a_draft_with_economics(self) -> None:
        names = [criterion.criterion_id for criterion in default_criteria(VALID)]
        assert names == [*DRAFT, "G-economics"]
        assert all(criterion.required and criterion.retryable for criterion in default_criteria(VALID))

    def test_economics_apply_only_where_something_was_calculated(self) -> None:
        without = replace(VALID, economics=None)
        empty = replace(VALID, economics=VALID.economics.model_copy(update={"calculations": ()}))
        for context in (without, empty):
            assert [criterion.criterion_id for criterion in default_criteria(context)] == list(DRAFT)

    def test_publishing_adds_approval_which_no_retry_can_help(self) -> None:
        last = default_criteria(replace(VALID, target=CompletionTarget.PUBLISHABLE))[-1]
        assert (last.criterion_id, last.required, last.retryable) == ("G-approval", True, False)


class TestVerdict:
    def test_the_valid_draft_passes(self) -> None:
        report = evaluate(VALID, attempt_id="attempt-7")
        assert report.attempt_id == "attempt-7"
        assert report.summary == "8 of 8 criteria pass."
        assert all(entry.progress_marker == "" == entry.remediation for entry in report.evaluations)

    def test_an_error_fails_its_criterion_alone_with_a_remedy(self) -> None:
        context = altered(VALID, "brief.gates", ())
        report = evaluate(context)
        failed = [entry for entry in report.evaluations if entry.outcome == "fail"]
        assert [(e.criterion_id, e.progress_marker) for e in failed] == [("G-board", "GATES_MISSING:1")]
        assert failed[0].remediation == "give at least one measurable stage gate"
        assert report.summary == "7 of 8 criteria pass; failed: G-board."

    def test_a_warning_fails_nothing_and_is_shown(self) -> None:
        context = altered(VALID, "assumptions.0.status", "open")
        entry = next(e for e in evaluate(context).evaluations if e.criterion_id == "G-evidence")
        assert entry.outcome == "pass"
        assert [finding.code for finding in entry.findings] == ["MATERIAL_ASSUMPTION_UNVALIDATED"]

    def test_markers_count_codes_so_that_moving_a_defect_is_no_progress(self) -> None:
        first, second = (altered(VALID, f"brief.{name}.0.basis", ("",)) for name in ("why_now", "risks"))
        markers = [[e.progress_marker for e in evaluate(c).evaluations] for c in (first, second)]
        assert markers[0] == markers[1]
        both = altered(first, "brief.risks.0.basis", ("",))
        assert [e.progress_marker for e in evaluate(both).evaluations] != markers[0]

    @pytest.mark.parametrize(
        ("approvals", "outcome"),
        [
            (all_approvals(), "pass"),
            ((), "human_required"),
            (all_approvals()[:3], "human_required"),
            ((*all_approvals()[:3], approval("risk", fingerprint="0" * 64)), "human_required"),
            ((*all_approvals()[:3], approval("risk", "Synthetic finance")), "human_required"),
            ((*all_approvals()[:3], approval("risk", decision="reject")), "fail"),
            ((approval("finance", decision="reject"),), "fail"),
        ],
    )
    def test_approval(self, approvals: Any, outcome: str) -> None:
        assert outcomes(publishing(VALID, *approvals)) == {
            **dict.fromkeys((*DRAFT, "G-economics"), "pass"),
            "G-approval": outcome,
        }

    def test_one_person_may_hold_two_roles_where_policy_says_so(self) -> None:
        context = publishing(VALID, *all_approvals()[:3], approval("risk", "Synthetic finance"))
        assert outcomes(replace(context, one_person_many_roles=True))["G-approval"] == "pass"

    def test_without_a_fingerprint_nothing_is_approved(self) -> None:
        context = replace(publishing(VALID, *all_approvals()), fingerprint="")
        assert outcomes(context)["G-approval"] == "human_required"


class TestMalformedInput:
    @pytest.mark.parametrize(
        "value",
        [None, 7, "text", [], {}, {"contract": {}}, Candidate.model_construct(), object(), PLAIN | {"x": 1}],
        ids=lambda value: type(value).__name__,
    )
    def test_every_criterion_fails_and_nothing_raises(self, value: Any) -> None:
        context = replace(VALID, candidate=value)
        assert {finding.code for finding in gate(context)} == {"MALFORMED_GATE_INPUT"}
        assert set(outcomes(context).values()) == {"fail"}
        paused = outcomes(publishing(context))
        assert paused.pop("G-approval") == "human_required"
        assert set(paused.values()) == {"fail"}

    def test_snapshot_and_economics_are_validated_too(self) -> None:
        for change in ({"snapshot": {"evidence": 1}}, {"economics": "EUR 5m"}):
            context = replace(VALID, **change)
            assert {finding.code for finding in gate(context)} == {"MALFORMED_GATE_INPUT"}
            evaluate(context)

    def test_an_instance_built_past_its_validators_is_caught(self) -> None:
        views = VALID.candidate.challenge.views[:5]
        context = altered(VALID, "challenge.views", views)
        assert [finding.place for finding in gate(context)] == ["candidate.challenge.views"]

    def test_json_is_as_good_as_an_instance(self) -> None:
        assert gate(replace(VALID, candidate=PLAIN)) == ()

    def test_no_value_of_the_input_is_repeated_in_a_finding(self) -> None:
        broken = PLAIN | {"repairs": "Project Nightjar"}
        assert "Nightjar" not in str(gate(replace(VALID, candidate=broken)))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(found for key, child in children for found in _paths(child, (*path, key)))]


PATHS = _paths(PLAIN)[1:]
JUNK = st.one_of(
    st.none(),
    st.text(max_size=8),
    st.integers(-3, 10**6),
    st.lists(st.text(max_size=3), max_size=3),
    st.sampled_from([PATHS, {}, [], "C-1", "A-1", "X-1", True, 1e308, ["C-0"] * 3]),
)


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return value | {head: _replaced(value[head], rest, new)}
    return [*value[:head], _replaced(value[head], rest, new), *value[head + 1 :]]


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(PATHS), JUNK)
def test_no_single_change_crashes_the_gate(path: tuple[Any, ...], junk: Any) -> None:
    context = replace(VALID, candidate=_replaced(PLAIN, path, junk))
    findings = gate(context)
    assert findings == gate(context)
    report = evaluate(context)
    errors = any(finding.severity == "error" for finding in findings)
    assert errors == any(entry.outcome == "fail" for entry in report.evaluations)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PATHS), min_size=2, max_size=6), st.data())
def test_several_swapped_parts_do_not_crash_it_either(paths: list[Any], data: Any) -> None:
    value = PLAIN
    for path in paths:
        source = data.draw(st.sampled_from(PATHS))
        part: Any = PLAIN
        for key in source:
            part = part[key]
        try:
            value = _replaced(value, path, part)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    gate(replace(VALID, candidate=value))


def test_errors_come_first_and_the_order_is_fixed() -> None:
    context = altered(altered(VALID, "assumptions.0.status", "open"), "brief.gates", ())
    context = altered(context, "brief.analogies", ())
    found = [(finding.severity, finding.code, finding.place) for finding in gate(context)]
    assert found == [
        ("error", "ANALOGY_MISSING", "brief.analogies.cfo"),
        ("error", "ANALOGY_MISSING", "brief.analogies.full_board"),
        ("error", "GATES_MISSING", "brief.gates"),
        ("warning", "MATERIAL_ASSUMPTION_UNVALIDATED", "A-staff"),
    ]


def test_folding_of_case_and_white_space_keeps_fidelity() -> None:
    question = "  " + VALID.candidate.contract.question.upper().replace(" ", "\n ")
    assert gate(altered(VALID, "brief.question", question)) == ()
