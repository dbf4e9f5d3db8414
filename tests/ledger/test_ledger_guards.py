"""Triggers stand on any connection, also one that knows nothing of the library."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import porterlib
from porterlib.ledger import verify
from porterlib.ledger.schema import schema_objects

_COLUMNS = "run_id, seq, kind, key, recorded_at, payload, blobs, prev_hash, hash"
_SOURCE = "FROM records WHERE run_id = 'run-a' AND seq"
_HEAD = ("reason", "changed_at", "head_seq", "head_hash")
_NEW_HASH = "'" + "e" * 64 + "'"
_COPY = f"SELECT id, {_COLUMNS} {_SOURCE} = 3"
_CHANGED = f"SELECT id, run_id, seq, kind, key, recorded_at, '{{}}', blobs, prev_hash, hash {_SOURCE} = 3"
_NEXT = f"recorded_at, '{{}}', blobs, hash, {_NEW_HASH} {_SOURCE} = 7"
_RUN_TAIL = f"request_sha256, created_at, 'publishable', {', '.join(_HEAD)} FROM runs WHERE ordinal = 1"
_UNLINKED = f"recorded_at, payload, blobs, prev_hash, {_NEW_HASH} {_SOURCE} = 3"


@pytest.fixture
def foreign(filled: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection: foreign keys and recursive triggers are off, as is SQLite's default."""
    connection = sqlite3.connect(filled / "ledger.db", isolation_level=None)
    assert connection.execute("PRAGMA recursive_triggers").fetchone() == (0,)
    yield connection
    connection.close()


REFUSED = {
    "update a record": "UPDATE records SET payload = '{}' WHERE id = 3",
    "update nothing really": "UPDATE records SET payload = payload",
    "update or replace": "UPDATE OR REPLACE records SET seq = 4 WHERE id = 3",
    "delete a record": "DELETE FROM records WHERE id = 3",
    "delete all records": "DELETE FROM records",
    "insert the same id": f"INSERT INTO records {_COPY}",
    "replace by id": f"INSERT OR REPLACE INTO records {_CHANGED}",
    "replace statement": f"REPLACE INTO records {_CHANGED}",
    "replace by rowid": f"INSERT OR REPLACE INTO records (rowid, {_COLUMNS}) "
    f"SELECT 3, run_id, 8, 'step', NULL, {_NEXT}",
    "replace by position": f"REPLACE INTO records ({_COLUMNS}) SELECT run_id, 3, kind, NULL, {_UNLINKED}",
    "replace by hash": f"REPLACE INTO records ({_COLUMNS}) "
    f"SELECT run_id, 8, kind, NULL, recorded_at, payload, blobs, prev_hash, hash {_SOURCE} = 3",
    "replace by key": f"REPLACE INTO records ({_COLUMNS}) SELECT run_id, 8, 'capture', 'S-1', {_NEXT}",
    "ignore": f"INSERT OR IGNORE INTO records {_CHANGED}",
    "upsert": f"INSERT INTO records {_CHANGED} ON CONFLICT DO UPDATE SET payload = '{{}}'",
    "skip a position": f"INSERT INTO records ({_COLUMNS}) SELECT run_id, 9, kind, NULL, {_UNLINKED}",
    "unlinked record": f"INSERT INTO records ({_COLUMNS}) SELECT run_id, 8, 'step', NULL, {_UNLINKED}",
    "unknown kind": f"INSERT INTO records ({_COLUMNS}) SELECT run_id, 8, 'dream', NULL, {_NEXT}",
    "update a content": "UPDATE blobs SET content = x'00'",
    "delete a content": "DELETE FROM blobs",
    "replace a content by digest": "INSERT OR REPLACE INTO blobs (digest, media_type, content) "
    "SELECT digest, media_type, x'00' FROM blobs WHERE id = 1",
    "replace a content by id": f"INSERT OR REPLACE INTO blobs VALUES (1, {_NEW_HASH}, 'text/plain', x'00')",
    "delete a run": "DELETE FROM runs",
    "replace a run by id": f"REPLACE INTO runs SELECT 9, run_id, {_RUN_TAIL}",
    "replace a run by ordinal": f"REPLACE INTO runs SELECT 1, 'run-z', {_RUN_TAIL}",
    "rename a run": "UPDATE runs SET run_id = 'run-z' WHERE ordinal = 1",
    "change a request digest": f"UPDATE runs SET request_sha256 = {_NEW_HASH} WHERE ordinal = 1",
    "delete a goal": "DELETE FROM goals",
    "replace a goal": "INSERT OR REPLACE INTO goals SELECT run_id, goal_id, 'publishable', seq FROM goals",
    "rename a goal": "UPDATE goals SET goal_id = 'other'",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_a_foreign_connection_cannot_change_what_was_committed(
    foreign: sqlite3.Connection, filled: Path, statement: str
) -> None:
    before = list(foreign.iterdump())
    with pytest.raises(sqlite3.IntegrityError, match=r"^(records|blobs|runs|goals): "):
        foreign.execute(statement)
    assert list(foreign.iterdump()) == before
    assert verify(filled).ok


def test_every_guard_is_met_by_one_of_those_statements(foreign: sqlite3.Connection) -> None:
    objects = schema_objects(foreign)
    guards = {
        sql.split("RAISE(ABORT, '")[1].split("'")[0] for name, sql in objects.items() if "trigger/" in name
    }
    refusals = set()
    for statement in REFUSED.values():
        with pytest.raises(sqlite3.IntegrityError) as refusal:
            foreign.execute(statement)
        refusals.add(str(refusal.value))
    assert len(guards) == 15
    assert refusals == guards


def test_a_projection_can_be_altered_by_a_foreign_connection_but_is_found(
    foreign: sqlite3.Connection, filled: Path
) -> None:
    foreign.execute("UPDATE runs SET status = 'publishable' WHERE run_id = 'run-b'")
    foreign.execute("UPDATE goals SET status = 'publishable' WHERE run_id = 'run-a'")
    places = [finding.place for finding in verify(filled).findings]
    assert places == ["run-b/projection/status", "run-a/projection/goal/five_forces"]


def test_no_statement_numbers_its_placeholders() -> None:
    """From Python 3.14 on SQLite's `?1` counts as a name, which a tuple of values cannot fill."""
    package = Path(porterlib.__file__).parent
    texts = {
        f"{path.name}:{node.lineno}": node.value
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    statements = {
        place: text
        for place, text in texts.items()
        if re.search(r"\b(SELECT|INSERT|DELETE|UPDATE|WHERE)\b", text)
    }
    assert len(statements) > 30
    assert [place for place, text in statements.items() if re.search(r"\?\d|[=(, ][:@$]\w", text)] == []
