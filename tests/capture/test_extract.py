"""Extraction keeps what a reader sees, says what a page states, and nothing else."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.capture.corpus import MEDIA_TYPES
from porterlib.capture.extract import extract
from porterlib.capture.limits import CaptureLimits
from porterlib.errors import CaptureRefused


def page(body: str, media_type: str = "text/html", **kwargs: Any) -> Any:
    return extract(body.encode(), media_type=media_type, **kwargs)


def linked(json_text: str) -> str:
    return f'<script type="application/ld+json">{json_text}</script>'


def squeezed(text: str) -> str:
    return " ".join(text.replace("**", "").split())


@pytest.fixture(scope="module")
def extracted(bank: Path, bank_manifest: list[dict[str, Any]]) -> dict[str, Any]:
    pages = {}
    for entry in bank_manifest:
        file = bank / entry["file"]
        pages[entry["slug"]] = extract(file.read_bytes(), media_type=MEDIA_TYPES[file.suffix])
    return pages


def test_every_reference_quote_of_the_real_corpus_is_in_the_text(
    bank: Path, extracted: dict[str, Any]
) -> None:
    queries = json.loads((bank / "queries.json").read_text())
    quotes = [(item["slug"], item["quote"]) for query in queries for item in query["evidence"]]
    missing = [quote for slug, quote in quotes if squeezed(quote) not in squeezed(extracted[slug].text)]
    assert len(quotes) >= 40
    assert missing == []


def test_no_real_document_is_flagged_cut_or_left_with_control_characters(extracted: dict[str, Any]) -> None:
    assert len(extracted) == 40
    for slug, found in extracted.items():
        assert found.flags == (), slug
        assert found.gaps == (), slug
        odd = {char for char in found.text if unicodedata.category(char) in {"Cc", "Cs"}} - {"\n", "\t"}
        assert odd == set(), slug
        assert all(found.text[heading.start : heading.end].strip() for heading in found.headings), slug


def test_dates_that_pages_state_agree_with_the_manifest(
    bank_manifest: list[dict[str, Any]], extracted: dict[str, Any]
) -> None:
    stated = {entry["slug"]: entry["published"] for entry in bank_manifest}
    found = {slug: page.published for slug, page in extracted.items() if page.published}
    assert len(found) >= 12
    assert {slug: stated[slug] for slug in found} == found


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>SECRET</script>",
        "<style>SECRET</style>",
        "<template><p>SECRET</p></template>",
        "<noscript>SECRET</noscript>",
        "<!-- SECRET -->",
        "<p hidden>SECRET</p>",
        "<div hidden><p>SECRET</p></div>",
        "<p aria-hidden=true>SECRET</p>",
        "<p style='display:none'>SECRET</p>",
        "<p style='DISPLAY : NONE !important'>SECRET</p>",
        "<p style='display:/**/none'>SECRET</p>",
        "<p style='visibility: hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='text-indent:-999em'>SECRET</p>",
        "<p style='position:absolute;clip:rect(0 0 0 0)'>SECRET</p>",
        "<p style='clip-path: inset(50%)'>SECRET</p>",
        "<p style='width:1px;height:1px;overflow:hidden'>SECRET</p>",
        "<p style='color:#fff;background-color:#fff'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<p style='transform:scale(0)'>SECRET</p>",
        "<style>.x{display:none}</style><p class='y x'>SECRET</p>",
        "<style>/* a */ p.x , #q{visibility:hidden}</style><p id=q>SECRET</p>",
        "<textarea>SECRET</textarea>",
        "<select><option>SECRET</option></select>",
        "<iframe>SECRET</iframe>",
        "<svg><text>SECRET</text></svg>",
        "<dialog>SECRET</dialog>",
        "<title>SECRET</title>",
        "<nav>SECRET</nav>",
        "<header><p>SECRET</p></header>",
        "<footer>SECRET</footer>",
        "<aside>SECRET</aside>",
        "<div role=navigation>SECRET</div>",
        "<div class='cookie-banner'>SECRET</div>",
        "<ul>" + "<li><a href=/x>SECRET</a></li>" * 6 + "</ul>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(hidden: str) -> None:
    body = "<p>" + "Plain visible sentence about bank supervision. " * 8 + "</p>"
    found = page(f"<html><body>{body}{hidden}<p>Last line.</p></body></html>")
    assert "SECRET" not in found.text
    assert found.text.endswith("Last line.")


@pytest.mark.parametrize(
    "shown",
    [
        "<details><summary>More</summary>SHOWN</details>",
        "<!-->SHOWN",
        "<p style='font-size:1pt'>SHOWN</p>",
        "<p style='color:#fff'>SHOWN</p>",
        "<style>@media print{.x{display:none}}</style><p class=x>SHOWN</p>",
        "<article><header><p>SHOWN</p></header></article>",
        "<ul><li>SHOWN</li><li>two</li><li>three</li><li>four</li><li>five</li></ul>",
        "<p style='margin-left:-18pt'>SHOWN</p>",
        "<p>3 &lt; 4 SHOWN</p>",
    ],
)
def test_what_a_reader_sees_is_text(shown: str) -> None:
    assert "SHOWN" in page(f"<html><body><p>Before.</p>{shown}</body></html>").text


def test_blocks_become_lines_and_rows_become_tabbed_lines() -> None:
    found = page(
        "<h1>Heading <em>one</em></h1><p>First  sentence.\n Second.</p><ul><li>a</li><li>b</li></ul>"
        "<table><tr><th>Name</th><th>Value</th></tr><tr><td><p>NPV</p></td><td>12&nbsp;%</td></tr></table>"
        "<p>one<br>two</p><pre>x = 1\n  y = 2</pre>"
    )
    assert found.text.split("\n") == [
        "Heading one",
        "First sentence. Second.",
        "a",
        "b",
        "Name\tValue",
        "NPV\t12 %",
        "one",
        "two",
        "x = 1",
        "y = 2",
    ]
    heading = found.headings[0]
    assert (heading.level, found.text[heading.start : heading.end]) == (1, "Heading one")


def test_a_raised_note_mark_does_not_grow_into_a_figure() -> None:
    assert (
        page("<p>Costs rose 5<sup>1</sup> in 2024<sup><a href=#n>2</a></sup>, x<sup>n</sup>.</p>").text
        == "Costs rose 5 1 in 2024 2 , xn."
    )


def test_a_page_that_is_all_furniture_is_kept_and_says_so() -> None:
    found = page("<header><h1>Notice</h1><p>The only text of this page stands in its header.</p></header>")
    assert "only text" in found.text
    assert [gap.rule for gap in found.gaps] == ["main_content_unclear"]


def test_main_content_is_preferred_where_the_page_names_it() -> None:
    found = page(
        "<div>Menu and teaser</div><main><h1>Rule</h1><p>"
        + "Firms must keep exit plans tested. " * 10
        + "</p></main>"
    )
    assert found.text.startswith("Rule\nFirms must")


def test_xhtml_with_self_closed_scripts_keeps_its_text() -> None:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head>'
        '<title>T</title><script src="x.js"/></head><body><div/><p>Kept &amp; read.</p></body></html>'
    )
    found = page(body, "application/xhtml+xml")
    assert (found.text, found.title, found.media_type) == ("Kept & read.", "T", "application/xhtml+xml")


def test_nesting_deeper_than_the_parser_goes_is_recorded() -> None:
    found = page("<p>Start.</p>" + "<div>" * 5000 + "deep")
    assert "Start." in found.text
    assert "nesting_cut" in [gap.rule for gap in found.gaps]


def test_text_beyond_the_limit_is_cut_at_a_line_and_recorded() -> None:
    found = page(
        "".join(f"<p>Line {number} of many.</p>" for number in range(500)),
        limits=CaptureLimits(text_chars=1000),
    )
    assert 900 < len(found.text) <= 1000
    assert found.text.endswith("of many.")
    assert [gap.rule for gap in found.gaps] == ["text_cut"]


MARKDOWN = """---
title: A *plain* title
date: 2023-02-08T07:00:00-05:00
author: A. Writer
---
# Cloud exit

