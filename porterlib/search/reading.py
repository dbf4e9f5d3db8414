"""Reads a result page: hits, a verified nothing, a challenge, or something that is none of these.

Hits are looked for first and markers only where there are none, in attributes of elements and never in text:
the page repeats the query, so a query about "no results" or challenges must not decide what it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

from lxml import etree  # type: ignore[import-untyped]

from porterlib.contracts.search import SearchHit

PageKind = Literal["hits", "empty", "challenge", "truncated", "unknown"]
_TITLE = 300
_SNIPPET = 500
_LONGEST_URL = 2048
_EMPTY = (
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' no-results ')"
    " or contains(concat(' ', normalize-space(@class), ' '), ' result--no-result ')]"
)
_CHALLENGE = (
    "//*[contains(@class, 'anomaly-modal') or @id='challenge-form']"
    " | //form[contains(@action, '/anomaly.js')]"
)
_ADVERT = "ancestor-or-self::*[contains(concat(' ', normalize-space(@class), ' '), ' result--ad ')]"


class Layout(Protocol):
    """Where a page keeps its hits, as the engine class of ddgs declares it."""

    items_xpath: ClassVar[str]
    elements_xpath: ClassVar[Mapping[str, str]]

    def extract_tree(self, html_text: str) -> Any:
        """Return the parsed page."""
        ...


class Page(NamedTuple):
    """What a page is."""

    kind: PageKind
    """`empty` only where the page says itself that it found nothing."""
    hits: tuple[SearchHit, ...] = ()
    """Hits in the order of the page, each address once, advertisements left out."""


def read_page(html: str, layout: Layout) -> Page:
    """Return what a page of status 200 is; a page without its end is `truncated` whatever it holds."""
    tree = _parsed(html, layout)
    if tree is None:
        return Page("unknown")
    whole = "</html" in html[-400:].lower()
    hits = _hits(tree, layout)
    if hits:
        return Page("hits", hits) if whole else Page("truncated")
    if tree.xpath(_CHALLENGE):
        return Page("challenge")
    if not whole:
        return Page("truncated")
    return Page("empty" if tree.xpath(_EMPTY) else "unknown")


def is_challenge(html: str, layout: Layout) -> bool:
    """Return whether a page of another status asks to prove that a person searches."""
    tree = _parsed(html, layout)
    return tree is not None and bool(tree.xpath(_CHALLENGE))


def _parsed(html: str, layout: Layout) -> Any:
    """Return the page as a tree, or None where nothing of it can be read as one."""
    if not html.strip():
        return None
    try:
        return layout.extract_tree(html)
    except (etree.LxmlError, ValueError):
        return None


def _hits(tree: Any, layout: Layout) -> tuple[SearchHit, ...]:
    found: dict[str, SearchHit] = {}
    for item in tree.xpath(layout.items_xpath):
        if item.xpath(_ADVERT):
            continue
        # The engine joins and unquotes what it finds, which breaks addresses with escapes.
        hrefs = item.xpath(layout.elements_xpath["href"])
        url = _address(str(hrefs[0])) if hrefs else ""
        if url and url not in found:
            title = _text(item.xpath(layout.elements_xpath["title"]), _TITLE)
            found[url] = SearchHit(
                url=url, title=title, snippet=_text(item.xpath(layout.elements_xpath["body"]), _SNIPPET)
            )
    return tuple(found.values())


def _address(href: str) -> str:
    """Return the address a link leads to; empty for links within the provider and for advertisements."""
    target = href.strip()
    if target.startswith("//"):
        target = f"https:{target}"
    if len(target) > _LONGEST_URL or not target.lower().startswith(("http://", "https://")):
        return ""
    try:
        parts = urlsplit(target)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if host == "duckduckgo.com" or host.endswith(".duckduckgo.com"):
        wrapped = parse_qs(parts.query).get("uddg", [""])[0] if parts.path == "/l/" else ""
        return wrapped if wrapped.lower().startswith(("http://", "https://")) else ""
    return target


def _text(pieces: Any, most: int) -> str:
    joined = "".join(map(str, pieces))
    shown = "".join(
        char for char in joined if char.isspace() or not unicodedata.category(char).startswith("C")
    )
    return " ".join(shown.split())[:most].rstrip()
