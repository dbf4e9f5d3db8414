"""Puts a fetched document and its extraction together as one captured page."""

from __future__ import annotations

from datetime import datetime

from porterlib.capture.extract import EXTRACTOR
from porterlib.contracts.capture import (
    CapturedPage,
    CaptureGap,
    ExtractedPage,
    PublishedBasis,
    Redirect,
    SourceRef,
)
from porterlib.hashing import sha256_hex


def captured_page(
    source: SourceRef,
    extracted: ExtractedPage,
    *,
    raw: bytes,
    retrieved_at: datetime,
    final_url: str,
    status: int = 200,
    redirects: tuple[Redirect, ...] = (),
    gaps: tuple[CaptureGap, ...] = (),
) -> CapturedPage:
    """Return the page with its hashes; title and date fall back to the declared ones and say so."""
    basis: PublishedBasis = (
        "page" if extracted.published else "declared" if source.declared_published else "none"
    )
    undated = (
        ()
        if basis != "none"
        else (CaptureGap(rule="undated", detail="neither page nor manifest gives a date"),)
    )
    return CapturedPage(
        source_id=source.source_id,
        requested_url=source.url,
        final_url=final_url,
        redirects=redirects,
        status=status,
        media_type=extracted.media_type,
        charset=extracted.charset,
        retrieved_at=retrieved_at,
        raw_sha256=sha256_hex(raw),
        raw_length=len(raw),
        text_sha256=sha256_hex(extracted.text.encode()),
        text=extracted.text,
        title=extracted.title or source.declared_title,
        author=extracted.author,
        published=extracted.published or source.declared_published,
        published_basis=basis,
        headings=extracted.headings,
        flags=extracted.flags,
        gaps=(*extracted.gaps, *undated, *gaps),
        extractor=EXTRACTOR,
        raw=raw,
    )
