"""What kind of document a body is, by declared type and first bytes; all but text is refused."""

from __future__ import annotations

import re
from typing import Literal

from porterlib.errors import CaptureRefused

Kind = Literal["text/html", "application/xhtml+xml", "text/markdown", "text/plain"]

_DECLARED: dict[str, Kind] = {
    "text/html": "text/html",
    "application/xhtml+xml": "application/xhtml+xml",
    "text/markdown": "text/markdown",
    "text/x-markdown": "text/markdown",
    "text/plain": "text/plain",
}
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "media_pdf"),
    (b"%!PS-", "media_binary"),
    (b"PK\x03\x04", "media_archive"),
    (b"PK\x05\x06", "media_archive"),
    (b"\x1f\x8b", "media_archive"),
    (b"Rar!", "media_archive"),
    (b"7z\xbc\xaf", "media_archive"),
    (b"\xd0\xcf\x11\xe0", "media_binary"),
    (b"{\\rtf", "media_binary"),
    (b"\x89PNG", "media_image"),
    (b"GIF8", "media_image"),
    (b"\xff\xd8\xff", "media_image"),
    (b"RIFF", "media_image"),
    (b"\x7fELF", "media_binary"),
    (b"MZ\x90", "media_binary"),
)
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|!--)"
    rb"(?=[\s>/]|-|$)",
    re.I,
)
_XHTML = re.compile(
    rb"<html[^>]{0,400}http://www\.w3\.org/1999/xhtml|<!DOCTYPE html PUBLIC [^>]{0,200}xhtml", re.I
)
# Bytes that no text encoding of the web uses, after the WHATWG "binary data byte" list.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_HEAD = 2048


def sniff(raw: bytes, declared: str | None) -> Kind:
    """Return the kind of text document `raw` is.

    Args:
        raw: the decoded body.
        declared: media type of the transport or of the file's suffix, with or without parameters.

    Raises:
        CaptureRefused: `media_pdf`, `media_image`, `media_archive`, `media_binary`, or `media_type` for a
            declared
            type that is not one of the four.

    """
    head = raw[:_HEAD].lstrip(b"\xef\xbb\xbf").lstrip()
    _refuse_binary(raw, head)
    essence = refuse_declared(declared)
    if essence in {"text/markdown", "text/x-markdown"}:
        return "text/markdown"
    if looks_like_html(head) or essence in {"text/html", "application/xhtml+xml"}:
        xhtml = essence == "application/xhtml+xml" or (head.startswith(b"<?xml") and _XHTML.search(head))
        return "application/xhtml+xml" if xhtml else "text/html"
    if head.startswith((b"<?xml", b"<rss", b"<feed", b"<svg")):
        raise CaptureRefused("media_type", "XML other than XHTML is not read")
    return "text/plain"


def refuse_declared(declared: str | None) -> str:
    """Return the declared media type without parameters, empty for none, or refuse it before any body is read."""
    essence = (declared or "").partition(";")[0].strip().lower()
    if essence in {"application/pdf", "application/x-pdf"}:
        raise CaptureRefused("media_pdf", "PDF is not read; look for an HTML or text version")
    if essence and essence not in _DECLARED:
        raise CaptureRefused("media_type", "only HTML, XHTML, Markdown and plain text are read")
    return essence


def looks_like_html(head: bytes) -> bool:
    """Tell whether `head`, without leading space, opens like an HTML document."""
    if head.startswith(b"<?xml"):
        return bool(_XHTML.search(head))
    return bool(_HTML_START.match(head))


def _refuse_binary(raw: bytes, head: bytes) -> None:
    for mark, rule in _MAGIC:
        if head.startswith(mark):
            raise CaptureRefused(rule, "the body is not text")
    if raw[:2] in {b"\xfe\xff", b"\xff\xfe"}:
        return  # UTF-16 text has zero bytes
    if _BINARY.search(raw[:_HEAD]):
        raise CaptureRefused("media_binary", "the body has bytes that no text has")
