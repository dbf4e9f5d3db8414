"""An interrupt at the edge of a transaction stays an interrupt, and what it cut into is taken back whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from porterlib.ledger import Ledger, verify

RUN = "run-1"


class Interrupting:
    """A connection on which Ctrl-C arrives right before or right after a statement."""

    def __init__(self, connection: sqlite3.Connection, statement: str, *, after: bool) -> None:
        self._connection, self._statement, self._after = connection, statement, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: str, *values: Any) -> Any:
        now = sql.startswith(self._statement)
        if now:
            self._statement = "\0"  # it arrives once
            if not self._after:
                raise KeyboardInterrupt
        done = self._connection.execute(sql, *values)
        if now:
            raise KeyboardInterrupt
        return done


def write_two(ledger: Ledger) -> None:
    with ledger.transaction():
        ledger.append(RUN, "step", {"n": 1})
        ledger.append(RUN, "step", {"n": 2})


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("statement", ["SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"])
def test_an_interrupt_at_the_edge_of_a_block_stays_one_and_leaves_the_ledger_usable(
    tmp_path: Path, statement: str, after: bool
) -> None:
    committed = statement == "COMMIT" and after
    with Ledger.open(tmp_path / "w", "write") as ledger:
        ledger.create_run(RUN, {"request_sha256": "0" * 64})
        plain = ledger._connection
        assert plain is not None
        ledger._connection = Interrupting(plain, statement, after=after)  # type: ignore[assignment]
        with pytest.raises(KeyboardInterrupt):
            write_two(ledger)
        ledger._connection = plain
        assert not plain.in_transaction
        assert len(ledger.records(RUN, "step")) == (2 if committed else 0)
        ledger.set_status(RUN, "cancelled", "user")
    with Ledger.open(tmp_path / "w", "read") as ledger:
        assert ledger.status(RUN) == "cancelled"
    assert verify(tmp_path / "w").ok
