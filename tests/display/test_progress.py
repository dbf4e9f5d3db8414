"""Progress: a line a step where nobody watches, one live display where somebody does."""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from porterlib.display import Progress, progress
from porterlib.display.progress import Lines


class Ticks:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Board:
    """A live surface that remembers what it showed."""

    live = True

    def __init__(self) -> None:
        self.shown: list[str] = []

    def write(self, text: str) -> None:
        self.shown.append(text)


def test_a_script_gets_a_line_a_step_with_elapsed_time() -> None:
    stream, clock = io.StringIO(), Ticks()
    say = Progress(Lines(stream), clock=clock)
    say("reading page 1")
    clock.now += 2.5
    say("reading page 2", tokens=1200)
    say.close()
    assert stream.getvalue().splitlines() == [
        "[   0.0 s] reading page 1",
        "[   2.5 s] reading page 2, 1,200 tokens",
        "[   2.5 s] done after 2 steps, 1,200 tokens",
    ]


def test_without_a_notebook_lines_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as say:
        say("searching for suppliers, query 1")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "searching for suppliers, query 1" in captured.err


def test_a_live_display_shows_itself_at_once_and_ticks_through_silence() -> None:
    board = Board()
    say = Progress(board)
    try:
        time.sleep(0.2)
        assert board.shown[0].startswith("working · 0 s · step 0")
        say("reading page 1")
        time.sleep(1.3)
        assert any(text.startswith("working · 1 s · step 1") for text in board.shown)
    finally:
        say.close()
    assert board.shown[-1].startswith("done · ")
    assert "reading page 1" in board.shown[-1]


def test_the_clock_ends_with_the_work() -> None:
    before = set(threading.enumerate())
    with progress_on(Board()) as say:
        (ticking,) = [t for t in threading.enumerate() if t not in before and t.name == "porterlib-progress"]
        say("step")
    ticking.join(timeout=3)
    assert not ticking.is_alive()


def progress_on(board: Any) -> Progress:
    return Progress(board)


def test_an_interrupt_is_said() -> None:
    board = Board()

    def work() -> None:
        with Progress(board) as say:
            say("reading page 1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert board.shown[-1].startswith("stopped (KeyboardInterrupt) · ")


def test_it_works_inside_a_running_loop() -> None:
    stream = io.StringIO()

    async def work() -> None:
        with Progress(Lines(stream)) as say:
            say("one")
            await asyncio.sleep(0)
            say("two")

    asyncio.run(work())
    assert "two" in stream.getvalue()


def test_control_characters_of_a_step_reach_no_terminal() -> None:
    stream = io.StringIO()
    say = Progress(Lines(stream))
    say("page \x1b[2J\x1b]0;owned\x07 \u202e")
    assert not [c for c in stream.getvalue() if ord(c) < 32 and c != "\n"]


_CELL = """
import porterlib.display as display
with display.progress() as say:
    say("searching for suppliers, query 1")
    say("reading page 1")
"""


@pytest.fixture
def kernel() -> Iterator[Any]:
    manager_module = pytest.importorskip("jupyter_client.manager")
    manager, client = manager_module.start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def _messages(client: Any, *, watched: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    client.execute_interactive(
        _CELL, allow_stdin=watched, stdin_hook=lambda _: None, output_hook=found.append, timeout=60
    )
    return found


@pytest.mark.filterwarnings("default")
def test_a_watched_notebook_rewrites_one_display_and_a_scheduled_one_prints_lines(kernel: Any) -> None:
    watched = _messages(kernel, watched=True)
    kinds = [m["msg_type"] for m in watched]
    assert kinds.count("display_data") == 1
    assert kinds.count("update_display_data") >= 1
    last = [m for m in watched if m["msg_type"] == "update_display_data"][-1]["content"]["data"]
    assert last["text/plain"].startswith("done · ")
    assert set(last) == {"text/plain", "text/html"}
    scheduled = _messages(kernel, watched=False)
    assert "display_data" not in [m["msg_type"] for m in scheduled]
    text = "".join(m["content"]["text"] for m in scheduled if m["msg_type"] == "stream")
    assert "reading page 1" in text
    assert "done after 2 steps" in text
