"""How the brief reads: no recurring frame, own figures and names, six bases, short sentences, one page."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from porterlib.analysis.reading import Clause
from porterlib.analyst.policy import (
    brief_confidence,
    confidence_word,
    horizon_effect,
    judge_trend,
    pressure_word,
)
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import ForceAssessment, Point
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.evaluation.support import entities
from porterlib.rendering.brief import BriefInput, render_brief

from .harness import Case

BOTH = pytest.mark.parametrize("name", ["real", "golden"])
_QUOTE = re.compile(r"“[^”]*”")
_NUMBER = re.compile(
    r"\b(?:\d[\d.,]*|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|low|limited|mixed|elevated|high)\b"
)


def loaded(name: str, request: pytest.FixtureRequest) -> tuple[Candidate, EvidenceSnapshot]:
    return request.getfixturevalue(f"{name}_candidate"), request.getfixturevalue(name)


def sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.?!])\s+", _QUOTE.sub("“”", text)) if part.strip()]


def section(force: ForceAssessment) -> list[Point]:
    extra = [point for point in (force.exposure_point, force.implication) if point]
    return [*force.narrative, *extra]


def masked(sentence: str, names: list[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, "N").replace(name[:1].lower() + name[1:], "N")
    return _NUMBER.sub("#", sentence)


@BOTH
def test_no_sentence_frame_occurs_in_three_force_sections(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate, snapshot = loaded(name, request)
    names = sorted({item.publisher for item in snapshot.evidence})
    names += [driver.name for part in case.pack.forces for driver in part.drivers]
    seen: dict[str, set[str]] = defaultdict(set)
    for force in candidate.forces:
        for point in section(force):
            for sentence in sentences(point.text):
                seen[masked(sentence, names)].add(force.force)
        for gap in force.gaps:
            seen[masked(gap, names)].add(force.force)
    assert [frame for frame, forces in seen.items() if len(forces) >= 3] == []


@BOTH
def test_each_section_names_entities_and_figures_of_its_own_evidence(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate, snapshot = loaded(name, request)
    clauses = case.book(snapshot).clauses
    for force in candidate.forces:
        text = " ".join(point.text for point in section(force))
        own = [clauses[c] for c in force.evidence_for + force.evidence_against]
        publishers = {clause.item.publisher for clause in own}
        assert any(publisher in text for publisher in publishers), force.force
        assert any(entity in text for clause in own for entity in entities(clause.text)), force.force
        if any(clause.has_figure and clause.quotable for clause in own):
            assert quoted_figure(text, own), force.force


def quoted_figure(text: str, own: list[Clause]) -> bool:
    return any(clause.has_figure and clause.text.rstrip(" .;,")[:40] in text for clause in own)


@BOTH
def test_quotes_in_text_are_short_and_verbatim(name: str, request: pytest.FixtureRequest) -> None:
    candidate, snapshot = loaded(name, request)
    passages = " ".join(item.passage for item in snapshot.evidence).replace("“", "‘").replace("”", "’")
    points = [point for force in candidate.forces for point in force.narrative]
    points += [*candidate.brief.why_now, *candidate.brief.what_could_go_wrong, *candidate.brief.dissent]
    points += [view.counterargument for view in candidate.challenge.views]
    for point in points:
        for quote in re.findall(r"“([^”]*)”", point.text):
            assert len(quote.split()) <= 30, quote
            assert quote in passages


@BOTH
def test_own_sentences_have_at_most_thirty_words(name: str, request: pytest.FixtureRequest) -> None:
    candidate, _ = loaded(name, request)
    brief = candidate.brief
    points = [point for force in candidate.forces for point in section(force)]
    points += [*brief.why_now, *brief.if_we_wait, *brief.value, *brief.what_could_go_wrong, *brief.dissent]
    points += [
        brief.recommendation,
        brief.confidence_point,
        brief.largest_uncertainty,
        brief.smallest_commitment,
    ]
    points += [entry.answer for entry in brief.board_questions]
    points += [view.counterargument for view in candidate.challenge.views]
    for point in points:
        for sentence in sentences(point.text):
            assert len(sentence.split()) <= 30, sentence


@BOTH
def test_the_six_views_rest_on_distinct_ids_texts_and_documents(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate, snapshot = loaded(name, request)
    views = candidate.challenge.views
    assert len({view.counterargument.basis for view in views}) == 6
    assert len({view.counterargument.text for view in views}) == 6
    clauses = case.book(snapshot).clauses
    quoted = [clauses[b] for view in views for b in view.counterargument.basis if b in clauses]
    assert len({clause.text for clause in quoted}) == len(quoted)
    assert len({clause.document for clause in quoted}) == len(quoted)
    fears = [text for view in views for text in (view.pre_mortem, *view.invalidating_conditions)]
    assert len(set(fears)) == len(fears)


@BOTH
def test_the_audit_view_quotes_a_duty_that_bears_on_the_decision(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate, snapshot = loaded(name, request)
    view = next(view for view in candidate.challenge.views if view.view == "regulator_audit")
    clause = case.book(snapshot).clauses[view.counterargument.basis[0]]
    assert clause.item.source_class in ("legislation", "regulator")
    assert clause.controls
    assert re.search(r"\b(shall|must)\b", clause.text, re.IGNORECASE)
    assert clause.product == 1 or clause.on_topic >= 0.5 or "ICT" in clause.text
    assert "crowdfunding" not in clause.text.casefold()


@BOTH
def test_page_one_fits_a_page_and_repeats_nothing(
    name: str, request: pytest.FixtureRequest, mixed: Economics
) -> None:
    candidate, snapshot = loaded(name, request)
    text = render_brief(BriefInput(candidate, snapshot, mixed, None, "DRAFT: not reviewed", "0" * 64))
    page_one = text.split("## Context")[0]
    words = re.sub(r"\[[A-Z]\d+\]|\(and \d+ more\)", "", page_one)
    assert len(re.sub(r"[|*#-]+", " ", words).split()) <= 450
    quotes = re.findall(r"“([^”]*)”", page_one.split("**Why now.**")[1])
    long = [quote for quote in quotes if len(quote.split()) > 5]
    assert len(set(long)) == len(long)
    amounts = re.findall(r"EUR -?[\d.]+m", page_one)
    assert len(set(amounts)) == len(amounts)
    for answer in (
        "Owner: Group Chief Operating Officer",
        "at worst",
        "turns positive in month",
        "inside its range",
    ):
        assert answer in page_one
    for answer in (
        "On dependence",
        "The way back",
        "Against this stands",
        "Waiting 18 months (the option to wait lasts 12) costs",
        "We stop if",
    ):
        assert answer in page_one


@BOTH
def test_every_mark_of_the_brief_resolves_in_its_appendix(
    name: str, request: pytest.FixtureRequest, mixed: Economics
) -> None:
    candidate, snapshot = loaded(name, request)
    text = render_brief(BriefInput(candidate, snapshot, mixed, None, "DRAFT: not reviewed", "0" * 64))
    body, appendix = text.split("## Appendix: sources")
    cited = set(re.findall(r"\[([CXALF]\d+)\]", body))
    assert cited
    defined = set(re.findall(r"^- \*\*([CXALF]\d+)\*\*", appendix, re.MULTILINE))
    assert cited <= defined
    for figure in mixed.calculations:
        if figure.name in ("npv.worst", "npv.best") and figure.scenario in ("targeted", "scaled"):
            assert figure.display in text.replace("\\", "")


@BOTH
def test_each_claim_names_a_hypothesis_of_the_pack(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate, _ = loaded(name, request)
    known = {h.id: h for part in case.pack.forces for h in part.hypotheses}
    for claim in candidate.claims:
        assert claim.hypothesis_id in known, claim.text
        if claim.driver_id:
            assert claim.driver_id in known[claim.hypothesis_id].driver_ids


def test_words_for_trend_horizon_pressure_and_confidence_follow_policy(real_candidate: Candidate) -> None:
    assert judge_trend({"up": 2, "down": 0, "flat": 0})[0] == "increasing"
    assert judge_trend({"up": 1, "down": 0, "flat": 0})[0] == "uncertain"
    assert judge_trend({"up": 1, "down": 3, "flat": 0})[0] == "decreasing"
    assert judge_trend({"up": 0, "down": 0, "flat": 2})[0] == "stable"
    assert judge_trend({"up": 0, "down": 0, "flat": 0})[0] == "uncertain"
    assert [horizon_effect(rating) for rating in (2, 3, 4)] == ["easing", "steady", "rising"]
    assert [pressure_word(score) for score in (1, 2, 3, 4, 5)] == [
        "low",
        "limited",
        "mixed",
        "elevated",
        "high",
    ]
    assert [confidence_word(value) for value in (0, 0.2, 0.4, 0.7)] == ["none", "low", "medium", "high"]
    assert brief_confidence(0.5, 0.0) == 0
    assert brief_confidence(0.5, 2.0) < brief_confidence(0.5, 3.0) < 0.5
    for force in real_candidate.forces:
        assert force.confidence_word == confidence_word(force.confidence)


def test_other_industries_do_not_lead(real_candidate: Candidate, real: EvidenceSnapshot, case: Case) -> None:
    clauses = case.book(real).clauses
    for force in real_candidate.forces:
        quoted = [clauses[b] for point in force.narrative[1:4] for b in point.basis if b in clauses]
        lead = quoted[0]
        assert lead.sector > 0
        assert not re.search(r"mortgage|mobility|telecom", lead.text, re.IGNORECASE)
