"""Where a ledger lies on disk, and its protection: folder 0700, files 0600, no symbolic links."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from porterlib.errors import WorkspaceError

LEDGER_NAME = "ledger.db"
LOCK_NAME = "ledger.lock"
_OWN_NAMES = frozenset({LOCK_NAME, "runs", "knowledge"})


def ledger_file(path: Path) -> Path:
    """Return the database file meant by `path`: itself if it ends in `.db`, else the one in that folder."""
    return path if path.suffix == ".db" else path / LEDGER_NAME


def lock_file(path: Path) -> Path:
    """Return the lease file that guards the ledger at `path`."""
    return ledger_file(path).parent / LOCK_NAME


def is_present(file: Path) -> bool:
    """Return whether `file` exists with content; an empty file is a ledger whose making was cut short.

    Raises:
        WorkspaceError: It is a link, a folder or a device.

    """
    try:
        state = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(state.st_mode):
        raise WorkspaceError(
            f"{str(file)!r} is not a regular file; a ledger is never a link, folder or device"
        )
    return state.st_size > 0


def refuse_foreign_folder(folder: Path) -> None:
    """Raise `WorkspaceError` if `folder` holds other people's files, which must not be re-protected."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise WorkspaceError(f"{str(folder)!r} is not a folder; name a new or empty one")
    foreign = sorted(
        entry.name
        for entry in folder.iterdir()
        if entry.name not in _OWN_NAMES and not entry.name.startswith(LEDGER_NAME)
    )
    if foreign:
        raise WorkspaceError(
            f"{str(folder)!r} holds {foreign[0]!r} and no ledger, so it is not a workspace; "
            "name a new or empty folder"
        )


def protect_folder(folder: Path) -> None:
    """Make `folder` if absent and give it mode 0700."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise WorkspaceError(f"{str(folder)!r} cannot be made a private folder: {error.strerror}") from error


def protect_file(file: Path) -> None:
    """Make `file` if absent and give it mode 0600.

    An existing database is never opened here: closing any descriptor of it would drop the locks that SQLite
    holds on it elsewhere in this process.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        is_present(file)
    except OSError as error:
        raise WorkspaceError(f"{str(file)!r} cannot be created: {error.strerror}") from error
    if stat.S_IMODE(file.stat().st_mode) != 0o600:
        file.chmod(0o600)
