"""Words, sentences, names and polarity: the small blocks that the screen and the analyst share."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.evaluation.support import content_overlap, entities, idf, polarity, sentences, tokens


def split(text):
    return [text[start:end] for start, end in sentences(text)]


def test_tokens_open_contractions_and_fold_accents():
    assert tokens("The bank doesn’t, can't, won’t: Penélope's l'Oréal") == (
        "the",
        *["bank", "does", "not", "can", "not", "will", "not", "penelope", "l", "oreal"],
    )
    assert tokens("U.S. and US and us") == ("usa", "and", "usa", "and", "us")


def test_common_words_weigh_less_than_rare_ones():
    assert idf("the") < idf("also") < idf("bank") < idf("pseudonymisation")
    assert idf("Banks") == idf("bank")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("regulators", "regulation"),
        ("adopted", "adoption"),
        ("companies", "company"),
        ("growing", "growth"),
        ("increasingly", "increase"),
        ("supervised", "supervision"),
    ],
)
def test_word_forms_meet(left, right):
    assert content_overlap(left, right) == 1.0


@pytest.mark.parametrize(
    ("left", "right"), [("action", "acting"), ("station", "state"), ("nation", "native")]
)
def test_unlike_words_stay_apart(left, right):
    assert content_overlap(left, right) == 0.0


def test_overlap_is_directed_and_weighted_by_rarity():
    evidence = "The bank outsourced its sanctions screening to a vendor."
    assert content_overlap("Sanctions screening", evidence) == 1.0
    assert content_overlap(evidence, "Sanctions screening") < 1.0
    rare, common = (
        content_overlap("sanctions people", evidence),
        content_overlap("bank pseudonymisation", evidence),
    )
    assert rare > common
    assert content_overlap("the of and", evidence) == 0.0


@given(st.text(max_size=80), st.text(max_size=80))
def test_overlap_lies_between_zero_and_one(a, b):
    assert 0.0 <= content_overlap(a, b) <= 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Costs rose 1.5 per cent. Margins fell.", ["Costs rose 1.5 per cent.", "Margins fell."]),
        ("See Article 28(3). It applies.", ["See Article 28(3).", "It applies."]),
        ("Under Art. 28(3) banks keep a register.", ["Under Art. 28(3) banks keep a register."]),
        ("He lives in the U.S. He is well.", ["He lives in the U.S.", "He is well."]),
        ("The U.S. Treasury agreed.", ["The U.S. Treasury agreed."]),
        ("J.P. Morgan Inc. said so, e.g. in Fig. 3.", ["J.P. Morgan Inc. said so, e.g. in Fig. 3."]),
        ('"Is it?" he asked. "No."', ['"Is it?" he asked.', '"No."']),
        ("Heading\nBody one. Body two", ["Heading", "Body one.", "Body two"]),
        ("1. First item\n(a) Second item. More.", ["1. First item", "(a) Second item.", "More."]),
        ("Section 5.1 applies. 5.2 does not.", ["Section 5.1 applies.", "5.2 does not."]),
        ("It ended.[12] It began.", ["It ended.[12]", "It began."]),
        ("Mr. Smith and Dr. Jones met. They agreed!", ["Mr. Smith and Dr. Jones met.", "They agreed!"]),
        ("The firm, Apple Inc. The firm grew.", ["The firm, Apple Inc.", "The firm grew."]),
        ("It ended.  ", ["It ended."]),
        ("It ended. ”", ["It ended.", "”"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert split(text) == expected


@given(st.text(alphabet="ab AB.!?\n\"'()1 ", max_size=120))
def test_sentences_cover_all_text_in_order(text):
    spans = sentences(text)
    assert all(a < b for a, b in spans)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))
    assert "".join("".join(split(text)).split()) == "".join(text.split())
    assert not any("\n" in sentence for sentence in split(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The European Banking Authority supervises Deutsche Bank under DORA. Banks agree.",
            ("European Banking Authority", "Deutsche Bank", "DORA"),
        ),
        ("Microsoft's Azure and J.P. Morgan", ("Microsoft", "Azure", "J.P. Morgan")),
        ("Financial institutions use AI. Mastercard grew in May.", ("AI", "Mastercard")),
        ("the Bank of England", ("Bank of England",)),
        ("However, costs fell on Monday.", ()),
    ],
)
def test_names_are_capitalised_groups_and_acronyms(text, expected):
    assert entities(text) == expected


@pytest.mark.parametrize(
    ("text", "negations", "direction"),
    [
        ("Costs did not increase; profits fell.", 1, -1),
        ("Costs did not fall.", 1, 1),
        ("Not only banks gain.", 0, 1),
        ("The vendor failed to grow.", 1, -1),
        ("No more than five banks", 0, 0),
        ("Banks can't switch.", 1, 0),
    ],
)
def test_polarity_counts_denials_and_turns_denied_moves(text, negations, direction):
    found = polarity(text)
    assert len(found.negations) == negations
    assert found.direction == direction


def test_polarity_places_point_at_the_words():
    text = "Costs never rose."
    found = polarity(text)
    assert [text[c.start : c.end] for c in (*found.negations, *found.directions)] == ["never", "rose"]
