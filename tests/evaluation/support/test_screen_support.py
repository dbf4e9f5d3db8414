"""What the screen accepts, what it flags and how it explains itself."""

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.evaluation.support import screen_support, sentences

SENTENCES = (  # synthetic
    "In 2023 fees fell by 12 per cent at 40 banks.",
    "The regulator did not approve the merger of Alpha Bank and Beta Bank.",
    "Financial entities shall report incidents within 72 hours, and no later than one month after detection.",
    "Cloud spending rose from $1.2bn to $1.9bn between 2019 and 2022.",
    "No vendor held more than 30 % of the market in March 2021; two held over 20 %.",
    "Under Article 28(3), banks keep a register of contracts, but smaller firms are exempt.",
    "Switching costs decreased because data portability became mandatory on 12 September 2025.",
    "Analysts at Gamma Research said that adoption was neither slow nor uniform.",
    "It never reached the U.S. market, e.g. New York.",
)


def kinds(screen):
    return {each.kind for each in screen.disagreements if each.conflicting}


@given(st.permutations(SENTENCES), st.integers(0, len(SENTENCES) - 1), st.data())
def test_a_verbatim_clause_is_supported_whatever_else_the_passage_says(order, which, data):
    passage = " ".join(order)
    clauses = [clause for clause in re.split(r"(?<=[a-z%])[,;] ", order[which]) if clause]
    claim = data.draw(st.sampled_from([order[which], *clauses]))
    screen = screen_support(claim, passage)
    assert screen.supported
    assert screen.score >= 0.95
    assert not screen.contradicted
    assert screen.disagreements == ()


def test_every_sentence_of_real_documents_supports_itself(shared_dir):
    checked = 0
    for path in sorted((shared_dir / "corpus" / "bank" / "docs").glob("*.md"))[:8]:
        text = path.read_text(encoding="utf-8")
        for start in range(0, min(len(text), 12_000), 1_200):
            passage = text[start : start + 1_200]
            for begin, end in sentences(passage):
                claim = passage[begin:end]
                if any(char.isalnum() for char in claim):
                    screen = screen_support(claim, passage)
                    assert screen.supported, claim
                    assert screen.score >= 0.95, claim
                    checked += 1
    assert checked > 300


@pytest.mark.parametrize(
    ("claim", "evidence", "kind", "field"),
    [
        ("Fees fell by 12 per cent in 2023.", "In 2023 fees fell by 15 %.", "number", "numbers_agree"),
        (
            "Report incidents within 24 hours.",
            "Firms report incidents within 72 hours.",
            "number",
            "numbers_agree",
        ),
        ("Spending reached $1.2bn.", "Spending reached 1.4 billion dollars.", "number", "numbers_agree"),
        ("More than 40 banks use AI.", "Some 12 banks use AI today.", "number", "numbers_agree"),
        (
            "The rule applies from January 2025.",
            "The rule applies from 17 March 2025.",
            "date",
            "dates_agree",
        ),
        ("The act was adopted in 2022.", "The act was adopted in 2024.", "date", "dates_agree"),
        (
            "AI adoption reduced costs at most banks.",
            "AI adoption did not reduce costs at most banks.",
            "negation",
            "negation_agrees",
        ),
        (
            "The regulator did not approve the merger.",
            "The regulator approved the merger in May.",
            "negation",
            "negation_agrees",
        ),
        ("Costs increased in 2023.", "Costs decreased in 2023.", "direction", "direction_agrees"),
        (
            "Banks spend more than insurers.",
            "Banks spend less than insurers.",
            "comparative",
            "direction_agrees",
        ),
        ("It was the largest bank.", "It was the smallest bank.", "comparative", "direction_agrees"),
        ("Article 28(3) covers exits.", "Article 30(3) covers exits.", "reference", "numbers_agree"),
        (
            "Reporting is voluntary for banks.",
            "Reporting is mandatory for banks.",
            "opposite",
            "direction_agrees",
        ),
        (
            "The vendor is based in France.",
            "The vendor is based in Germany.",
            "alternative",
            "entities_agree",
        ),
    ],
)
def test_a_contradiction_is_named_and_never_supported(claim, evidence, kind, field):
    screen = screen_support(claim, evidence)
    assert kind in kinds(screen)
    assert getattr(screen, field) is False
    assert screen.contradicted
    assert not screen.supported
    assert screen.score < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Fees fell by 12 per cent in 2023.", "Fees at the banks fell by 12% in 2023, the survey says."),
        ("Spending reached $1.2bn.", "Cloud spending reached 1.2 billion dollars in that year."),
        ("Firms keep records for two years.", "All firms keep records for 24 months."),
        ("More than 40 banks use AI.", "Some 55 banks use AI today."),
        ("The rule applies from January 2025.", "The rule applies from 17 January 2025."),
        ("Half of the banks use AI.", "In the sample 50 % of the banks use AI."),
        ("Costs did not fall.", "Costs did not fall over the period."),
        ("Costs rose at large banks.", "Costs increased at large banks."),
    ],
)
def test_other_spellings_of_the_same_statement_are_supported(claim, evidence):
    screen = screen_support(claim, evidence)
    assert screen.supported
    assert not screen.contradicted
    assert screen.numbers_agree
    assert screen.dates_agree
    assert screen.negation_agrees


