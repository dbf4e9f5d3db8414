"""Whether the names of a claim stand in the evidence, and whether another name stands in their place."""

from __future__ import annotations

from porterlib.contracts.support import Disagreement
from porterlib.evaluation.support.align import Alignment
from porterlib.evaluation.support.background import is_ordinary
from porterlib.evaluation.support.entities import entities
from porterlib.evaluation.support.reading import Reading
from porterlib.evaluation.support.words import FUNCTION_WORDS

_PLACE = frozenset({"in", "at", "from", "near", "into"})


def _slot(word: str) -> str:
    """Return the word before a name in the form in which it is compared; place prepositions count as one."""
    return "in" if word in _PLACE else word


def _rival_name(claim: Reading, evidence: Reading, at: int) -> str:
    """Return a name of the evidence that follows the same word as the claim's name at `at`, or ""."""
    for place in evidence.content:
        other = evidence.words.term[place]
        follows = (
            place and at and _slot(evidence.words.surface[place - 1]) == _slot(claim.words.surface[at - 1])
        )
        if follows and evidence.words.capital[place] and other not in claim.terms:
            return evidence.text[evidence.words.start[place] : evidence.words.end[place]]
    return ""


def name_disagreements(claim: Reading, part: Alignment) -> list[Disagreement]:
    """Return one disagreement for each name after the claim's subject that the evidence does not hold."""
    missing = {
        at: claim.text[claim.words.start[at] : claim.words.end[at]]
        for at in claim.predicate
        if claim.words.capital[at] and part.credit.get(claim.words.term[at], 1.0) == 0
    }
    if not missing:
        return []
    found: list[Disagreement] = []
    for name in entities(claim.text):
        places = [at for at, word in missing.items() if word in name.split() or word == name]
        if not places:
            continue
        rival = _rival_name(claim, part.core, places[0])
        note = (
            f"The claim names {name!r}, the evidence {rival!r}."
            if rival
            else f"The evidence does not name {name!r}."
        )
        found.append(Disagreement(kind="name", claim_part=name, evidence_part=rival, note=note))
    return found


def subject_disagreement(claim: Reading, part: Alignment) -> Disagreement | None:
    """Return the disagreement when the claim is about one name and the matching sentence opens with another.

    A sentence that opens with a pronoun or an ordinary word leaves its subject to the context: no conflict.
    """
    begin = claim.predicate[0] if claim.predicate else 0
    subject = [at for at in claim.content if at < begin and claim.words.capital[at]]
    if not subject or any(part.credit.get(claim.words.term[at], 1.0) for at in subject):
        return None
    words = part.core.words
    if (
        not words.capital
        or not words.capital[0]
        or words.surface[0] in FUNCTION_WORDS
        or is_ordinary(words.term[0])
    ):
        return None
    ours = claim.text[claim.words.start[subject[0]] : claim.words.end[subject[-1]]]
    theirs = part.core.text[words.start[0] : words.end[0]]
    note = f"The claim is about {ours!r}, the evidence about {theirs!r}."
    return Disagreement(kind="name", claim_part=ours, evidence_part=theirs, note=note)
