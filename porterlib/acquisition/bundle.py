"""What a research worker hands over: recorded sources, its own choice first (rules 5.3 and 5.4).

A worker names addresses; the application turns them into recorded sources. An address that no recorded
search led to is dropped and counted, so a worker can add nothing to what was searched, only put it in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from porterlib.acquisition.records import RecordedQuery
from porterlib.capture import canonicalise
from porterlib.contracts.base import Contract, Force, Text, Versioned
from porterlib.contracts.evidence import Gap
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import CaptureRefused

_WHY = 240


class NamedSource(BaseModel):
    """One page worth reading."""

    model_config = ConfigDict(extra="ignore")

    url: str = Field(description="Address exactly as a search result gave it.")
    why: str = Field("", description="What it may tell, in one short sentence.")


class BundleAnswer(BaseModel):
    """Your final answer: the pages worth reading, best first, pages against the hypotheses included."""

    model_config = ConfigDict(extra="ignore")

    sources: list[NamedSource] = Field(description="Pages from the search results, best first.")


class BundleSource(Contract):
    """One recorded source in the order in which it may be fetched."""

    source_id: Text
    """Minted id of the hit."""
    url: Text
    """Its address."""
    nominated: bool
    """Whether the worker chose it; the others follow in the order of the searches."""
    why: str = ""
    """The worker's reason: a lead for people, never evidence."""


class ResearchBundle(Versioned):
    """The outcome of one worker."""

    force: Force
    """Force it researched."""
    basis: Literal["agent", "ledger"]
    """`agent` when the worker answered, `ledger` when the bundle was assembled from its searches."""
    reason: str = ""
    """Why no answer came: `prose`, `model_calls`, `deadline`, `searches_used`, `model_timeout`,
    `model_unreachable`, `model_status_…` or `model_failed`."""
    sources: tuple[BundleSource, ...] = ()
    """Every recorded source of the force, the worker's choice first."""
    invented: int = Field(0, ge=0)
    """Addresses the worker named that no recorded search led to."""
    searches: int = Field(0, ge=0)
    """Searches that were executed."""
    refused_calls: int = Field(0, ge=0)
    """Calls of tools other than the two it has."""
    model_calls: int = Field(0, ge=0)
    """Model calls."""
    gaps: tuple[Gap, ...] = ()
    """Queries that were rejected, failed or found nothing, and what was refused."""


def canonical_hits(result: SearchResult) -> SearchResult:
    """Return the result with addresses in their one form, each once.

    An address that capture would refuse keeps its spelling, so that the refusal is recorded with its rule.
    """
    found: dict[str, SearchHit] = {}
    for hit in result.hits:
        url = canonical_url(hit.url)
        found.setdefault(url, hit if url == hit.url else hit.model_copy(update={"url": url}))
    return result.model_copy(update={"hits": tuple(found.values())})


def canonical_url(url: str) -> str:
    """Return the one form of an address, or the address itself where it has none."""
    try:
        return canonicalise(url)
    except CaptureRefused:
        return url


def reconcile(
    answer: BundleAnswer | None, answers: Sequence[RecordedQuery]
) -> tuple[tuple[BundleSource, ...], int]:
    """Return all recorded sources, those the answer names first, and how many it invented.

    Args:
        answer: the worker's answer, or None.
        answers: recorded queries in the order of their sequence.

    """
    recorded = list(_in_turn(answers))
    by_url = {canonical_url(url): (source_id, url) for source_id, url in reversed(recorded)}
    chosen: dict[str, BundleSource] = {}
    invented: set[str] = set()
    for named in answer.sources if answer else ():
        known = by_url.get(canonical_url(named.url.strip()))
        if known is None:
            invented.add(named.url)
            continue
        why = " ".join(named.why.split())[:_WHY]
        source_id, url = known
        chosen.setdefault(source_id, BundleSource(source_id=source_id, url=url, nominated=True, why=why))
    for source_id, url in recorded:
        chosen.setdefault(source_id, BundleSource(source_id=source_id, url=url, nominated=False))
    return tuple(chosen.values()), len(invented)


def _in_turn(answers: Iterable[RecordedQuery]) -> Iterator[tuple[str, str]]:
    """Yield id and address of the first hits of all queries, then of the second ones, and so on."""
    rows = [answer.hits for answer in answers]
    for rank in range(max((len(row) for row in rows), default=0)):
        yield from ((row[rank].source_id, row[rank].hit.url) for row in rows if rank < len(row))
