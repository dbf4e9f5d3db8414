"""Verification: a whole ledger file is read, re-hashed and replayed; what disagrees is reported as data."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from porterlib.contracts.ledger import LedgerFinding, VerifyReport
from porterlib.errors import LedgerError, SchemaVersionError, WorkspaceError
from porterlib.ledger import paths
from porterlib.ledger.audit import Audit
from porterlib.ledger.connection import connect_reader, is_busy
from porterlib.ledger.schema import expected_objects, schema_objects, schema_version

_TABLES = ("runs", "records", "goals", "blobs")
_RECORD_CODES = frozenset(
    {
        "RECORD_MALFORMED",
        "RECORD_CHANGED",
        "RECORD_MISSING",
        "LINK_BROKEN",
        "SAVED_HEAD_ABSENT",
        "TRANSITION_ILLEGAL",
    }
)


def verify(ledger_path: Path, *, heads: Mapping[str, str] | None = None) -> VerifyReport:
    """Check a ledger without changing it.

    Found are: a changed, deleted, reordered or cut-off record; records of an unknown run; a status, goal or
    head that does not follow from the records; a changed, missing or unreferenced content; a dropped guard or
    added table; and damage to the file. The chain has a limit: the file's owner can rewrite a whole run, or
    cut its end and the stored head with it, and every hash fits again. Only `heads` saved elsewhere shows
    that.

    Args:
        ledger_path: Workspace folder or ledger file.
        heads: Heads saved from an earlier report (run id to hash); runs may have grown since.

    Raises:
        WorkspaceError: There is no such file. Everything wrong inside the file is a finding.
        LedgerError: A writer holds the file for longer than can be waited for.

    """
    file = paths.ledger_file(Path(ledger_path))
    if not paths.is_present(file):
        raise WorkspaceError(f"{str(file.parent)!r} is not a workspace: there is no {file.name} to verify")
    audit = Audit()
    try:
        with closing(connect_reader(file)) as connection:
            _audit(connection, audit, dict(heads or {}))
    except sqlite3.Error as error:
        if is_busy(error):
            raise LedgerError("the ledger is being written for too long; verify it again later") from error
        audit.add("FILE_CORRUPT", "file", f"the file cannot be read to its end: {error}")
    return _report(audit)


def _audit(connection: sqlite3.Connection, audit: Audit, heads: dict[str, str]) -> None:
    try:
        version = schema_version(connection)
    except WorkspaceError as error:
        audit.add("NOT_A_LEDGER", "file", error.message)
        return
    except SchemaVersionError as error:
        audit.add("SCHEMA_TOO_NEW", "file", error.message)
        return
    if version == 0:
        audit.add("NOT_A_LEDGER", "file", "the file holds no ledger; it was cut to nothing or never filled")
        return
    # Undecodable text must become a finding about one row, not an exception about the whole query.
    connection.text_factory = bytes
    connection.execute("BEGIN")
    if _check_schema(connection, audit, version):
        audit.read_runs(connection)
        audit.read_records(connection)
        audit.compare_goals(connection)
        audit.read_blobs(connection)
        audit.compare_heads(heads)
    _check_file(connection, audit)


def _check_schema(connection: sqlite3.Connection, audit: Audit, version: int) -> bool:
    """Report every object that differs from the version's; return whether the tables can be read."""
    expected, found = expected_objects(version), schema_objects(connection)
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) == found.get(name):
            continue
        problem = (
            "is missing" if name not in found else "was added" if name not in expected else "was changed"
        )
        audit.add("SCHEMA_CHANGED", f"schema/{name}", f"{name} {problem}")
    return all(
        f"table/{name}" in expected and expected[f"table/{name}"] == found.get(f"table/{name}")
        for name in _TABLES
    )


def _check_file(connection: sqlite3.Connection, audit: Audit) -> None:
    for (line,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        text = line.decode("utf-8", "backslashreplace") if isinstance(line, bytes) else str(line)
        if text != "ok":
            audit.add("FILE_CORRUPT", "file", f"SQLite reports: {text}")


def _report(audit: Audit) -> VerifyReport:
    errors = [finding for finding in audit.findings if finding.severity == "error"]
    return VerifyReport(
        ok=not errors,
        runs=len(audit.runs),
        records=audit.records,
        blobs=audit.blobs,
        first_bad=_first_bad(errors),
        heads=audit.heads(),
        findings=tuple(audit.findings),
    )


def _first_bad(errors: list[LedgerFinding]) -> str | None:
    named = [finding for finding in errors if finding.code in _RECORD_CODES] or errors
    return named[0].place if named else None
