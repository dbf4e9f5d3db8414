"""Decides which source is fetched next: every force first, then spread over forces and publishers.

Pure and deterministic: it knows candidates and outcomes, never time. An attempt is spent on each unique
source, whether or not it succeeds. While a force lacks a capture, the forces without one take turns; then
the next source is the best one of the force with the fewest captures, from the publisher with the fewest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from porterlib.contracts.base import FORCES, Force
from porterlib.errors import InputError

DEFAULT_ATTEMPTS = 15
"""Attempts a run on the web spends unless told otherwise."""
MOST_ATTEMPTS = 50
"""Most attempts a run on the web may be given."""


class Candidate(NamedTuple):
    """A source that may be fetched for a force."""

    source_id: str
    """Minted id; one source may be a candidate of several forces."""
    publisher_key: str
    """What counts as one publisher."""


class CaptureSchedule:
    """The order of attempts for one run.

    >>> schedule = CaptureSchedule({"buyers": [Candidate("S-1", "a"), Candidate("S-2", "b")]}, attempts=2)
    >>> schedule.next().source_id
    'S-1'
    >>> schedule.record("S-1", captured=False)
    >>> schedule.next().source_id
    'S-2'
    """

    def __init__(self, candidates: Mapping[Force, Sequence[Candidate]], *, attempts: int) -> None:
        self._queues = {force: list(candidates.get(force, ())) for force in FORCES}
        self._forces: dict[str, set[Force]] = {}
        for force, row in self._queues.items():
            for candidate in row:
                self._forces.setdefault(candidate.source_id, set()).add(force)
        self._publisher = {c.source_id: c.publisher_key for row in self._queues.values() for c in row}
        self._left = attempts
        self._tried: set[str] = set()
        self._turns = dict.fromkeys(FORCES, 0)
        self._captured = dict.fromkeys(FORCES, 0)
        self._by_publisher: dict[str, int] = {}

    @property
    def uncovered(self) -> tuple[Force, ...]:
        """Forces without a capture so far."""
        return tuple(force for force in FORCES if not self._captured[force])

    def next(self) -> Candidate | None:
        """Return the source to try now and spend an attempt on it; None when either is used up."""
        if self._left < 1:
            return None
        waiting = [force for force in FORCES if self._open(force)]
        if not waiting:
            return None
        uncovered = [force for force in waiting if not self._captured[force]]
        if uncovered:
            force = min(uncovered, key=lambda f: (self._turns[f], FORCES.index(f)))
            candidate = self._open(force)[0]
        else:
            force = min(waiting, key=lambda f: (self._captured[f], self._turns[f], FORCES.index(f)))
            candidate = min(self._open(force), key=lambda c: self._by_publisher.get(c.publisher_key, 0))
        self._turns[force] += 1
        self._left -= 1
        self._tried.add(candidate.source_id)
        return candidate

    def record(self, source_id: str, *, captured: bool) -> None:
        """Note whether a source that `next` gave was captured; a capture counts for every force it serves."""
        if not captured:
            return
        for force in self._forces[source_id]:
            self._captured[force] += 1
        publisher = self._publisher[source_id]
        self._by_publisher[publisher] = self._by_publisher.get(publisher, 0) + 1

    def _open(self, force: Force) -> list[Candidate]:
        row = [candidate for candidate in self._queues[force] if candidate.source_id not in self._tried]
        self._queues[force] = row
        return row


def attempts_for(documents: int | None, *, asked: int | None = None, cap: int = 500) -> int:
    """Return how many attempts a run may spend.

    Args:
        documents: number of documents in a corpus, or None on the web.
        asked: attempts the caller wants, or None for the default.
        cap: most attempts for a corpus; the web's is 50.

    Raises:
        InputError: `asked` is out of range.

    """
    most = MOST_ATTEMPTS if documents is None else max(cap, MOST_ATTEMPTS)
    if asked is not None:
        if not 1 <= asked <= most:
            raise InputError(
                f"attempts: {asked} lies outside 1 to {most}; write for example 15", field="attempts"
            )
        return asked
    return DEFAULT_ATTEMPTS if documents is None else min(max(MOST_ATTEMPTS, documents), most)
