"""A cancel or a kernel interrupt stops model calls within seconds, from any thread, inside or outside a loop."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from porterlib.analyst.local import CallsCancelled, run_cancellable
from tests.analyst_local.conftest import analyst
from tests.analyst_local.scripted import right_answer, scripted

PATIENT = {"first_token_s": 60.0, "idle_s": 60.0, "total_s": 60.0}


def silent(body: dict[str, Any], at: int) -> Iterator[Any]:
    for _ in range(300):
        yield b": ping\n\n"
        yield 0.1


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_an_interrupt_in_the_calling_thread_stops_the_call(choose: Any) -> None:
    with scripted(silent) as server:
        held = analyst(server, **PATIENT)
        started = time.monotonic()
        timer = interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            held.choose(choose)
        timer.join()
        assert time.monotonic() - started < 3
    assert held.calls == ()


def test_an_interrupt_stops_calls_that_branches_of_a_graph_wait_for(choose: Any, rate: Any) -> None:
    with scripted(silent) as server:
        held = analyst(server, slots=2, **PATIENT)

        def fan_out() -> None:
            with ThreadPoolExecutor(2) as pool:
                waits = [pool.submit(held.choose, choose), pool.submit(held.rate, rate)]
                for wait in waits:
                    wait.result()

        started = time.monotonic()
        timer = interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            run_cancellable(fan_out, held.cancel)
        timer.join()
        assert time.monotonic() - started < 3
        with pytest.raises(CallsCancelled):
            held.choose(choose)
    assert held.calls == ()


def test_calls_work_inside_a_running_event_loop(choose: Any) -> None:
    async def cell() -> Any:
        with scripted(lambda body, at: right_answer(body)) as server:
            return analyst(server).choose(choose)

    assert asyncio.run(cell()).ids == ("C-1",)


def test_a_result_or_an_error_passes_through_unchanged() -> None:
    assert run_cancellable(lambda: 7, lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        run_cancellable(lambda: 1 // 0, lambda: None)
