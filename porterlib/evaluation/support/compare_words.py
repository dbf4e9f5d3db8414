"""Whether words of a claim and of its evidence exclude each other: denials, directions, opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from porterlib.contracts.support import Disagreement, DisagreementKind
from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.reading import Reading, read
from porterlib.evaluation.support.words import coverage

_CLAUSE_END = re.compile(r"[,;:.()]")
_COMPARATIVE = frozenset({"rank", "amount", "size"})
_MOST = 0.5  # share of a denied predicate that must stand in the evidence for a conflict
_REACH = 6  # words after a denial that it is taken to reach
_NEIGHBOURHOOD = 8  # words around a matched word within which a word of the evidence bears on it


def _matched(claim: Reading, evidence: Reading) -> set[int]:
    """Return the positions of the evidence's content words that the claim uses too."""
    wanted = {claim.words.term[at] for at in claim.content}
    return {at for at in evidence.content if evidence.words.term[at] in wanted}


def _denied_matches(reading: Reading, shared: set[str]) -> int | None:
    """Return the position of the first denial whose reach holds a shared predicate word, or None."""
    for denial in reading.denials:
        for at in range(denial + 1, min(denial + 1 + _REACH, len(reading.words))):
            if _CLAUSE_END.search(reading.text, reading.words.end[denial], reading.words.start[at]):
                break
            if reading.words.term[at] in shared:
                return denial
    return None


def negation_disagreement(claim: Reading, evidence: Reading) -> Disagreement | None:
    """Return the disagreement when one side denies what the other affirms of the words that they share.

    A denied claim conflicts only with evidence that holds most of what it denies and nothing to exclude it.
    """
    predicate = {claim.words.term[at] for at in claim.predicate if at not in claim.denials}
    shared = predicate & {evidence.words.term[at] for at in evidence.content}
    if not claim.denials:
        denial = _denied_matches(evidence, shared)
        if denial is None:
            return None
        word = evidence.words.surface[denial]
        note = f"The evidence denies ({word!r}) what the claim affirms."
        return Disagreement(kind="negation", claim_part=claim.text[:80], evidence_part=word, note=note)
    affirmed = not evidence.denials and coverage(predicate, shared) >= _MOST
    if len(claim.denials) % 2 == 0 or not affirmed or next(_excluding(claim, evidence), None):
        return None
    word = claim.words.surface[claim.denials[0]]
    note = f"The claim denies ({word!r}) what the evidence affirms."
    return Disagreement(kind="negation", claim_part=word, evidence_part=evidence.text[:80], note=note)


def _near(at: int, matched: set[int]) -> bool:
    return any(abs(at - other) <= _NEIGHBOURHOOD for other in matched)


def _is_title(reading: Reading, at: int) -> bool:
    """Return whether an ordinary word at `at` is part of a name, and so says nothing by its meaning."""
    inside_name = at > 0 and reading.words.capital[at]
    return inside_name and reading.words.term[at] not in lexicon().named


@lru_cache(maxsize=8192)
def _bearing(text: str) -> tuple[tuple[int, str], ...]:
    """Return place and term of the words of a sentence that some other word could exclude."""
    reading, known = read(text), lexicon().excludable
    places = enumerate(reading.words.term)
    return tuple((at, term) for at, term in places if term in known and not _is_title(reading, at))


def _kind(ours: str, theirs: str) -> DisagreementKind | None:
    """Return how two terms exclude each other, or None."""
    known = lexicon()
    sign = known.direction.get(ours, 0)
    if sign and known.direction.get(theirs) == -sign:
        return "direction"
    other_sides = known.opposite.get(theirs, frozenset())
    pairs = {pair for pair, side in known.opposite.get(ours, ()) if (pair, 1 - side) in other_sides}
    if pairs:
        return "comparative" if pairs & _COMPARATIVE else "opposite"
    shared = known.exclusive.get(ours, frozenset()) & known.exclusive.get(theirs, frozenset())
    return "alternative" if shared else None


def _excluding(claim: Reading, evidence: Reading) -> Iterator[tuple[DisagreementKind, int, int]]:
    """Yield `(kind, claim position, evidence position)` of words that exclude each other."""
    implied = lexicon().implied_by
    against = [(place, other) for place, other in _bearing(evidence.text) if other not in claim.terms]
    matched = _matched(claim, evidence) if against else set()
    near = [(place, other) for place, other in against if not matched or _near(place, matched)]
    for at, term in _bearing(claim.text) if near else ():
        if term in evidence.terms or not implied.get(term, frozenset()).isdisjoint(evidence.terms):
            continue
        for place, other in near:
            kind = _kind(term, other)
            if kind:
                yield kind, at, place
                break


def exclusion_disagreements(claim: Reading, evidence: Reading) -> list[Disagreement]:
    """Return the pairs of words, one on each side, of which only one can hold (rise, fall; film, album)."""
    if len(claim.denials) % 2 != len(evidence.denials) % 2:
        return []
    found: list[Disagreement] = []
    for kind, at, place in _excluding(claim, evidence):
        ours = claim.text[claim.words.start[at] : claim.words.end[at]]
        theirs = evidence.text[evidence.words.start[place] : evidence.words.end[place]]
        note = f"The claim says {ours!r}, the evidence {theirs!r}."
        found.append(Disagreement(kind=kind, claim_part=ours, evidence_part=theirs, note=note))
    return found
