"""Makes untrusted text inert for Markdown, HTML and spreadsheets."""

from __future__ import annotations

import html
import re
from urllib.parse import quote, urlsplit

_MARKDOWN = re.compile(
    r"([\\`*\[\]<>|~]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # between two letters it starts no emphasis
    r"|^(?:[#+-]|\d+[.)])(?=\s|$)|^[=-](?=[=-]*$))"  # headings, lists, rules
)
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def visible(text: str) -> str:
    """Return text on one line without control, bidirectional and invisible characters."""
    return " ".join(_INVISIBLE.sub("", text).split())


def markdown(text: str) -> str:
    """Return text that a Markdown reader shows as it stands, on one line.

    Characters that could start markup, a link or HTML get a backslash; an address in the text stays text.
    """
    escaped = _MARKDOWN.sub(_escaped, visible(text))
    escaped = escaped.replace("&", "&amp;") if re.search(r"&[#\w]+;", escaped) else escaped
    return escaped.replace("://", "\\://")  # an address in untrusted text stays text


def _escaped(match: re.Match[str]) -> str:
    found = match.group(1).lstrip()
    # A number is no escapable character: in "1." the stop is escaped instead.
    return f"{found[:-1]}\\{found[-1]}" if found[:1].isdigit() else f"\\{found}"


def link(url: str) -> str:
    """Return an address as an autolink if it is plain http or https, else as inert text."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname and not parts.username:
        return f"<{quote(url, safe=':/?#@!$&()*+,;=%-._~')}>"
    return markdown(url)


def cell(text: str) -> str:
    """Return text for a spreadsheet cell: what could be a formula gets a leading apostrophe."""
    plain = visible(text)
    return "'" + plain if plain.startswith(_FORMULA) else plain


def markup(text: str) -> str:
    """Return text escaped for HTML content and attributes."""
    return html.escape(_INVISIBLE.sub("", text), quote=True)
