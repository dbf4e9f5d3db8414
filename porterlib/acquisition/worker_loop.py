"""Runs a worker to its end or its deadline, from a script as well as inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_GRACE_S = 5.0


def run_within(work: Callable[[], Coroutine[Any, Any, T]], deadline_s: float) -> T:
    """Return the result of `work()`, run in a thread and an event loop of its own.

    At the deadline, or when the caller is interrupted, the work is cancelled; open calls of a model end at
    once, a search under way ends at its own timeout.

    Raises:
        TimeoutError: the deadline came first.

    """
    results: list[T] = []
    failures: list[BaseException] = []
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def bounded() -> T:
        task = asyncio.ensure_future(work())
        started.append((asyncio.get_running_loop(), task))
        return await asyncio.wait_for(task, deadline_s)

    def body() -> None:
        try:
            results.append(asyncio.run(bounded()))
        except BaseException as failure:  # noqa: BLE001 - it is raised again in the caller's thread
            failures.append(failure)

    thread = threading.Thread(target=body, name="porterlib-worker", daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        for loop, task in started:
            loop.call_soon_threadsafe(task.cancel)
        thread.join(_GRACE_S)
        raise
    if failures:
        raise failures[0]
    return results[0]
