"""Which encoding a document is in, by the WHATWG rules.

Byte order mark, then the transport's charset, then the first `<meta>` near the head (HTML only), then
UTF-8 if the bytes are valid UTF-8, then windows-1252. Labels outside the WHATWG registry (UTF-7 among them)
are ignored. Source: https://encoding.spec.whatwg.org/ and https://html.spec.whatwg.org/ (prescan a byte
stream).
"""

from __future__ import annotations

import re

import webencodings  # type: ignore[import-untyped]

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_SPACE = b"\t\n\x0c\r "
_PRESCAN_BYTES = 16_384  # a browser looks at 1,024 first and changes its mind at a later meta
_CONTENT_CHARSET = re.compile(
    r"charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*(\"[^\"]*\"|'[^']*'|[^\"'\t\n\x0c\r ;]+)", re.I
)
_META = re.compile(rb"<meta[\t\n\x0c\r /]", re.I)
_TAG = re.compile(rb"</?[a-z]", re.I)


def decode(raw: bytes, *, transport: str | None, html: bool) -> tuple[str, str]:
    """Return the text of `raw` and the WHATWG name of the encoding used; bad bytes become U+FFFD."""
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return _decode(raw[len(mark) :], name), name
    name = _known(transport) or (prescan(raw) if html else None) or _by_content(raw)
    return _decode(raw, name), name


def prescan(raw: bytes) -> str | None:
    """Return the encoding that a `<meta>` in the head of `raw` names, or nothing."""
    head = raw[:_PRESCAN_BYTES]
    at = 0
    while (at := head.find(b"<", at)) >= 0:
        if head.startswith(b"<!--", at):
            end = head.find(b"-->", at + 2)
            if end < 0:
                return None
            at = end + 3
        elif _META.match(head, at):
            attributes, at = _attributes(head, at + 5)
            if found := _from_meta(attributes):
                return found
        elif _TAG.match(head, at):
            at = _skip_name(head, at + 1)
            _, at = _attributes(head, at)
        elif head[at + 1 : at + 2] in {b"!", b"/", b"?"}:
            end = head.find(b">", at)
            if end < 0:
                return None
            at = end + 1
        else:
            at += 1
    return None


def _known(label: str | None) -> str | None:
    if not label:
        return None
    found = webencodings.lookup(label)
    return str(found.name) if found else None


def _decode(raw: bytes, name: str) -> str:
    encoding = webencodings.lookup(name)
    if encoding is None:
        return raw.decode("utf-8", "replace")
    return str(encoding.codec_info.decode(raw, "replace")[0])


def _by_content(raw: bytes) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _from_meta(attributes: dict[str, str]) -> str | None:
    label: str | None = attributes.get("charset")
    if label is None and attributes.get("http-equiv", "").lower() == "content-type":
        match = _CONTENT_CHARSET.search(attributes.get("content", ""))
        label = match.group(1).strip("\"'") if match else None
    found = _known(label)
    if found in {"utf-16be", "utf-16le"}:
        return "utf-8"  # a document whose meta could be read as ASCII is not UTF-16
    return "windows-1252" if found == "x-user-defined" else found


def _skip_name(head: bytes, at: int) -> int:
    while at < len(head) and head[at : at + 1] not in {b" ", b"\t", b"\n", b"\x0c", b"\r", b">"}:
        at += 1
    return at


def _attributes(head: bytes, at: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    while True:
        while at < len(head) and head[at] in _SPACE + b"/":
            at += 1
        if at >= len(head) or head[at] == ord(">"):
            return found, at + 1
        name, value, at = _attribute(head, at)
        found.setdefault(name, value)


def _attribute(head: bytes, at: int) -> tuple[str, str, int]:
    start = at
    while at < len(head) and head[at] not in _SPACE + b"/>" and (head[at] != ord("=") or at == start):
        at += 1
    name = head[start:at].decode("latin-1").lower()
    after = at
    while after < len(head) and head[after] in _SPACE:
        after += 1
    if after >= len(head) or head[after] != ord("="):
        return name, "", after
    after += 1
    while after < len(head) and head[after] in _SPACE:
        after += 1
    quote = head[after : after + 1]
    if quote in {b'"', b"'"}:
        end = head.find(quote, after + 1)
        end = len(head) if end < 0 else end
        return name, head[after + 1 : end].decode("latin-1"), end + 1
    end = after
    while end < len(head) and head[end] not in _SPACE + b">":
        end += 1
    return name, head[after:end].decode("latin-1"), end
