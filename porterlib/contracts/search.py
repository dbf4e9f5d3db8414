"""What a search provider answers: hits in order, as leads that are never evidence (rules 5.1 to 5.3)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.sector import SourceClass

SearchStatus = Literal["ok", "empty"]


class SearchHit(Contract):
    """One lead: where a page is, and what its source says about it."""

    url: Text
    """Address of the page; in a corpus the address the document was published under, or its `corpus:` id."""
    title: str = ""
    """Title as the provider gives it."""
    snippet: str = ""
    """Text beside the hit; a lead for people, never evidence."""
    file: str | None = None
    """Path of the document inside the corpus folder; nothing on the web."""
    publisher: str | None = None
    """Publisher the corpus manifest declares."""
    source_class: SourceClass | None = None
    """Class the corpus manifest declares."""
    published: str | None = None
    """Published date the corpus manifest declares."""


class SearchResult(Contract):
    """The answer to one query."""

    hits: tuple[SearchHit, ...] = ()
    """Hits, best first; empty only where the provider is known to have found nothing."""
    relaxed: bool = Field(False, description="True when the query was repeated once without a filter.")
    status: SearchStatus = "ok"
    """`empty` when nothing was found; a provider that cannot answer raises instead."""
