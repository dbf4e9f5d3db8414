"""Time and id sources, as seams: real ones for use, fixed ones for reproducible runs."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time in UTC."""

    def now(self) -> datetime:
        """Return an aware UTC time."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the current time, to the microsecond."""
        return datetime.now(UTC)


class FixedClock:
    """Starts at a given time and advances by `step` at each reading, so that order stays visible."""

    def __init__(self, start: datetime, step: timedelta = timedelta(0)) -> None:
        if start.tzinfo is None:
            raise ValueError(f"a clock needs an aware time, got {start!r}")
        self._now = start.astimezone(UTC)
        self._step = step

    def now(self) -> datetime:
        """Return the current fixed time, then advance it."""
        value = self._now
        self._now += self._step
        return value


class IdSource(Protocol):
    """Mints identifiers that need not come from content."""

    def new(self, prefix: str) -> str:
        """Return a fresh id such as `run-20260102-1f2e3d4c`."""
        ...


class RandomIds:
    """Ids from the operating system's randomness, prefixed with the day for people."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def new(self, prefix: str) -> str:
        """Return `<prefix>-<yyyymmdd>-<8 hex digits>`."""
        return f"{prefix}-{self._clock.now():%Y%m%d}-{secrets.token_hex(4)}"


class SequentialIds:
    """Ids that count up from 1, for reproducible runs."""

    def __init__(self) -> None:
        self._next = 0

    def new(self, prefix: str) -> str:
        """Return `<prefix>-<6-digit counter>`."""
        self._next += 1
        return f"{prefix}-{self._next:06d}"
