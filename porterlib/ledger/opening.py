"""Opening a ledger file: refuse what is not ours, protect it, take the lease, then migrate."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from pathlib import Path

from porterlib.clock import Clock
from porterlib.errors import LedgerError, WorkspaceError
from porterlib.ledger import connection as connecting
from porterlib.ledger import paths
from porterlib.ledger.connection import translated
from porterlib.ledger.lease import WriterLease
from porterlib.ledger.schema import MIGRATIONS, migrate, schema_version


def open_reader(file: Path) -> sqlite3.Connection:
    """Return a read-only connection to a ledger of the present version."""
    if not paths.is_present(file):
        raise WorkspaceError(
            f"{str(file.parent)!r} is not a workspace: there is no {file.name}; open it for writing once"
        )
    with ExitStack() as undo, translated("opening"):
        connection = connecting.connect_reader(file)
        undo.callback(connection.close)
        version = schema_version(connection)
        if version < len(MIGRATIONS):
            raise LedgerError(
                f"the ledger has schema version {version}; open it for writing once to bring it up to date"
            )
        undo.pop_all()
    return connection


def prepare_writing(file: Path, lease: WriterLease | None, wait_s: float, clock: Clock) -> WriterLease | None:
    """Refuse what is not ours, protect folder and file, and take the lease unless the caller holds it."""
    if paths.is_present(file):
        _open_for_identity(file)
    else:
        paths.refuse_foreign_folder(file.parent)
    paths.protect_folder(file.parent)
    if lease is None:
        return WriterLease(file, wait_s, clock=clock).acquire()
    if not lease.held or lease.file.resolve() != paths.lock_file(file).resolve():
        raise LedgerError("the lease passed is not held, or is for another workspace")
    return None


def _open_for_identity(file: Path) -> None:
    with translated("opening"):
        connection = connecting.connect_reader(file)
        try:
            version = schema_version(connection)
        finally:
            connection.close()
    # Reading rolls back what a crash at birth left, and the file is empty again; what stays is not ours.
    if version == 0 and paths.is_present(file):
        raise WorkspaceError(f"{str(file)!r} is not a porterlib ledger; choose another workspace")


def open_writer(file: Path, undo: ExitStack) -> sqlite3.Connection:
    """Return a durable, migrated connection under the lease; `undo` closes it if opening fails later."""
    paths.protect_file(file)
    with translated("opening"):
        connection = connecting.connect_writer(file)
        undo.callback(connection.close)
        schema_version(connection)
        connecting.apply_durability(connection)
        migrate(connection)
    return connection
