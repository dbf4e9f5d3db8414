"""A killed run loses nothing committed: it verifies, is taken up, and ends as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).with_name("driver.py")
MOMENTS, SEED = 50, 20260131


def cases(*args: str | Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-W", "error", DRIVER, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=1100,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def whole(case: dict[str, Any], plain: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a run that was killed and taken up."""
    told = {
        "the ledger verifies before it is opened": case.get("verified"),
        "the ledger verifies afterwards": case.get("verified_after"),
        "the fingerprint is that of an undisturbed run": case.get("fingerprint") == plain["fingerprint"],
        "the status is that of an undisturbed run": case.get("final") == [[plain["status"], None]],
        "each query is recorded once": case.get("queries") == plain["queries"],
        "no committed query is asked again": case.get("asked", 0) + case.get("committed_queries", 0) == plain["queries"],
        "every artifact lies on disk as the ledger holds it": case.get("same"),
        "nothing half written stays": case.get("leftover") == [],
    }  # fmt: skip
    yield from (f"{case['case']}: {promise}" for promise, kept in told.items() if not kept)


def check(rows: list[dict[str, Any]]) -> None:
    plain, *others = rows
    assert plain["status"] == "achieved_draft"
    assert [wrong for case in others for wrong in whole(case, plain)] == []


@pytest.mark.timeout(1200)
def test_killed_before_and_after_every_kind_of_commit(tmp_path: Path) -> None:
    rows = cases("commits", tmp_path)
    kinds = {kind for label in rows[0]["labels"] for kind in label.split("+")}
    assert kinds >= {
        "schema", "run_created", "request", "contract", "step", "economics", "plan", "event", "query", "hit",
        "capture", "blob", "evidence", "gap", "snapshot", "attempt_started", "attempt_finished", "goal",
        "checkpoint", "artifact", "put_down",
    }  # fmt: skip
    assert all(case["killed"] for case in rows[1:])
    assert len(rows) > 20
    check(rows)


@pytest.mark.timeout(1200)
def test_killed_at_random_moments(tmp_path: Path) -> None:
    rows = cases("moments", tmp_path, str(MOMENTS), str(SEED))
    assert len(rows) == 1 + MOMENTS
    assert sum(case["killed"] for case in rows[1:]) > MOMENTS // 2
    check(rows)
