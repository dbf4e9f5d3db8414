"""Addresses an operator registers, as a search provider: nothing is searched, nothing leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import RequestError
from porterlib.search.base import WEB_HITS, QueryText

Registered = Mapping[Force, Sequence[str]] | Sequence[str]


class RegisteredUrls:
    """Answers every query with addresses that a person gave, for its force or for all forces.

    Bound to a plan, the addresses of a force are dealt over its queries in turn, so that a list longer than
    one answer is reached whole; unbound, every query is answered with the first ones of all. Capture judges
    each address like any other.
    """

    name = "registered_urls"
    live = True
    sends = False

    def __init__(self, urls: Registered, *, plan: ResearchPlan | None = None) -> None:
        """Register addresses.

        Args:
            urls: addresses for all forces, or a mapping from a force to its own.
            plan: the plan whose queries are answered.

        Raises:
            RequestError: an address is not http or https, a force is unknown, or there are none.

        """
        self._urls = _by_force(urls)
        self._dealt = _deal(self._urls, plan) if plan is not None else None

    def __repr__(self) -> str:
        return f"RegisteredUrls({', '.join(f'{force}={len(row)}' for force, row in self._urls.items())})"

    @property
    def urls(self) -> Mapping[Force, tuple[str, ...]]:
        """Addresses of each force."""
        return self._urls

    def bound_to(self, plan: ResearchPlan) -> RegisteredUrls:
        """Return the same addresses, dealt over the queries of `plan`."""
        return RegisteredUrls(self._urls, plan=plan)

    def search(self, query: QueryText, limit: int = WEB_HITS) -> SearchResult:
        """Return the addresses for a query, at most `limit`."""
        text = query.text
        if self._dealt is None:
            row = tuple(dict.fromkeys(url for urls in self._urls.values() for url in urls))
        else:
            row = self._dealt.get(text, ())
        hits = tuple(SearchHit(url=url) for url in row[:limit])
        return SearchResult(hits=hits, status="ok" if hits else "empty")


def load_registered(path: Path) -> RegisteredUrls:
    """Return the addresses of a file: one a line, or JSON, a list or an object from force to list.

    Lines that are empty or start with `#` are left out.

    Raises:
        RequestError: the file cannot be read or holds something else; the message names the place.

    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{str(path)!r} cannot be read as a list of addresses: {error}") from error
    if not text.lstrip().startswith(("[", "{")):
        lines = [line.strip() for line in text.splitlines()]
        return RegisteredUrls([line for line in lines if line and not line.startswith("#")])
    try:
        return RegisteredUrls(json.loads(text))
    except json.JSONDecodeError as error:
        raise RequestError(f"{str(path)!r} is not valid JSON in line {error.lineno}: {error.msg}") from error


def _by_force(urls: Any) -> dict[Force, tuple[str, ...]]:
    if isinstance(urls, Mapping):
        for name in urls:
            if name not in FORCES:
                raise RequestError(f"urls.{name}: no such force; use {', '.join(FORCES)}")
        rows = {force: _checked(urls.get(force, ()), f"urls.{force}") for force in FORCES}
    else:
        rows = dict.fromkeys(FORCES, _checked(urls, "urls"))
    if not any(rows.values()):
        raise RequestError("urls: no address is registered; give at least one http or https address")
    return rows


def _checked(urls: Any, place: str) -> tuple[str, ...]:
    if isinstance(urls, str) or not isinstance(urls, Sequence):
        raise RequestError(f"{place}: give a list of addresses, got {type(urls).__name__}")
    for number, url in enumerate(urls):
        if not isinstance(url, str) or not url.lower().startswith(("http://", "https://")):
            raise RequestError(f"{place}[{number}]: {url!r} is not an http or https address")
    return tuple(dict.fromkeys(urls))


def _deal(urls: Mapping[Force, Sequence[str]], plan: ResearchPlan) -> dict[str, tuple[str, ...]]:
    """Return each query's addresses; taking the queries' first, second … hits in turn restores the order."""
    dealt: dict[str, tuple[str, ...]] = {}
    for force in FORCES:
        queries = sorted((row for row in plan.queries if row.force == force), key=lambda row: row.sequence)
        for place, query in enumerate(queries):
            dealt[query.text] = (*dealt.get(query.text, ()), *urls[force][place :: len(queries)])
    return dealt
