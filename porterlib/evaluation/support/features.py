"""The few named features that the score is a weighted sum of; each lies between 0 and 1."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from porterlib.contracts.support import Disagreement
from porterlib.evaluation.support.align import Alignment, weighted
from porterlib.evaluation.support.background import stem_idf
from porterlib.evaluation.support.reading import Reading
from porterlib.evaluation.support.wordlists import word_list
from porterlib.evaluation.support.words import content_terms

_EXCLUSIVE = frozenset(word_list("exclusivity"))
_RAREST = 10.0
_MANY = 8
_LONG = 5.0  # logarithm of about 150 sentences


@dataclass(frozen=True, slots=True)
class Features:
    """What the score rests on."""

    sentence_coverage: float
    """Share of the claim's content found in the best sentence."""
    run_coverage: float
    """Share of it found in the best run of sentences."""
    predicate_coverage: float
    """Share of what the claim says of its subject found in the run."""
    missing_weight: float
    """Rarity of the rarest predicate word that is not found."""
    missing_count: float
    """How many content words are not found, of at most eight."""
    end_missing: float
    """How far the claim's last content word is missing; English puts what is new at the end."""
    phrase_overlap: float
    """Share of the predicate's neighbouring word pairs found as neighbours."""
    number_conflict: float
    """The evidence gives another value for a number."""
    number_absent: float
    """How many of the claim's numbers, of at most two, the evidence is silent on."""
    date_conflict: float
    """The evidence gives another date."""
    date_absent: float
    """How many of the claim's dates, of at most two, the evidence is silent on."""
    negation_conflict: float
    """One side denies what the other affirms."""
    opposite_conflict: float
    """A rise stands against a fall, or a word against its opposite."""
    alternative_conflict: float
    """Two members of a group stand against each other of which usually one holds."""
    name_conflict: float
    """Another name stands in the place of a name of the claim."""
    name_absent: float
    """How many of the claim's names, of at most two, are missing."""
    exclusivity_added: float
    """The claim says "only" or "solely" and the evidence does not."""
    denial: float
    """The claim denies something."""
    long_evidence: float
    """How many sentences the evidence has, on a logarithmic scale; in many, words are found by chance."""
    conflict_in_short: float
    """Any conflict, weighed by how short the evidence is; in a few sentences it can hardly be about another matter."""

    def vector(self) -> tuple[float, ...]:
        """Return the values in the order of the fields."""
        return tuple(getattr(self, name) for name in NAMES)


NAMES = tuple(field.name for field in fields(Features))


def _phrase_overlap(claim: Reading, core: Reading) -> float:
    begin = max(claim.predicate[0] - 1, 0) if claim.predicate else 0
    ours = list(zip(claim.words.term[begin:], claim.words.term[begin + 1 :], strict=False))
    theirs = set(zip(core.words.term, core.words.term[1:], strict=False))
    return sum(pair in theirs for pair in ours) / len(ours) if ours else 1.0


def _any(found: list[Disagreement], *kinds: str) -> float:
    return float(any(each.kind in kinds and each.conflicting for each in found))


def _absent(found: list[Disagreement], kind: str) -> float:
    return min(sum(each.kind == kind and not each.conflicting for each in found), 2) / 2


def features(claim: Reading, part: Alignment, found: list[Disagreement]) -> Features:
    """Return the features of a claim against the matching part of its evidence and what disagreed there."""
    term = claim.words.term
    predicate = [term[at] for at in claim.predicate if term[at] in part.credit]
    needed = content_terms(claim.text)
    about = weighted(needed, part.core_credit)
    missing = [stem_idf(each) * (1 - part.credit[each]) for each in predicate]
    exclusive = set(claim.words.surface) & _EXCLUSIVE and not set(part.core.words.surface) & _EXCLUSIVE
    length = min(math.log(part.sentences) / _LONG, 1.0)
    return Features(
        sentence_coverage=about,
        run_coverage=weighted(needed, part.credit),
        predicate_coverage=weighted(predicate, part.credit),
        missing_weight=max(missing, default=0.0) / _RAREST,
        missing_count=min(sum(1 - part.credit[each] for each in needed), _MANY) / _MANY,
        end_missing=1 - part.credit[predicate[-1]] if predicate else 0.0,
        phrase_overlap=_phrase_overlap(claim, part.core),
        number_conflict=_any(found, "number"),
        number_absent=_absent(found, "number"),
        date_conflict=_any(found, "date"),
        date_absent=_absent(found, "date"),
        negation_conflict=_any(found, "negation"),
        opposite_conflict=_any(found, "opposite", "direction"),
        alternative_conflict=_any(found, "alternative"),
        name_conflict=_any(found, "name"),
        name_absent=_absent(found, "name"),
        exclusivity_added=float(bool(exclusive)),
        denial=float(bool(claim.denials)),
        long_evidence=length,
        conflict_in_short=(1 - length) * any(each.conflicting for each in found),
    )
