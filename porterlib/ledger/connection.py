"""How the database file is opened: durable for the one writer, harmless for readers."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porterlib.errors import IntegrityError, LedgerError
from porterlib.ledger.schema import MINIMUM_SQLITE

BUSY_TIMEOUT_S = 30.0
WAL_SAFE_FROM = (3, 51, 3)


def durable_settings(version: tuple[int, ...]) -> tuple[str, str]:
    """Return journal mode and synchronous level for a SQLite version."""
    # SQLite 3.7.0 to 3.51.2 can corrupt a database when a WAL is reset; a rollback journal cannot, but loses
    # its last commit in a power cut unless EXTRA also syncs the folder.
    return ("wal", "FULL") if version >= WAL_SAFE_FROM else ("delete", "EXTRA")


def connect_writer(file: Path) -> sqlite3.Connection:
    """Open an existing file for writing, in autocommit mode, guards on; durability comes after."""
    connection = _connect(file, "rw")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    # A spilled cache takes the exclusive lock before the commit and would stop readers during long
    # transactions.
    connection.execute("PRAGMA cache_spill = OFF")
    return connection


def apply_durability(connection: sqlite3.Connection) -> None:
    """Set journal mode and synchronous level.

    Raises:
        LedgerError: The file cannot be brought into that journal mode, e.g. while a reader is inside it.

    """
    journal, synchronous = durable_settings(sqlite3.sqlite_version_info)
    found = str(connection.execute(f"PRAGMA journal_mode = {journal}").fetchone()[0]).lower()
    if found != journal:
        raise LedgerError(f"the ledger stays in journal mode {found!r}; close its readers and try again")
    connection.execute(f"PRAGMA synchronous = {synchronous}")


def connect_reader(file: Path) -> sqlite3.Connection:
    """Open an existing file for reading only.

    The file is opened read-write where that is allowed, since a journal that a crash left can only be rolled
    back so; `query_only` then refuses every change.
    """
    connection = _connect(
        file, "rw" if os.access(file, os.W_OK) and os.access(file.parent, os.W_OK) else "ro"
    )
    connection.execute("PRAGMA query_only = ON")
    return connection


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        raise LedgerError(f"SQLite {sqlite3.sqlite_version} is too old for a ledger; 3.37 or newer is needed")
    connection = sqlite3.connect(
        f"{file.resolve().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_S,
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether an error only says that another connection holds the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn SQLite's errors in a block into the library's own.

    Raises:
        IntegrityError: A guard refused a change, or the file is damaged.
        LedgerError: The file is busy, full or unreachable.

    """
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise IntegrityError(f"the ledger refused {doing}: {error}") from error
    except sqlite3.OperationalError as error:
        if not hasattr(error, "sqlite_errorcode"):  # raised while decoding a column, not by SQLite
            raise IntegrityError(
                f"the ledger holds damaged text ({doing}); run `porterlib verify`"
            ) from error
        raise LedgerError(
            f"the ledger could not finish {doing}: {error}; free the file or disk and try again"
        ) from error
    except sqlite3.DatabaseError as error:
        raise IntegrityError(
            f"the ledger file is damaged ({doing}: {error}); run `porterlib verify`"
        ) from error
