"""What a page says about itself: title, author, published date; from its own fields only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from porterlib.capture.characters import clean
from porterlib.capture.dates import read_date

_DATE_FIELDS = [
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "citation_online_date",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.date",
    "dc.date",
    "dcterms.created",
    "datepublished",
    "date_published",
    "publish_date",
    "publish-date",
    "publication_date",
    "publication-date",
    "published",
    "pubdate",
    "sailthru.date",
    "parsely-pub-date",
    "eli:date_publication",
    "eli:date_document",
    "og:published_time",
    "first_published_at",
    "date",
]
_TITLE_FIELDS = ("citation_title", "og:title", "dc.title", "dcterms.title", "eli:title")
_AUTHOR_FIELDS = (
    "citation_author",
    "author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "parsely-author",
)
_ARTICLE_TYPES = re.compile(
    r"Article|Report|Posting|WebPage|Publication|Legislation|Dataset|CreativeWork|TechArticle", re.I
)
_LABELLED = re.compile(
    r"^\W{0,4}(?:date(?: published| issued| of publication)?|published(?: on| at)?|publication date|release"
    r" date|issued"
    r"(?: on)?|posted(?: on)?)\s*:?\W{0,4}\s*(\S.{3,40}?)\W{0,3}$",
    re.I,
)
_LABEL_LINES, _LABEL_CHARS = 40, 4000
_DATED_CLASS = re.compile(r"publish|posted|pubdate|dateline|entry-date", re.I)
_FILE_NAME = re.compile(r"^\S+\.(?:xml|html?|pdf|docx?|txt|aspx?)$", re.I)
_LONGEST = 400


@dataclass(frozen=True)
class PageFacts:
    """Title, author and published date of a document, each only where the document states it."""

    title: str | None = None
    author: str | None = None
    published: str | None = None


def html_facts(root: etree._Element) -> PageFacts:
    """Read JSON-LD, meta fields, microdata and dated `time` elements of a page."""
    meta = _meta(root)
    linked = list(_linked_data(root))
    return PageFacts(
        title=_title(root, meta, linked),
        author=_author(meta, linked),
        published=_published(root, meta, linked),
    )


def front_matter_facts(fields: Mapping[str, Any]) -> PageFacts:
    """Read the front matter of a Markdown document."""
    lower = {str(key).lower(): value for key, value in fields.items()}
    dates = (
        read_date(lower[key])
        for key in ("date", "published", "date_published", *_DATE_FIELDS)
        if key in lower
    )
    published = next((found for found in dates if found), None)
    if published is None and "ms.date" in lower:
        published = read_date(lower["ms.date"], us_order=True)  # documented as MM/DD/YYYY
    author = lower.get("author", lower.get("authors"))
    names = author if isinstance(author, list) else [author]
    return PageFacts(
        title=_short(lower.get("title")),
        author=_short(", ".join(str(name) for name in names if isinstance(name, str)) or None),
        published=published,
    )


def labelled_date(text: str) -> str | None:
    """Return the date of a line such as `Published: 5 October 2019` near the head of `text`."""
    for line in text[:_LABEL_CHARS].split("\n")[:_LABEL_LINES]:
        if len(line) <= 80 and (match := _LABELLED.match(line)) and (found := read_date(match[1])):
            return found
    return None


def _meta(root: etree._Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for element in root.iter("meta"):
        content = element.get("content")
        for key in ("name", "property", "itemprop"):
            name = element.get(key)
            if name and content:
                found.setdefault(name.strip().lower(), []).append(content)
    return found


def _linked_data(root: etree._Element) -> Iterator[dict[str, Any]]:
    for script in root.iter("script"):
        if (script.get("type") or "").partition(";")[0].strip().lower() != "application/ld+json":
            continue
        try:
            data = json.loads("".join(script.itertext()))
        except (ValueError, RecursionError):
            continue  # a page's broken JSON says nothing
        nodes = data if isinstance(data, list) else [data]
        for node in nodes[:20]:
            if isinstance(node, dict):
                graph = node.get("@graph")
                inner = graph[:50] if isinstance(graph, list) else []
                yield from (item for item in [node, *inner] if _is_article(item))


def _is_article(node: object) -> bool:
    if not isinstance(node, dict):
        return False
    kinds = node.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return any(isinstance(name, str) and _ARTICLE_TYPES.search(name) for name in names)


def _published(
    root: etree._Element, meta: Mapping[str, list[str]], linked: list[dict[str, Any]]
) -> str | None:
    stated = [node["datePublished"] for node in linked if isinstance(node.get("datePublished"), str)]
    stated += [value for field in _DATE_FIELDS for value in meta.get(field, [])]
    stated += _time_elements(root)
    return next((found for found in map(read_date, stated) if found), None)


def _time_elements(root: etree._Element) -> Iterator[str]:
    """Yield dates of elements that are marked as the publication date; other `time` elements are not."""
    for element in root.xpath("//*[@itemprop='datePublished' or @property='schema:datePublished'] | //time"):
        marked = (element.get("itemprop") or element.get("property") or "").endswith("datePublished")
        marked = (
            marked or element.get("pubdate") is not None or _DATED_CLASS.search(element.get("class") or "")
        )
        if marked:
            yield element.get("datetime") or element.get("content") or "".join(element.itertext())


def _title(root: etree._Element, meta: Mapping[str, list[str]], linked: list[dict[str, Any]]) -> str | None:
    stated: list[object] = [value for field in _TITLE_FIELDS for value in meta.get(field, [])]
    stated += [
        "".join(title.itertext()) for title in root.xpath("//head/title | /html/title | //body/title")[:1]
    ]
    stated += [node.get("headline") for node in linked]
    stated += ["".join(heading.itertext()) for heading in [*root.iter("h1")][:1]]
    for value in stated:
        title = _short(value)
        if title and not _FILE_NAME.match(title):
            return title
    return None


def _author(meta: Mapping[str, list[str]], linked: list[dict[str, Any]]) -> str | None:
    for field in _AUTHOR_FIELDS:
        names = [name for name in meta.get(field, []) if "://" not in name]
        if names:
            return _short(", ".join(names[:10]))
    for node in linked:
        people = node.get("author")
        people = people if isinstance(people, list) else [people]
        names = [
            person["name"]
            for person in people[:10]
            if isinstance(person, dict) and _short(person.get("name"))
        ]
        if names:
            return _short(", ".join(names))
    return None


def _short(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(clean(value).split())
    return text[:_LONGEST] or None
