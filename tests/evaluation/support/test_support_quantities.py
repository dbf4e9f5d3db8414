"""Numbers, units, magnitudes and dates read the same however they are spelled."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.evaluation.support import dates, numbers, references


def read(text):
    return [(q.value, q.unit) for q in numbers(text)]


@pytest.mark.parametrize(
    ("spellings", "value", "unit"),
    [
        (
            ["12 %", "12%", "12 per cent", "12 percent", "twelve per cent", "twelve percent", "12 pct"],
            12,
            "%",
        ),
        (
            ["$1.2bn", "$1.2 billion", "US$1.2 bn", "1.2 billion dollars", "USD 1,200 million"],
            1_200_000_000,
            "USD",
        ),
        (
            [
                "EUR 10 000 000",
                "€10m",
                "€10 million",
                "10 million euros",
                "10,000,000 EUR",
                "ten million euros",
            ],
            10**7,
            "EUR",
        ),
        (["two years", "24 months", "24-month", "2 years"], 24, "months"),
        (["one day", "24 hours", "24-hour", "twenty-four hours"], 24, "hours"),
        (["0.25 percentage points", "25 basis points", "25 bps"], Decimal("0.25"), "pp"),
        (["two hundred and fifty", "250", "two hundred fifty"], 250, ""),
        (["1.5m users", "1,500,000 users", "1.5 million users"], 1_500_000, ""),
        (["3x", "three times", "3-fold"], 3, "times"),
        (["twelve thousand three hundred and one"], 12301, ""),
    ],
)
def test_spellings_of_one_quantity_agree(spellings, value, unit):
    for spelling in spellings:
        assert read(f"It was {spelling}.") == [(Decimal(value), unit)], spelling


def test_range_shares_its_unit():
    assert read("between 10–12 % of cost") == [(10, "%"), (12, "%")]
    assert read("5 to 7 months") == [(5, "months"), (7, "months")]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("more than 40 banks", ">"),
        ("at least 40 banks", ">="),
        ("fewer than 40 banks", "<"),
        ("up to 40 banks", "<="),
        ("about 40 banks", "~"),
        ("no more than 40 banks", "<="),
        ("in 40 banks", "="),
    ],
)
def test_bounds_are_read_from_the_words_before(text, bound):
    assert numbers(text)[0].bound == bound


def test_what_a_bare_count_counts_is_its_noun():
    first, second = numbers("over six seasons, comprising 121 episodes")
    assert (first.of, second.of) == ("season", "episod")


def test_references_identifiers_and_dates_are_no_quantities():
    assert (
        read("Article 28(3) of Regulation (EU) 2022/2554 applies from 17 January 2025 to GPT-4 and COVID-19.")
        == []
    )
    assert [name for name, _, _ in references("Article 28(3) of Regulation (EU) 2022/2554")] == [
        "article 28(3)",
        "regulation 2022/2554",
    ]


def test_pronoun_one_is_no_quantity():
    assert read("one of the five banks, and no one else") == [(5, "")]


def test_spans_point_at_the_text():
    text = "Costs fell by 3.5% after €1.2bn and twenty-one days."
    assert [text[q.start : q.end] for q in numbers(text)] == ["3.5%", "€1.2bn", "twenty-one days"]


@given(st.integers(0, 999_999_999))
def test_thousands_separators_change_nothing(value):
    spellings = [str(value), f"{value:,}", f"{value:,}".replace(",", " ")]
    readings = {tuple(read(f"It cost {spelling} USD.")) for spelling in spellings}
    assert readings == {((Decimal(value), "USD"),)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 18 July 1996", (1996, 7, 18)),
        ("July 16 , 1996", (1996, 7, 16)),
        ("Sept. 4, 2001", (2001, 9, 4)),
        ("2024-01-31", (2024, 1, 31)),
        ("31/01/2024", (2024, 1, 31)),
        ("03/04/2024", (2024, None, None)),
        ("in May 2020", (2020, 5, None)),
        ("in October", (None, 10, None)),
        ("the 1990s", (1990, None, None)),
        ("Q3 2024", (2024, None, None)),
        ("FY2023", (2023, None, None)),
    ],
)
def test_dates_keep_the_precision_they_are_written_in(text, expected):
    [found] = dates(text)
    assert (found.year, found.month, found.day) == expected


def test_money_and_modal_verbs_are_no_dates():
    assert dates("It may cost $2000, or 2000 euros, or 1.2 million; March on.") == ()


def test_dates_fit_when_no_written_part_differs():
    [full] = dates("14 May 2012")
    [month] = dates("in May 2012")
    [year] = dates("2013")
    [decade] = dates("the 2010s")
    assert full.fits(month)
    assert full.fits(decade)
    assert not full.fits(year)


@given(st.text(max_size=200))
def test_any_text_is_read_without_failing(text):
    for found in (*numbers(text), *dates(text)):
        assert 0 <= found.start < found.end <= len(text)
