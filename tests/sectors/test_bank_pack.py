"""The bank pack holds what a board needs: measurable anchors and gates, distinct sentences, every audience."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import get_args

import pytest

from porterlib.contracts.request import Audience, OptionKind
from porterlib.contracts.sector import Driver
from porterlib.sectors import load_pack, tokenise

PACK = load_pack("bank")
DRIVERS = [(part.force, driver) for part in PACK.forces for driver in part.drivers]
PRINTED = ("mechanism", "implication", "relief", "indicator", "reversal")
RECOMMENDATIONS = {"proceed", "reversible_step", "wait", "stop", "missing_evidence"}
_FUNCTION = set(
    tokenise(
        "a an the of to in on for by with at as is are be was or and that which who than from its it their under "
        "over per before where when so but not no one after if into each"
    )
)


def _frame(sentence: str) -> str:
    """Return the sentence with content words and numbers masked."""
    masked = ["#" if word[0].isdigit() else word if word in _FUNCTION else "_" for word in tokenise(sentence)]
    return " ".join(word for at, word in enumerate(masked) if word != "_" or at == 0 or masked[at - 1] != "_")


@pytest.mark.parametrize("part", PACK.forces, ids=lambda part: part.force)
def test_each_force_has_drivers_hypotheses_and_weights_of_one(part) -> None:  # type: ignore[no-untyped-def]
    assert len(part.drivers) >= 6
    assert len(part.hypotheses) >= 4
    assert sum(driver.weight for driver in part.drivers) == pytest.approx(1)
    covered = {name for hypothesis in part.hypotheses for name in hypothesis.driver_ids}
    assert covered == {driver.id for driver in part.drivers}
    assert len(tokenise(part.meaning)) <= 32


@pytest.mark.parametrize("driver", [driver for _, driver in DRIVERS], ids=lambda driver: driver.id)
def test_a_driver_is_rich_and_its_sentences_short(driver: Driver) -> None:
    assert len(driver.topic) >= 3
    assert len(driver.raises) >= 5
    assert len(driver.lowers) >= 5
    for name in PRINTED:
        text = getattr(driver, name)
        assert len(text.split()) <= 30, (name, text)
        assert text.endswith(".")
        assert not re.search(r"\b(might|perhaps|possibly|excellent|cutting-edge|game-chang\w+)\b", text)
    levels = (driver.anchors.low, driver.anchors.mixed, driver.anchors.high)
    assert len(set(levels)) == 3
    assert any(re.search(r"\d", level) for level in levels), "anchors must be measurable"


def test_no_sentence_shape_is_used_twice() -> None:
    shapes: dict[str, list[str]] = defaultdict(list)
    openings: dict[str, list[str]] = defaultdict(list)
    for _, driver in DRIVERS:
        for name in PRINTED:
            text = getattr(driver, name)
            shapes[_frame(text)].append(f"{driver.id}.{name}")
            openings[" ".join(tokenise(text)[:3])].append(f"{driver.id}.{name}")
    assert not [places for places in shapes.values() if len(places) > 1]
    assert not [places for places in openings.values() if len(places) > 1]


def test_mechanisms_that_act_on_several_forces_share_an_id() -> None:
    forces: dict[str, set[str]] = defaultdict(set)
    for force, driver in DRIVERS:
        forces[driver.mechanism_id].add(force)
    assert sum(len(names) > 1 for names in forces.values()) >= 4


def test_ids_are_unique_and_every_hypothesis_asks_against_itself() -> None:
    hypotheses = [hypothesis for part in PACK.forces for hypothesis in part.hypotheses]
    assert len({h.id for h in hypotheses}) == len(hypotheses)
    assert len({driver.id for _, driver in DRIVERS}) == len(DRIVERS)
    for hypothesis in hypotheses:
        assert hypothesis.contrary_questions
        assert hypothesis.contrary_queries
        assert set(hypothesis.queries).isdisjoint(hypothesis.contrary_queries)


def test_queries_use_only_public_words_and_known_places() -> None:
    for part in PACK.forces:
        for hypothesis in part.hypotheses:
            for query in (*hypothesis.queries, *hypothesis.contrary_queries):
                assert set(re.findall(r"\{(\w+)\}", query)) <= {"product", "geography", "topic"}
                assert len(query) <= 140


def test_every_audience_has_an_analogy_and_every_recommendation_one_that_fits() -> None:
    by_audience: dict[str, set[str]] = defaultdict(set)
    for analogy in PACK.analogies:
        by_audience[analogy.audience] |= set(analogy.fits) or RECOMMENDATIONS
        assert tokenise(analogy.breaking_point) != tokenise(analogy.analogy)
        assert len(analogy.correspondences) >= 2
    assert set(by_audience) == set(get_args(Audience))
    assert {name for name, fits in by_audience.items() if fits != RECOMMENDATIONS} == set()


def test_options_cover_every_course_with_measurable_conditions() -> None:
    assert {option.kind for option in PACK.options} == set(get_args(OptionKind))
    for option in PACK.options:
        assert option.gates
        assert all(re.search(r"\d", gate) for gate in option.gates)
        for text in (*option.stop_conditions, *option.acceleration_conditions):
            assert re.search(r"\d", text), (option.kind, text)


def test_controls_name_a_primary_text_and_a_measurable_gate() -> None:
    assert len(PACK.controls) >= 8
    for control in PACK.controls:
        assert re.search(r"\d", control.gate), control.id
        assert re.search(r"\d", control.primary_text), control.id


def test_the_source_policy_is_broad_and_free_of_duplicates() -> None:
    places = [(rule.host, rule.path_prefix) for rule in PACK.sources]
    assert len(places) == len(set(places)) >= 60
    assert all(rule.host == rule.host.casefold() and "/" not in rule.host for rule in PACK.sources)


def test_boundary_words_and_evidence_policy() -> None:
    assert {"product", "customer", "geography", "regulatory_perimeter"} <= set(PACK.boundary_questions)
    assert {"banking", "global banking"} <= set(PACK.not_a_boundary)
    assert PACK.evidence_policy.usable_strength == 0.30
    assert (
        PACK.evidence_policy.half_life_months["legislation"] > PACK.evidence_policy.half_life_months["vendor"]
    )
    assert set(PACK.topics) == set(PACK.topic_queries) == set(PACK.topic_terms)


def test_some_entity_holds_several_roles() -> None:
    assert any(len(entity.roles) >= 3 for entity in PACK.entities)
