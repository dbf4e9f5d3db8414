"""Long work in a real notebook: it shows its progress at once, and Stop leaves a run that can be resumed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from porterlib.ledger import verify
from porterlib.workspace import open_workspace

from .board import WORK
from .conftest import Board, Lab

pytestmark = pytest.mark.browser


def test_progress_is_live_and_stop_cancels_the_run(board: Board, lab: Lab) -> None:
    board.start("work", WORK)
    shown = board.cell("work")
    expect(shown.get_by_text("working ·", exact=False)).to_be_visible()
    expect(shown.get_by_text("reading page", exact=False).first).to_be_visible()
    board.interrupt()
    expect(shown.get_by_text("KeyboardInterrupt", exact=False).first).to_be_visible()
    expect(shown.get_by_text("stopped ·", exact=False)).to_be_visible()
    assert board.kernel("print(1 + 1)").strip() == "2"
    place = open_workspace(lab.root / "stopped", "read")
    assert [(row.status, row.reason) for row in place.runs()] == [("cancelled", "user")]
    assert verify(place.path).ok
    board.start("work", "None")
