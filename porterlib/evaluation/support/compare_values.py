"""Whether the numbers and dates of a claim stand in the evidence, and what the evidence says instead."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from porterlib.contracts.support import Disagreement
from porterlib.evaluation.support.dates import DateMention
from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.quantities import Quantity, references
from porterlib.evaluation.support.reading import Reading

_NEAR = Decimal("0.1")  # how far "about" may lie off, as a share of the claimed value
_BEFORE = frozenset({"before", "until", "by", "prior to"})
_AFTER = frozenset({"after", "since"})


def _percent(quantity: Quantity) -> tuple[Decimal, str]:
    if quantity.unit == "share":
        return quantity.value * 100, "%"
    return quantity.value, quantity.unit


def _same_kind(claimed: Quantity, found: Quantity) -> bool:
    """Return whether two quantities measure the same thing, so that different values conflict."""
    (_, unit), (_, other) = _percent(claimed), _percent(found)
    if unit != other:
        return False
    if unit not in {"", "ordinal"}:
        return True
    same = claimed.of == found.of or found.of in lexicon().implied_by.get(claimed.of, ())
    return bool(claimed.of) and same


def _holds(claimed: Quantity, found: Quantity) -> bool:
    """Return whether the found quantity makes the claimed one true."""
    (value, unit), (other, found_unit) = _percent(claimed), _percent(found)
    if unit != found_unit and not ("" in {unit, found_unit} and "ordinal" not in {unit, found_unit}):
        return False
    if claimed.bound in {">", ">="}:
        return other > value or (other == value and (claimed.bound == ">=" or found.bound in {">", ">="}))
    if claimed.bound in {"<", "<="}:
        return other < value or (other == value and (claimed.bound == "<=" or found.bound in {"<", "<="}))
    if claimed.bound == "~" or found.bound == "~":
        return abs(value - other) <= _NEAR * max(abs(value), abs(other))
    return abs(value - other) < Decimal("0.0001") or (unit == "%" and abs(value - other) < Decimal("0.05"))


def _loosely(claimed: Quantity, found: Quantity) -> bool:
    """Return `_holds`, but for a bound only where both count the same thing."""
    return _holds(claimed, found) and (
        claimed.bound in {"=", "~"} or _same_kind(claimed, found) or claimed.value == found.value
    )


def number_disagreements(claim: Reading, evidence: Iterable[Reading]) -> list[Disagreement]:
    """Return one disagreement for each number of the claim that no sentence of the evidence bears out."""
    candidates = [(reading, quantity) for reading in evidence for quantity in reading.quantities]
    found: list[Disagreement] = []
    for claimed in claim.quantities:
        if any(_loosely(claimed, quantity) for _, quantity in candidates):
            continue
        part = claim.text[claimed.start : claimed.end]
        other = next((c for c in candidates if _same_kind(claimed, c[1])), None)
        if other is None:
            note = f"The evidence states no number like {part!r}."
            found.append(Disagreement(kind="number", claim_part=part, note=note))
            continue
        reading, quantity = other
        stated = reading.text[quantity.start : quantity.end]
        note = f"The claim says {part!r}, the evidence {stated!r}."
        found.append(Disagreement(kind="number", claim_part=part, evidence_part=stated, note=note))
    return found


def reference_disagreements(claim: Reading, evidence: Iterable[Reading]) -> list[Disagreement]:
    """Return one disagreement for each article, section or act of the claim that the evidence lacks."""
    claimed = references(claim.text)
    if not claimed:
        return []
    named = [name for reading in evidence for name, _, _ in references(reading.text)]
    found: list[Disagreement] = []
    for name, start, end in claimed:
        if not name or any(other == name or other.startswith(name + "(") for other in named):
            continue
        kind = name.partition(" ")[0]
        other = next((each for each in named if each.partition(" ")[0] == kind), "")
        part = claim.text[start:end]
        note = f"The claim refers to {part!r}, the evidence to {other or 'nothing of the kind'!r}."
        found.append(Disagreement(kind="reference", claim_part=part, evidence_part=other, note=note))
    return found


def _date_holds(claimed: DateMention, found: DateMention) -> bool:
    """Return whether a date of the evidence bears out one of the claim, minding "before" and "since"."""
    if claimed.shares_part(found) and claimed.fits(found):
        return True
    if claimed.year is None or found.year is None:
        return False
    if claimed.relation in _BEFORE:
        return found.year < claimed.year
    return claimed.relation in _AFTER and found.year > claimed.year


def date_disagreements(claim: Reading, evidence: Iterable[Reading]) -> list[Disagreement]:
    """Return one disagreement for each date of the claim that fits no date of the evidence."""
    candidates = [(reading, date) for reading in evidence for date in reading.dates]
    found: list[Disagreement] = []
    for claimed in claim.dates:
        if any(_date_holds(claimed, date) for _, date in candidates):
            continue
        part = claim.text[claimed.start : claimed.end]
        other = next((c for c in candidates if claimed.shares_part(c[1])), None)
        if other is None:
            note = f"The evidence states no date like {part!r}."
            found.append(Disagreement(kind="date", claim_part=part, note=note))
            continue
        stated = other[0].text[other[1].start : other[1].end]
        note = f"The claim says {part!r}, the evidence {stated!r}."
        found.append(Disagreement(kind="date", claim_part=part, evidence_part=stated, note=note))
    return found
