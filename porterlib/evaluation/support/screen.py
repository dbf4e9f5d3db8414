"""The screen itself: one claim against one evidence text, scored and explained."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from porterlib.contracts.support import Disagreement, SupportScreen
from porterlib.evaluation.support.align import Alignment, align, weighted
from porterlib.evaluation.support.compare_names import name_disagreements, subject_disagreement
from porterlib.evaluation.support.compare_values import (
    date_disagreements,
    number_disagreements,
    reference_disagreements,
)
from porterlib.evaluation.support.compare_words import exclusion_disagreements, negation_disagreement
from porterlib.evaluation.support.features import NAMES, Features, features
from porterlib.evaluation.support.polarity import denial_positions
from porterlib.evaluation.support.reading import Reading, read
from porterlib.evaluation.support.words import Words, content_terms, scan

_FILE = Path(__file__).with_name("weights.json")
THRESHOLD = 0.5  # the weights are fitted so that this is the point of equal odds
VERBATIM = 0.99
_ABOUT = (
    0.4  # share of the claim that the best sentence must hold before a difference counts as contradiction
)
_ABOUT_MORE = (
    0.2  # how much more where the evidence has many sentences, of which one may be about another matter
)
BLOCKED = 0.49  # what is contradicted or unstated keeps its rank below all that passes
_VALUES = frozenset({"number", "date", "reference"})
_DIRECT = frozenset(
    {"negation", "number", "date", "reference", "direction", "comparative", "opposite", "alternative"}
)


@lru_cache(maxsize=1)
def weights() -> tuple[float, tuple[float, ...]]:
    """Return the intercept and the weight of each feature, in the order of the features."""
    stored = json.loads(_FILE.read_text(encoding="utf-8"))
    return stored["intercept"], tuple(stored["weights"][name] for name in NAMES)


def text_of(value: Any) -> str:
    """Return the text of a string, an object with `passage` or `text`, or a sequence of these by lines."""
    if isinstance(value, str):
        return value
    for name in ("passage", "text"):
        inner = getattr(value, name, None)
        if inner is not None:
            return text_of(inner)
    if isinstance(value, Iterable):
        return "\n".join(text_of(each) for each in value)
    raise TypeError(
        f"a {type(value).__name__} holds no text to compare; pass a string, "
        "an object with .text or .passage, or a sequence of these"
    )


def _occurrences(claim: Words, evidence: Words) -> Iterable[int]:
    """Yield each position at which the claim's words stand in a row in the evidence."""
    length, first = len(claim), claim.surface[0]
    at = -1
    for _ in range(evidence.surface.count(first)):
        at = evidence.surface.index(first, at + 1)
        if evidence.surface[at : at + length] == claim.surface:
            yield at


def is_verbatim(claim: str, evidence: str) -> bool:
    """Return whether the claim stands word for word in the evidence, and no word just before it denies it."""
    ours, theirs = scan(claim), scan(evidence)
    if not ours.surface:
        return False
    for at in _occurrences(ours, theirs):
        before = range(max(at - 2, 0), at)
        denied = [place for place in before if place in denial_positions(theirs)]
        between = evidence[theirs.end[denied[-1]] : theirs.start[at]] if denied else ""
        if not denied or any(not (char.isalnum() or char.isspace()) for char in between):
            return True
    return False


def compare(claim: Reading, part: Alignment) -> list[Disagreement]:
    """Return all that disagrees between a claim and the matching part of its evidence, conflicts first."""
    found = [
        *number_disagreements(claim, part.run),
        *date_disagreements(claim, part.run),
        *reference_disagreements(claim, part.run),
        *exclusion_disagreements(claim, part.core),
        *name_disagreements(claim, part),
    ]
    single = (negation_disagreement(claim, part.core), subject_disagreement(claim, part))
    found.extend(each for each in single if each is not None)
    return sorted(found, key=lambda each: not each.conflicting)


