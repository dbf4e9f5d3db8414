"""Analogies: one for each audience, of something else, honest about where they stop (rule 10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porterlib.contracts.brief import BriefAnalogy
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found
from porterlib.evaluation.support.words import content_overlap, content_terms

RESTATED = 0.75
"""Weighted share of content words from which one text says what another already said."""
_LIKE = re.compile(r"\b(?:like|as if|resembles|is an?|works as|acts as|behaves as)\b", re.IGNORECASE)
_SIDES = re.compile(r"\s*(?:↔|→|⇔|<->|->|=|—|–|:|\bcorresponds? to\b|\bstands? for\b|\bis like\b)\s*")


def audience_analogies(case: Case) -> Iterator[Finding]:
    """Check that each requested audience has exactly one analogy and that each analogy is one."""
    given = [analogy.audience for analogy in case.candidate.brief.analogies]
    for audience in case.candidate.contract.audiences:
        if audience not in given:
            yield found("ANALOGY_MISSING", f"brief.analogies.{audience}", f"{audience} has no analogy")
    for audience in sorted({name for name in given if given.count(name) > 1}):
        yield found("ANALOGY_DUPLICATED", f"brief.analogies.{audience}", f"{audience} has several analogies")
    for analogy in case.candidate.brief.analogies:
        yield from _analogy(case, analogy)


def _analogy(case: Case, analogy: BriefAnalogy) -> Iterator[Finding]:
    place = f"brief.analogies.{analogy.audience}"
    for at, text in enumerate(analogy.correspondences):
        if _says_nothing(text) or text in analogy.correspondences[:at]:
            message = "it names no two different things"
            yield found("ANALOGY_CORRESPONDENCE_EMPTY", f"{place}.correspondences[{at}]", message)
    if fault := _fault(case, analogy):
        yield found("ANALOGY_RESTATES", place, fault)


def _says_nothing(text: str) -> bool:
    if not content_terms(text):
        return True
    sides = [content_terms(side) for side in _SIDES.split(text, maxsplit=1)]
    return len(sides) == 2 and (not all(sides) or sides[0] == sides[1])


def _fault(case: Case, analogy: BriefAnalogy) -> str | None:
    """Return why the analogy compares with nothing or hides its limit, or None."""
    asked = f"{case.candidate.contract.question} {case.candidate.recommendation.sentence.text}"
    sides = _LIKE.split(analogy.analogy, maxsplit=1)
    if len(sides) == 2 and _restates(sides[1], sides[0]):
        return "it compares a thing with itself"
    if _restates(analogy.analogy, asked):
        return "it repeats question or recommendation and compares with nothing"
    if _restates(analogy.implication, analogy.analogy):
        return "its implication repeats the comparison"
    if _restates(analogy.breaking_point, f"{analogy.analogy} {analogy.implication}"):
        return "its breaking point repeats the comparison instead of limiting it"
    return None


def _restates(text: str, said: str) -> bool:
    return not content_terms(text) or content_overlap(text, said) >= RESTATED