@given(st.integers(2, 999), st.integers(2, 999))
def test_a_changed_number_is_never_supported(claimed, stated):
    screen = screen_support(
        f"The survey covered {claimed} banks.", f"The survey covered {stated} banks in Europe."
    )
    assert screen.numbers_agree == (claimed == stated)
    assert screen.supported == (claimed == stated)


def test_silence_is_told_apart_from_conflict():
    screen = screen_support(
        "The survey covered 40 banks in Norway.", "The survey covered banks of every size."
    )
    absent = {each.kind for each in screen.disagreements if not each.conflicting}
    assert {"number", "name"} <= absent
    assert not screen.numbers_agree
    assert not screen.contradicted
    assert not screen.supported


def test_a_denied_occurrence_is_not_verbatim_support():
    screen = screen_support(
        "banks met the requirement",
        "The supervisor found that not all, and that never banks met the requirement.",
    )
    assert not screen.supported
    assert not screen.negation_agrees


def test_numbers_and_denials_elsewhere_in_the_passage_do_not_count():
    passage = "Costs did not fall in 2019. Vendors lost 15 % in 2020. In 2023 fees fell by 12 % at 40 banks."
    screen = screen_support("Fees fell by 12 per cent at 40 banks in 2023.", passage)
    assert screen.supported
    assert screen.disagreements == ()


def test_unrelated_evidence_supports_nothing_and_says_what_is_missing():
    screen = screen_support("Banks outsource sanctions screening.", "The museum opens at noon.")
    assert not screen.supported
    assert not screen.contradicted
    assert screen.lexical_score == 0.0
    [gap] = screen.disagreements
    assert gap.kind == "wording"
    assert "sanctions" in gap.claim_part


def test_a_different_subject_is_named():
    screen = screen_support("Mastercard raised its fees.", "Visa raised its fees in 2022.")
    assert not screen.supported
    assert not screen.entities_agree
    assert ("Mastercard", "Visa") in {(each.claim_part, each.evidence_part) for each in screen.disagreements}


@dataclass
class _Claim:
    text: str


@dataclass
class _Evidence:
    passage: str


def test_objects_and_sequences_are_read_like_their_text():
    claim, passage = "Fees fell by 12 %.", "In 2023 fees fell by 12 %."
    plain = screen_support(claim, passage)
    assert screen_support(_Claim(claim), _Evidence(passage)) == plain
    assert screen_support(_Claim(claim), [_Evidence(passage)]) == plain
    both = screen_support(_Claim(claim), [_Evidence("The museum opens at noon."), passage])
    assert both.supported
    with pytest.raises(TypeError, match="holds no text"):
        screen_support(claim, 12)


@pytest.mark.parametrize(("claim", "evidence"), [("", "Fees fell."), ("Fees fell.", ""), ("…", "Fees fell.")])
def test_an_empty_side_is_unsupported_and_says_why(claim, evidence):
    screen = screen_support(claim, evidence)
    assert not screen.supported
    assert screen.score == 0.0
    assert "holds no" in screen.disagreements[0].note


@given(st.text(max_size=120), st.text(max_size=300))
def test_any_texts_give_a_score_and_the_same_one_twice(claim, evidence):
    screen = screen_support(claim, evidence)
    assert 0.0 <= screen.score <= 1.0
    assert screen == screen_support(claim, evidence)
    assert not (screen.supported and screen.contradicted)


def test_the_result_is_plain_data_and_names_no_verification():
    screen = screen_support("Fees fell by 12 %.", "Fees fell by 15 %.")
    assert screen.to_dict()["disagreements"][0]["kind"] == "number"
    assert "verif" not in str(screen.to_dict()).lower()
