"""The ledger of a workspace: opening, runs and their status, resuming."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from porterlib.clock import Clock, SystemClock
from porterlib.contracts.ledger import UNFINISHED, RunRow, RunStatus
from porterlib.errors import IntegrityError, LedgerError, TransitionError
from porterlib.hashing import digest
from porterlib.ledger import opening, paths
from porterlib.ledger.chain import encode_payload, genesis, time_text
from porterlib.ledger.lease import WriterLease
from porterlib.ledger.projections import RESUMED, may_reopen, refusal
from porterlib.ledger.recovery import recover
from porterlib.ledger.writer import LedgerWriter, draft_of

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Ledger(LedgerWriter):
    """The system of record of one workspace; a context manager.

    Several threads may append through one object. A run that a writer touched is marked as in work until the
    writer closes without an exception; what stays marked is closed as interrupted by the next writer.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        file: Path,
        *,
        writable: bool,
        clock: Clock,
        lease: WriterLease | None,
    ) -> None:
        super().__init__(connection, file, writable=writable, clock=clock)
        self._own_lease = lease
        self.recovered: tuple[str, ...] = ()
        """Runs that were closed as interrupted when this ledger was opened."""

    @classmethod
    def open(
        cls,
        path: Path,
        mode: Literal["write", "read"],
        *,
        clock: Clock | None = None,
        lease_wait_s: float = 30.0,
        lease: WriterLease | None = None,
    ) -> Ledger:
        """Open the ledger of a workspace folder, or a file ending in `.db`.

        Writing takes the writer lease first, then makes or migrates the file, then closes interrupted runs.

        Args:
            path: Workspace folder or ledger file.
            mode: `write` for the one writer, `read` for any number of readers.
            clock: Source of the times recorded.
            lease_wait_s: How long to wait for another writer, in seconds.
            lease: A lease the caller holds already and will release itself.

        Raises:
            LedgerError: `mode` is neither, the disk is full, or the file is busy.
            WorkspaceError: The place holds something else than a ledger, or nothing to read.
            SchemaVersionError: A newer version of the library wrote the ledger.
            LeaseError: Another writer did not finish in time.

        """
        file, clock = paths.ledger_file(Path(path)), clock or SystemClock()
        if mode not in ("read", "write"):
            raise LedgerError(f"mode {mode!r} is not known; use 'read' or 'write'")
        if mode == "read":
            return cls(opening.open_reader(file), file, writable=False, clock=clock, lease=None)
        with ExitStack() as undo:
            own = opening.prepare_writing(file, lease, lease_wait_s, clock)
            if own is not None:
                undo.callback(own.release)
            ledger = cls(opening.open_writer(file, undo), file, writable=True, clock=clock, lease=own)
            ledger.recovered = recover(ledger)
            undo.pop_all()
        return ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish(put_down=kind is None)

    def close(self) -> None:
        """Put down all runs, close the file and release the lease."""
        self._finish(put_down=True)

    def _finish(self, *, put_down: bool) -> None:
        try:
            with self._lock:
                if put_down and self.writable and self._connection is not None and self._pid == os.getpid():
                    self._put_down()
        finally:
            super().close()
            if self._own_lease is not None:
                self._own_lease.release()

    def create_run(self, run_id: str, payload: Mapping[str, Any]) -> RunRow:
        """Start a run with its first record; the same run again with the same payload changes nothing.

        Args:
            run_id: Letters, digits, `.`, `_`, `-`; also the name of the run's folder.
            payload: The request, or whatever identifies it. Its field `request_sha256` becomes the run's
                request digest; without it, the digest of the payload does.

        Raises:
            IntegrityError: The run exists with another payload.

        """
        if not _RUN_ID.fullmatch(run_id):
            raise LedgerError(f"run id {run_id!r} is refused; use up to 128 letters, digits, '.', '_', '-'")
        request = _request_digest(payload)
        with self.transaction():
            if self._rows("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)):
                return self._same_run(run_id, payload, request)
            count = self._rows("SELECT coalesce(max(ordinal), 0) FROM runs", ())[0][0]
            content = {**payload, "ordinal": count + 1, "request_sha256": request}
            draft = draft_of("run_created", content)
            record = self._seal(run_id, draft, 1, genesis(run_id))
            moment = time_text(record.recorded_at)
            self._execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, 'created', NULL, ?, 1, ?)",
                (count + 1, run_id, request, moment, moment, record.hash),
            )
            self._insert(record, draft.text)
            return self.run(run_id)

    def set_status(
        self,
        run_id: str,
        status: RunStatus,
        reason: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
    ) -> RunRow:
        """Append a status change and project it; the present status and reason again change nothing.

        Raises:
            TransitionError: The rules do not allow the change.

        """
        with self.transaction():
            run = self.run(run_id)
            if (run.status, run.reason) == (status, reason):
                return run
            if problem := refusal(run.status, run.reason, status, reason):
                raise TransitionError(
                    f"run {run_id!r}: {problem}", run_id=run_id, status=run.status, wanted=status
                )
            return self._change(run, status, reason, {"details": dict(details)} if details else {})

    def reopen(self, run_id: str, to: RunStatus | None = None) -> RunRow:
        """Reopen an interrupted or cancelled run in the status it was stopped in, or in `to`.

        Raises:
            TransitionError: The run ended otherwise, or `to` is not a status of unfinished work.

        """
        with self.transaction():
            run = self.run(run_id)
            if not may_reopen(run.status, run.reason):
                raise TransitionError(
                    f"run {run_id!r} is {run.status}; only interrupted and cancelled runs can be resumed, "
                    "start a new run",
                    run_id=run_id,
                    status=run.status,
                )
            stop = self.latest(run_id, "event")
            target = to or (stop.payload["from"] if stop else "created")
            if target not in UNFINISHED:
                raise TransitionError(
                    f"run {run_id!r} cannot be reopened as {target!r}; name one of {UNFINISHED}"
                )
            return self._change(run, target, RESUMED, {"reopened": True})

    def recover(self) -> tuple[str, ...]:
        """Close the runs that a writer left unfinished as failed (interrupted) and return their ids."""
        return recover(self)

    def touched_runs(self) -> tuple[str, ...]:
        """Return the runs marked as in work, oldest first."""
        rows = self._rows("SELECT run_id FROM open_runs JOIN runs USING (run_id) ORDER BY ordinal", ())
        return tuple(row[0] for row in rows)

    def _put_down(self, run_id: str | None = None) -> None:
        if self.touched_runs():
            with self.transaction():
                self._execute("DELETE FROM open_runs WHERE ? IS NULL OR run_id = ?", (run_id, run_id))

    def _change(self, run: RunRow, status: RunStatus, reason: str | None, more: Mapping[str, Any]) -> RunRow:
        payload = {"from": run.status, "to": status, "reason": reason, **more}
        record = self._append(run.run_id, draft_of("event", payload))
        self._execute(
            "UPDATE runs SET status = ?, reason = ?, changed_at = ? WHERE run_id = ?",
            (status, reason, time_text(record.recorded_at), run.run_id),
        )
        return self.run(run.run_id)

    def _same_run(self, run_id: str, payload: Mapping[str, Any], request: str) -> RunRow:
        run = self.run(run_id)
        content = {**payload, "ordinal": run.ordinal, "request_sha256": request}
        if self.records(run_id, "run_created")[0].payload_sha256 != draft_of("run_created", content).sha256:
            raise IntegrityError(
                f"run {run_id!r} exists with another request; a changed request is a new run"
            )
        return run


def _request_digest(payload: Mapping[str, Any]) -> str:
    if "request_sha256" not in payload:
        encode_payload(payload, "a run_created record")
        return digest("request", dict(payload))
    named = payload["request_sha256"]
    if not isinstance(named, str) or not _SHA256.fullmatch(named):
        raise LedgerError(
            "request_sha256 of a new run is not a SHA-256 in 64 hex digits; leave it out or pass one"
        )
    return named