def _score(values: Features) -> float:
    intercept, each = weights()
    total = intercept + math.fsum(w * v for w, v in zip(each, values.vector(), strict=True))
    return 1 / (1 + math.exp(-total))


def _is_against(values: Features, found: list[Disagreement]) -> bool:
    """Return whether a conflict counts as contradiction: the best sentence must be about the claim."""
    needed = _ABOUT + _ABOUT_MORE * values.several_sentences
    return values.sentence_coverage >= needed and any(
        each.kind in _DIRECT and each.conflicting for each in found
    )


def _is_unstated(part: Alignment, found: list[Disagreement]) -> bool:
    """Return whether a number, date or reference of the claim is neither borne out nor written anywhere."""
    return any(each.kind in _VALUES and not content_terms(each.claim_part) <= part.present for each in found)


def _missing_words(claim: Reading, part: Alignment) -> Disagreement | None:
    """Return the claim's content words that the matching part lacks, as one disagreement."""
    missing = [
        claim.text[claim.words.start[at] : claim.words.end[at]]
        for at in claim.content
        if part.credit.get(claim.words.term[at], 1.0) == 0
    ]
    if not missing:
        return None
    words = ", ".join(dict.fromkeys(missing))
    return Disagreement(kind="wording", claim_part=words, note=f"Not found in the evidence: {words}.")


def _result(
    score: float, found: list[Disagreement], lexical: float, part: Alignment, against: bool
) -> SupportScreen:
    kinds = {each.kind for each in found}
    return SupportScreen(
        supported=score >= THRESHOLD and not against,
        score=score,
        contradicted=against,
        numbers_agree=not kinds & {"number", "reference"},
        dates_agree="date" not in kinds,
        negation_agrees="negation" not in kinds,
        direction_agrees=not kinds & {"direction", "comparative", "opposite"},
        entities_agree="name" not in kinds,
        lexical_score=min(lexical, 1.0),
        best_match=" ".join(reading.text for reading in part.run),
        disagreements=tuple(found),
    )


def _nothing(claim: str, reason: str) -> SupportScreen:
    return SupportScreen(
        supported=False,
        score=0.0,
        contradicted=False,
        numbers_agree=False,
        dates_agree=False,
        negation_agrees=False,
        direction_agrees=False,
        entities_agree=False,
        lexical_score=0.0,
        disagreements=(
            Disagreement(kind="wording", claim_part=claim.strip()[:80] or "(empty)", note=reason),
        ),
    )


def screen_support(claim: Any, evidence: Any) -> SupportScreen:
    """Compare the wording of a claim with its evidence and say what disagrees.

    Both may be a string, an object with `.text` or `.passage`, or a sequence of these. The result depends on
    nothing but the two texts. A claim that stands word for word in the evidence is supported, whatever else
    stands elsewhere. The screen compares words: it can miss a paraphrase and pass a subtle distortion.

    Raises:
        TypeError: claim or evidence holds no text.

    >>> screen_support("Fees fell by 12 per cent in 2023.", "In 2023 fees fell by 15 %.").numbers_agree
    False

    """
    return _screened(text_of(claim), text_of(evidence))


@lru_cache(maxsize=4096)  # the gate asks again about the pairs that the analysis asked about
def _screened(ours: str, theirs: str) -> SupportScreen:
    if not scan(ours).surface:
        return _nothing(ours, "The claim holds no words.")
    part = align(ours, theirs)
    if part is None:
        return _nothing(ours, "The evidence holds no text.")
    reading = read(ours)
    if part.complete and is_verbatim(ours, theirs):
        return _result(VERBATIM, [], 1.0, part, against=False)
    found = compare(reading, part)
    values = features(reading, part, found)
    against = _is_against(values, found)
    score = _score(values) * (BLOCKED if against or _is_unstated(part, found) else 1.0)
    gap = _missing_words(reading, part)
    lexical = weighted(content_terms(ours), part.credit)
    return _result(score, [*found, gap] if gap else found, lexical, part, against)
