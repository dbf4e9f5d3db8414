"""What changed between two texts, for a reviewer who approved the first."""

from __future__ import annotations

import difflib

from porterlib.rendering.inert import visible

CONTEXT_LINES = 2
"""Unchanged lines shown around a change."""


def text_diff(before: str, after: str, *, before_name: str, after_name: str) -> str:
    r"""Return a unified diff of two texts, empty when they are equal.

    Both texts must be redacted already. Lines are shown without control and invisible characters; the
    indentation of the texts stays.

    >>> print(text_diff("a\nb\n", "a\nc\n", before_name="old", after_name="new"))
    --- old
    +++ new
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        fromfile=before_name,
        tofile=after_name,
        n=CONTEXT_LINES,
        lineterm="",
    )
    return "\n".join(_shown(line) for line in lines)


def _shown(line: str) -> str:
    mark, content = line[:1], line[1:].rstrip()
    indent = len(content) - len(content.lstrip(" "))
    return mark + " " * indent + visible(content)
