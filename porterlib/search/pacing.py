"""How fast a provider is asked, and how often again after a failure.

DuckDuckGo answers the fifth quick query of an address with a challenge, so queries are spread from the
start. A wait doubles with each failure and is drawn at random from its upper half, so that two machines
behind one address do not fall into step.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pacing:
    """Waits between requests; sleep, randomness and clock are seams for tests."""

    gap_s: float = 2.0
    """Seconds between two requests, at least; up to half of it more is added at random."""
    backoff_s: float = 3.0
    """Seconds before the first repetition; each further one doubles it."""
    longest_s: float = 30.0
    """Most seconds to wait before a repetition."""
    cooldown_s: float = 300.0
    """Seconds in which a provider that blocked this machine is not asked at all; asking prolongs a block."""
    sleep: Callable[[float], None] = time.sleep
    """Waits."""
    uniform: Callable[[float, float], float] = field(default=random.uniform)
    """Draws a number between two."""
    monotonic: Callable[[], float] = time.monotonic
    """Tells seconds since some moment."""

    def before_request(self, last: float | None) -> None:
        """Wait until `gap_s` and its random part have passed since the request at `last`."""
        if last is None:
            return
        wait = last + self.uniform(self.gap_s, 1.5 * self.gap_s) - self.monotonic()
        if wait > 0:
            self.sleep(wait)

    def before_repetition(self, failures: int, asked_s: float = 0.0) -> None:
        """Wait after the `failures`-th failure, and as long as the provider asked for if that is longer."""
        most = min(self.longest_s, self.backoff_s * 2 ** (failures - 1))
        self.sleep(max(self.uniform(most / 2, most), min(asked_s, self.longest_s)))
