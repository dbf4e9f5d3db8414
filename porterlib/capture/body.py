"""Reads a body under its caps: bytes on the wire, bytes after decoding, and their ratio."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import httpx

from porterlib.capture.limits import CaptureLimits
from porterlib.errors import CaptureRefused

_CHUNK = 65_536


def read_body(response: httpx.Response, limits: CaptureLimits) -> bytes:
    """Return the decoded body.

    Raises:
        CaptureRefused: `body_too_large`, `decoded_too_large`, `compression_ratio`, `content_encoding`,
            `body_broken`, or a rule of the wire.

    """
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip"}:
        raise CaptureRefused("content_encoding", "only identity and gzip are read")
    declared = response.headers.get("content-length", "")
    if declared.isdigit():
        limits.check_wire(int(declared))
    wire = _capped(response.iter_raw(_CHUNK), limits)
    return _gunzip(wire, limits) if "gzip" in coding else b"".join(wire)


def _capped(chunks: Iterator[bytes], limits: CaptureLimits) -> Iterator[bytes]:
    count = 0
    for chunk in chunks:
        count += len(chunk)
        limits.check_wire(count)
        yield chunk


def _gunzip(chunks: Iterator[bytes], limits: CaptureLimits) -> bytes:
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    parts: list[bytes] = []
    wire = decoded = 0
    try:
        for chunk in chunks:
            wire += len(chunk)
            pending = chunk
            while pending and not unpacker.eof:
                part = unpacker.decompress(pending, _CHUNK)
                pending = unpacker.unconsumed_tail
                decoded += len(part)
                limits.check_decoded(decoded, wire)
                parts.append(part)
    except zlib.error as error:
        raise CaptureRefused("body_broken", "the compressed body cannot be unpacked") from error
    if not unpacker.eof:
        raise CaptureRefused("body_broken", "the compressed body ends too early")
    return b"".join(parts)
