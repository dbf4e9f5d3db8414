"""A workspace folder, a filled ledger in it, and a way to run code in another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from porterlib.clock import FixedClock
from porterlib.ledger import Ledger, connection

START = datetime(2026, 1, 31, 9, tzinfo=UTC)


@pytest.fixture
def durable() -> None:
    """Keep the settings of real use: this process waits for the disk at each commit."""


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip what only a power cut can show; killed processes, whose tests run elsewhere, keep the real settings."""
    if "durable" not in request.fixturenames:
        real = connection.durable_settings
        monkeypatch.setattr(connection, "durable_settings", lambda version: (real(version)[0], "OFF"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "decision"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START, timedelta(seconds=1))


@pytest.fixture
def ledger(folder: Path, clock: FixedClock) -> Iterator[Ledger]:
    with Ledger.open(folder, "write", clock=clock, lease_wait_s=0.2) as opened:
        yield opened


@pytest.fixture
def filled(folder: Path, clock: FixedClock) -> Path:
    """Two finished runs: seven records each, one content each, a goal and three status changes."""
    with Ledger.open(folder, "write", clock=clock) as opened:
        for run_id in ("run-a", "run-b"):
            opened.create_run(run_id, {"question": f"adopt for {run_id}?"})
            opened.set_status(run_id, "acquiring_evidence")
            page = opened.put_blob(f"page of {run_id}".encode(), "text/html")
            opened.append(run_id, "capture", {"source": "S-1", "blob": page}, key="S-1")
            opened.append(run_id, "goal", {"goal_id": "five_forces", "status": "running"})
            opened.set_status(run_id, "verifying")
            opened.append(run_id, "goal", {"goal_id": "five_forces", "status": "achieved_draft"})
            opened.set_status(run_id, "achieved_draft")
    return folder


@pytest.fixture
def python() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a Python program in another process with its arguments; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(program: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
