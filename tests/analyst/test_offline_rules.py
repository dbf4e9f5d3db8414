"""The rules of the offline analyst: monotone volumes, gates that only lower, answers with a named rule."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.analyst import ChooseQuestion, Offer, OfflineAnalyst, RateQuestion, WriteQuestion
from porterlib.analyst.policy import (
    STRENGTH_OF_RECOMMENDATION,
    decide,
    document_weight,
    driver_confidence,
    rate_driver,
    rate_lens,
    recommendation_gates,
    volume,
)
from porterlib.analyst.ranking import contrary_rank, lead_rank

STRENGTHS = st.dictionaries(
    st.text("abc", min_size=1, max_size=2), st.lists(st.floats(0.05, 1), min_size=1, max_size=5), min_size=1
)
CALM: Mapping[str, float] = {
    "forces_unassessed": 0,
    "confidence": 0.5,
    "control": 3,
    "economics_known": 1,
    "inputs_missing": 0,
    "worst": 1,
    "base": 2,
    "best": 3,
    "delay_known": 1,
    "delay_base": 1,
}


@given(strengths=STRENGTHS, at=st.integers(0, 20))
def test_taking_a_document_away_lowers_the_volume(strengths: dict[str, list[float]], at: int) -> None:
    places = [(name, number) for name, values in strengths.items() for number in range(len(values))]
    name, number = places[at % len(places)]
    fewer = {key: list(values) for key, values in strengths.items()}
    del fewer[name][number]
    assert volume(fewer) < volume(strengths)


def test_a_second_publisher_counts_more_than_a_second_document() -> None:
    assert volume({"a": [0.9], "b": [0.9]}) > volume({"a": [0.9, 0.9]}) > volume({"a": [0.9]})
    assert document_weight(0.9, 1) < document_weight(0.9, 2) < 0.9
    assert 0 == driver_confidence(0, 0) < driver_confidence(0.5, 0) < driver_confidence(0.5, 0.5) < 1


@pytest.mark.parametrize(
    ("features", "rating", "rule"),
    [
        ((0, 0, 0, 0), None, "driver.no_usable_source"),
        ((1, 0, 1, 0), 4, "driver.raising_single"),
        ((1, 0, 2, 0), 5, "driver.raising_dominates"),
        ((0, 1, 0, 2), 1, "driver.lowering_dominates"),
        ((1, 1, 1, 1), 3, "driver.balanced"),
        ((1, 0.6, 1, 1), 4, "driver.raising_prevails"),
    ],
)
def test_a_driver_is_rated_by_balance_and_publishers(
    features: tuple[float, ...], rating: int | None, rule: str
) -> None:
    names = ("raising", "lowering", "raising_publishers", "lowering_publishers")
    answer = rate_driver(dict(zip(names, features, strict=True)))
    assert (answer.value, answer.rule) == (rating, rule)


@pytest.mark.parametrize(
    ("change", "kind", "gate"),
    [
        ({}, "proceed", "gate.coverage"),
        ({"worst": -1}, "reversible_step", "gate.value"),
        ({"worst": -1, "base": -1}, "wait", "gate.value"),
        ({"worst": -3, "base": -2, "best": -1}, "stop", "gate.value"),
        ({"delay_base": -1}, "wait", "gate.delay"),
        ({"inputs_missing": 2}, "missing_evidence", "gate.inputs"),
        ({"economics_known": 0}, "missing_evidence", "gate.inputs"),
        ({"forces_unassessed": 1}, "reversible_step", "gate.coverage"),
        ({"forces_unassessed": 2}, "missing_evidence", "gate.coverage"),
        ({"confidence": 0.01}, "missing_evidence", "gate.confidence"),
        ({"confidence": 0.05}, "reversible_step", "gate.confidence"),
        ({"control": 1}, "stop", "gate.control"),
        ({"control": 2}, "reversible_step", "gate.control"),
    ],
)
def test_each_gate_sets_its_ceiling(change: Mapping[str, float], kind: str, gate: str) -> None:
    deciding = decide(recommendation_gates({**CALM, **change}))
    assert (deciding.ceiling, deciding.gate) == (kind, gate)


@given(
    values=st.tuples(*[st.floats(-5, 5) for _ in range(4)]),
    drops=st.tuples(*[st.floats(0, 5) for _ in range(4)]),
)
def test_lower_values_never_lift_the_ceiling(values: tuple[float, ...], drops: tuple[float, ...]) -> None:
    names = ("worst", "base", "best", "delay_base")
    before = {**CALM, **dict(zip(names, values, strict=True))}
    after = {**before, **{name: before[name] - drop for name, drop in zip(names, drops, strict=True)}}
    order = STRENGTH_OF_RECOMMENDATION.index
    assert order(decide(recommendation_gates(after)).ceiling) <= order(
        decide(recommendation_gates(before)).ceiling
    )


def test_economics_is_rated_by_the_signs_of_its_range() -> None:
    def rating(worst: float, base: float, best: float) -> int | None:
        return rate_lens(
            "economics", {"known": 1, "baseline": 0, "worst": worst, "base": base, "best": best}
        ).value

    assert [rating(-3, -2, -1), rating(-3, -1, 1), rating(-1, 1, 2), rating(1, 2, 3)] == [1, 2, 3, 5]
    assert rate_lens("economics", {"known": 0, "baseline": 0}).value is None


def contrary(**change: float) -> float:
    base = {
        "outcome": 1,
        "figure": 0,
        "possible": 0,
        "dependence": 0,
        "on_topic": 0.9,
        "product": 1,
        "strength": 0.5,
        "rank": 4,
    }
    return contrary_rank({**base, **change})


def test_an_outcome_on_the_subject_outranks_every_argument() -> None:
    strong = {"strength": 1, "rank": 12}
    assert contrary(figure=1) > contrary(**strong) > contrary(product=0, **strong)
    assert contrary(product=0) > contrary(outcome=0, dependence=1, **strong)
    assert contrary(outcome=0, dependence=1) > contrary(outcome=0, **strong)
    assert contrary(on_topic=0.2, figure=1) < contrary(possible=1, product=0)


def test_a_whole_sentence_on_the_subject_leads() -> None:
    base = dict.fromkeys(("cues", "figure", "named", "dependent", "possible"), 0.0)
    base |= {"on_topic": 0.9, "strength": 0.9, "sector": 1, "quotable": 1, "words": 18}
    assert lead_rank(base) > lead_rank({**base, "on_topic": 0.1, "figure": 1})
    assert lead_rank(base) > lead_rank({**base, "quotable": 0, "cues": 3})
    assert lead_rank({**base, "figure": 1}) > lead_rank(base) > lead_rank({**base, "sector": 0})


def test_answers_name_their_rule_and_offer_no_other_id() -> None:
    analyst = OfflineAnalyst()
    offers = (Offer("C-2", "second", {"rank": 1.0}), Offer("C-1", "first", {"rank": 1.0}))
    choice = analyst.choose(ChooseQuestion("lead_claim", "rivalry", "Which leads?", offers))
    assert (choice.ids, choice.rule) == (("C-1",), "choose.lead_claim_by_rank")
    rating = analyst.rate(RateQuestion("lens", "O-1:reversibility", "How?", {}, (), {"template": 4}))
    assert (rating.value, rating.rule) == (4, "lens.reversibility_of_course")
    sentence = analyst.write(WriteQuestion("quoted_evidence", "C-1", "Write.", (), "As composed."))
    assert sentence.text == "As composed."
    assert analyst.stamp.asked == 3
    assert analyst.stamp.stood_in == 0
