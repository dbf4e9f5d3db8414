"""Bytes of a document to its text: type, encoding, visible main content, and what the document states."""

from __future__ import annotations

from porterlib.capture.blocks import BlockText
from porterlib.capture.characters import clean, conceals
from porterlib.capture.charset import decode
from porterlib.capture.html import HtmlDocument, HtmlText
from porterlib.capture.inert import concealment_flag, hidden_flag, instruction_flags
from porterlib.capture.limits import CaptureLimits
from porterlib.capture.markdown import markdown_to_html, split_front_matter
from porterlib.capture.metadata import PageFacts, front_matter_facts, html_facts, labelled_date
from porterlib.capture.sniff import sniff
from porterlib.contracts.capture import CaptureGap, ExtractedPage

EXTRACTOR = "porterlib-blocks/1"


def extract(
    raw: bytes,
    *,
    media_type: str | None = None,
    charset: str | None = None,
    limits: CaptureLimits | None = None,
) -> ExtractedPage:
    """Return the text of a document with its title, author, published date, headings, flags and gaps.

    Args:
        raw: the document's bytes after content decoding.
        media_type: declared media type, with or without parameters; sniffed where absent.
        charset: encoding label of the transport; a `charset` parameter of `media_type` counts too.
        limits: caps; text beyond `text_chars` is cut at a line end and recorded as `text_cut`.

    Raises:
        CaptureRefused: the document is too large, is not HTML, XHTML, Markdown or plain text, or has no text.

    """
    limits = limits or CaptureLimits()
    limits.check_decoded(len(raw), limits.decoded_bytes)
    kind = sniff(raw, media_type)
    label = charset or _charset_parameter(media_type)
    source, encoding = decode(raw, transport=label, html="html" in kind)
    concealed = conceals(source)
    source = clean(source)
    found, facts = _plain(source) if kind == "text/plain" else _marked_up(source, kind)
    text, cut = _cut(clean(found.text), limits.text_chars)
    flags = instruction_flags(text)
    if any(map(instruction_flags, found.unseen)):
        flags = (hidden_flag(), *flags)
    return ExtractedPage(
        text=text,
        title=facts.title,
        author=facts.author,
        published=facts.published or labelled_date(text),
        media_type=kind,
        charset=encoding,
        headings=tuple(heading for heading in found.headings if heading.end <= len(text)),
        flags=(concealment_flag(), *flags) if concealed else flags,
        gaps=_gaps(found, cut=cut, text=text),
    )


def _marked_up(source: str, kind: str) -> tuple[HtmlText, PageFacts]:
    stated = PageFacts()
    if kind == "text/markdown":
        fields, body = split_front_matter(source)
        stated = front_matter_facts(fields)
        source = markdown_to_html(body)
    document = HtmlDocument(source, xhtml=kind == "application/xhtml+xml")
    own = html_facts(document.root)
    facts = PageFacts(
        title=stated.title or own.title,
        author=stated.author or own.author,
        published=stated.published or own.published,
    )
    return document.text(), facts


def _plain(source: str) -> tuple[HtmlText, PageFacts]:
    built = BlockText()
    for line in source.split("\n"):
        if line.strip():
            built.soft_break()
            built.add(line)
        else:
            built.line_break()
    return HtmlText(built.text, (), main_unclear=False, nesting_cut=False), PageFacts()


def _charset_parameter(media_type: str | None) -> str | None:
    for part in (media_type or "").split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'") or None
    return None


def _cut(text: str, most: int) -> tuple[str, bool]:
    if len(text) <= most:
        return text, False
    end = text.rfind("\n", 0, most)
    return text[: end if end > most // 2 else most], True


def _gaps(found: HtmlText, *, cut: bool, text: str) -> tuple[CaptureGap, ...]:
    noticed = (
        (not text, "text_empty", "the page shows no text without running scripts"),
        (cut, "text_cut", "the text beyond the limit of characters was left out"),
        (
            found.main_unclear,
            "main_content_unclear",
            "navigation could not be told from content, both were kept",
        ),
        (found.refreshes, "meta_refresh", "the page sends its reader to another one, which was not followed"),
        (found.nesting_cut, "nesting_cut", "parts nested too deep were left out"),
    )
    return tuple(CaptureGap(rule=rule, detail=detail) for true, rule, detail in noticed if true)
