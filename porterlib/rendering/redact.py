"""Keeps restricted terms and internal facts out of text that others may read."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[withheld]"


def redactor(terms: Iterable[str], facts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of everything that must not be shown, longest first; None when there is nothing."""
    wanted = sorted({t.strip() for t in (*terms, *facts) if t.strip()}, key=lambda t: (-len(t), t))
    if not wanted:
        return None
    return re.compile("|".join(_flexible(term) for term in wanted), re.IGNORECASE)


def redact(text: str, pattern: re.Pattern[str] | None) -> str:
    """Return text in which everything the pattern finds reads `[withheld]`."""
    return text if pattern is None else pattern.sub(HIDDEN, text)


def _flexible(term: str) -> str:
    # White space, hyphens and the backslashes of Markdown escaping may stand between the parts of a term.
    parts = [re.escape(part) for part in re.split(r"[\s\-_]+", term) if part]
    joined = r"(?:\\?[\s\-_])+".join(parts) if parts else re.escape(term)
    start = r"(?<!\w)" if re.match(r"\w", term) else ""
    end = r"(?!\w)" if re.search(r"\w$", term) else ""
    return f"{start}{joined}{end}"
