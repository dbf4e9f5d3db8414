"""Keeps restricted terms and internal facts out of text that others may read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from porterlib.rendering.inert import visible

HIDDEN = "[withheld]"
_DROPPED = " .;,:!?"  # what a sentence may lose or gain at its end
_DOUBLE_QUOTES, _SINGLE_QUOTES = '"“”„', "'‘’‚"
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
    shown = (visible(text).rstrip(_DROPPED) or visible(text) for text in (*terms, *facts))
    # An accent is written as one character or two.
    forms = {unicodedata.normalize(form, text) for text in shown if text for form in ("NFC", "NFD")}
    wanted = sorted(forms, key=lambda text: (-len(text), text))
    if not wanted:
        return None
    return re.compile("|".join(_flexible(term) for term in wanted), re.IGNORECASE)


def redact(text: str, pattern: re.Pattern[str] | None) -> str:
    """Return text in which everything the pattern finds reads `[withheld]`."""
    return text if pattern is None else pattern.sub(HIDDEN, text)


def _flexible(term: str) -> str:
    # White space, hyphens and the backslashes of Markdown escaping may stand between the parts of a term.
    parts = ["".join(map(_written, part)) for part in re.split(r"[\s\-_]+", term) if part]
    joined = r"(?:\\?[\s\-_])+".join(parts) if parts else re.escape(term)
    start = r"(?<![^\W_])" if term[0].isalnum() else ""
    end = r"(?![^\W_])" if term[-1].isalnum() else ""
    return f"{start}{joined}{end}"


def _written(char: str) -> str:
    """Return a pattern of a character as texts for readers write it: escaped, doubled, or as a like one."""
    if char.isalnum():
        return re.escape(char)
    if char == "&":
        return r"\\?&(?:amp;)?"
    if char in _DOUBLE_QUOTES:
        return rf"[{_DOUBLE_QUOTES}{_SINGLE_QUOTES}]{{1,2}}"
    return rf"[{_SINGLE_QUOTES}]" if char in _SINGLE_QUOTES else rf"\\?{re.escape(char)}"
