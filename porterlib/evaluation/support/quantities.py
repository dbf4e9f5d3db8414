"""Quantities of a text: value, unit and place, whatever the spelling ("12 %", "twelve per cent", "€1.2bn").

Calendar dates and references such as "Article 28(3)" or "Regulation (EU) 2022/2554" are no quantities;
dates have their own module and references are compared as names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from porterlib.evaluation.support.dates import dates
from porterlib.evaluation.support.number_words import word_numbers
from porterlib.evaluation.support.wordlists import split_rows
from porterlib.evaluation.support.words import FUNCTION_WORDS, Words, scan

_CURRENCY = {spelling: code for code, *spellings in split_rows("currency") for spelling in spellings}
_MAGNITUDE = {spelling: int(power) for power, *spellings in split_rows("magnitude") for spelling in spellings}
_UNITS = {
    spelling.replace("_", " "): (unit, Decimal(factor))
    for unit, factor, *spellings in split_rows("unit")
    for spelling in spellings
}
_NUMBER = re.compile(
    r"""(?P<currency>(?:US|HK|A|C|S)?\$|[€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|SGD|AUD|CAD)(?=\s?\d))?\s?
    (?<![\w.,/:])(?P<sign>(?<![\w)%])[-−])?(?<![A-Za-z]-)
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3})+(?![\d.,]\d)
      |\d{1,3},\d{1,2}(?=\s?(?:%|per\s?cent|million|billion|bn|€))|\d+(?:\.\d+)?)
    (?!\.\d|[/:]\d|\d)(?P<ordinal>st\b|nd\b|rd\b|th\b)?
    (?:[\s-]?(?P<scale>thousands?|millions?|billions?|trillion|hundred|bn|mn|mm|tn|[kKmMbBtT])(?![\w’']))?""",
    re.VERBOSE,
)
_UNIT = re.compile(
    r"[\s-]*(?:(?P<named>%|per\s?cent(?:age\spoints?)?|percent(?:age\spoints?)?|pct\b|pp\b|bps?\b|basis\spoints?"
    r"|(?:second|minute|hour|day|week|month|quarter|year|decade|centur|time)(?:s|ies|y)?\b(?!-)|fold\b|(?<=\d)x\b)"
    r"|(?P<money>(?:US\s)?dollars?\b|euros?\b|pounds?\b|yen\b|USD\b|EUR\b|GBP\b|CHF\b|€|£))",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:\b(?P<kind>Articles?|Art\.|Sections?|Sec\.|Recitals?|Chapters?|Annex(?:es)?|Regulations?|Directives?|Rules?|Parts?"
    r"|Tables?|Figures?|Notes?|Items?|Paragraphs?|paragraphs?|points?|pages?|ISO|IFRS|No\.|Title)|§{1,2})"
    r"\s*(?:\([A-Z]{2,3}\)\s*)?(?:No\.?\s*)?(?P<number>\d+(?:[./:-]\d+)*[A-Za-z]?(?:\([0-9a-z]{1,4}\))*)"
    r"|\b(?P<bare>\d{2,4}/\d{2,4}(?:/[A-Z]{2,3})?)\b|(?<=\w)\(\d{1,3}\)"
)
_BOUND = re.compile(
    r"(?:(?P<above>more than|over|above|exceed(?:s|ing|ed)?|greater than|upwards? of"
    r"|in excess of|higher than|longer than)"
    r"|(?P<least>at least|no less than|not less than|no fewer than|minimum of|from)"
    r"|(?P<below>less than|fewer than|under|below|lower than|almost|nearly|shorter than)"
    r"|(?P<most>at most|up to|no more than|not more than|not exceed(?:ing)?|maximum of|within)"
    r"|(?P<near>about|around|approximately|roughly|some|circa|ca\.|~|≈|estimated(?: at)?))"
    r"\s*(?:a |an |the )?$",
    re.IGNORECASE,
)
_AFTER_MILLIONS = re.compile(r"\s(?!tall|long|high|wide|deep|above|below|away)[A-Za-z]{3}")
_BOUND_SIGN = {"above": ">", "least": ">=", "below": "<", "most": "<=", "near": "~"}
_CLAUSE_END = re.compile(r"[.,;:()]")
_DIGIT = re.compile(r"\d")
_LOOK_BACK = 24


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number as meant, not as spelled."""

    value: Decimal
    """Value after magnitude and unit conversion (1.2bn → 1200000000; two years → 24 months)."""
    unit: str
    """"%", "pp", a currency code, "hours", "months", "times", "share", "ordinal", or "" for a bare count."""
    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""
    bound: str = "="
    """"=", ">", ">=", "<", "<=" or "~", from words such as "at least" and "about"."""
    of: str = ""
    """Stem of the word that follows, which says what a count or an ordinal is about."""


@lru_cache(maxsize=4096)
def references(text: str) -> tuple[tuple[str, int, int], ...]:
    """Return `(normalised reference, start, end)` for legal and document references, e.g. "article 28(3)"."""
    return tuple(
        (
            f"{(m['kind'] or '§').lower().rstrip('.s')} {m['number']}" if m["number"] else m["bare"] or "",
            m.start(),
            m.end(),
        )
        for m in _REFERENCE.finditer(text)
    )


def _bound(text: str, start: int) -> str:
    found = _BOUND.search(text, max(0, start - _LOOK_BACK), start)
    return _BOUND_SIGN[found.lastgroup or ""] if found and found.lastgroup else "="


def _unit(text: str, end: int) -> tuple[str, Decimal, int]:
    """Return the unit written at `end`, its conversion factor and where it ends."""
    match = _UNIT.match(text, end)
    if match is None:
        return "", Decimal(1), end
    if match["money"]:
        return _CURRENCY[match["money"].lower().removeprefix("us ")], Decimal(1), match.end()
    name = re.sub(r"\s+", " ", match["named"].lower())
    name = {"percentage point": "pp", "percentage points": "pp", "per centage points": "pp"}.get(name, name)
    if name.startswith("centur"):
        name = "century"
    unit, factor = _UNITS.get(name) or _UNITS[name.removesuffix("s")]
    return unit, factor, match.end()


def _scaled(match: re.Match[str], text: str) -> tuple[Decimal, int]:
    """Return the value of a digit match with its magnitude and where it ends."""
    digits = re.sub(r"[\s\u00a0\u202f\u2009]", "", match["digits"])
    digits = digits.replace(",", "." if re.fullmatch(r"\d{1,3},\d{1,2}", digits) else "")
    value = Decimal(digits) * (-1 if match["sign"] else 1)
    scale = (match["scale"] or "").lower()
    if len(scale) == 1 and scale != "k" and not match["currency"]:
        spaced = text[match.start("scale") - 1].isspace()
        if scale in "bt" or spaced or not _AFTER_MILLIONS.match(text, match.end()):
            return value, match.end(
                "ordinal" if match["ordinal"] else "digits"
            )  # "3 m" may be metres, "3 b" a list mark
    if scale:
        value *= Decimal(10) ** _MAGNITUDE[scale.removesuffix("s") if len(scale) > 2 else scale]
    return value, match.end()


def _digit_numbers(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    if not _DIGIT.search(text):
        return found
    for match in _NUMBER.finditer(text):
        value, end = _scaled(match, text)
        start = (
            match.start("currency")
            if match["currency"]
            else match.start("sign" if match["sign"] else "digits")
        )
        unit, factor, after = _unit(text, end)
        if match["ordinal"]:
            unit, factor, after = "ordinal", Decimal(1), end
        if match["currency"]:
            unit, factor, after = _CURRENCY[match["currency"].lower()], Decimal(1), end
        found.append(Quantity(value * factor, unit, start, after, _bound(text, start)))
    return found


def _spelled_numbers(text: str) -> list[Quantity]:
    words = scan(text)
    found: list[Quantity] = []
    for value, kind, first, after in word_numbers(words):
        start, end = words.start[first], words.end[after - 1]
        if first and text[words.end[first - 1] : start] == "-" and kind != "share":
            continue  # the tail of a compound such as "twenty-one" or "Catch-two"
        unit, factor, stop = (kind, Decimal(1), end) if kind else _unit(text, end)
        found.append(Quantity(value * factor, unit, start, stop, _bound(text, start)))
    return found


def _counted(text: str, end: int, words: Words) -> str:
    """Return the stem of the first content word shortly after `end`, within the same clause."""
    at = bisect_left(words.start, end)
    for position in range(at, min(at + 4, len(words))):
        if _CLAUSE_END.search(text, end, words.start[position]):
            return ""
        if words.surface[position] not in FUNCTION_WORDS and words.surface[position].isalpha():
            return words.term[position]
    return ""


def _share_units(found: list[Quantity], text: str) -> list[Quantity]:
    """Give both ends of a range the unit that one of them has ("10–12 %", "EUR 1 to 2 million")."""
    kept = list(found)
    for at in range(len(kept) - 1):
        left, right = kept[at], kept[at + 1]
        between = text[left.end : right.start]
        if (
            not left.unit
            and right.unit not in {"", "ordinal"}
            and re.fullmatch(r"\s*(?:[-–—]|to|or|and)\s*", between)
        ):
            _, factor, _ = _unit(text, right.end - len(text[right.start : right.end].lstrip("0123456789.,")))
            kept[at] = replace(left, value=left.value * factor, unit=right.unit)
        elif left.unit.isupper() and not right.unit and re.fullmatch(r"\s*(?:[-–—]|to)\s*", between):
            kept[at + 1] = replace(right, unit=left.unit)
    return kept


@lru_cache(maxsize=4096)
def numbers(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of `text` in order, without dates and references.

    >>> [(str(q.value), q.unit) for q in numbers("twelve per cent of $1.2bn within 24 hours")]
    [('12', '%'), ('1200000000.0', 'USD'), ('24', 'hours')]
    """
    found = [*_digit_numbers(text), *_spelled_numbers(text)]
    if not found:
        return ()
    taken = [(d.start, d.end) for d in dates(text)] + [(start, end) for _, start, end in references(text)]
    free = [
        quantity
        for quantity in found
        if not any(quantity.start < end and start < quantity.end for start, end in taken)
    ]
    ordered = _share_units(sorted(free, key=lambda quantity: quantity.start), text)
    words = scan(text)
    return tuple(
        q if q.unit not in {"", "ordinal"} else replace(q, of=_counted(text, q.end, words)) for q in ordered
    )
