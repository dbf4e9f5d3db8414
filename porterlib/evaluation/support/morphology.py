"""Word folding and a light English stemmer, so that "regulators" and "regulation" meet in one term.

The stemmer removes inflection first and then the commonest derivational endings. It is deliberately shorter
than Porter's: the screen compares words with words, never shows a stem, and a cached call must stay cheap.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from porterlib.evaluation.support.wordlists import split_rows

_VOWEL = re.compile(r"[aeiouy]")
_DERIVED = (  # ending, what replaces it, how many letters must remain before it
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("fulness", "", 3),
    ("ousness", "", 3),
    ("iveness", "", 3),
    ("atory", "", 4),
    ("ation", "", 4),
    ("ition", "", 4),
    ("ator", "", 4),
    ("ment", "", 4),
    ("ness", "", 4),
    ("ance", "", 4),
    ("ence", "", 4),
    ("ancy", "", 4),
    ("ency", "", 4),
    ("able", "", 4),
    ("ible", "", 4),
    ("ical", "", 4),
    ("ful", "", 4),
    ("ion", "", 5),
    ("ity", "", 4),
    ("ive", "", 4),
    ("ise", "iz", 4),
    ("ize", "iz", 4),
    ("ant", "", 5),
    ("ent", "", 5),
    ("al", "", 5),
    ("ic", "", 5),
    ("er", "", 4),
    ("or", "", 4),
    ("ate", "", 4),
)


_IRREGULAR = {form: base for base, *forms in split_rows("irregular") for form in forms}


def fold(text: str) -> str:
    """Return `text` in compatibility form, case-folded and without diacritics ("Penélope" → "penelope")."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char))


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def _without_inflection(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if not word.endswith(ending) or len(base) < 3 or not _VOWEL.search(base):
            continue
        if base[-1] == base[-2] and base[-1] not in "lsz":
            return base[:-1]
        return base
    return word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the folded stem of one word; words with digits and words of up to three letters stay whole."""
    word = fold(word)
    base = _IRREGULAR.get(word) or _IRREGULAR.get(_without_plural(word))
    if base:
        return base if base in {word, "be"} else stem(base)
    if len(word) <= 3 or not word.isalpha():
        return word
    word = _without_plural(word)
    if word.endswith("ly") and len(word) > 6:
        word = word[:-2]
    word = _without_inflection(word)
    for ending, replacement, least in _DERIVED:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)] + replacement
            if ending in {"er", "or"} and word[-1] == word[-2] and word[-1] in "bdgmnprt":
                word = word[:-1]
            break
    if len(word) > 4 and word.endswith("at"):
        word = word[:-2] if len(word) > 5 else word
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "lst":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 2 and word[-1] == "y" else word
