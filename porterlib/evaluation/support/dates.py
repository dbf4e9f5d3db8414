"""Dates of a text in the precision they are written in: a year, a quarter, a month, a day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from porterlib.evaluation.support.wordlists import word_list

_NAMES = word_list("month")
_MONTH = {name[:3]: number for number, name in enumerate(_NAMES, start=1)}
_MONTH_RX = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)\b\.?"
)
_YEAR_RX = r"(?:1[0-9]|20)\d\d"
_DAY_RX = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"""(?<![\w$€£.,/-])(?:
      (?P<iso>(?:1\d|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:[0-2]\d|3[01]))?)
    | (?P<day1>{_DAY_RX})\s+(?:of\s+)?(?P<month1>{_MONTH_RX})(?:\s*,?\s*(?P<year1>{_YEAR_RX}))?
    | (?P<month2>{_MONTH_RX})\s+(?P<day2>{_DAY_RX})(?![\d:])(?:\s*,?\s*(?P<year2>{_YEAR_RX})\b)?
    | (?P<month3>{_MONTH_RX})\s*,?\s*(?:of\s+)?(?P<year3>{_YEAR_RX})
    | (?P<slash>(?:0?[1-9]|[12]\d|3[01])[/.](?:0?[1-9]|[12]\d|3[01])[/.](?:1\d|20)\d\d)
    | Q(?P<quarter>[1-4])\s*,?\s*(?:of\s+)?(?P<year4>{_YEAR_RX})
    | (?P<decade>(?:1\d|20)\d0)['’]?s
    | (?:FY|fiscal\s+(?:year\s+)?)?(?P<year5>{_YEAR_RX})(?!\d|[.,]\d|/\d{{3}}
        |\s*(?:%|per\s?cent|million|billion|bn|€|euros?|dollars?|pounds|USD|EUR|GBP|CHF))
    )(?![\w])""",
    re.VERBOSE,
)
_MONTH_ALONE = re.compile(
    rf"\b(?:(?P<cue>in|on|of|by|since|until|from|during|early|late|mid|last)\s+)?(?P<month>{_MONTH_RX})"
)
_RELATION = re.compile(
    r"(before|until|prior to|by|after|since|from|between|to)\s+(?:the\s+|early\s+|late\s+|mid-?)*$", re.I
)
_DIGIT = re.compile(r"\d")
_LOOK_BACK = 24


@dataclass(frozen=True, slots=True)
class DateMention:
    """One date as written; parts that are not written are None."""

    year: int | None
    """Calendar year; for a decade its first year."""
    month: int | None
    """1 to 12."""
    day: int | None
    """1 to 31."""
    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""
    decade: bool = False
    """True for "the 1990s"."""
    relation: str = ""
    """The word before it that makes it a bound, such as "before", "since" or "until"."""

    def fits(self, other: DateMention) -> bool:
        """Return whether `other` can be the same date: no part that both write down differs."""
        if self.year is not None and other.year is not None:
            if self.decade or other.decade:
                if self.year // 10 != other.year // 10:
                    return False
            elif self.year != other.year:
                return False
        months = None in {self.month, other.month} or self.month == other.month
        return months and (None in {self.day, other.day} or self.day == other.day)

    def shares_part(self, other: DateMention) -> bool:
        """Return whether both write down at least one and the same kind of part."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return any(a is not None and b is not None for a, b in pairs)


def _number(digits: str | None) -> int | None:
    return int(re.sub(r"\D", "", digits)) if digits else None


def _parts(match: re.Match[str]) -> tuple[int | None, int | None, int | None]:
    """Return year, month and day of one match."""
    group = match.groupdict()
    if group["iso"]:
        year, month, *day = group["iso"].split("-")
        return int(year), int(month), int(day[0]) if day else None
    if group["slash"]:
        first, second, year = re.split(r"[/.]", group["slash"])
        a, b = int(first), int(second)
        if a > 12 >= b:
            return int(year), b, a
        return (int(year), a, b) if b > 12 >= a else (int(year), None, None)  # day-month order unknown
    if group["decade"]:
        return int(group["decade"]), None, None
    if group["quarter"]:
        return int(group["year4"]), None, None
    year_text = group["year1"] or group["year2"] or group["year3"] or group["year5"]
    month_text = group["month1"] or group["month2"] or group["month3"]
    month_number = _MONTH[month_text[:3].lower()] if month_text else None
    return _number(year_text), month_number, _number(group["day1"] or group["day2"])


def _relation(text: str, start: int) -> str:
    found = _RELATION.search(text, max(0, start - _LOOK_BACK), start)
    return found.group(1).lower() if found else ""


@lru_cache(maxsize=4096)
def dates(text: str) -> tuple[DateMention, ...]:
    """Return the dates of `text` in order; a day and month in unknown order are left out of 03/04/2024.

    >>> [(d.year, d.month, d.day) for d in dates("from 17 January 2025, announced in 2022")]
    [(2025, 1, 17), (2022, None, None)]
    """
    dated = _DATE.finditer(text) if _DIGIT.search(text) else ()
    found = [
        DateMention(*_parts(m), m.start(), m.end(), bool(m["decade"]), _relation(text, m.start()))
        for m in dated
    ]
    taken = [(mention.start, mention.end) for mention in found]
    for match in _MONTH_ALONE.finditer(text):
        written = match["month"]
        ambiguous = written.lower().rstrip(".") in {"may", "march", "mar", "jan", "dec", "sep", "oct"}
        if (ambiguous and not match["cue"]) or any(a <= match.start("month") < b for a, b in taken):
            continue
        month = _MONTH[written[:3].lower()]
        found.append(DateMention(None, month, None, match.start("month"), match.end("month"), relation=""))
    return tuple(sorted(found, key=lambda mention: mention.start))
