"""The golden case, for tests that run it in this process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from porterlib.clock import FixedClock
from porterlib.contracts.publication import Outcome
from porterlib.verbs.running import run
from porterlib.workspace import Workspace, open_workspace

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
REQUEST = FIXTURES / "requests" / "bank_kyc.yaml"
CORPUS = FIXTURES / "corpora" / "bank_kyc"
ECONOMICS = FIXTURES / "economics" / "kyc_mixed.yaml"
START = datetime(2026, 7, 1, 9, tzinfo=UTC)


def place_at(folder: Path, start: datetime = START) -> Workspace:
    return open_workspace(folder, clock=FixedClock(start, timedelta(seconds=1)))


def run_golden(place: Workspace, **changes: Any) -> Outcome:
    given: dict[str, Any] = {"corpus": CORPUS, "economics": ECONOMICS, "workspace": place, **changes}
    return run(REQUEST, **given)
