"""Untrusted text leaves as characters only; marks number ids in reading order; reports say what to do."""

from __future__ import annotations

import csv
import io
import re

import pytest

from porterlib.contracts.assessment import Point
from porterlib.rendering.inert import cell, link, markdown, markup, visible
from porterlib.rendering.marks import SHOWN, Marks
from porterlib.rendering.redact import identifiers, redact, redactor
from porterlib.rendering.tables import table


@pytest.mark.parametrize(
    "text",
    [
        "# heading",
        "- item",
        "1. item",
        "[a](javascript:alert(1))",
        "<script>alert(1)</script>",
        "**bold** _it_ `code` ~~gone~~",
        "| a | b |",
        "![x](http://evil.example/x.png)",
        "https://evil.example/path",
        "&lt;b&gt;",
    ],
)
def test_markdown_text_starts_no_markup(text: str) -> None:
    shown = markdown(text)
    for mark in ("[", "]", "<", ">", "|", "`", "*"):
        assert all(shown[at - 1] == "\\" for at, char in enumerate(shown) if char == mark)
    assert not shown.startswith(("#", "-", "1. "))
    assert re.search(r"(?<!\\)://", shown) is None
    assert "\n" not in shown


def test_invisible_and_bidirectional_characters_go() -> None:
    assert visible("a\u202eb\u200bc\u0000d\ufeff  e\nf") == "abcd e f"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "＝"])
def test_no_cell_is_a_formula(start: str) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerow([cell(f"{start}HYPERLINK(1)")])
    (row,) = csv.reader(io.StringIO(stream.getvalue()))
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "＝"))


def test_only_plain_web_addresses_become_links() -> None:
    assert link("https://a.example/b c") == "<https://a.example/b%20c>"
    assert not link("javascript:alert(1)").startswith("<")
    assert not link("https://user:pw@a.example/").startswith("<")
    assert markup('<a href="x">') == "&lt;a href=&quot;x&quot;&gt;"


def test_marks_number_by_kind_in_reading_order_and_count_the_rest() -> None:
    marks = Marks()
    first = marks.point(Point(text="One.", basis=("C-b", "X-a", "C-a")))
    assert first == "One. [C1] [X1] [C2]"
    assert marks.mark("C-b") == "C1"
    many = tuple(f"C-{at}" for at in range(SHOWN + 3))
    assert marks.point(Point(text="Many.", basis=many)).endswith("(and 3 more)")


def test_a_table_keeps_its_shape_whatever_its_cells_hold() -> None:
    lines = list(table(("A", "B"), [("x | y", "two\nlines"), ("`c`", "")]))
    body = [line for line in lines if line]
    assert [line.replace("\\|", "").count("|") for line in body] == [3, 3, 3, 3]
    assert list(table(("A",), [])) == []


def test_identifiers_and_terms_are_withheld_even_when_escaped() -> None:
    text = "Serve Marlowe-Castellan (DE89370400440532013000, j.doe@firm.example, 4111 1111 1111 1111)"
    named = identifiers([text])
    assert set(named) == {"DE89370400440532013000", "j.doe@firm.example", "4111 1111 1111 1111"}
    shown = redact(markdown(text), redactor(("Marlowe Castellan", *named), ()))
    for secret in ("Marlowe", "Castellan", "DE89", "doe@", "4111"):
        assert secret not in shown
    assert identifiers(["In 2025 the bank closed 214,000 files for EUR 10,888,429.75."]) == ()
