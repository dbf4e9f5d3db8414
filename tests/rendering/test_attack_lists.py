"""Every entry of the attack lists is shown as its own text by a Markdown reader and by a spreadsheet."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import mistune
import pytest

from porterlib.rendering.inert import cell, markdown, markup, visible

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
PLAIN = {"paragraph", "text", "list", "list_item", "block_text", "blank_line"}


@pytest.fixture(scope="module")
def attacks(shared_dir: Path) -> list[str]:
    folder = shared_dir / "data" / "security" / "xss"
    lines = [
        line
        for file in sorted(folder.glob("*.txt"))
        for line in file.read_text("utf-8", "replace").splitlines()
    ]
    lines += json.loads((folder / "blns.json").read_text("utf-8"))
    shown = [line for line in lines if visible(line)]
    assert len(shown) > 700
    return shown


def kinds(tokens: list[dict[str, Any]]) -> set[str]:
    found = {str(token["type"]) for token in tokens}
    for token in tokens:
        found |= kinds(token.get("children") or [])
    return found


@pytest.mark.parametrize("place", ["{}", "Before it: {} and after.", "“{}”", "- {}"])
def test_a_markdown_reader_sees_text_alone(attacks: list[str], place: str) -> None:
    read = mistune.create_markdown(renderer="ast", plugins=["table", "strikethrough", "url"])
    odd = {text: kinds(read(place.format(markdown(text)))) - PLAIN for text in attacks}  # type: ignore[arg-type]
    assert {text: found for text, found in odd.items() if found} == {}
    assert kinds(read("<b>*a*</b> ~~b~~ [c](d)")) - PLAIN != set()  # type: ignore[arg-type]


def test_a_markdown_reader_shows_each_as_it_is(attacks: list[str]) -> None:
    show = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])
    for text in attacks:
        page = re.sub(r"^<p>|</p>\s*$", "", str(show(markdown(text))))
        assert html.unescape(page) == visible(text)


def test_html_holds_each_as_text(attacks: list[str]) -> None:
    for text in attacks:
        shown = markup(text)
        assert not set(shown) & set("<>\"'")
        assert " ".join(html.unescape(shown).split()) == visible(text)


def test_no_cell_of_a_spreadsheet_begins_a_formula(attacks: list[str]) -> None:
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([cell(text)] for text in attacks)
    rows = [row for (row,) in csv.reader(io.StringIO(stream.getvalue()))]
    assert len(rows) == len(attacks)
    assert [row for row in rows if row.startswith(FORMULA)] == []
    assert [row.removeprefix("'") for row in rows] == [visible(text).removeprefix("'") for text in attacks]
