"""What the chain costs: records appended each second against bare inserts with the same durability."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from porterlib.ledger import Ledger, verify
from porterlib.ledger.connection import apply_durability

COUNT = 150
PAYLOAD = {"text": "x" * 1500, "rank": 3, "url": "https://example.org/page"}


@pytest.mark.benchmark
def test_appending_costs_little_more_than_bare_inserts(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "raw.db", isolation_level=None)
    apply_durability(raw)
    raw.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, payload TEXT)")
    start = time.perf_counter()
    for _ in range(COUNT):
        raw.execute("INSERT INTO records (payload) VALUES (?)", (str(PAYLOAD),))
    bare = time.perf_counter() - start
    raw.close()
    with Ledger.open(tmp_path / "decision", "write") as ledger:
        ledger.create_run("run-1", {})
        start = time.perf_counter()
        for number in range(COUNT):
            ledger.append("run-1", "hit", PAYLOAD, key=str(number))
        chained = time.perf_counter() - start
    start = time.perf_counter()
    assert verify(tmp_path / "decision").ok
    checked = time.perf_counter() - start
    print(
        f"bare {COUNT / bare:.0f}/s, ledger {COUNT / chained:.0f}/s, ratio {chained / bare:.1f}, "
        f"verify {COUNT / checked:.0f}/s"
    )
    assert chained / bare < 8
