"""What went wrong with one request, in words that show nothing of the answer."""

from __future__ import annotations

from typing import Literal, NamedTuple

FailureKind = Literal["throttled", "blocked", "broken", "timeout"]


class Failure(NamedTuple):
    """Why a request gave no usable answer."""

    kind: FailureKind
    """As in `SearchUnavailableError`."""
    detail: str
    """What was seen, without a word of the answer."""
    again: bool
    """Whether asking once more may help."""
    wait_s: float = 0.0
    """Seconds the provider asks to wait."""
