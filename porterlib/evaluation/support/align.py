"""Where in the evidence a claim is matched: the best sentence, and the best run of a few sentences around it.

Only what stands there is compared, so that a number, a date or a "not" elsewhere in a passage counts neither
for nor against the claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from porterlib.evaluation.support.background import stem_idf
from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.reading import Reading, read
from porterlib.evaluation.support.sentences import sentences
from porterlib.evaluation.support.words import all_terms, content_terms

RUN = 5  # sentences of a run; claims about one event rarely draw on more
IMPLIED_CREDIT = 0.8  # a synonym or a kind of the word stands instead of it
SIMILAR_CREDIT = 0.6  # a word with the same first letters stands instead of it
_PREFIX = 5


@dataclass(frozen=True, slots=True)
class Alignment:
    """The part of the evidence that a claim is compared with."""

    core: Reading
    """The one sentence that shares most with the claim."""
    run: tuple[Reading, ...]
    """The run of sentences that shares most with the claim; it holds the core where that ties."""
    credit: dict[str, float]
    """For each content term of the claim how well the run holds it, 0 to 1."""
    core_credit: dict[str, float]
    """The same for the core alone."""
    sentences: int
    """How many sentences the evidence has."""
    present: frozenset[str]
    """Stems of all words of the whole evidence."""
    complete: bool
    """Whether every content term of the claim, or what implies it, occurs somewhere in the evidence."""


def term_credit(term: str, present: frozenset[str], prefixes: frozenset[str] | set[str]) -> float:
    """Return how well a term is held by the terms present: itself, a synonym or kind, or a similar word."""
    if term in present:
        return 1.0
    implied = lexicon().implied_by.get(term)
    if implied and not implied.isdisjoint(present):
        return IMPLIED_CREDIT
    if len(term) >= _PREFIX and term[:_PREFIX] in prefixes:
        return SIMILAR_CREDIT
    return 0.0


def credits_for(terms: frozenset[str], readings: tuple[Reading, ...]) -> dict[str, float]:
    """Return the credit of each term over several sentences together."""
    present = frozenset().union(*(reading.terms for reading in readings))
    prefixes = {term[:_PREFIX] for term in present if len(term) >= _PREFIX}
    return {term: term_credit(term, present, prefixes) for term in terms}


def weighted(terms: frozenset[str] | list[str], credit: dict[str, float]) -> float:
    """Return the credit of the terms weighted by their rarity, 0 to 1; 1 when there are none."""
    total = fsum(stem_idf(term) for term in terms)
    return fsum(stem_idf(term) * credit[term] for term in terms) / total if total else 1.0


@lru_cache(maxsize=2048)
def _bits(terms: tuple[str, ...]) -> dict[str, int]:
    """Return for each term, and each word that implies it, the bit that stands for it."""
    implied = lexicon().implied_by
    bits: dict[str, int] = {}
    for place, term in enumerate(terms):
        for word in (term, *implied.get(term, ())):
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


def _shared_masks(terms: tuple[str, ...], parts: list[str]) -> list[int]:
    """Return for each sentence which of the terms (or what implies them) it holds, as one bit a term."""
    bits = _bits(terms)
    masks: list[int] = []
    for part in parts:
        mask = 0
        for term in bits.keys() & all_terms(part):
            mask |= bits[term]
        masks.append(mask)
    return masks


def _best(masks: list[int], weights: list[float], length: int) -> int:
    """Return the start of the run of `length` sentences that holds most weight; the first among equals."""
    known: dict[int, float] = {}
    best, best_start = -1.0, 0
    if len(masks) <= length:
        return 0
    for start in range(max(1, len(masks) - length + 1)):
        mask = 0
        for each in masks[start : start + length]:
            mask |= each
        if mask not in known:
            known[mask] = fsum(weight for place, weight in enumerate(weights) if mask >> place & 1)
        if known[mask] > best + 1e-9:
            best, best_start = known[mask], start
    return best_start


def align(claim: str, evidence: str) -> Alignment | None:
    """Return the best matching part of `evidence`, or None when it holds no sentence."""
    parts = [evidence[start:end] for start, end in sentences(evidence)]
    if not parts:
        return None
    needed = content_terms(claim)
    terms = tuple(sorted(needed))
    masks = _shared_masks(terms, parts)
    weights = [stem_idf(term) for term in terms]
    core = read(parts[_best(masks, weights, 1)])
    start = _best(masks, weights, RUN)
    run = tuple(read(part) for part in parts[start : start + RUN])
    core_credit = credits_for(needed, (core,))
    credit = core_credit if run == (core,) else credits_for(needed, run)
    present = frozenset().union(*map(all_terms, parts))
    implied = lexicon().implied_by
    complete = all(term in present or not present.isdisjoint(implied.get(term, ())) for term in terms)
    return Alignment(core, run, credit, core_credit, len(parts), present, complete)
