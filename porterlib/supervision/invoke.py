"""Calls a graph or callable once, with tracing off, from any thread, inside or outside an event loop."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from porterlib.errors import SupervisionError

GraphCall = Callable[[Any, dict[str, Any]], Any]


def as_call(graph: Any) -> GraphCall:
    """Return `graph` as one function of input and config.

    Args:
        graph: an object with `invoke(input, config)` (a compiled LangGraph), one with only `ainvoke`, or a
            callable of two arguments, synchronous or not.

    """
    for name in ("invoke", "ainvoke"):
        method = getattr(graph, name, None)
        if callable(method):
            return lambda value, config: method(value, config)
    if callable(graph):
        return lambda value, config: graph(value, config)
    raise SupervisionError(
        f"{type(graph).__name__!r} cannot be supervised; "
        "pass an object with invoke(input, config) or a callable"
    )


def call_untraced(call: GraphCall, value: Any, config: dict[str, Any]) -> Any:
    """Return `call(value, config)`, awaiting it in a thread of its own if it is asynchronous.

    Run data must not leave the machine, whatever LANGSMITH_* variables say: the graph runs with tracing off.
    """
    from langsmith import tracing_context

    with tracing_context(enabled=False):
        result = call(value, config)
        return _await_elsewhere(result) if inspect.isawaitable(result) else result


def _await_elsewhere(result: Awaitable[Any]) -> Any:
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()

    async def wait() -> Any:
        running.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await result

    # The caller may stand inside a running loop (a notebook), where asyncio.run is refused.
    context = contextvars.copy_context()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ralph") as pool:
        answer = pool.submit(context.run, asyncio.run, wait())
        try:
            return answer.result()
        except BaseException:
            # An interrupt reaches this thread, not the loop: without a cancel it would wait for the attempt.
            if not answer.done():
                loop, task = running.result()
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)
            raise
