"""The vocabulary of a pack's topics: stems that a text uses or not."""

from __future__ import annotations

from collections.abc import Set

_WHOLE = 3  # stems up to this length, such as "ai", stand for themselves


def uses(words: Set[str], stem: str) -> bool:
    """Tell whether one of `words` is `stem` or, for a stem of more than three letters, begins with it.

    >>> uses({"models"}, "model"), uses({"aisle"}, "ai")
    (True, False)
    """
    return stem in words or (len(stem) > _WHOLE and any(word.startswith(stem) for word in words))
