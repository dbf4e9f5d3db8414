"""The pipeline on a 135M model behind a real server: verdicts are right, runs end, nothing is asked twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from porterlib.analyst.local import save_profile, stored_calls
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.model import STAGES, CapabilityProfile, DoctorReport, ModelCall, ModelCost
from porterlib.doctor import diagnose
from porterlib.errors import WorkspaceError
from porterlib.ledger import Ledger, verify
from porterlib.verbs.loading import load_run
from porterlib.workspace import open_workspace
from tests.live.recording import Exchange, Relay

pytestmark = [pytest.mark.live, pytest.mark.timeout(1500)]
ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 600
MODEL_SECONDS = 110.0
"""Time a run may spend on the model here; rules answer what is left on a slow machine, and the test says how much."""
KILLED_AFTER = 8
CASE = [
    "fixtures/requests/bank_kyc.yaml",
    *("--corpus", "fixtures/corpora/bank_kyc"),
    *("--economics", "fixtures/economics/kyc_mixed.yaml"),
]


def porterlib(*args: str) -> list[str]:
    return [sys.executable, "-m", "porterlib", *args]


@pytest.fixture(scope="module")
def report(relay: Relay, profiles: Path) -> DoctorReport:
    """Measure once; the runs use what was stored."""
    started = time.monotonic()
    found = diagnose(relay.url)
    print(f"\n{found.to_pandas().to_string()}\ndoctor: {time.monotonic() - started:.0f} s")
    assert found.profile is not None
    save_profile(found.profile.model_copy(update={"run_seconds": MODEL_SECONDS, "call_limits": {}}))
    return found


@pytest.fixture(scope="module")
def profile(report: DoctorReport) -> CapabilityProfile:
    assert report.profile is not None
    return report.profile


def test_the_doctor_sees_what_this_server_does(report: DoctorReport, profile: CapabilityProfile) -> None:
    verdicts = {probe.name: probe.verdict for probe in report.probes}
    assert report.usable
    assert "bad" not in verdicts.values()
    assert [verdicts[name] for name in ("json_schema", "prefix_cache", "usage", "pipeline_questions")] == (
        ["good"] * 4
    )
    assert profile.schema_enforcement == "enforced"
    # The server hands the model the tool and holds it to nothing.
    assert verdicts["forced_tool"] == "usable"
    assert profile.tool_choice in {"ignored", "followed_when_told"}
    assert profile.transports[0] == "json_schema"
    assert "forced_tool" not in profile.transports[:2]
    assert profile.thinking == "none"
    context = next(probe for probe in report.probes if probe.name == "context")
    # A slow machine says that it did not try more than it had time to read.
    assert profile.context_tokens == (2048 if "not tried" in context.value else 4096)
    assert profile.model.startswith("SmolLM2-135M")
    assert profile.prompt_tokens_per_s
    assert profile.completion_tokens_per_s


def test_the_doctor_does_not_flatter_a_135m_model(profile: CapabilityProfile) -> None:
    qualification = profile.qualification
    assert qualification is not None
    total = qualification.total
    assert total.items == 40
    assert total.valid_first >= 0.95 * total.items
    for entry in qualification.by_kind:
        assert entry.low <= entry.right / entry.items <= entry.high
        if entry.kind != "write":  # a sentence has no share by chance
            assert not entry.better_than_chance


def test_the_golden_request_ends_drafted_or_blocked_within_ten_minutes(
    relay: Relay, profile: CapabilityProfile, tmp_path: Path
) -> None:
    before, started = len(relay.exchanges), time.monotonic()
    summary = _finish(_run_command(relay, tmp_path / "w"))
    seconds = time.monotonic() - started
    calls, cost = _check_whole(tmp_path / "w", summary)
    _show("golden run", summary, seconds, cost)
    assert seconds < LIMIT_S
    _check_targets(calls, cost, relay.exchanges[before:])


def test_a_killed_golden_run_repeats_no_finished_call(
    relay: Relay, profile: CapabilityProfile, tmp_path: Path
) -> None:
    first, started, workspace = len(relay.exchanges), time.monotonic(), tmp_path / "w"
    process = subprocess.Popen(
        _run_command(relay, workspace), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        run_id = _wait_for_calls(workspace, process, KILLED_AFTER)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    with Ledger.open(workspace, "read") as ledger:
        kept = stored_calls(ledger, run_id)
    at_kill = len(relay.exchanges)
    summary = _finish(porterlib("resume", run_id, "--workspace", str(workspace), "--json"))
    seconds = time.monotonic() - started
    calls, cost = _check_whole(workspace, summary)
    _show(f"killed after {len(kept)} calls and resumed", summary, seconds, cost)
    assert seconds < LIMIT_S
    assert calls[: len(kept)] == kept
    assert len({call.question for call in calls}) == len(calls) > len(kept)
    asked = [json.dumps(exchange.asked) for exchange in relay.exchanges[first:]]
    # Only questions under way when the process died reached the server twice.
    under_way = profile.slots
    assert len(asked) - len(set(asked)) <= under_way
    answered = {json.dumps(e.asked) for e in relay.exchanges[first:at_kill] if e.whole}
    assert len(answered.difference(asked[at_kill - first :])) >= KILLED_AFTER
    _check_targets(calls, cost, [e for e in relay.exchanges[first:] if e.whole], lost=under_way)


def _run_command(relay: Relay, workspace: Path) -> list[str]:
    return porterlib(
        *("run", *CASE, "--analyst", "local", "--model-url", relay.url),
        *("--workspace", str(workspace), "--json"),
    )


def _finish(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=2 * LIMIT_S)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return json.loads(done.stdout)


def _check_whole(workspace: Path, summary: dict[str, Any]) -> tuple[tuple[ModelCall, ...], ModelCost]:
    """Check that every contract of the run loads and validates, and that its records are whole."""
    place = open_workspace(workspace, "read")
    results = load_run(place, summary["run_id"])  # validates each contract as it reads it
    assert summary["status"] in {"achieved_draft", "blocked"}
    for result in (results.contract, results.snapshot, results.economics, results.outcome):
        assert result is not None
        assert type(result).model_validate(result.to_dict()) == result
    candidate = results.outcome.candidate
    assert candidate is not None
    assert Candidate.model_validate(candidate.to_dict()) == candidate
    assert candidate.analyst.kind == "local"
    assert verify(workspace).ok
    assert results.model_cost is not None
    with place.reading() as ledger:
        return stored_calls(ledger, summary["run_id"]), results.model_cost


def _check_targets(
    calls: tuple[ModelCall, ...], cost: ModelCost, exchanges: list[Exchange], *, lost: int = 0
) -> None:
    """Check the targets twice: by the ledger's records, and by what the server itself answered and counted."""
    total = cost.total
    on_time = not any(call.reason == "over budget" for call in calls)
    assert total.by_model >= (70 if on_time else 10)
    by_model = {call.stage for call in calls if call.answered_by == "model"}
    assert by_model == set(STAGES) if on_time else "assess" in by_model
    assert total.longest_completion <= 300
    assert (total.cached_share or 0) >= 0.60
    assert (total.valid_first_share or 0) >= 0.95
    assert all(exchange.whole for exchange in exchanges)
    assert 0 <= len(exchanges) - total.requests <= lost
    read = sum(exchange.usage["prompt_tokens"] for exchange in exchanges)
    cached = sum(exchange.timings["cache_n"] for exchange in exchanges)
    written = [exchange.usage["completion_tokens"] for exchange in exchanges]
    assert max(written) <= 300
    assert cached >= 0.60 * read
    if not lost:
        assert (total.prompt_tokens, total.cached_tokens) == (read, cached)
        assert total.completion_tokens == sum(written)
    assert sum(exchange.fits_schema for exchange in exchanges) >= 0.95 * len(exchanges)


def _show(what: str, summary: dict[str, Any], seconds: float, cost: ModelCost) -> None:
    print(f"\n{what}: {summary['status']} {summary['reason']!r} in {seconds:.0f} s")
    print(cost.to_pandas().T.to_string())


def _wait_for_calls(workspace: Path, process: subprocess.Popen[bytes], wanted: int) -> str:
    """Return the run's id as soon as so many of its questions were answered by the model."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        time.sleep(0.5)
        assert process.poll() is None, "the run ended before it could be killed"
        for run_id, asked in _asked(workspace).items():
            if asked >= wanted:
                return run_id
    raise AssertionError("the run asked too few questions")


def _asked(workspace: Path) -> dict[str, int]:
    """Return the questions put to the model so far, by run; empty before the ledger can be read."""
    try:
        with Ledger.open(workspace, "read") as ledger:
            calls = {run.run_id: stored_calls(ledger, run.run_id) for run in ledger.runs()}
    except WorkspaceError:
        return {}
    return {run_id: sum(call.requests > 0 for call in made) for run_id, made in calls.items()}
