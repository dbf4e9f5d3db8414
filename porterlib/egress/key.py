"""The workspace's key, under which restricted terms and rejected queries are hashed."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from porterlib.errors import WorkspaceError

KEY_FILE = "egress.key"
_KEY_BYTES = 32


def workspace_key(folder: Path) -> bytes:
    """Return the key of a workspace folder, made on first use (random, mode 0600).

    An empty file is what a crash at its making left: nothing was hashed yet, so the key is made then.

    Raises:
        WorkspaceError: the key file is a link, has another size, or others may read it.

    """
    path = folder / KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read(path)
    return _make(descriptor, path)


def _make(descriptor: int, path: Path) -> bytes:
    with os.fdopen(descriptor, "wb") as file:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_size:
            return _read(path)  # another process made it meanwhile
        key = secrets.token_bytes(_KEY_BYTES)
        file.write(key)
        file.flush()
        os.fsync(descriptor)
    return key


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError as error:
        raise WorkspaceError(
            f"the egress key {path.name!r} cannot be opened; restore it from a backup"
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
            raise WorkspaceError(f"others may read the egress key {path.name!r}; set its mode to 0600")
        key = file.read(_KEY_BYTES + 1)
    if not key:
        return _make(os.open(path, os.O_WRONLY | os.O_NOFOLLOW), path)
    if len(key) != _KEY_BYTES:
        raise WorkspaceError(
            f"the egress key {path.name!r} is not {_KEY_BYTES} bytes; restore it from a backup"
        )
    return key


def keyed_digest(key: bytes, domain: str, text: str) -> str:
    """Return HMAC-SHA256 of `text` under `key`, separated by `domain`, as 64 hex digits."""
    return hmac.new(
        key, f"porterlib:{domain}:".encode() + text.encode("utf-8", "surrogatepass"), "sha256"
    ).hexdigest()


def fast_digest(key: bytes, text: str) -> bytes:
    """Return a short keyed hash for set membership; 16 bytes of BLAKE2b."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()
