"""Keeps restricted terms and internal facts out of text that others may read."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[withheld]"
_IDENTIFIER = re.compile(
    r"[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+"  # e-mail
    r"|\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b"  # IBAN
    r"|\b\d{3}-\d{2}-\d{4}\b"  # social security number
    r"|\b\d(?:[ -]?\d){11,18}\b"  # card or long account number
)


def identifiers(texts: Iterable[str]) -> tuple[str, ...]:
    """Return e-mail addresses, account and card numbers that stand in texts of a request.

    >>> identifiers(["Should we serve DE89370400440532013000 (j.doe@firm.example)?"])
    ('DE89370400440532013000', 'j.doe@firm.example')
    """
    return tuple(sorted({match.group() for text in texts for match in _IDENTIFIER.finditer(text)}))


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
