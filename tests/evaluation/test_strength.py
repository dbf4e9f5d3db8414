"""Strength of links and claims, against figures worked out by hand from rule 7.4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.contracts.evidence import Claim
from porterlib.contracts.sector import EvidencePolicy
from porterlib.evaluation import (
    claim_agreement,
    claim_strength,
    claim_strengths,
    link_strength,
    material_ids,
    usable,
)

from .factory import POLICY, RAISING, altered, item_of, settle, valid_context

CONTEXT = valid_context()


@pytest.mark.parametrize(
    ("authority", "quality", "freshness", "applicability", "expected"),
    [
        (1.0, 0.9, 0.5, 0.6, 0.9),
        (0.45, 0.55, 0.5, 0.6, 0.2475),
        (1.0, 0.9, 0.2, 0.3, 0.9),  # the limits themselves are not below them
        (1.0, 0.9, 0.19, 0.6, 0.45),
        (1.0, 0.9, 0.5, 0.29, 0.45),
        (1.0, 0.9, 0.1, 0.1, 0.45),  # halved once, not twice
    ],
)
def test_link_strength(
    authority: float, quality: float, freshness: float, applicability: float, expected: float
) -> None:
    item = item_of(CONTEXT.snapshot, RAISING["rivalry"]).model_copy(
        update={
            "authority": authority,
            "quality": quality,
            "freshness": freshness,
            "applicability": applicability,
        }
    )
    assert link_strength(item, POLICY) == expected


@pytest.mark.parametrize(
    ("supports", "expected", "is_usable"),
    [
        ([], 0.0, False),
        ([(0.2475, "a")], 0.2475, False),  # one unknown page
        ([(0.2475, "a")] * 9, 0.2475, False),  # the same publisher nine times
        ([(0.2475, "a"), (0.2475, "b")], 0.309375, True),  # two independent publishers
        ([(0.9, "a"), (0.68, "b"), (0.385, "c"), (0.3, "d")], 1.16625, True),  # the fourth adds nothing
        ([(0.1, "a"), (0.9, "a"), (0.4, "b")], 1.0, True),
    ],
)
def test_claim_strength(supports: list[tuple[float, str]], expected: float, is_usable: bool) -> None:
    assert claim_strength(supports) == pytest.approx(expected, abs=1e-6)
    assert usable(claim_strength(supports), EvidencePolicy()) == is_usable


supports = st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcd")), max_size=8)


@given(supports, st.integers(0, 7), st.randoms())
def test_less_support_is_never_stronger_and_order_does_not_matter(
    given_supports: list[tuple[float, str]], at: int, random: object
) -> None:
    whole = claim_strength(given_supports)
    fewer = given_supports[:at] + given_supports[at + 1 :]
    assert claim_strength(fewer) <= whole
    assert claim_strength(reversed(given_supports)) == whole


def test_an_inference_is_as_strong_as_the_weakest_claim_below_it() -> None:
    strengths = {claim.id: claim.strength for claim in CONTEXT.candidate.claims}
    weakest = min(strengths.values())
    chain = [
        Claim(id="C-top", kind="inference", text="t", basis=("C-mid", next(iter(strengths)))),
        Claim(id="C-mid", kind="inference", text="m", basis=tuple(strengths)),
        Claim(id="C-loop", kind="inference", text="l", basis=("C-loop",)),
        Claim(id="C-air", kind="inference", text="a", basis=("A-1",)),
    ]
    items = {item.id: item for item in CONTEXT.snapshot.evidence}
    found = claim_strengths([*chain, *CONTEXT.candidate.claims], CONTEXT.candidate.links, items, POLICY)
    assert (found["C-top"], found["C-mid"], found["C-loop"], found["C-air"]) == (weakest, weakest, 0, 0)


def test_only_supporting_links_that_pass_all_levels_count() -> None:
    context = CONTEXT
    for at, link in enumerate(context.candidate.links):
        if at % 2:
            context = altered(context, f"links.{at}.stance", "context")
        else:
            context = altered(context, f"links.{at}.levels.agrees", False)
        assert link.stance == "supports"
    assert {claim.strength for claim in settle(context).candidate.claims} == {0.0}


def test_materiality_follows_citations_through_inferences_and_nothing_else() -> None:
    material = material_ids(CONTEXT.candidate, CONTEXT.economics)
    rated = {name for f in CONTEXT.candidate.forces for d in f.drivers for name in d.raising + d.lowering}
    assert rated <= material
    top = Claim(id="C-top", kind="inference", text="t", basis=("C-below",))
    below = Claim(id="C-below", kind="external_fact", text="b")
    context = altered(CONTEXT, "claims", lambda old: (*old, top, below))
    assert not {"C-top", "C-below"} & material_ids(context.candidate)
    cited = altered(context, "options.0.ratings.0.basis", ("C-top",))
    assert {"C-top", "C-below"} <= material_ids(cited.candidate)
    shown = altered(context, "brief.context.0.basis", ("C-top",))
    assert not {"C-top", "C-below"} & material_ids(shown.candidate)
    unrated = altered(cited, "options.0.ratings.0.rating", None)
    assert not {"C-top", "C-below"} & material_ids(unrated.candidate)


@pytest.mark.parametrize(
    ("supporting", "contradicting", "expected"),
    [
        ([], [], None),
        (["a"], [], 1.0),
        (["a", "a", "b"], [], 1.0),
        (["a"], ["b"], 0.5),
        (["a", "b"], ["c"], 0.666667),
        ([], ["c"], 0.0),
        (["a"], ["a"], 0.5),
    ],
)
def test_agreement_is_the_share_of_publishers_that_support(
    supporting: list[str], contradicting: list[str], expected: float | None
) -> None:
    assert claim_agreement(supporting, contradicting) == expected
