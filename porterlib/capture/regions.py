"""Which parts of a page are its main content, and which are navigation and furniture around it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FURNITURE_TAGS = frozenset({"nav", "footer", "aside", "menu"})
_FURNITURE_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"}
)
_FURNITURE_NAMES = re.compile(
    r"^(?:(?:site|page|global|main|top|primary|secondary)[-_]?(?:nav|navigation|navbar|menu|header|footer)"
    r"|nav|navbar|navigation|breadcrumbs?|skip[-_]?(?:link|nav|to[-_]?content)|cookie[-_]?(?:banner|consent"
    r"|notice|bar)"
    r"|social[-_]?(?:share|links|media)|share[-_]?(?:links|buttons)|sidebar|related[-_]?(?:links|content"
    r"|articles))$",
    re.I,
)
_LINK_LISTS = frozenset({"ul", "ol"})


def is_furniture(tag: str, attributes: Mapping[str, str], *, inside_article: bool) -> bool:
    """Tell whether an element is navigation, page header or footer, or a side column.

    A `header` inside an article belongs to it (title, author, date), one outside is the page's.
    """
    if tag in _FURNITURE_TAGS or (tag == "header" and not inside_article):
        return True
    if attributes.get("role", "").lower() in _FURNITURE_ROLES:
        return True
    names = attributes.get("class", "").split()
    if tag not in {"body", "main", "article", "html"} and "id" in attributes:
        names.append(attributes["id"])
    return tag not in {"body", "main", "article", "html"} and any(map(_FURNITURE_NAMES.match, names))


def is_link_list(tag: str, text_chars: int, link_chars: int, links: int) -> bool:
    """Tell whether a list is a menu: five or more short links and hardly any text that is not a link."""
    return tag in _LINK_LISTS and links >= 5 and link_chars >= 0.9 * text_chars and link_chars <= 45 * links
