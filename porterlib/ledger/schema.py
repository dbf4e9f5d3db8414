"""Tables, triggers and migrations of the ledger file.

Append-only tables refuse UPDATE, DELETE and every INSERT on an existing key, on any connection. The last is
needed because INSERT OR REPLACE deletes the old row without firing delete triggers unless
`recursive_triggers` is on. A released migration is never edited: verification compares a file's schema with
the one its version must have.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from porterlib.contracts.ledger import RECORD_KINDS
from porterlib.errors import SchemaVersionError, WorkspaceError

APPLICATION_ID = 0x504F5254  # "PORT"
MINIMUM_SQLITE = (3, 37, 0)

_RECORDS = """CREATE TABLE records (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  run_id TEXT NOT NULL REFERENCES runs (run_id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  kind TEXT NOT NULL,
  key TEXT CHECK (key <> ''),
  recorded_at TEXT NOT NULL,
  payload TEXT NOT NULL,
  blobs TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  UNIQUE (run_id, seq)
) STRICT"""

_RUNS = """CREATE TABLE runs (
  ordinal INTEGER PRIMARY KEY CHECK (ordinal >= 1),
  run_id TEXT NOT NULL UNIQUE,
  request_sha256 TEXT NOT NULL,
  created_at TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  changed_at TEXT NOT NULL,
  head_seq INTEGER NOT NULL,
  head_hash TEXT NOT NULL
) STRICT"""

_GOALS = """CREATE TABLE goals (
  run_id TEXT NOT NULL REFERENCES runs (run_id),
  goal_id TEXT NOT NULL,
  status TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run_id, goal_id)
) STRICT, WITHOUT ROWID"""

_BLOBS = """CREATE TABLE blobs (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
  media_type TEXT NOT NULL CHECK (media_type <> ''),
  content BLOB NOT NULL
) STRICT"""

# Runs that a writer touched and has not yet put down; what a crash leaves here is closed as interrupted.
_OPEN_RUNS = "CREATE TABLE open_runs (run_id TEXT PRIMARY KEY REFERENCES runs (run_id)) STRICT, WITHOUT ROWID"

_KEY_INDEX = "CREATE UNIQUE INDEX records_key ON records (run_id, kind, key)"


def _guard(table: str, event: str, condition: str, message: str) -> str:
    """Return a trigger that aborts `event` on `table` where `condition` holds (always, if empty)."""
    name = "_".join((table, *re.findall("[a-z]+", message)))
    when = f"WHEN {condition} " if condition else ""
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when}"
        f"BEGIN SELECT RAISE(ABORT, '{table}: {message}'); END"
    )


def _exists(table: str, match: str) -> str:
    return f"EXISTS (SELECT 1 FROM {table} WHERE {match})"  # noqa: S608 - only names of this module


_KINDS = ", ".join(f"'{kind}'" for kind in RECORD_KINDS)
_LAST = "(SELECT coalesce(max(seq), 0) FROM records WHERE run_id = NEW.run_id)"
_TRIGGERS = (
    _guard("records", "UPDATE", "", "no update, records are append-only"),
    _guard("records", "DELETE", "", "no delete, records are append-only"),
    _guard(
        "records",
        "INSERT",
        _exists(
            "records",
            "id = NEW.id OR (run_id = NEW.run_id AND seq = NEW.seq) OR hash = NEW.hash"
            " OR (run_id = NEW.run_id AND kind = NEW.kind AND key = NEW.key)",
        ),
        "no replace, records are append-only",
    ),
    _guard("records", "INSERT", f"NEW.kind NOT IN ({_KINDS})", "kind unknown"),
    _guard("records", "INSERT", f"NEW.seq <> {_LAST} + 1", "position is not the next"),
    _guard(
        "records",
        "INSERT",
        "NEW.seq > 1 AND NEW.prev_hash IS NOT (SELECT hash FROM records"
        " WHERE run_id = NEW.run_id AND seq = NEW.seq - 1)",
        "previous hash is not the last",
    ),
    _guard("blobs", "UPDATE", "", "no update, blobs are append-only"),
    _guard("blobs", "DELETE", "", "no delete, blobs are append-only"),
    _guard(
        "blobs", "INSERT", _exists("blobs", "id = NEW.id OR digest = NEW.digest"), "no replace, append-only"
    ),
    _guard("runs", "DELETE", "", "no delete, runs are append-only"),
    _guard("runs", "INSERT", _exists("runs", "ordinal = NEW.ordinal OR run_id = NEW.run_id"), "no replace"),
    _guard("runs", "UPDATE OF ordinal, run_id, request_sha256, created_at", "", "identity is fixed"),
    _guard("goals", "DELETE", "", "no delete, goals only change status"),
    _guard(
        "goals", "INSERT", _exists("goals", "run_id = NEW.run_id AND goal_id = NEW.goal_id"), "no replace"
    ),
    _guard("goals", "UPDATE OF run_id, goal_id", "", "identity is fixed"),
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (_RUNS, _RECORDS, _KEY_INDEX, _GOALS, _BLOBS, _OPEN_RUNS, *_TRIGGERS),
)
"""Statements that lead from version n to n + 1, each tuple committed together with its mark."""


@contextmanager
def atomic(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a block in one write transaction of a connection that is in autocommit mode."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema version a file is marked with; 0 for a file without content.

    Raises:
        WorkspaceError: The file is a database of something else, or no database.
        SchemaVersionError: A newer version of the library wrote it.

    """
    try:
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        objects = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise WorkspaceError(
            "the file is not a porterlib ledger (not a database); choose another workspace"
        ) from error
    if (application, version, objects) == (0, 0, 0):
        return 0
    if application != APPLICATION_ID or version < 1:
        raise WorkspaceError("the file is a database, but not a porterlib ledger; choose another workspace")
    if version > len(MIGRATIONS):
        raise SchemaVersionError(
            f"the ledger has schema version {version}, this porterlib knows {len(MIGRATIONS)}; "
            "upgrade porterlib",
            found=version,
            known=len(MIGRATIONS),
        )
    return version


def migrate(connection: sqlite3.Connection, migrations: Sequence[Sequence[str]] | None = None) -> int:
    """Bring a file to the newest version, one transaction each, and return how many steps were taken."""
    steps = MIGRATIONS if migrations is None else migrations
    start = schema_version(connection)
    for number, statements in enumerate(steps[start:], start=start + 1):
        with atomic(connection):
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
    return len(steps) - start


def schema_objects(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the objects of a database as `type/name` to the text that made them, white space folded."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    return {f"{_text(kind)}/{_text(name)}": " ".join(_text(sql).split()) for kind, name, sql in rows}


def expected_objects(version: int) -> dict[str, str]:
    """Return what `schema_objects` must find in a ledger of that version."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, MIGRATIONS[:version])
        return schema_objects(connection)
    finally:
        connection.close()


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return "" if value is None else str(value)
