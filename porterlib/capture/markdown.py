"""Turns Markdown into the HTML that the one extractor reads, and reads its front matter."""

from __future__ import annotations

import re
from typing import Any

from porterlib.capture.html import NUMBERED, SOFT_BREAK

_FRONT = re.compile(r"\A---[ \t]*\n(.{0,60000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_LONGEST_BLOCK = 20_000  # inline parsing is quadratic in a paragraph


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of the YAML front matter and the text after it; no fields where there is none."""
    match = _FRONT.match(text)
    if not match:
        return {}, text
    import yaml

    try:
        fields = yaml.load(match[1], Loader=yaml.CBaseLoader)  # noqa: S506 - strings only, builds no objects
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}, text
    return (fields, text[match.end() :]) if isinstance(fields, dict) else ({}, text)


def markdown_to_html(text: str) -> str:
    """Return HTML of `text`; raw HTML passes through, line ends inside paragraphs become soft breaks."""
    import mistune

    class Renderer(mistune.HTMLRenderer):
        """Marks soft breaks, so that the text builder can tell wrapped lines from meant ones."""

        def softbreak(self) -> str:
            return f'<br class="{SOFT_BREAK}">'

        def list(self, text: str, ordered: bool, **attrs: Any) -> str:
            """Keep the numbers of a numbered list, since a reader of the source sees them."""
            if not ordered:
                return f"<ul>{text}</ul>"
            return f'<ol class="{NUMBERED}" start="{int(attrs.get("start") or 1)}">{text}</ol>'

    render = mistune.create_markdown(renderer=Renderer(escape=False), plugins=["table", "strikethrough"])
    return str(render(_with_bounded_blocks(text)))


def _with_bounded_blocks(text: str) -> str:
    """Return `text` with blank lines put into paragraphs so long that parsing them would take minutes."""
    if len(text) <= _LONGEST_BLOCK:
        return text
    lines, size = [], 0
    for line in text.split("\n"):
        for start in range(0, max(len(line), 1), _LONGEST_BLOCK):
            piece = line[start : start + _LONGEST_BLOCK]
            if size and size + len(piece) > _LONGEST_BLOCK:
                lines.append("")
                size = 0
            size = size + len(piece) if piece.strip() else 0
            lines.append(piece)
    return "\n".join(lines)
