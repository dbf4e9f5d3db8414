"""The writer lease: one writing process on one machine, any number of readers.

The lease is a `flock` on a file of its own that is never deleted. `lockf` would be lost when the process
closes any descriptor of the file; `flock` is not, but a forked child would keep it, so children give it up at
once.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import stat
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from porterlib.clock import Clock, SystemClock
from porterlib.errors import LeaseError, WorkspaceError
from porterlib.ledger.paths import lock_file

POLL_S = 0.05
_HOLDER_BYTES = 4096


class Holder(NamedTuple):
    """Who wrote themselves into the lease file last."""

    pid: int
    host: str
    since: str


class _Registry:
    """Leases held by this process, by the identity of their file."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.held: dict[tuple[int, int], WriterLease] = {}

    def abandon(self) -> None:
        """Give up, in a forked child, what the parent holds: close the descriptors without unlocking."""
        self.lock = threading.Lock()
        for lease in self.held.values():
            lease._abandon()
        self.held.clear()


_registry = _Registry()
os.register_at_fork(after_in_child=_registry.abandon)


class WriterLease:
    """The right to write to one workspace; a context manager.

    Args:
        path: Workspace folder (which must exist) or its ledger file.
        wait_s: How long `acquire` waits for another holder, in seconds.
        clock: Source of the time written into the lease file.

    """

    def __init__(self, path: Path, wait_s: float = 30.0, *, clock: Clock | None = None) -> None:
        self.file = lock_file(path)
        self.wait_s = wait_s
        self._clock = clock or SystemClock()
        self._fd: int | None = None
        self._pid = os.getpid()

    @property
    def held(self) -> bool:
        """Return whether this very object holds the lease in this process."""
        return self._fd is not None and self._pid == os.getpid()

    def acquire(self) -> Self:
        """Take the lease, waiting up to `wait_s`.

        Raises:
            LeaseError: Another process or another handle of this process still holds it; the message says who
                and since when.
            WorkspaceError: The lease file cannot be opened or is not a regular file.

        """
        if self.held:
            raise LeaseError(f"this lease on {str(self.file.parent)!r} is already held; release it first")
        deadline = time.monotonic() + self.wait_s
        while not self._try():
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._refusal()
            time.sleep(min(POLL_S, left))
        return self

    def release(self) -> None:
        """Give the lease back; harmless if it is not held, or in a forked child."""
        if not self.held or self._fd is None:
            return
        fd, self._fd = self._fd, None
        with _registry.lock:
            _registry.held.pop(_identity(os.fstat(fd)), None)
        os.ftruncate(fd, 0)
        # Unlocked explicitly: closing alone would leave the lock to any process that still shares the
        # descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)

    def __enter__(self) -> Self:
        return self if self.held else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _try(self) -> bool:
        fd = _open(self.file)
        taken = False
        try:
            identity = _identity(os.fstat(fd))
            with _registry.lock:
                if (
                    identity not in _registry.held
                    and _lock(fd, self.file)
                    and _still_named(self.file, identity)
                ):
                    self._fd, self._pid, taken = fd, os.getpid(), True
                    _registry.held[identity] = self
            if taken:
                self._sign(fd)
        finally:
            if not taken:
                os.close(fd)
        return taken

    def _sign(self, fd: int) -> None:
        since = f"{self._clock.now():%Y-%m-%dT%H:%M:%SZ}"
        text = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since})
        os.ftruncate(fd, 0)
        os.pwrite(fd, text.encode(), 0)

    def _refusal(self) -> LeaseError:
        holder = lease_holder(self.file.parent)
        who = "another process"
        if holder is not None:
            own = " (this process)" if holder.pid == os.getpid() else ""
            who = f"process {holder.pid}{own} on {holder.host} since {holder.since}"
        return LeaseError(
            f"workspace {str(self.file.parent)!r} is being written by {who}; waited {self.wait_s:g} s. "
            "Try again when it has finished, or open the workspace for reading",
            holder=holder._asdict() if holder else None,
            waited_s=self.wait_s,
        )

    def _abandon(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def lease_holder(path: Path) -> Holder | None:
    """Return who wrote themselves into the lease file of the workspace at `path`, if anyone.

    After a crash the entry stays although the lease is free; it tells who crashed.
    """
    try:
        fd = os.open(lock_file(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        entry = json.loads(os.pread(fd, _HOLDER_BYTES, 0))
        pid, host, since = entry["pid"], entry["host"], entry["since"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    finally:
        os.close(fd)
    if not (isinstance(pid, int) and isinstance(host, str) and isinstance(since, str)):
        return None
    return Holder(pid, _printable(host), _printable(since))


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:255]


def _open(file: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fd = os.open(file, flags, 0o600)
    except OSError as error:
        raise WorkspaceError(f"lease file {str(file)!r} cannot be opened: {error.strerror}") from error
    state = os.fstat(fd)
    if not stat.S_ISREG(state.st_mode):
        os.close(fd)
        raise WorkspaceError(f"lease file {str(file)!r} is not a regular file; remove it and try again")
    if stat.S_IMODE(state.st_mode) != 0o600:
        os.fchmod(fd, 0o600)
    return fd


def _lock(fd: int, file: Path) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise LeaseError(
            f"{str(file)!r} lies on a file system without advisory locks: {error.strerror}"
        ) from error
    return True


def _identity(state: os.stat_result) -> tuple[int, int]:
    return state.st_dev, state.st_ino


def _still_named(file: Path, identity: tuple[int, int]) -> bool:
    """Return whether the locked file is still the one of that name; if not, someone replaced it meanwhile."""
    try:
        return _identity(file.lstat()) == identity
    except FileNotFoundError:
        return False
