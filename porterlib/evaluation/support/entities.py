"""Names in a text: capitalised words and word groups, and acronyms."""

from __future__ import annotations

import re
from functools import lru_cache

from porterlib.evaluation.support.background import is_ordinary
from porterlib.evaluation.support.morphology import stem
from porterlib.evaluation.support.sentences import sentences
from porterlib.evaluation.support.wordlists import word_list
from porterlib.evaluation.support.words import FUNCTION_WORDS

_CAPITAL = r"(?:(?:[A-Z]\.){2,}|[^\W\d_a-z](?:[\w&]|[.’'-](?=\w)(?!s\b))*(?<=\w\w)|[A-Z](?=\s|$|[,.)]))"
_NAME = re.compile(
    rf"{_CAPITAL}(?:(?:\s+(?:of|the|for|de|du|van|von|la|le|del|&)){{1,2}}\s+{_CAPITAL}|\s+{_CAPITAL}|\s+\d+(?:[.-]\d+)*\b)*"
)
_CALENDAR = frozenset(word_list("calendar"))
_POSSESSIVE = re.compile(r"[’']s?$")


def _trim(name: str, opens_sentence: bool) -> str:
    """Return `name` without the leading ordinary words of a sentence's beginning and without a possessive."""
    parts = name.split()
    while parts:
        low = parts[0].lower().strip(".,’'")
        ordinary = low in FUNCTION_WORDS or (opens_sentence and is_ordinary(stem(low)))
        if parts[0].isupper() and len(parts[0]) > 1 and low not in FUNCTION_WORDS:
            break
        if not ordinary or (len(parts) > 1 and low not in FUNCTION_WORDS and parts[1][:1].isupper()):
            break
        parts = parts[1:]
        while parts and parts[0][:1].islower():
            parts = parts[1:]
        opens_sentence = False
    return _POSSESSIVE.sub("", " ".join(parts)).rstrip(".")


@lru_cache(maxsize=4096)
def entities(text: str) -> tuple[str, ...]:
    """Return the distinct names of `text` in order, as written; months and weekdays are no names.

    A single capitalised word that opens a sentence counts only if it is not an ordinary lower-case word.

    >>> entities("The European Banking Authority supervises Deutsche Bank under DORA. Banks agree.")
    ('European Banking Authority', 'Deutsche Bank', 'DORA')
    """
    found: dict[str, None] = {}
    for start, end in sentences(text):
        for match in _NAME.finditer(text, start, end):
            name = _trim(
                match.group(), opens_sentence=not any(c.isalnum() for c in text[start : match.start()])
            )
            if len(name) > 1 and name.lower() not in _CALENDAR and not name.isdigit():
                found.setdefault(name)
    return tuple(found)
