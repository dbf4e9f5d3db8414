"""Keeps prompts within the measured context: lowest-ranked statements are dropped and counted, none is cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from threading import Lock

from porterlib.analyst.base import Offer
from porterlib.analyst.local.prompts import Prompt

TEMPLATE_TOKENS = 48
"""Room for the marks a chat template adds around two messages."""
REPAIR_TOKENS = 160
"""Room for one refused answer and the error sent back."""


class Budget:
    """Estimates tokens from characters, and learns from what the server counts."""

    def __init__(self, context_tokens: int, chars_per_token: float) -> None:
        self._context = context_tokens
        self._chars = chars_per_token
        self._factor = 1.0
        self._lock = Lock()

    def estimate(self, text: str) -> int:
        """Return tokens of a text, on the safe side: letters beyond ASCII count as one token each."""
        plain = sum(char.isascii() for char in text)
        return math.ceil(self._factor * plain / self._chars + (len(text) - plain))

    def learn(self, text: str, counted: int) -> None:
        """Raise the estimate where the server counted more; it never sinks again within a run."""
        expected = self.estimate(text) + TEMPLATE_TOKENS
        if counted > expected:
            with self._lock:
                self._factor = min(4.0, max(self._factor, self._factor * counted / expected))

    def fit(self, prompt: Prompt, *, schema_chars: int = 0) -> tuple[Offer, ...] | None:
        """Return the statements that fit, in their order, or None if not even one does."""
        room = self._context - prompt.max_tokens - TEMPLATE_TOKENS - REPAIR_TOKENS
        shown = list(prompt.statements)
        while self._size(prompt, shown, schema_chars) > room:
            if prompt.needs_all or len(shown) <= 1:
                return None
            shown.remove(min(shown, key=lambda offer: (prompt.rank.get(offer.id, 0.0), -shown.index(offer))))
        return tuple(shown)

    def _size(self, prompt: Prompt, shown: Sequence[Offer], schema_chars: int) -> int:
        return self.estimate(prompt.system + prompt.user(shown)) + math.ceil(schema_chars / self._chars)