Firms **must** test [exit plans](https://x.example/a "t") each
year. See `code` and ![a picture](p.png).

3. third
4. fourth

| Item | Cost |
|------|-----:|
| Exit | 1.2m |

```python
x = "kept"
```
<div style="display:none">HIDDEN</div>
"""


def test_markdown_becomes_plain_lines_with_its_front_matter_read() -> None:
    found = page(MARKDOWN, "text/markdown")
    assert found.text.split("\n") == [
        "Cloud exit",
        "Firms must test exit plans each year. See code and .",
        "3. third",
        "4. fourth",
        "Item\tCost",
        "Exit\t1.2m",
        'x = "kept"',
    ]
    assert (found.title, found.published, found.author) == ("A *plain* title", "2023-02-08", "A. Writer")


def test_plain_text_joins_wrapped_lines_and_keeps_short_ones() -> None:
    found = page(
        "REPORT\nSection 1\n\nThis paragraph was wrapped by an editor at about seventy columns,\n"
        "and continues here.\n\n-----\nEnd\n",
        "text/plain",
    )
    assert found.text.split("\n") == [
        "REPORT",
        "Section 1",
        "This paragraph was wrapped by an editor at about seventy columns, and continues here.",
        "End",
    ]


@pytest.mark.parametrize(
    ("head", "published"),
    [
        ('<meta property="article:published_time" content="2024-03-05T10:00:00+01:00">', "2024-03-05"),
        ('<meta name="citation_publication_date" content="2019/10">', "2019-10"),
        ('<meta name="DC.date" content="2019">', "2019"),
        ('<meta name="dcterms.issued" content="5 October 2019">', "2019-10-05"),
        ('<meta name="date" content="October 5th, 2019">', "2019-10-05"),
        ('<meta name="date" content="Tue, 5 Mar 2024 10:00:00 GMT">', "2024-03-05"),
        ('<meta name="date" content="25/12/2022">', "2022-12-25"),
        ('<meta name="date" content="27.12.2022">', "2022-12-27"),
        ('<meta name="date" content="10/08/2024">', None),
        ('<meta name="date" content="2024-02-30">', None),
        ('<meta name="date" content="soon">', None),
        ('<meta property="article:modified_time" content="2024-03-05">', None),
        (linked('{"@type":"NewsArticle","datePublished":"2021-01-02"}'), "2021-01-02"),
        (linked('{"@graph":[{"@type":["Report"],"datePublished":"2021-01"}]}'), "2021-01"),
        (linked('{"@type":"Event","datePublished":"2021-01-02"}'), None),
        (linked("[" * 100_000), None),
        ('<time itemprop="datePublished" datetime="2020-07-01">x</time>', "2020-07-01"),
        ('<time class="entry-date published" datetime="2020-07-01">x</time>', "2020-07-01"),
        ('<time datetime="2020-07-01">An event</time>', None),
        ("<p>Published: 13 January 2025</p>", "2025-01-13"),
        ("<p>Published on 13 January 2025</p>", "2025-01-13"),
        ("<p>The rules published 13 January 2025 changed.</p>", None),
    ],
)
def test_a_date_is_read_where_the_page_states_it_and_never_guessed(head: str, published: str | None) -> None:
    assert page(f"<html><head>{head}</head><body><p>Text.</p></body></html>").published == published


def test_title_and_author_come_from_the_fields_of_the_page() -> None:
    found = page(
        '<head><title>Site | Long</title><meta property="og:title" content="The  report">'
        '<meta name="author" content="B"><meta name="author" content="C"></head><body><p>x</p></body>'
    )
    assert (found.title, found.author) == ("The report", "B, C")
    assert (
        page("<head><title>L_2022333EN.01000101.xml</title></head><body><h1>Real</h1></body>").title == "Real"
    )


@pytest.mark.parametrize(
    ("raw", "declared", "rule"),
    [
        (b"%PDF-1.7 x", "text/html", "media_pdf"),
        (b"<html>", "application/pdf", "media_pdf"),
        (b"\x89PNG\r\n\x1a\n", "text/html", "media_image"),
        (b"PK\x03\x04abc", None, "media_archive"),
        (b"\x1f\x8b\x08abc", None, "media_archive"),
        (b"MZ\x90\x00", "text/plain", "media_binary"),
        (b"text\x00more", "text/plain", "media_binary"),
        (b"{}", "application/json", "media_type"),
        (b"<html>", "image/png", "media_type"),
        (b'<?xml version="1.0"?><rss/>', None, "media_type"),
    ],
)
def test_anything_but_text_documents_is_refused_by_name(raw: bytes, declared: str | None, rule: str) -> None:
    with pytest.raises(CaptureRefused) as refused:
        extract(raw, media_type=declared)
    assert refused.value.rule == rule


def test_the_type_is_sniffed_where_nothing_is_declared_and_html_is_never_shown_as_source() -> None:
    assert extract(b"  <!DOCTYPE html><p>x").media_type == "text/html"
    assert extract(b"just text").media_type == "text/plain"
    found = extract(b"<!doctype html><script>bad()</script><p>good", media_type="text/plain")
    assert (found.media_type, found.text) == ("text/html", "good")


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.text(max_size=400).map(lambda text: f"<p>{text}".encode())))
def test_any_bytes_give_clean_text_or_a_named_refusal(raw: bytes) -> None:
    try:
        found = extract(raw)
    except CaptureRefused:
        return
    assert found.text == extract(raw).text
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in found.text if char not in "\n\t")
    found.text.encode("utf-8")
