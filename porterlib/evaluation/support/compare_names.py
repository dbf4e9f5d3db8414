"""Whether the names of a claim stand in the evidence, and whether another name stands in their place."""

from __future__ import annotations

from porterlib.contracts.support import Disagreement
from porterlib.evaluation.support.align import Alignment
from porterlib.evaluation.support.entities import entities
from porterlib.evaluation.support.reading import Reading


def _rival_name(claim: Reading, evidence: Reading, at: int) -> str:
    """Return a name of the evidence that follows the same word as the claim's name at `at`, or ""."""
    for place in evidence.content:
        other = evidence.words.term[place]
        follows = place and at and evidence.words.term[place - 1] == claim.words.term[at - 1]
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
        note = f"The claim names {name!r}, the evidence {rival!r}." if rival else f"The evidence does not name {name!r}."
        found.append(Disagreement(kind="name", claim_part=name, evidence_part=rival, note=note))
    return found


