"""Words of a text as they are compared: folded, lower case, cut between letters and digits."""

from __future__ import annotations

import re
from functools import lru_cache

from porterlib.egress.confusables import fold

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_STOP = frozenset(
    "a about above after all also an and any are as at be been before being between both but by can could"
    " did do does"
    " during each for from further had has have having here how i if in into is it its just may might more"
    " most must"
    " no nor not of off on once only or other our out over own per same shall should so some such than that"
    " the"
    " their them then there these they this those through to too under until up upon us very was we were"
    " what when where"
    " whether which while who whom why will with would you your".split()
)


def words(text: str, *, camel: bool = False) -> list[str]:
    """Return the words of `text`; with `camel`, `exitPlanX` counts as three."""
    return list(_words(text, camel=camel))


@lru_cache(maxsize=1024)  # a guard reads the same few hundred readings of a query for each of its rules
def _words(text: str, *, camel: bool) -> tuple[str, ...]:
    folded = fold(text)
    if camel:
        folded = _CAMEL.sub(" ", folded)
    return tuple(part.casefold() for part in _PARTS.findall(folded))


def is_content(word: str) -> bool:
    """Tell whether a word carries meaning: not a function word, and not a single letter."""
    return len(word) > 1 and word not in _STOP
