"""Hands pages to limited worker processes, and replaces a worker that fails."""

from __future__ import annotations

import json
import os
import queue
import selectors
import struct
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from porterlib.capture.limits import CaptureLimits
from porterlib.contracts.capture import ExtractedPage
from porterlib.errors import CaptureRefused

_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from porterlib.capture.worker import main; main({0}, {1})"
)
_START_S = 30.0
_PAGES_PER_WORKER = 500  # a fresh process now and then, so that no leak can grow


class ExtractionPool:
    """Extracts pages in at most `size` processes, each limited in time, memory, files and network.

    A page that makes its worker fail is refused (`extraction_timeout`, `extraction_memory`,
    `extraction_failed`) and costs no other page: the worker is replaced.
    """

    def __init__(
        self, *, size: int = 2, timeout_s: float = 15.0, cpu_s: int = 10, memory_bytes: int = 1_500_000_000
    ) -> None:
        self._boot = _BOOT.format(int(memory_bytes), int(cpu_s))
        self._timeout_s = timeout_s
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(size):
            self._idle.put(None)
        self._alive: set[_Worker] = set()
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._alive)  # no process outlives a pool that nobody closed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def extract(
        self, raw: bytes, *, media_type: str | None, charset: str | None, limits: CaptureLimits
    ) -> ExtractedPage:
        """Return what `extract` gives for the page.

        Raises:
            CaptureRefused: a rule of `extract`, or the worker failed on this page.

        """
        worker = self._idle.get()
        if worker is None or not worker.alive:
            worker = self._start()
        try:
            request = {
                "media_type": media_type,
                "charset": charset,
                "limits": asdict(limits),
                "size": len(raw),
            }
            answer = worker.ask(request, raw, self._timeout_s)
        except BaseException:
            self._end(worker)
            self._idle.put(None)
            raise
        if worker.served >= _PAGES_PER_WORKER:
            self._end(worker)
            self._idle.put(None)
        else:
            self._idle.put(worker)
        if "refused" in answer:
            raise CaptureRefused(answer["refused"], answer["detail"])
        return ExtractedPage.model_validate(answer["page"])

    def close(self) -> None:
        """End all workers; the pool can be used again and starts new ones."""
        with self._lock:
            _end_all(self._alive)

    def _start(self) -> _Worker:
        worker = _Worker(self._boot)
        with self._lock:
            self._alive.add(worker)
        return worker

    def _end(self, worker: _Worker) -> None:
        with self._lock:
            self._alive.discard(worker)
        worker.end()


def _end_all(workers: set[_Worker]) -> None:
    while workers:
        workers.pop().end()


class _Worker:
    """One worker process."""

    def __init__(self, boot: str) -> None:
        self.served = 0
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell, no environment
            [sys.executable, "-I", "-c", boot, _ROOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C.UTF-8"},
        )

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], raw: bytes, timeout_s: float) -> dict[str, Any]:
        """Send one page and return the answer; time counts from when the worker is up."""
        head = json.dumps(request).encode()
        end = time.monotonic() + timeout_s + (0 if self.served else _START_S)
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(struct.pack(">I", len(head)) + head + raw)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # a closed pipe is either, by who closed it
            raise CaptureRefused("extraction_failed", "the parser of pages stopped") from error
        size = struct.unpack(">I", self._receive(4, end))[0]
        answer: dict[str, Any] = json.loads(self._receive(size, end))
        self.served += 1
        return answer

    def end(self) -> None:
        """Kill the process and wait for it."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # bytes that a dead worker will not read
        self._process.wait()

    def _receive(self, count: int, end: float) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while count:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise CaptureRefused("extraction_timeout", "parsing the page took too long")
                part = os.read(descriptor, count)
                if not part:
                    raise CaptureRefused("extraction_failed", "the parser of pages stopped on this page")
                parts.append(part)
                count -= len(part)
        return b"".join(parts)
