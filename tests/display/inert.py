"""Says what of a page could act: every tag, attribute and style that is not in the short list of harmless ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

TAGS = set("div span table caption thead tbody tr th td ul li mark details summary pre".split())
ATTRIBUTES = {"class", "style", "scope", "open"}
CLASSES = {"tex2jax_ignore mathjax_ignore", "mathjax_ignore"}
STYLE = re.compile(r"[\w\s:;.,%#()'\-]*")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.harm: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.harm.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.harm.append(f"{tag} {name}")
            if name == "class" and value not in CLASSES:
                self.harm.append(f"class {value}")
            if name == "style" and (not STYLE.fullmatch(value or "") or "url" in (value or "")):
                self.harm.append(f"style {value}")

    def handle_comment(self, data: str) -> None:
        self.harm.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.harm.append("declaration")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def harm_in(page: str) -> list[str]:
    """Return everything in a page that is not harmless; empty for an inert one."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.harm


def text_of(page: str) -> str:
    """Return the text a reader sees."""
    reader = _Reader()
    reader.feed(page)
    return "".join(reader.text)


def outside_data(spec: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every string of a specification that is not a data value, with its place."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            yield place, key
            if not (key == "values" and place.endswith("data")):
                yield from outside_data(value, f"{place}.{key}")
    elif isinstance(spec, list):
        for value in spec:
            yield from outside_data(value, place)
    elif isinstance(spec, str):
        yield place, spec
