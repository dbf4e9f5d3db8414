"""Whatever a page holds, its text is inert: no markup rules apply to it, no comment or script becomes text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from porterlib.capture.extract import extract
from porterlib.errors import CaptureRefused


def checked(raw: bytes, media_type: str) -> str:
    """Extract, and check what holds for every text."""
    found = extract(raw, media_type=media_type)
    odd = {unicodedata.category(char) for char in found.text if char not in "\n\t"} & {"Cc", "Cs"}
    assert odd == set()
    assert "".join(found.text.split("\x00")) == found.text
    assert not any(line != line.strip() or not line for line in found.text.split("\n") if found.text)
    return found.text


def lists(shared: Path) -> list[str]:
    folder = shared / "data/security/xss"
    lines = [
        line
        for file in sorted(folder.glob("*.txt"))
        for line in file.read_text("utf-8", "replace").splitlines()
    ]
    return [*lines, *json.loads((folder / "blns.json").read_text("utf-8"))]


def test_attack_lists_give_text_without_scripts_in_every_format(shared_dir: Path) -> None:
    payloads = lists(shared_dir)
    assert len(payloads) > 500
    for payload in payloads:
        raw = payload.encode("utf-8", "replace")
        for media_type in ("text/html", "text/markdown", "text/plain", "application/xhtml+xml"):
            try:
                checked(b"<p>Before.</p>" + raw if "html" in media_type else raw, media_type)
            except CaptureRefused as refused:
                assert refused.rule.startswith("media_")  # noqa: PT017 - a list entry may hold a zero byte


def characters(case: dict[str, Any]) -> str:
    return "".join(token[1] for token in case["output"] if token[0] == "Character")


@pytest.mark.parametrize("file", ["tokenizer_test1.json", "tokenizer_test3.json"])
def test_tokenizer_cases_leak_no_comment_and_lose_no_page(shared_dir: Path, file: str) -> None:
    tests = json.loads((shared_dir / "data/security/html" / file).read_text("utf-8"))["tests"]
    assert len(tests) > 50
    for case in tests:
        if case.get("initialStates", ["Data state"])[0] != "Data state" or "\x00" in case["input"]:
            continue
        try:
            text = checked(case["input"].encode("utf-8", "surrogatepass"), "text/html")
        except CaptureRefused as refused:
            assert refused.rule.startswith("media_")  # noqa: PT017
            continue
        comments = [
            token[1].strip()
            for token in case["output"]
            if token[0] == "Comment" and len(token[1].strip()) > 3
        ]
        for comment in comments:
            assert comment not in text or comment in characters(case)


def test_encoded_attacks_do_not_become_characters_that_text_may_not_hold() -> None:
    raw = b"<p>a&#0;b&#1;c&#x202e;d&#xD800;e&#xFFFE;f&#8203;g&shy;h&#9;i</p>"
    assert checked(raw, "text/html").replace("\ufffd", "") == "abcdefgh i"


@pytest.mark.parametrize(
    "raw",
    [
        b"<!DOCTYPE html [<!ENTITY a 'xxxxxxxxxx'><!ENTITY b '&a;&a;&a;'>]><p>&b;</p>",
        b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
        b"<html xmlns='http://www.w3.org/1999/xhtml'><p>&x;</p></html>",
        b"<p>" * 100_000,
        b"<table><tr><td>" * 20_000,
        b"<style>" + b"@a" * 90_000 + b"</style><p>x",
        b"<style>" + b"/*" * 90_000 + b"</style><p>x",
        b"<p style='" + b"/*" * 200_000 + b"'>x",
        b"<ul>" * 2000 + b"<li><a>x</a>" * 1000,
        b"<p " + b"a=1 " * 100_000 + b">x",
        b"<!--" * 100_000,
        b"<sup>" * 2000 + b"1",
    ],
    ids=range(11),
)
def test_pages_made_to_be_slow_are_read_in_seconds(raw: bytes) -> None:
    import time

    started = time.process_time()
    text = checked(raw, "text/html")
    assert "root:" not in text
    assert time.process_time() - started < 5
