"""Whether the words of a claim and of its evidence exclude each other: denial, direction, opposites, alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porterlib.contracts.support import Disagreement, DisagreementKind
from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.reading import Reading
from porterlib.evaluation.support.words import coverage

_CLAUSE_END = re.compile(r"[,;:.()]")
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

    A denied claim conflicts only with evidence that holds most of what it denies and nothing that excludes it.
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


def _excluding(claim: Reading, evidence: Reading) -> Iterator[tuple[DisagreementKind, int, int]]:
    """Yield `(kind, claim position, evidence position)` of words that exclude each other."""
    known = lexicon()
    matched = _matched(claim, evidence)
    for at, term in enumerate(claim.words.term):
        if term in evidence.terms or not known.implied_by.get(term, frozenset()).isdisjoint(evidence.terms):
            continue
        sides, groups = known.opposite.get(term, frozenset()), known.exclusive.get(term, frozenset())
        sign = known.direction.get(term, 0)
        if not (sides or groups or sign) or _is_title(claim, at):
            continue
        turned = {(pair, 1 - side) for pair, side in sides}
        for place, other in enumerate(evidence.words.term):
            if other in claim.terms or _is_title(evidence, place) or (matched and not _near(place, matched)):
                continue
            if sign and known.direction.get(other) == -sign:
                yield "direction", at, place
            elif turned & known.opposite.get(other, frozenset()):
                yield "opposite", at, place
            elif groups & known.exclusive.get(other, frozenset()):
                yield "alternative", at, place
            else:
                continue
            break


def exclusion_disagreements(claim: Reading, evidence: Reading) -> list[Disagreement]:
    """Return the pairs of words, one on each side, of which only one can hold (rise and fall, film and album)."""
    if len(claim.denials) % 2 != len(evidence.denials) % 2:
        return []
    found: list[Disagreement] = []
    for kind, at, place in _excluding(claim, evidence):
        ours = claim.text[claim.words.start[at] : claim.words.end[at]]
        theirs = evidence.text[evidence.words.start[place] : evidence.words.end[place]]
        note = f"The claim says {ours!r}, the evidence {theirs!r}."
        found.append(Disagreement(kind=kind, claim_part=ours, evidence_part=theirs, note=note))
    return found
