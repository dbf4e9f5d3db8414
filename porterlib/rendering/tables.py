"""Markdown tables of inert cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porterlib.rendering.inert import markdown


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table and a blank line; nothing when there are no rows."""
    if not rows:
        return
    yield "| " + " | ".join(markdown(name) for name in head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(markdown(entry) for entry in row) + " |"
    yield ""


def sourced_table(head: Sequence[str], rows: Sequence[tuple[Sequence[str], str]]) -> Iterator[str]:
    """Yield the lines of a table whose last column holds source marks, which are markup of our own."""
    if not rows:
        return
    yield "| " + " | ".join(markdown(name) for name in (*head, "Sources")) + " |"
    yield "|" + "---|" * (len(head) + 1)
    for cells, cited in rows:
        yield "| " + " | ".join((*map(markdown, cells), cited.strip())) + " |"
    yield ""
