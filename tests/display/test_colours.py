"""Every text stands at 4.5:1 or more on its ground, and hatching never hides a word."""

from __future__ import annotations

from itertools import pairwise

import pytest

from porterlib.display.style import BLUE, GREEN, INK, ORANGE, PAPER, RED, SERIES, SOFT
from porterlib.rendering.tones import HEAT, PAIRS, contrast, heat, step


def test_contrast_follows_the_published_examples() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("tone", list(PAIRS))
def test_every_coloured_cell_is_legible(tone: str) -> None:
    ground, ink = PAIRS[tone]  # type: ignore[index]
    assert contrast(ground, ink) >= 4.5


@pytest.mark.parametrize("colour", [INK, SOFT, BLUE, ORANGE, GREEN, RED, *SERIES])
def test_text_and_lines_of_charts_are_legible_on_their_sheet(colour: str) -> None:
    assert contrast(colour, PAPER) >= 4.5


def test_the_steps_keep_their_order_in_grey() -> None:
    greys = [contrast(PAIRS[tone][0], "#000000") for tone in HEAT]
    assert all(one > two * 1.15 for one, two in pairwise(greys))


@pytest.mark.parametrize(("score", "place", "word"), [(1, 1, "low"), (1.4, 1, "low"), (1.5, 2, "moderate"),
                                                     (3.4, 3, "mixed"), (3.5, 4, "elevated"), (5, 5, "high")])  # fmt: skip
def test_scores_fall_on_five_steps(score: float, place: int, word: str) -> None:
    assert step(score) == place
    assert heat(score)[1] == word
