"""The private parts of ddgs that the adapter rests on; a version that moves one fails here first."""

from __future__ import annotations

from importlib.metadata import requires, version
from typing import Any

import pytest
from ddgs.engines.duckduckgo import Duckduckgo

from porterlib.errors import SearchUnavailableError
from porterlib.search.engine import VERSION, Engine, check_parts


def test_the_installed_version_is_the_pinned_one() -> None:
    assert version("ddgs") == VERSION
    assert f"ddgs=={VERSION}" in (requires("porterlib") or [f"ddgs=={VERSION}"])


def test_the_parts_are_where_they_were() -> None:
    check_parts()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("search_url", "https://elsewhere.example/"),
        ("search_method", "GET"),
        ("items_xpath", "//li"),
        ("elements_xpath", {"title": ".//h3"}),
        ("extract_tree", None),
        ("build_payload", lambda self, query: {"q": query}),
        ("build_payload", lambda self, *words: {"q": words[0]}),
    ],
)
def test_a_part_that_moved_is_named(part: str, value: Any) -> None:
    moved = type("Moved", (Duckduckgo,), {part: value})
    with pytest.raises(SearchUnavailableError, match=f"moved {part}; install ddgs==") as caught:
        check_parts(moved)
    assert caught.value.kind == "broken"


def test_the_engine_keeps_the_public_endpoint_unless_told_otherwise() -> None:
    assert Engine(search_url=None, timeout_s=1).search_url == "https://html.duckduckgo.com/html/"
    assert Duckduckgo.search_url == "https://html.duckduckgo.com/html/"
