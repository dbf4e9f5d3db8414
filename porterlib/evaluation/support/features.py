"""The few named features that the score is a weighted sum of; read from one claim and its evidence."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import fsum

from porterlib.contracts.support import Disagreement
from porterlib.evaluation.support.align import RUN, Alignment, weighted
from porterlib.evaluation.support.reading import Reading
from porterlib.evaluation.support.words import content_terms

_MANY = 8


@dataclass(frozen=True, slots=True)
class Features:
    """What the score rests on; each value lies between 0 and 1."""

    sentence_coverage: float
    """Share of the claim's content found in the best sentence."""
    run_coverage: float
    """Share of it found in the best run of sentences."""
    predicate_complete: float
    """Nothing of what the claim says of its subject is missing."""
    missing_count: float
    """How many content words are not found, of at most eight."""
    end_missing: float
    """How far the claim's last content word is missing; English puts what is new at the end."""
    phrase_overlap: float
    """Share of the predicate's neighbouring word pairs found as neighbours."""
    conflict: float
    """Something conflicts, weighed by how much the best sentence is about the claim and how few there are."""
    value_conflict: float
    """The evidence gives another number or date."""
    name_absent: float
    """How many of the claim's names, of at most two, are missing."""
    names_found: float
    """Share of the claim's capitalised words, its subject included, found anywhere in the evidence."""
    figures_nowhere: float
    """Share of the claim's figures found nowhere in the evidence, weighed by how many sentences that has."""
    denial: float
    """The claim denies something."""
    denied_missing: float
    """The claim denies something, weighed by how much of what it denies is missing."""
    several_sentences: float
    """How far the evidence has several sentences; a single one must carry a claim alone."""

    def vector(self) -> tuple[float, ...]:
        """Return the values in the order of the fields."""
        return tuple(getattr(self, name) for name in NAMES)


NAMES = tuple(field.name for field in fields(Features))


def _phrase_overlap(claim: Reading, core: Reading) -> float:
    begin = max(claim.predicate[0] - 1, 0) if claim.predicate else 0
    ours = list(zip(claim.words.term[begin:], claim.words.term[begin + 1 :], strict=False))
    theirs = set(zip(core.words.term, core.words.term[1:], strict=False))
    return sum(pair in theirs for pair in ours) / len(ours) if ours else 1.0


def features(claim: Reading, part: Alignment, found: list[Disagreement]) -> Features:
    """Return the features of a claim against the matching part of its evidence and what disagreed there."""
    term = claim.words.term
    predicate = [term[at] for at in claim.predicate if term[at] in part.credit]
    needed = content_terms(claim.text)
    about = weighted(needed, part.core_credit)
    said = weighted(predicate, part.credit)
    denies = float(bool(claim.denials))
    several = min(part.sentences - 1, RUN - 1) / (RUN - 1)
    names = [term[at] for at in claim.content if claim.words.capital[at]]
    figures = [word for word in claim.words.surface if word[0].isdigit()]
    conflicting = {each.kind for each in found if each.conflicting}
    return Features(
        sentence_coverage=about,
        run_coverage=weighted(needed, part.credit),
        predicate_complete=float(all(part.credit[each] for each in predicate)),
        missing_count=min(fsum(1 - part.credit[each] for each in needed), _MANY) / _MANY,
        end_missing=1 - part.credit[predicate[-1]] if predicate else 0.0,
        phrase_overlap=_phrase_overlap(claim, part.core),
        conflict=about * (1 - several) * bool(conflicting),
        value_conflict=float(bool(conflicting & {"number", "date"})),
        name_absent=min(sum(each.kind == "name" and not each.conflicting for each in found), 2) / 2,
        names_found=weighted(names, {name: float(name in part.present) for name in names}),
        figures_nowhere=several * sum(f not in part.present for f in figures) / max(len(figures), 1),
        denial=denies,
        denied_missing=denies * (1 - said),
        several_sentences=several,
    )
