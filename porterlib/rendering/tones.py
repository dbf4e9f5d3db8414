"""Coloured grounds with the text colour that goes on them, shared by all that shows results.

Every pair stands at 4.5:1 or more (WCAG 2.2), so a cell is legible whatever page it stands on. The five steps of
pressure differ in lightness too, so they keep their order in grey and for readers who see colours otherwise.
"""

from __future__ import annotations

from typing import Literal

Tone = Literal[
    "heat1", "heat2", "heat3", "heat4", "heat5", "good", "warn", "bad", "quiet", "mark", "rising", "easing"
]
PAIRS: dict[Tone, tuple[str, str]] = {
    "heat1": ("#fff4e6", "#3a1d06"),
    "heat2": ("#fdd9ae", "#3a1d06"),
    "heat3": ("#f6ad68", "#3a1d06"),
    "heat4": ("#b9480f", "#ffffff"),
    "heat5": ("#6f1d04", "#ffffff"),
    "good": ("#d9efe0", "#12402a"),
    "warn": ("#fbe8b4", "#463300"),
    "bad": ("#f7d5d3", "#6b1210"),
    "quiet": ("#e6eaee", "#26323d"),
    "mark": ("#ffe48a", "#2b2200"),
    "rising": ("#fbe3cf", "#4a2206"),
    "easing": ("#d8e9f5", "#0f3450"),
}
"""Tone to (ground, text)."""
HEAT: tuple[Tone, ...] = ("heat1", "heat2", "heat3", "heat4", "heat5")
HEAT_WORDS = ("low", "moderate", "mixed", "elevated", "high")
"""Words of the five steps, for pressure scored 1 to 5."""


def step(score: float) -> int:
    """Return the step 1 to 5 a score belongs to; halves go up, as a reader rounds."""
    return min(5, max(1, int(score + 0.5)))


def heat(score: float) -> tuple[Tone, str]:
    """Return tone and word for a score between 1 and 5."""
    place = step(score) - 1
    return HEAT[place], HEAT_WORDS[place]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two `#rrggbb` colours (WCAG 2.2, relative luminance)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
