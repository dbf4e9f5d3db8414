"""Freshness and applicability of a document (rule 7.4); both order review and are no probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from porterlib.contracts.request import Boundary
from porterlib.contracts.sector import SectorPack, SourceClass
from porterlib.sectors.tokens import tokenise

UNKNOWN_FRESHNESS = 0.5
UNKNOWN_APPLICABILITY = 0.6
_ANYWHERE = "GLOBAL"  # jurisdiction of texts that standard setters address to every supervisor
_DEFAULT_HALF_LIFE = 36
_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ].*)?)?)?")
_DAYS_A_MONTH = 30.4375
_JURISDICTION = {"same": 0.85, "global": 0.75, "none": UNKNOWN_APPLICABILITY, "other": 0.35}
_PRODUCT_STEP = 0.1
_SHORT = 5


def freshness(
    published: str | None, cutoff: date | None, source_class: SourceClass, pack: SectorPack
) -> float:
    """Return how fresh a document was at the cutoff: 1 when new, halved each half-life of its class.

    A partial date stands for the middle of its month or year. Without a date or a cutoff the answer is
    0.5: the present day never enters.

    Args:
        published: `2024`, `2024-05` or `2024-05-31`, with or without a time; None when the page gives none.
        cutoff: evidence cutoff of the decision.
        source_class: class of the source, which decides the half-life.
        pack: pack whose evidence policy holds the half-lives, in months.

    """
    day = middle_of(published)
    if day is None or cutoff is None:
        return UNKNOWN_FRESHNESS
    months = max(0.0, (cutoff - day).days / _DAYS_A_MONTH)
    half_life = pack.evidence_policy.half_life_months.get(source_class, _DEFAULT_HALF_LIFE)
    return float(round(0.5 ** (months / half_life), 4))


def middle_of(published: str | None) -> date | None:
    """Return the day a full or partial date stands for, or None when it is no date."""
    found = _PARTIAL.fullmatch((published or "").strip())
    if found is None:
        return None
    year, month, day = found.groups()
    try:
        return date(int(year), int(month or 7), int(day or (15 if month else 1)))
    except ValueError:
        return None


def jurisdictions_of(texts: Iterable[str], pack: SectorPack) -> frozenset[str]:
    """Return the pack's jurisdictions whose words occur in `texts`."""
    text = "\n".join(texts)
    return frozenset(name for name, marks in pack.jurisdictions.items() if _mark(marks).search(text))


@lru_cache(maxsize=256)
def _mark(marks: tuple[str, ...]) -> re.Pattern[str]:
    # Short marks such as US or Pix are words of their own in lower case, so their case counts.
    exact = "|".join(re.escape(mark) for mark in marks if len(mark) <= _SHORT)
    loose = "|".join(re.escape(mark) for mark in marks if len(mark) > _SHORT)
    either = "|".join(part for part in (exact, f"(?i:{loose})" if loose else "") if part)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)")


def applicability(
    boundary: Boundary, pack: SectorPack, *, title: str = "", url: str = "", text: str = ""
) -> float:
    """Return how far a document applies to the decision, 0.25 to 0.95; 0.6 when nothing tells.

    Title and address decide the jurisdiction when they name one, else the text does. A text that names the
    product gains a little; a text of some length that names none of its words loses as much.
    """
    wanted = jurisdictions_of((*boundary.geographies, boundary.regulatory_perimeter), pack) - {_ANYWHERE}
    found = jurisdictions_of((title, url), pack) or jurisdictions_of((text,), pack)
    return round(_JURISDICTION[_relation(wanted, found)] + _product_step(boundary.product, title, text), 2)


def _relation(wanted: frozenset[str], found: frozenset[str]) -> str:
    if not wanted or not found:
        return "none"
    if wanted & found:
        return "same"
    return "global" if _ANYWHERE in found else "other"


def _product_step(product: str, title: str, text: str) -> float:
    stems = {word[:6] for word in tokenise(product) if len(word) > 2}
    words = tokenise(f"{title} {text}")
    if not stems or len(words) < 40:
        return 0.0
    return _PRODUCT_STEP if any(word[:6] in stems for word in words) else -_PRODUCT_STEP
