"""Displays in a real notebook: charts are drawn, texts legible in both themes, nothing stands out of its cell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .board import CHARTS, FORMS, TABLES
from .conftest import Board
from .looking import CONTRAST, DRAWN, STANDS_OUT

pytestmark = pytest.mark.browser
WIDTHS = (1280, 800)


@pytest.fixture(params=("Light", "Dark"), scope="module")
def themed(board: Board, request: pytest.FixtureRequest) -> Iterator[Board]:
    board.theme(request.param)
    yield board
    board.theme("Light")


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_drawn_and_not_empty(board: Board, name: str) -> None:
    canvas = board.cell(name).locator("canvas")
    canvas.first.wait_for()
    seen = canvas.first.evaluate(DRAWN)
    assert seen["width"] > 400
    assert seen["height"] > 120
    assert seen["colours"] > 20
    assert seen["marked"] > 0.02


@pytest.mark.parametrize("name", TABLES)
def test_a_table_shows_itself(board: Board, name: str) -> None:
    shown = board.cell(name)
    assert shown.locator(".jp-RenderedHTMLCommon").count() == 1
    assert len(shown.inner_text().strip()) > 40


def test_every_text_is_legible(themed: Board) -> None:
    poor = []
    for name in (*TABLES, *FORMS):
        found = themed.cell(name).evaluate(CONTRAST)
        assert found, name
        poor += [(name, entry["text"], round(entry["ratio"], 2)) for entry in found if entry["ratio"] < 4.5]
    assert poor == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_stands_out_of_its_cell(board: Board, width: int) -> None:
    board.page.set_viewport_size({"width": width, "height": 1000})
    try:
        board.page.wait_for_timeout(600)
        out = {name: board.cell(name).evaluate(STANDS_OUT) for name in (*CHARTS, *TABLES, *FORMS)}
        assert {name: found for name, found in out.items() if found} == {}
    finally:
        board.page.set_viewport_size({"width": 1280, "height": 1000})
