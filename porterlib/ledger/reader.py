"""Reading the ledger: hash-checked records and contents, current runs and goals."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
import weakref
from pathlib import Path
from typing import Any

from porterlib.contracts.ledger import GoalRow, Record, RecordKind, RunRow, RunStatus
from porterlib.errors import IntegrityError, LedgerError, UnknownRunError
from porterlib.hashing import sha256_hex
from porterlib.ledger.chain import SELECT_RECORDS, read_row
from porterlib.ledger.connection import translated

_SELECT_RUNS = (
    "SELECT run_id, ordinal, status, reason, request_sha256, created_at, changed_at, "
    "head_seq, head_hash FROM runs "
)
_RUN_FIELDS = (
    "run_id",
    "ordinal",
    "status",
    "reason",
    "request_sha256",
    "created_at",
    "changed_at",
    "records",
    "head",
)
_open_readers: weakref.WeakSet[LedgerReader] = weakref.WeakSet()


class LedgerReader:
    """The reading half of a ledger; safe to call from several threads.

    Every query fetches all its rows and closes its cursor, since an open cursor would hold up the writer's
    commit.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self.file = file
        self._connection: sqlite3.Connection | None = connection
        self._lock = threading.RLock()
        self._pid = os.getpid()
        _open_readers.add(self)

    def runs(self) -> tuple[RunRow, ...]:
        """Return all runs, oldest first."""
        rows = self._rows(_SELECT_RUNS + "ORDER BY ordinal", ())
        return tuple(_run_row(row) for row in rows)

    def run(self, run_id: str) -> RunRow:
        """Return the current state of a run.

        Raises:
            UnknownRunError: There is no such run.

        """
        rows = self._rows(_SELECT_RUNS + "WHERE run_id = ?", (run_id,))
        if not rows:
            raise UnknownRunError(
                f"the ledger holds no run {run_id!r}; `porterlib runs` lists them", run_id=run_id
            )
        return _run_row(rows[0])

    def status(self, run_id: str) -> RunStatus:
        """Return the current status of a run."""
        return self.run(run_id).status

    def head(self, run_id: str) -> str:
        """Return the hash of a run's last record."""
        return self.run(run_id).head

    def heads(self) -> dict[str, str]:
        """Return the hash of each run's last record, to be kept elsewhere for a later `verify`."""
        return {run.run_id: run.head for run in self.runs()}

    def goals(self, run_id: str) -> tuple[GoalRow, ...]:
        """Return the current goals of a run, in the order they were last changed."""
        self.run(run_id)
        rows = self._rows(
            "SELECT run_id, goal_id, status, seq FROM goals WHERE run_id = ? ORDER BY seq", (run_id,)
        )
        return tuple(GoalRow(run_id=row[0], goal_id=row[1], status=row[2], seq=row[3]) for row in rows)

    def records(self, run_id: str, kind: RecordKind | None = None) -> tuple[Record, ...]:
        """Return a run's records in order, all or of one kind, each confirmed by its own hash.

        Raises:
            UnknownRunError: There is no such run.
            IntegrityError: A record was changed; the message names it.

        """
        self.run(run_id)
        where = "WHERE run_id = ? AND (? IS NULL OR kind = ?) ORDER BY seq"
        return tuple(read_row(row) for row in self._rows(SELECT_RECORDS + where, (run_id, kind, kind)))

    def find(self, run_id: str, kind: RecordKind, key: str) -> Record | None:
        """Return the record committed under a key, or `None`: then the step has not happened yet."""
        where = "WHERE run_id = ? AND kind = ? AND key = ?"
        rows = self._rows(SELECT_RECORDS + where, (run_id, kind, key))
        return read_row(rows[0]) if rows else None

    def latest(self, run_id: str, kind: RecordKind) -> Record | None:
        """Return the last record of a kind, or `None`."""
        where = "WHERE run_id = ? AND kind = ? ORDER BY seq DESC LIMIT 1"
        rows = self._rows(SELECT_RECORDS + where, (run_id, kind))
        return read_row(rows[0]) if rows else None

    def get_blob(self, digest: str) -> bytes:
        """Return a content by its SHA-256, confirmed by re-hashing.

        Raises:
            LedgerError: The ledger holds no such content.
            IntegrityError: The stored bytes do not have that digest.

        """
        rows = self._rows("SELECT content FROM blobs WHERE digest = ?", (digest,))
        if not rows:
            raise LedgerError(f"the ledger holds no content {digest!r}", digest=digest)
        content = bytes(rows[0][0])
        if sha256_hex(content) != digest:
            raise IntegrityError(
                f"content {digest} does not match its digest; run `porterlib verify`", digest=digest
            )
        return content

    def has_blob(self, digest: str) -> bool:
        """Return whether the ledger holds a content."""
        return bool(self._rows("SELECT 1 FROM blobs WHERE digest = ?", (digest,)))

    def close(self) -> None:
        """Close the connection; harmless if closed, or in a forked child."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
                self._connection = None

    def _usable(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            raise LedgerError("this ledger was opened by the parent process; open it again in this one")
        if self._connection is None:
            raise LedgerError("this ledger is closed; open it again")
        return self._connection

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock, translated("reading"):
            return self._usable().execute(sql, values).fetchall()

    def _orphan(self) -> None:
        """Keep an inherited connection from being closed: that would roll back the parent's transaction."""
        self._lock = threading.RLock()
        if self._connection is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))


def _orphan_all() -> None:
    for reader in list(_open_readers):
        reader._orphan()


os.register_at_fork(after_in_child=_orphan_all)


def _run_row(row: tuple[Any, ...]) -> RunRow:
    try:
        return RunRow.model_validate(dict(zip(_RUN_FIELDS, row, strict=True)))
    except ValueError as error:
        raise IntegrityError(f"the entry of run {row[0]!r} cannot be read; run `porterlib verify`") from error
