"""Files a page: class, publisher, date against the cutoff, and its four scores (rules 7.3, 7.4 and 2.4)."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from porterlib.contracts.capture import CapturedPage
from porterlib.contracts.evidence import Origin
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.search import SearchHit
from porterlib.contracts.sector import SectorPack, SourceClass
from porterlib.sectors import applicability, authority, classify, freshness, quality

# Hosts of these classes carry documents of many publishers, so the host says nothing about independence.
_CARRIERS: frozenset[SourceClass] = frozenset({"audited_filing", "company_disclosure", "academic"})
_TOLD_WITHIN = 20_000  # characters in which a text that names its jurisdiction or product does so


class FiledPage(NamedTuple):
    """A captured page with everything evidence says about its source."""

    page: CapturedPage
    """The page."""
    source_id: str
    """Id under which it was fetched."""
    url: str
    """Address as evidence names it."""
    title: str
    """Title: declared, else the page's own."""
    origin: Origin
    """Web or corpus."""
    publisher: str
    """Publisher as printed."""
    publisher_key: str
    """What counts as one publisher."""
    source_class: SourceClass
    """Class of source."""
    declared: bool
    """Whether the corpus manifest declared the class."""
    recognised: bool
    """Whether a rule of the pack's source policy named the host."""
    authority: float
    """Authority of the class."""
    quality: float
    """Quality of the source."""
    freshness: float
    """Freshness against the cutoff."""
    applicability: float
    """Match with jurisdiction, product and period."""


def file_page(page: CapturedPage, hit: SearchHit, contract: DecisionContract, pack: SectorPack) -> FiledPage:
    """Return `page` with class, publisher and scores.

    Args:
        page: the captured page.
        hit: the hit that led to it, with what a corpus manifest declares.
        contract: the decision, for cutoff and boundary.
        pack: its sector pack, for the source policy.

    """
    in_corpus = hit.file is not None
    url = hit.url if in_corpus else page.final_url
    verdict = classify(url, pack)
    recognised = verdict.source_class != "vendor"
    source_class = hit.source_class or verdict.source_class
    publisher = hit.publisher or verdict.publisher
    owned = recognised and verdict.source_class not in _CARRIERS
    key = verdict.owner if owned or not hit.publisher else hit.publisher
    title = (hit.title if in_corpus else "") or page.title or hit.title
    told = page.text[:_TOLD_WITHIN]
    return FiledPage(
        page=page,
        source_id=page.source_id,
        url=url,
        title=title,
        origin="corpus" if in_corpus else "web",
        publisher=publisher,
        publisher_key=" ".join(key.casefold().split()),
        source_class=source_class,
        declared=hit.source_class is not None,
        recognised=recognised,
        authority=authority(source_class),
        quality=quality(source_class, recognised, pack),
        freshness=freshness(page.published, contract.evidence_cutoff, source_class, pack),
        applicability=applicability(contract.boundary, pack, title=title, url=url, text=told),
    )


def refusal_rule(page: CapturedPage, cutoff: date | None) -> str | None:
    """Return why a captured page may not become evidence, or None.

    Rules: `text_empty`, `instructions_in_page`, `after_cutoff`. An undated page stays. A partial date is
    after the cutoff only where its whole month or year lies after it.
    """
    if not page.text.strip():
        return "text_empty"
    if page.flags:
        return "instructions_in_page"
    if cutoff is not None and page.published and page.published > cutoff.isoformat()[: len(page.published)]:
        return "after_cutoff"
    return None
