"""Appending: transactions, records, contents, and the projections that change with them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from porterlib.clock import Clock
from porterlib.contracts.ledger import RECORD_KINDS, Record, RecordKind
from porterlib.errors import IntegrityError, LedgerError, UnknownRunError
from porterlib.hashing import sha256_hex
from porterlib.ledger.chain import INSERT_RECORD, Draft, encode_payload, payload_digest, row_of, seal
from porterlib.ledger.connection import translated
from porterlib.ledger.projections import ReplayError, goal_of
from porterlib.ledger.reader import LedgerReader

_DIGEST = re.compile(r'"([0-9a-f]{64})"')
_OWN_KINDS = {"run_created": "create_run", "event": "set_status"}


class Entry(NamedTuple):
    """One record to append with `append_many`."""

    kind: RecordKind
    payload: Mapping[str, Any]
    key: str | None = None
    blobs: Sequence[str] = ()


class LedgerWriter(LedgerReader):
    """The appending half of a ledger; several threads may append through one object."""

    def __init__(self, connection: sqlite3.Connection, file: Path, *, writable: bool, clock: Clock) -> None:
        super().__init__(connection, file)
        self.writable = writable
        self._clock = clock
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit a block's appends together or not at all; nests by savepoint.

        Other threads wait until it ends, so do not wait for them inside it.
        """
        with self._lock:
            connection = self._writer()
            nested = self._depth > 0
            self._depth += 1
            try:
                with translated("a transaction"):
                    connection.execute(f"SAVEPOINT nested_{self._depth}" if nested else "BEGIN IMMEDIATE")
                yield
                with translated("a commit"):
                    connection.execute(f"RELEASE nested_{self._depth}" if nested else "COMMIT")
            except BaseException:
                self._take_back(connection, nested=nested)
                raise
            finally:
                self._depth -= 1

    def _take_back(self, connection: sqlite3.Connection, *, nested: bool) -> None:
        if nested:
            # An interrupt may come just before the savepoint is set or just after it is released: then there is
            # none, and the block around this one takes back what was done.
            with suppress(sqlite3.OperationalError):
                connection.execute(f"ROLLBACK TO nested_{self._depth}")
        elif connection.in_transaction:
            connection.execute("ROLLBACK")

    def append(
        self,
        run_id: str,
        kind: RecordKind,
        payload: Mapping[str, Any],
        *,
        key: str | None = None,
        blobs: Sequence[str] = (),
    ) -> Record:
        """Commit one record and return it as it will be read back.

        Args:
            run_id: An existing run.
            kind: What the record is about; `run_created` and `event` have their own methods.
            payload: Plain JSON values. Every digest of a stored content in it becomes a reference.
            key: Makes the step repeatable: the same key and payload again return the first record.
            blobs: Digests of stored contents to refer to besides.

        Raises:
            IntegrityError: The key is taken by another payload, or a content in `blobs` is not stored.
            LedgerError: The payload has no canonical form, or the kind is not known.
            UnknownRunError: There is no such run.

        """
        return self.append_many(run_id, [Entry(kind, payload, key, blobs)])[0]

    def append_many(self, run_id: str, entries: Iterable[Entry]) -> tuple[Record, ...]:
        """Commit several records of a run in one transaction."""
        drafts = [draft_of(entry.kind, entry.payload, entry.key, entry.blobs) for entry in entries]
        for draft in drafts:
            if draft.kind in _OWN_KINDS:
                raise LedgerError(
                    f"a record of kind {draft.kind!r} is made by {_OWN_KINDS[draft.kind]}, not appended"
                )
        with self.transaction():
            return tuple(self._append(run_id, draft) for draft in drafts)

    def put_blob(self, content: bytes, media_type: str) -> str:
        """Store a content once and return its SHA-256; the media type given first stays.

        Committed at once unless inside `transaction`; a crash before the record that refers to it leaves a
        content that `verify` reports as a warning.
        """
        if not media_type:
            raise LedgerError("a content needs a media type, e.g. 'text/plain'")
        name = sha256_hex(content)
        with self.transaction():
            if not self.has_blob(name):
                self._execute(
                    "INSERT INTO blobs (digest, media_type, content) VALUES (?, ?, ?)",
                    (name, media_type, content),
                )
        return name

    def _append(self, run_id: str, draft: Draft) -> Record:
        if draft.key is not None and (existing := self.find(run_id, draft.kind, draft.key)):
            if existing.payload_sha256 != draft.sha256:
                raise IntegrityError(
                    f"record {existing.place} already holds another payload under key {draft.key!r}; "
                    "a changed request, evidence or economics is a new run",
                    place=existing.place,
                )
            return existing
        head = self._rows("SELECT head_seq, head_hash FROM runs WHERE run_id = ?", (run_id,))
        if not head:
            raise UnknownRunError(f"the ledger holds no run {run_id!r}; create it first", run_id=run_id)
        record = self._seal(run_id, draft, head[0][0] + 1, head[0][1])
        self._insert(record, draft.text)
        self._execute(
            "UPDATE runs SET head_seq = ?, head_hash = ? WHERE run_id = ?", (record.seq, record.hash, run_id)
        )
        if record.kind == "goal":
            self._project_goal(record)
        return record

    def _seal(self, run_id: str, draft: Draft, seq: int, prev: str) -> Record:
        moment = self._clock.now()
        return seal(
            draft, run_id=run_id, seq=seq, prev=prev, recorded_at=moment, blobs=self._references(draft)
        )

    def _references(self, draft: Draft) -> dict[str, str]:
        named = sorted({*draft.blobs, *_DIGEST.findall(draft.text)})
        found: dict[str, str] = {}
        for name in named:
            rows = self._rows("SELECT media_type FROM blobs WHERE digest = ?", (name,))
            if rows:
                found[name] = rows[0][0]
            elif name in draft.blobs:
                raise IntegrityError(
                    f"content {name!r} is not stored; call put_blob before the record that names it"
                )
        return found

    def _insert(self, record: Record, text: str) -> None:
        self._execute(INSERT_RECORD, row_of(record, text))
        self._execute(
            "INSERT INTO open_runs SELECT ? WHERE NOT EXISTS (SELECT 1 FROM open_runs WHERE run_id = ?)",
            (record.run_id, record.run_id),
        )

    def _project_goal(self, record: Record) -> None:
        goal_id, status = goal_of(record.payload)
        values = (status, record.seq, record.run_id, goal_id)
        if self._rows("SELECT 1 FROM goals WHERE run_id = ? AND goal_id = ?", values[2:]):
            self._execute("UPDATE goals SET status = ?, seq = ? WHERE run_id = ? AND goal_id = ?", values)
        else:
            self._execute("INSERT INTO goals (status, seq, run_id, goal_id) VALUES (?, ?, ?, ?)", values)

    def _writer(self) -> sqlite3.Connection:
        connection = self._usable()
        if not self.writable:
            raise LedgerError("this ledger is open for reading; open it with mode 'write' to append")
        return connection

    def _execute(self, sql: str, values: tuple[Any, ...]) -> None:
        with translated("an append"):
            self._writer().execute(sql, values)


def draft_of(
    kind: RecordKind, payload: Mapping[str, Any], key: str | None = None, blobs: Sequence[str] = ()
) -> Draft:
    """Return a payload in canonical form, ready to be sealed.

    Raises:
        LedgerError: Kind or key is not allowed, a goal lacks its fields, or no canonical form exists.

    """
    if kind not in RECORD_KINDS:
        raise LedgerError(f"record kind {kind!r} is not known; use one of {', '.join(RECORD_KINDS)}")
    if key == "":
        raise LedgerError(f"a {kind} record has an empty key; leave it out instead")
    encode_payload({"key": key}, f"a {kind} record's key")
    if kind == "goal":
        try:
            goal_of(payload)
        except ReplayError as error:
            raise LedgerError(f"goal record refused: {error}") from error
    text = encode_payload(payload, f"a {kind} record")
    return Draft(kind, key, text, payload_digest(text), tuple(blobs))
