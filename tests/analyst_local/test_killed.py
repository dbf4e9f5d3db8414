"""A process killed in the middle of its model calls: what was answered is kept, and a resume does not ask again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from porterlib.analyst.local import check_endpoint, save_profile, stored_calls
from porterlib.ledger import Ledger, verify
from tests.analyst_local.conftest import profile
from tests.analyst_local.scripted import right_answer, scripted

ROOT = Path(__file__).resolve().parents[2]
KILLED_AT = 15


@pytest.mark.timeout(600)
def test_a_killed_run_repeats_no_finished_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    reached, workspace = threading.Event(), tmp_path / "w"

    def say(body: dict[str, Any], at: int) -> Any:
        if at == KILLED_AT:
            reached.set()
            return [30.0, right_answer(body)]
        return right_answer(body)

    with scripted(say) as server:
        endpoint = check_endpoint(server.url)
        save_profile(profile(origin=endpoint.origin, model_detail="owned_by=tests"))
        command = [sys.executable, "-m", "porterlib"]
        case = [
            *("run", "fixtures/requests/bank_kyc.yaml", "--corpus", "fixtures/corpora/bank_kyc"),
            *("--analyst", "local", "--model-url", server.url, "--max-attempts", "1"),
        ]
        process = subprocess.Popen(
            [*command, *case, "--workspace", str(workspace)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert reached.wait(300)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with Ledger.open(workspace, "read") as ledger:
            (run,) = ledger.runs()
            before = stored_calls(ledger, run.run_id)
        done = subprocess.run(
            [*command, "resume", run.run_id, "--workspace", str(workspace), "--json"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        asked = [json.dumps(request["messages"]) for request in server.requests]
    assert json.loads(done.stdout)["status"] in {"achieved_draft", "blocked"}, done.stderr
    with Ledger.open(workspace, "read") as ledger:
        after = stored_calls(ledger, run.run_id)
    assert sum(call.requests for call in before) == KILLED_AT
    assert after[: len(before)] == before
    assert len({call.question for call in after}) == len(after)
    # The question under way when the process died is the only one that was asked twice.
    assert len(asked) - len(set(asked)) <= 1
    assert len(asked) == sum(call.requests for call in after) + 1
    assert verify(workspace).ok
