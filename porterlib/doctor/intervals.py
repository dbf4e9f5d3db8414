"""Intervals of a share."""

from __future__ import annotations

import math

_Z = 1.959964


def wilson(right: int, items: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson 1927); (0, 1) without items.

    >>> tuple(round(end, 3) for end in wilson(8, 10))
    (0.49, 0.943)

    """
    if items == 0:
        return 0.0, 1.0
    share, spread = right / items, _Z * _Z / items
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / items + spread / (4 * items)) / (1 + spread)
    return max(0.0, round(centre - half, 6)), min(1.0, round(centre + half, 6))
