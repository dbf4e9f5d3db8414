"""A provider that waits on paper only, and a query that passed a guard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from porterlib.egress import EgressGuard, PublicQuery, Sealed, make_policy
from porterlib.search import DuckDuckGoSearch, Pacing

from .loopback_web import undated, web
from .server import Reply, SearchServer, serving

__all__ = ["undated", "web"]


class Waits:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def pacing(self, **changes: Any) -> Pacing:
        return Pacing(sleep=self.sleep, monotonic=lambda: self.now, uniform=lambda low, high: high, **changes)


Serve = Callable[..., SearchServer]


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts a server with a script of replies."""
    with ExitStack() as stack:
        yield lambda *script: stack.enter_context(serving(SearchServer(*script or (Reply(),))))


@pytest.fixture
def provider(waits: Waits) -> Callable[..., DuckDuckGoSearch]:
    """Return a function that makes a provider for a server."""

    def make(server: SearchServer, **options: Any) -> DuckDuckGoSearch:
        return DuckDuckGoSearch(search_url=server.url, **{"pacing": waits.pacing(), **options})

    return make


def query(text: str = "cloud concentration banks") -> PublicQuery:
    return EgressGuard(make_policy(key=b"k" * 32, question=Sealed("unrelated"))).mint(text)
