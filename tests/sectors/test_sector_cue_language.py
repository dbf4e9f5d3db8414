"""The cue language: stems, alternatives, phrases, windows, prohibitions and negation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.errors import PackError
from porterlib.sectors import CueIndex, CueSet, negated, negators, tokenise


@pytest.mark.parametrize(
    ("cue", "sentence", "met"),
    [
        ("limited provider*", "Providers are limited in number.", True),
        ("limited provider*", "Providers are many.", False),
        ("few|limited provider*", "A few providers dominate.", True),
        ("open_banking", "Open-banking interfaces are mandated.", True),
        ("open_banking", "Banking hours stay open.", False),
        ("data_aggregator*|open_banking", "Data aggregators store credentials.", True),
        ("price* rise ~not", "Prices rise.", True),
        ("price* rise ~not", "Prices do not rise.", False),
        ("exit plan @3", "The exit plan exists.", True),
        ("exit plan @3", "The exit of the provider has no written plan.", False),
        ("provider", "The provider’s terms changed.", True),
        ("provider", "Providers changed terms.", False),
    ],
)
def test_a_cue_is_met_exactly_when_its_stems_are(cue: str, sentence: str, met: bool) -> None:
    assert bool(CueSet([cue]).matches(sentence)) is met


def test_stems_must_stand_within_twenty_five_words() -> None:
    near = "alpha " + "word " * 23 + "omega"
    far = "alpha " + "word " * 24 + "omega"
    assert CueSet(["alpha omega"]).matches(near) == ("alpha omega",)
    assert CueSet(["alpha omega"]).matches(far) == ()


def test_the_tightest_window_is_reported() -> None:
    (hit,) = CueSet(["exit plan"]).hits("Exit was discussed, and the exit plan was tested.")
    words = tokenise("Exit was discussed, and the exit plan was tested.")
    assert words[hit.start : hit.end] == ("exit", "plan")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Prices rose.", False),
        ("Prices were not rising.", True),
        ("There is no evidence that prices rose.", True),
        ("There is no evidence of rising prices.", True),
        ("The provider fails to raise prices.", True),
        ("Banks without rising prices stayed.", True),
        ("Not only rising prices mattered.", False),
        ("It did not come without rising prices.", False),
        ("The clause was not tested, but prices rose.", False),
        ("There is no question that prices rise.", False),
    ],
)
def test_negation_is_seen_before_the_matched_words(sentence: str, expected: bool) -> None:
    (hit,) = CueSet(["rise|rises|rising|rose|raise price*"]).hits(sentence)
    assert hit.negated is expected


def test_a_negator_that_the_cue_asks_for_does_not_negate_it() -> None:
    (hit,) = CueSet(["not guarantee*"]).hits("The agreements do not guarantee service.")
    assert not hit.negated


def test_negators_are_listed_by_position() -> None:
    assert negators(tokenise("No bank can't leave without cost")) == (0, 2, 4)
    assert negated(("no", "bank"), 1)


@pytest.mark.parametrize("cue", ["", "~only", "Upper", "x*", "a @99", "exit,plan", "open__banking"])
def test_a_malformed_cue_is_refused_by_name(cue: str) -> None:
    with pytest.raises(PackError, match="cue"):
        CueSet([cue])


_WORDS = st.lists(
    st.sampled_from(["exit", "plan", "price", "rises", "no", "bank", "cloud"]), min_size=1, max_size=12
)


@given(words=_WORDS, extra=_WORDS)
def test_adding_words_after_a_match_never_loses_it(words: list[str], extra: list[str]) -> None:
    cues = CueSet(["exit plan", "price|cloud rises"])
    assert set(cues.matches(tuple(words))) <= set(cues.matches(tuple(words + extra)))


@given(words=_WORDS)
def test_the_shared_index_agrees_with_one_set_a_cue(words: list[str]) -> None:
    cues = {"a": ["exit plan"], "b": ["price|cloud rises", "no bank"], "c": ["cloud ~no"]}
    together = CueIndex(cues).hits(tuple(words))
    apart = {name: CueSet(group).hits(tuple(words)) for name, group in cues.items()}
    assert together == {name: hits for name, hits in apart.items() if hits}
