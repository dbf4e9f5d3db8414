"""What a fetched page is: where it came from, what was kept of it, and what was refused or noticed."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Sha256, Text, UtcTime, Versioned
from porterlib.hashing import sha256_hex

PublishedBasis = Literal["page", "declared", "none"]


class SourceRef(Contract):
    """A minted source that may be fetched: one search hit, registered URL or corpus document."""

    source_id: str = Field(pattern=r"^S-\S+$")
    """Minted id (`S-…`) under which the ledger recorded the hit; nothing else is fetched."""
    url: Text
    """Address of the page; in a corpus the address the document was published under."""
    file: str | None = None
    """Path of the document inside the corpus folder, or nothing for a page of the web."""
    declared_title: str | None = None
    """Title given by the corpus manifest or the search hit; used where the page has none."""
    declared_published: str | None = None
    """Published date given by the corpus manifest; used where the page gives none."""


class PageFlag(Contract):
    """Something suspicious that was seen in the text of a page; such a page is kept but not promoted."""

    rule: Text
    """Name of the pattern that matched."""
    start: int = Field(ge=0)
    """Offset of the match in the text, in characters."""
    end: int = Field(ge=0)
    """Offset of the end of the match."""


class CaptureGap(Contract):
    """Something that could not be had from a page, for the record and the brief."""

    rule: Text
    """Stable name of the reason."""
    detail: str = ""
    """What it means for this page, without untrusted text."""


class Heading(Contract):
    """A heading of the page as a span of its text."""

    level: int = Field(ge=1, le=6)
    """Depth of the heading, 1 the highest."""
    start: int = Field(ge=0)
    """Offset of the heading in the text."""
    end: int = Field(ge=0)
    """Offset of its end."""


class ExtractedPage(Contract):
    """The text of a document and what the document says about itself."""

    text: str
    """Visible text: one block a line, cells of a table row separated by tabs, no control characters."""
    title: str | None = None
    """Title the document gives itself."""
    author: str | None = None
    """Author the document names."""
    published: str | None = None
    """Published date as the document gives it: `2019`, `2019-10` or `2019-10-05`; never guessed."""
    media_type: Text
    """Media type after sniffing: text/html, application/xhtml+xml, text/markdown or text/plain."""
    charset: Text
    """WHATWG name of the encoding that was used."""
    headings: tuple[Heading, ...] = ()
    """Headings in reading order."""
    flags: tuple[PageFlag, ...] = ()
    """Instruction-like or concealed text."""
    gaps: tuple[CaptureGap, ...] = ()
    """What is missing or was cut."""


class Redirect(Contract):
    """One step from an address to the next."""

    url: Text
    """Address that answered with a redirect."""
    status: int = Field(ge=300, le=399)
    """Its HTTP status."""


class CapturedPage(Versioned):
    """A page as it was fetched, with its text and the hashes of both."""

    source_id: Text
    """Minted id of the source that was fetched."""
    requested_url: Text
    """Address that was asked for."""
    final_url: Text
    """Address that gave the page, after redirects."""
    redirects: tuple[Redirect, ...] = ()
    """Every redirect on the way, in order."""
    status: int = Field(ge=100, le=599)
    """HTTP status of the page; 200 for a corpus document."""
    media_type: Text
    """Media type after sniffing."""
    charset: Text
    """Encoding that was used to read the page."""
    retrieved_at: UtcTime
    """When the page was fetched."""
    raw_sha256: Sha256
    """SHA-256 of the bytes of the document, after content decoding."""
    raw_length: int = Field(ge=0)
    """Number of those bytes."""
    text_sha256: Sha256
    """SHA-256 of the text in UTF-8."""
    text: str
    """Extracted text; quotes are spans of exactly this string."""
    title: str | None = None
    """Title of the page, else the declared one."""
    author: str | None = None
    """Author the page names."""
    published: str | None = None
    """Published date: full or partial ISO date, or nothing."""
    published_basis: PublishedBasis = "none"
    """Whether the page itself or the corpus manifest gave the date."""
    headings: tuple[Heading, ...] = ()
    """Headings as spans of the text."""
    flags: tuple[PageFlag, ...] = ()
    """Instruction-like or concealed text; a flagged page is not promoted to evidence."""
    gaps: tuple[CaptureGap, ...] = ()
    """What is missing or was cut."""
    extractor: Text
    """Name and version of the extraction, since texts agree only where it does."""
    raw: bytes = Field(b"", exclude=True, repr=False)
    """Bytes of the document; kept as a blob beside the record and empty when reloaded."""

    @property
    def promotable(self) -> bool:
        """Tell whether the page may become evidence: it has text and no flag."""
        return bool(self.text) and not self.flags

    @model_validator(mode="after")
    def _hashes_match(self) -> Self:
        if sha256_hex(self.text.encode()) != self.text_sha256:
            raise ValueError("text_sha256 is not the hash of text; build the page from the extracted text")
        if self.raw and sha256_hex(self.raw) != self.raw_sha256:
            raise ValueError("raw_sha256 is not the hash of raw; build the page from the fetched bytes")
        return self

    def record(self) -> dict[str, Any]:
        """Return the ledger record: every field but text and raw, which are stored by digest."""
        return self.model_dump(mode="json", exclude={"text", "raw"})


class UrlVerdict(Contract):
    """Whether an address may be fetched, judged from its spelling alone."""

    allowed: bool
    """True when every rule is met."""
    rule: Text
    """`ok`, or the name of the first rule that refused the address."""
    url: str = ""
    """Normalised address without fragment; empty when refused."""
    scheme: str = ""
    """`http` or `https`."""
    ascii_host: str = ""
    """Host as it goes to the resolver: IDNA ASCII, or an address literal without brackets."""
    port: int = 0
    """80 or 443."""
