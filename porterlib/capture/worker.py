"""The process in which pages of the web are parsed: limited in time and memory, without network.

Frames on standard input and output: four bytes of length, then JSON; a request is followed by the raw bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import sys
from typing import Any, BinaryIO

from porterlib.capture.extract import extract
from porterlib.capture.limits import CaptureLimits
from porterlib.errors import CaptureRefused

_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.spawn",
    "ctypes.dlopen",
)
_OPEN_FILES = 64
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


def read_exactly(stream: BinaryIO, count: int) -> bytes:
    """Return `count` bytes, or fewer where the stream ends."""
    parts = []
    while count and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def serve(stdin: BinaryIO, stdout: BinaryIO, cpu_s: int) -> None:
    """Answer extraction requests until the input ends."""
    while len(head := read_exactly(stdin, 4)) == 4:
        request = json.loads(read_exactly(stdin, struct.unpack(">I", head)[0]))
        raw = read_exactly(stdin, request["size"])
        _allow_cpu(cpu_s)
        answer = json.dumps(_answer(request, raw)).encode()
        stdout.write(struct.pack(">I", len(answer)) + answer)
        stdout.flush()


def _answer(request: dict[str, Any], raw: bytes) -> dict[str, Any]:
    try:
        limits = CaptureLimits(**request["limits"])
        page = extract(raw, media_type=request["media_type"], charset=request["charset"], limits=limits)
    except CaptureRefused as refused:
        return {"refused": refused.rule, "detail": refused.message.partition(": ")[2]}
    except (MemoryError, RecursionError):
        return {"refused": "extraction_memory", "detail": "the page needs more memory than a page may have"}
    return {"page": page.to_dict()}


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:
        return  # this platform has no such limits; the parent's time limit still holds
    limits = (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    )
    for kind, value in limits:
        with contextlib.suppress(ValueError, OSError):  # a platform that does not know one of them
            resource.setrlimit(kind, (value, value))


def _allow_cpu(seconds: int) -> None:
    """Allow so much processor time from now on; the kernel ends the process beyond it."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def _forbid(event: str, args: tuple[Any, ...]) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} is not allowed while a page is parsed")
    if event == "open" and (set(args[1] or "") & set("wax+") or args[2] & _WRITING):
        raise PermissionError("no file is written while a page is parsed")


def main(memory_bytes: int, cpu_s: int) -> None:
    """Warm up, close the doors, serve."""
    extract(b"---\ntitle: x\n---\n# Warm\n\n| a |\n|---|\n", media_type="text/markdown")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints may reach the frames
    _limit(memory_bytes)
    sys.addaudithook(_forbid)
    serve(sys.stdin.buffer, answers, cpu_s)
