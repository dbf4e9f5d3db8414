"""Progress of long work: a live line with elapsed time in a notebook, plain lines everywhere else.

    with progress() as say:
        run(request, corpus=corpus, progress=say)

In a notebook that a person watches, one display is updated in place (no widget, so nothing is dead after a restart).
Under papermill, nbconvert and in scripts nobody watches, so every step is a line of its own on stderr, which a
scheduler's log keeps. Each sign is written at once, also while an event loop runs in the kernel.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self, TextIO
from uuid import uuid4

from porterlib.display.html import plain_page
from porterlib.display.text import clean

KEPT = 5
"""Steps that stay visible in a live display."""
_TICK_S = 1.0
_GAP_S = 0.15


class Surface(Protocol):
    """Where progress appears."""

    live: bool
    """True when one display is rewritten; False when every step is a line."""

    def write(self, text: str) -> None:
        """Show a line, or the whole live text."""


class Progress:
    """Takes one line a step; call it, and close it (or leave its `with` block) when the work is over."""

    def __init__(self, surface: Surface, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.surface, self._clock = surface, clock
        self._started, self._shown_at = clock(), float("-inf")
        self._last: deque[str] = deque(maxlen=KEPT)
        self._lock, self._over = threading.Lock(), threading.Event()
        self.steps, self.tokens = 0, 0
        if surface.live:
            self._tick_along()

    def __call__(self, line: str, *, tokens: int = 0) -> None:
        """Note a step; `tokens` are those the step used, if a model answered."""
        with self._lock:
            self.steps, self.tokens = self.steps + 1, self.tokens + tokens
            stamped = f"[{self._elapsed():6.1f} s] {clean(line, 200)}" + self._spent()
            self._last.append(stamped)
        if not self.surface.live:
            self.surface.write(stamped)
        elif self._clock() - self._shown_at >= _GAP_S:
            self._refresh("working")

    def close(self, state: str = "done") -> None:
        """Write the last word; what comes later is ignored. Closing twice changes nothing."""
        if self._over.is_set():
            return
        self._over.set()
        if self.surface.live:
            self._refresh(state)
        elif self.steps:
            self.surface.write(f"[{self._elapsed():6.1f} s] {state} after {self.steps} steps" + self._spent())

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close, and say when the work stopped early."""
        self.close("done" if kind is None else f"stopped ({kind.__name__})")

    def _elapsed(self) -> float:
        return self._clock() - self._started

    def _spent(self) -> str:
        return f", {self.tokens:,} tokens" if self.tokens else ""

    def _refresh(self, state: str) -> None:
        # Written under the lock: two threads must not both open the display, nor "working" follow "done".
        with self._lock:
            if state == "working" and self._over.is_set():
                return
            self._shown_at = self._clock()
            head = f"{state} · {self._elapsed():.0f} s · step {self.steps}{self._spent()}"
            self.surface.write("\n".join((head, *self._last)))

    def _tick_along(self) -> None:
        """Keep the seconds moving while a step is silent; the thread ends with the work."""
        context = contextvars.copy_context()

        def tick() -> None:
            while not self._over.wait(_TICK_S):
                self._refresh("working")

        self._refresh("working")
        threading.Thread(target=context.run, args=(tick,), name="porterlib-progress", daemon=True).start()


class Lines:
    """Plain lines on a stream, each flushed."""

    live = False

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write one line."""
        print(text, file=self._stream or sys.stderr, flush=True)


class LiveDisplay:
    """One display of a notebook cell, rewritten in place."""

    live = True

    def __init__(self) -> None:
        self._id, self._shown = uuid4().hex, False

    def write(self, text: str) -> None:
        """Show or rewrite the text."""
        publish: Any = import_module("IPython.display").publish_display_data
        bundle = {"text/plain": text, "text/html": plain_page(text)}
        publish(bundle, transient={"display_id": self._id}, update=self._shown)
        self._shown = True


def progress() -> Progress:
    """Return a callable for the `progress` argument of the verbs, fitting where the program runs."""
    shell = _watched_shell()
    if shell is None:
        return Progress(Lines())
    made = Progress(LiveDisplay())

    def over(result: Any) -> None:
        shell.events.unregister("post_run_cell", over)
        made.close("done" if result is None or result.success else "stopped")

    # A cell that ends without closing must not leave a clock that runs for ever.
    shell.events.register("post_run_cell", over)
    return made


def _watched_shell() -> Any | None:
    """Return the shell of a notebook somebody looks at, or None.

    A front end with a person behind it can ask for input; papermill and nbconvert say that they cannot.
    """
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    asked = shell.get_parent() if hasattr(shell, "get_parent") else {}
    content = asked.get("content", {}) if isinstance(asked, dict) else {}
    return shell if content.get("allow_stdin", True) else None
