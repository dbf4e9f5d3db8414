"""Runs one coroutine at a time for callers in any thread, inside or outside an event loop, and can stop them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from threading import Lock, Thread
from typing import Any, TypeVar

from porterlib.analyst.local.problems import CallsCancelled

T = TypeVar("T")


class Runner:
    """Waits for coroutines on behalf of synchronous callers; `cancel` stops all of them and all to come."""

    def __init__(self) -> None:
        self._active: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}
        self._lock = Lock()
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Return whether calls were cancelled."""
        return self._cancelled

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return the coroutine's result; an interrupt of this thread cancels it first.

        Raises:
            CallsCancelled: `cancel` was called before or meanwhile.

        """
        if self._cancelled:
            coroutine.close()
            raise CallsCancelled("model calls were cancelled; resume the run to go on")
        answer: Future[T] = Future()
        thread = Thread(target=self._serve, args=(coroutine, answer), name="model-call", daemon=True)
        thread.start()
        try:
            result = answer.result()
        except CancelledError as error:
            raise CallsCancelled("model calls were cancelled; resume the run to go on") from error
        except KeyboardInterrupt:
            self.cancel()
            raise
        thread.join()
        return result

    def cancel(self) -> None:
        """Stop every call under way, from any thread."""
        with self._lock:
            self._cancelled = True
            active = list(self._active.items())
        for task, loop in active:
            loop.call_soon_threadsafe(task.cancel)

    def reset(self) -> None:
        """Allow calls again after a cancel."""
        self._cancelled = False

    def _serve(self, coroutine: Coroutine[Any, Any, T], answer: Future[T]) -> None:
        async def work() -> T:
            task = asyncio.current_task()
            if task is None:  # pragma: no cover - asyncio.run always makes one
                raise RuntimeError("no task")
            with self._lock:
                self._active[task] = asyncio.get_running_loop()
                if self._cancelled:
                    task.cancel()
            try:
                return await coroutine
            finally:
                with self._lock:
                    self._active.pop(task, None)

        try:
            answer.set_result(asyncio.run(work()))
        except asyncio.CancelledError:
            answer.cancel()
            answer.set_running_or_notify_cancel()
        except BaseException as error:  # noqa: BLE001 - handed to the waiting caller, where it is raised
            answer.set_exception(error)


def run_cancellable(call: Callable[[], T], cancel: Callable[[], None]) -> T:
    """Return `call()` from a thread of its own, so that an interrupt here can cancel it at once.

    A graph that fans out waits for its branches before it lets an interrupt through; here the interrupt first
    cancels the model calls those branches wait for.
    """
    answer: Future[T] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            answer.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting caller, where it is raised
            answer.set_exception(error)

    thread = Thread(target=work, name="model-run", daemon=True)
    thread.start()
    try:
        return answer.result()
    except KeyboardInterrupt:
        cancel()
        thread.join(timeout=5)
        raise
