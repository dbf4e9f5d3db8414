"""The pipeline on a 135M model behind a real server: verdicts are right, runs end, nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from porterlib.analyst.local import stored_calls, stored_cost
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.model import CapabilityProfile
from porterlib.doctor import diagnose
from porterlib.ledger import Ledger, verify
from porterlib.verbs.loading import load_run
from porterlib.workspace import open_workspace

pytestmark = [pytest.mark.live, pytest.mark.timeout(2400)]
ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 600
CASE = [
    "fixtures/requests/bank_kyc.yaml",
    *("--corpus", "fixtures/corpora/bank_kyc"),
    *("--economics", "fixtures/economics/kyc_mixed.yaml"),
]


def porterlib(*args: str) -> list[str]:
    return [sys.executable, "-m", "porterlib", *args]


@pytest.fixture(scope="module")
def profile(server: str, profiles: Path) -> CapabilityProfile:
    """Measure once; later tests use what was stored."""
    report = diagnose(server)
    print(report.to_pandas().to_string())
    assert report.usable
    assert report.profile is not None
    verdicts = {probe.name: probe.verdict for probe in report.probes}
    assert verdicts["prefix_cache"] == "good"
    assert verdicts["pipeline_questions"] == "good"
    return report.profile


def test_the_doctor_sees_what_this_server_does(profile: CapabilityProfile) -> None:
    assert profile.schema_enforcement == "enforced"
    assert profile.tool_choice in {"ignored", "followed_when_told"}
    assert profile.transports[0] == "json_schema"
    assert profile.thinking == "none"
    assert profile.context_tokens >= 2048
    assert profile.qualification is not None
    total = profile.qualification.total
    assert total.valid_first >= 0.95 * total.items
    assert total.low <= total.right / total.items <= total.high


def run_golden(server: str, workspace: Path) -> tuple[dict[str, Any], float]:
    command = porterlib("run", *CASE, "--analyst", "local", "--model-url", server, "--json")
    started = time.monotonic()
    done = subprocess.run(
        [*command, "--workspace", str(workspace)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * LIMIT_S,
    )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return json.loads(done.stdout), time.monotonic() - started


@pytest.mark.parametrize("time_round", [1, 2])
def test_the_golden_request_ends_drafted_or_blocked_within_ten_minutes(
    time_round: int, server: str, profile: CapabilityProfile, tmp_path: Path
) -> None:
    summary, seconds = run_golden(server, tmp_path / "w")
    place = open_workspace(tmp_path / "w", "read")
    results = load_run(place, summary["run_id"])
    assert summary["status"] in {"achieved_draft", "blocked"}
    assert results.outcome is not None
    candidate = results.outcome.candidate
    assert candidate is not None
    assert Candidate.model_validate(candidate.to_dict()) == candidate
    assert verify(tmp_path / "w").ok
    with place.reading() as ledger:
        cost = stored_cost(ledger, summary["run_id"])
    print(f"round {time_round}: {summary['status']} {summary['reason']!r} in {seconds:.0f} s")
    print(cost.to_pandas().T.to_string())
    assert seconds < LIMIT_S
    assert cost.total.by_model > 0
    assert cost.total.longest_completion <= 300
    assert (cost.total.cached_share or 0) >= 0.60
    assert (cost.total.valid_first_share or 0) >= 0.95


def test_a_killed_run_repeats_no_finished_call(
    server: str, profile: CapabilityProfile, tmp_path: Path
) -> None:
    workspace = tmp_path / "w"
    command = porterlib("run", *CASE, "--analyst", "local", "--model-url", server, "--max-attempts", "1")
    process = subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    run_id = _wait_for_calls(workspace, process, 12)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with Ledger.open(workspace, "read") as ledger:
        before = stored_calls(ledger, run_id)
    done = subprocess.run(
        porterlib("resume", run_id, "--workspace", str(workspace), "--json"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * LIMIT_S,
    )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    assert json.loads(done.stdout)["status"] in {"achieved_draft", "blocked"}
    with Ledger.open(workspace, "read") as ledger:
        after = stored_calls(ledger, run_id)
    assert after[: len(before)] == before
    assert len({call.question for call in after}) == len(after) > len(before)
    assert verify(workspace).ok


def _wait_for_calls(workspace: Path, process: subprocess.Popen[bytes], wanted: int) -> str:
    for _ in range(2 * LIMIT_S):
        time.sleep(0.5)
        assert process.poll() is None, "the run ended before it could be killed"
        if not (workspace / "ledger.db").exists():
            continue
        with Ledger.open(workspace, "read") as ledger:
            for run in ledger.runs():
                if sum(call.requests > 0 for call in stored_calls(ledger, run.run_id)) >= wanted:
                    return run.run_id
    raise AssertionError("the run asked too few questions")
