"""Encodings follow the WHATWG rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porterlib.capture.charset import decode, prescan
from porterlib.capture.extract import extract


@pytest.mark.parametrize(
    ("raw", "transport", "name", "text"),
    [
        ("é".encode(), None, "utf-8", "é"),
        ("é".encode("latin-1"), None, "windows-1252", "é"),
        (b"\x93q\x94", "iso-8859-1", "windows-1252", "\u201cq\u201d"),
        ("é".encode(), "utf-7", "utf-8", "é"),
        (b"\xef\xbb\xbfx", "windows-1252", "utf-8", "x"),
        ("x".encode("utf-16"), "utf-8", "utf-16le", "x"),
        ("дом".encode("koi8-r"), "koi8-r", "koi8-r", "дом"),
        ("東".encode("shift_jis"), "x-sjis", "shift_jis", "東"),
    ],
)
def test_mark_then_transport_then_content(raw: bytes, transport: str | None, name: str, text: str) -> None:
    assert decode(raw, transport=transport, html=False) == (text, name)


def test_a_charset_parameter_beats_a_meta_element() -> None:
    raw = '<meta charset="koi8-r"><p>é'.encode()
    assert extract(raw, media_type='text/html; charset="utf-8"').text == "é"
    assert extract(raw, media_type="text/html").charset == "koi8-r"


def test_encoding_cases_of_html5lib(shared_dir: Path) -> None:
    data = (shared_dir / "data/security/html/encoding_tests1.dat.txt").read_bytes()
    cases = re.findall(rb"#data\n(.*?)\n#encoding\n([^\n]+)", data, re.S)
    assert len(cases) > 50
    wrong = []
    for body, expected in cases:
        wanted = expected.decode().strip().lower()
        found = "utf-8" if body.startswith(b"\xef\xbb\xbf") else prescan(body) or "windows-1252"
        if found != {"iso-8859-1": "windows-1252"}.get(wanted, wanted):
            wrong.append((body[:80], wanted, found))
    assert wrong == []
