"""A process killed at any moment loses nothing committed, and what it leaves verifies."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from porterlib.ledger import INTERRUPTED, Ledger, verify

Start = Callable[..., "subprocess.Popen[str]"]

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from porterlib.ledger import Ledger, store
ledger = Ledger.open(Path(sys.argv[1]), "write")
ledger.create_run("run-c", {})
ledger.set_status("run-c", "verifying")
with ledger.transaction():
    ledger.append("run-c", "step", {"n": 1}, key="1")
    blob = ledger.put_blob(b"x" * 200_000, "text/plain")
    ledger.append("run-c", "capture", {"blob": blob}, key="1")
    if sys.argv[2] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""

WORK = """
import sys
from pathlib import Path
from porterlib.ledger import Ledger
with Ledger.open(Path(sys.argv[1]), "write") as ledger:
    ledger.create_run("run-c", {})
    ledger.set_status("run-c", "verifying")
    for n in range(100_000):
        with ledger.transaction():
            blob = ledger.put_blob(str(n).encode() * 4000, "text/plain")
            ledger.append("run-c", "step", {"n": n, "blob": blob}, key=str(n))
        ledger.append("run-c", "goal", {"goal_id": "g", "status": f"after {n}"})
        print(n, flush=True)
"""


BIRTH = """
import sys
from pathlib import Path
from porterlib.ledger import Ledger
print("ready", flush=True)
for n in range(10_000):
    Ledger.open(Path(sys.argv[1]) / str(n), "write").close()
"""

HOT = """
import os, signal, sys
from pathlib import Path
from porterlib.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]), "write")
for pragma in ("cache_size = 2", "cache_spill = ON"):
    ledger._execute("PRAGMA " + pragma, ())
with ledger.transaction():
    for n in range(60):
        ledger.append("run-a", "step", {"text": "x" * 4000, "n": n})
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("moment", "kept"), [("before", 0), ("after", 1)])
def test_a_kill_around_a_commit_keeps_all_of_it_or_nothing(
    filled: Path, python: Start, moment: str, kept: int
) -> None:
    assert python(KILLED_AT, filled, moment).wait() == -9
    report = verify(filled)
    assert report.ok, report.findings
    assert report.findings == ()
    with Ledger.open(filled, "read") as reader:
        assert reader.status("run-c") == "verifying"
        assert [len(reader.records("run-c", kind)) for kind in ("step", "capture")] == [kept, kept]
    with Ledger.open(filled, "write", lease_wait_s=0) as ledger:
        run = ledger.run("run-c")
        assert (run.status, run.reason) == ("failed", INTERRUPTED)
        assert [other.status for other in ledger.runs()[:2]] == ["achieved_draft"] * 2
    assert verify(filled).ok


@pytest.mark.parametrize("first", ["verify", "read", "write"])
def test_a_half_written_file_is_rolled_back_by_whoever_comes_first(
    filled: Path, python: Start, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    intact = (filled / "ledger.db").read_bytes()
    child = python(HOT, filled)
    assert child.wait() == -9
    assert (filled / "ledger.db").read_bytes() != intact
    assert (filled / "ledger.db-journal").stat().st_size > 4096
    if first != "verify":
        with Ledger.open(filled, first, lease_wait_s=0) as opened:  # type: ignore[arg-type]
            assert len(opened.records("run-a")) == 7
    report = verify(filled)
    assert (report.ok, report.records) == (True, 14)
    assert not (filled / "ledger.db-journal").exists()


@pytest.mark.parametrize("seed", range(8))
def test_a_kill_at_any_moment_leaves_a_ledger_that_verifies_and_resumes(
    filled: Path, python: Start, seed: int
) -> None:
    child = python(WORK, filled)
    assert child.stdout is not None
    assert child.stdout.readline() == "0\n"
    time.sleep(random.Random(seed).uniform(0, 0.12))
    child.kill()
    told = [0, *(int(line) for line in child.communicate()[0].splitlines() if line)]
    report = verify(filled)
    assert report.ok, report.findings
    with Ledger.open(filled, "write", lease_wait_s=0) as ledger:
        steps = ledger.records("run-c", "step")
        assert [record.payload["n"] for record in steps] == list(range(len(steps)))
        assert told[-1] <= len(steps) - 1 <= told[-1] + 1
        assert ledger.reopen("run-c").status == "verifying"
        again = ledger.append("run-c", "step", steps[0].payload, key="0")
        assert again == steps[0]
    assert verify(filled, heads=report.heads).ok


def test_a_kill_during_the_first_opening_leaves_an_openable_workspace(folder: Path, python: Start) -> None:
    child = python(BIRTH, folder)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.15)
    child.kill()
    child.wait()
    born = sorted(folder.iterdir(), key=lambda place: int(place.name)) if folder.exists() else []
    for place in born[-2:]:
        Ledger.open(place, "write", lease_wait_s=0).close()
        assert verify(place).ok
