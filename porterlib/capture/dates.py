"""Reads a date as a page writes it: full or partial, never guessed, never completed."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}
_MONTH = r"([A-Za-z]{3,9})\.?"
_ISO = re.compile(r"^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2})(?!\d))?(?:[T ].*)?$")
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(?:T.*)?$")
_YEAR = re.compile(r"^(\d{4})$")
_DAY_FIRST = re.compile(
    rf"^(?:[A-Za-z]{{3,9}},?\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b"
)
_MONTH_FIRST = re.compile(
    rf"^(?:[A-Za-z]{{3,9}},?\s+)?{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b"
)
_MONTH_YEAR = re.compile(rf"^{_MONTH},?\s+(\d{{4}})$")
_NUMERIC = re.compile(r"^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$")
_LONGEST = 60


def read_date(value: object, *, us_order: bool = False) -> str | None:
    """Return `2019`, `2019-10` or `2019-10-05` for a written date, or nothing where it is unclear.

    Args:
        value: text of a metadata field; anything else counts as its text.
        us_order: read `10/08/2024` as month first, for fields documented so; otherwise such a date is
            taken only where one of the numbers cannot be a month.

    """
    text = " ".join(str(value).split())
    if not text or len(text) > _LONGEST:
        return None
    return _iso(text) or _written(text) or _numeric(text, us_order=us_order)


def _iso(text: str) -> str | None:
    if match := _ISO.match(text) or _COMPACT.match(text):
        return _made(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    if match := _YEAR.match(text):
        return _made(int(match[1]))
    return None


def _written(text: str) -> str | None:
    if (match := _DAY_FIRST.match(text)) and (month := _MONTHS.get(match[2].lower())):
        return _made(int(match[3]), month, int(match[1]))
    if (match := _MONTH_FIRST.match(text)) and (month := _MONTHS.get(match[1].lower())):
        return _made(int(match[3]), month, int(match[2]))
    if (match := _MONTH_YEAR.match(text)) and (month := _MONTHS.get(match[1].lower())):
        return _made(int(match[2]), month)
    return None


def _numeric(text: str, *, us_order: bool) -> str | None:
    match = _NUMERIC.match(text)
    if not match:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if us_order or second > 12:
        return _made(year, first, second)
    if first > 12 or first == second or match[2] == ".":  # dotted dates are day first wherever they are used
        return _made(year, second, first)
    return None


def _made(year: int, month: int | None = None, day: int | None = None) -> str | None:
    try:
        date(year, month or 1, day or 1)
    except ValueError:
        return None
    if not 1800 <= year <= 2200:
        return None
    parts = [f"{year:04}", *(f"{part:02}" for part in (month, day) if part is not None)]
    return "-".join(parts)
