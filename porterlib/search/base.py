"""The seam to search providers."""

from __future__ import annotations

from typing import Protocol

from porterlib.contracts.search import SearchResult

WEB_HITS = 8
"""Results a query on the web may lead to."""


class QueryText(Protocol):
    """A query that passed the egress guard (`porterlib.egress.PublicQuery`); never a plain string."""

    @property
    def text(self) -> str:
        """Return the query as it is sent."""
        ...


class SearchProvider(Protocol):
    """Finds leads for a query that passed the egress guard."""

    @property
    def name(self) -> str:
        """Stable name, recorded with every query."""
        ...

    @property
    def live(self) -> bool:
        """Whether it searches the present web, which cannot honour a cutoff in the past."""
        ...

    def search(self, query: QueryText, limit: int) -> SearchResult:
        """Return at most `limit` hits, best first.

        Raises:
            SearchUnavailableError: the provider gave no usable answer; never an empty result instead.

        """
        ...


def sends(search: SearchProvider) -> bool:
    """Return whether queries leave the machine: those of a live provider do, unless it says `sends = False`."""
    return bool(getattr(search, "sends", search.live))
