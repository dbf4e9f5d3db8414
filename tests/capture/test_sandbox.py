"""Pages are parsed in processes that can do nothing else, and a page that breaks one costs no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from porterlib.capture import CaptureLimits
from porterlib.capture.extract import extract
from porterlib.capture.sandbox import ExtractionPool
from porterlib.errors import CaptureRefused


@pytest.fixture(scope="module")
def pool() -> Iterator[ExtractionPool]:
    with ExtractionPool(size=1, timeout_s=6, cpu_s=2) as pool:
        yield pool


def run(pool: ExtractionPool, raw: bytes, media_type: str = "text/html", **limits: int) -> Any:
    return pool.extract(raw, media_type=media_type, charset=None, limits=CaptureLimits(**limits))


def test_the_worker_gives_what_the_function_gives(pool: ExtractionPool) -> None:
    raw = "<title>T</title><h1>Kopf</h1><p>Größe 12\u00a0%</p>".encode()
    assert run(pool, raw) == extract(raw, media_type="text/html")
    assert run(pool, b"a" * 3000, "text/plain", text_chars=1000).gaps[0].rule == "text_cut"


def test_refusals_come_back_by_name(pool: ExtractionPool) -> None:
    for raw, rule in ((b"%PDF-1", "media_pdf"), (b"a\x00b", "media_binary")):
        with pytest.raises(CaptureRefused) as caught:
            run(pool, raw)
        assert caught.value.rule == rule


def test_a_page_that_takes_too_long_is_refused_and_the_next_is_read(pool: ExtractionPool) -> None:
    with pytest.raises(CaptureRefused) as caught:
        run(pool, (b"[" * 19_000 + b"\n\n") * 100, "text/markdown")
    assert caught.value.rule in {"extraction_timeout", "extraction_failed"}
    assert run(pool, b"<p>fine").text == "fine"


def test_a_page_that_needs_too_much_memory_is_refused() -> None:
    with ExtractionPool(size=1, memory_bytes=220_000_000) as small:
        with pytest.raises(CaptureRefused) as caught:
            run(small, b"<p>" * 2_500_000)
        assert caught.value.rule in {"extraction_memory", "extraction_failed"}


def test_the_worker_opens_no_socket_starts_no_process_and_writes_no_file() -> None:
    from porterlib.capture.worker import _forbid

    for event, args in (
        ("socket.connect", ()),
        ("socket.__new__", ()),
        ("socket.getaddrinfo", ()),
        ("subprocess.Popen", ()),
        ("os.system", ()),
        ("os.exec", ()),
        ("os.fork", ()),
        ("open", ("/tmp/x", "w", 0)),
        ("open", ("/tmp/x", None, 0o101)),
    ):
        with pytest.raises(PermissionError):
            _forbid(event, args)
    _forbid("open", ("module.py", "r", 0))


def test_the_doors_are_closed_in_a_real_process() -> None:
    code = (
        "import sys, socket; from porterlib.capture.worker import _forbid; sys.addaudithook(_forbid)\n"
        "try: socket.create_connection(('127.0.0.1', 9))\n"
        "except PermissionError as error: print('refused', error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("refused socket.")


def test_a_closed_pool_has_no_process_left_and_can_start_again() -> None:
    pool = ExtractionPool(size=1)
    assert run(pool, b"<p>x").text == "x"
    process = next(iter(pool._alive))._process
    pool.close()
    assert process.poll() is not None
    assert run(pool, b"<p>x").text == "x"
    pool.close()
