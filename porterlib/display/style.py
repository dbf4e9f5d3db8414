"""Colours and sizes, chosen so that every text stands at 4.5:1 or more on what is under it.

Tables carry no page colour: they inherit the theme's text colour on a transparent ground, so light and dark both
work, and only coloured cells bring a pair of their own. Charts cannot follow a theme once drawn, so they bring a
light sheet of paper with them.
"""

from __future__ import annotations

from porterlib.rendering.tones import HEAT as HEAT
from porterlib.rendering.tones import HEAT_WORDS as HEAT_WORDS
from porterlib.rendering.tones import PAIRS as PAIRS
from porterlib.rendering.tones import Tone as Tone
from porterlib.rendering.tones import heat as heat

PAPER, INK, SOFT, RULE = "#fcfbf8", "#1d2935", "#55626e", "#c9cfd5"
BLUE, ORANGE, GREEN, RED = "#1f6391", "#b9480f", "#2b7a4b", "#a32a26"
SERIES = ("#1f6391", "#b9480f", "#2b7a4b", "#6a4c93", "#8a6d00", "#55626e")
"""Lines of a chart, told apart also by their labels."""
FONT = "Helvetica, Arial, sans-serif"
HATCH = "repeating-linear-gradient(45deg,transparent 0 5px,rgba(128,128,128,.38) 5px 7px)"
