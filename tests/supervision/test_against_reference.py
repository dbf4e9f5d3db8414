"""Random scripted verdicts, judged by a second, smaller model of the rules and by the meta-graph."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.contracts.supervision import RalphState
from porterlib.supervision import gap_fingerprint, verify_state

from .scripted import FAIL, HUMAN, PASS, Script, Verdict, criterion, report, start, supervisor

NAMES = ("G-a", "G-b", "G-c")
verdicts = st.builds(
    Verdict,
    outcome=st.sampled_from((PASS, FAIL, HUMAN)),
    marker=st.sampled_from(("", "x")),
    errors=st.integers(0, 2),
    wording=st.sampled_from(("this", "that")),
)
rows = st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, verdicts)), min_size=1, max_size=6)
flags = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=3)
limits = st.fixed_dictionaries(
    {
        "max_attempts": st.integers(1, 6),
        "max_budget_units": st.integers(1, 8),
        "stall_limit": st.integers(2, 4),
        "target": st.sampled_from(("draft", "publishable")),
    }
)


def reference(
    script: list[dict[str, Verdict]], kinds: list[tuple[bool, bool]], caps: dict[str, Any], units: int
) -> tuple[str, str, int, int]:
    """Return status, reason, attempts and best attempt, told a second time in other words."""
    required = {name for name, (needed, _) in zip(NAMES, kinds, strict=True) if needed}
    final = {name for name, (_, again) in zip(NAMES, kinds, strict=True) if not again}
    history: list[tuple[int, int, int]] = []
    gaps: list[frozenset[tuple[str, str, str]]] = []
    while True:
        row = script[min(len(history), len(script) - 1)]
        failed = {name for name in required if row[name].outcome == FAIL}
        history.append((len(failed), sum(v.errors for v in row.values()), len(history) + 1))
        gaps.append(frozenset((n, v.outcome, v.marker) for n, v in row.items() if v.outcome != PASS))
        count, best = len(history), min(history)[2]
        if not failed:
            if any(row[name].outcome == HUMAN for name in required):
                return "human_required", "human_required", count, best
            return ("achieved_draft" if caps["target"] == "draft" else "publishable"), "", count, best
        same = 1
        while same < count and gaps[-same - 1] == gaps[-1]:
            same += 1
        for reached, reason in (
            (bool(failed & final), "non_retryable"),
            (count == caps["max_attempts"], "attempts"),
            (count * units >= caps["max_budget_units"], "budget"),
            (same >= caps["stall_limit"], "stalled"),
        ):
            if reached:
                return "blocked", reason, count, best


def begin(script: Any, kinds: Any, caps: Any, units: int) -> tuple[Any, RalphState]:
    ralph = supervisor(Script(script, units))
    criteria = [
        criterion(name, required=needed, retryable=again)
        for name, (needed, again) in zip(NAMES, kinds, strict=True)
    ]
    return ralph, start(ralph, *criteria, **caps)


@settings(max_examples=150, deadline=None)
@given(rows, flags, limits, st.integers(0, 3))
def test_the_loop_agrees_with_the_reference(script: Any, kinds: Any, caps: Any, units: int) -> None:
    ralph, state = begin(script, kinds, caps, units)
    state = ralph.run(state)
    found = (state.status, state.reason, len(state.attempts), state.best_attempt)
    assert found == reference(script, kinds, caps, units)
    verify_state(RalphState.model_validate_json(state.model_dump_json()))
    assert ralph.best_output(state) == {"answer": state.best_attempt}


@settings(max_examples=40, deadline=None)
@given(rows, flags, limits)
def test_the_meta_graph_equals_the_step_loop(script: Any, kinds: Any, caps: Any) -> None:
    looped, state = begin(script, kinds, caps, 1)
    expected = looped.run(state)
    meta, again = begin(script, kinds, caps, 1)
    result = meta.build_meta_graph().invoke({"ralph_state": again})
    assert result["ralph_state"] == expected
    assert meta.build_meta_graph().invoke(result) == result


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, verdicts)), st.permutations(NAMES))
def test_a_fingerprint_depends_on_gaps_alone(row: dict[str, Verdict], order: list[str]) -> None:
    reworded = {name: Verdict(row[name].outcome, row[name].marker, 0, "quite other words") for name in order}
    assert gap_fingerprint(report("a", row)) == gap_fingerprint(report("b", reworded))
    assert (gap_fingerprint(report("a", row)) == "") == all(v.outcome == PASS for v in row.values())
