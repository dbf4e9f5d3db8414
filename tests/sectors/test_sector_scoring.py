"""Freshness against the cutoff, applicability to the boundary."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.contracts.request import Boundary
from porterlib.contracts.sector import SectorPack
from porterlib.sectors import applicability, freshness, jurisdictions_of, load_pack, middle_of

PACK = load_pack("bank")
CUTOFF = date(2026, 6, 30)
BOUNDARY = Boundary(
    statement="KYC investigations in the United States and the European Union",
    product="KYC investigations",
    customer="retail customers",
    geographies=("United States", "European Union"),
    regulatory_perimeter="US and EU anti-money-laundering rules",
)


@pytest.fixture(scope="module")
def pack() -> SectorPack:
    return PACK


def test_a_document_loses_half_its_freshness_each_half_life(pack: SectorPack) -> None:
    months = pack.evidence_policy.half_life_months["vendor"]
    published = date.fromordinal(CUTOFF.toordinal() - round(months * 30.4375)).isoformat()
    assert freshness(published, CUTOFF, "vendor", pack) == pytest.approx(0.5, abs=0.005)


def test_legislation_ages_slower_than_media_and_vendors(pack: SectorPack) -> None:
    ages = [freshness("2023-06-30", CUTOFF, kind, pack) for kind in ("legislation", "regulator", "vendor")]
    assert ages == sorted(ages, reverse=True)
    assert len(set(ages)) == 3


@pytest.mark.parametrize(
    ("published", "cutoff"), [(None, CUTOFF), ("2024-01-01", None), ("soon", CUTOFF), ("", CUTOFF)]
)
def test_unknown_dates_are_neither_fresh_nor_old(
    pack: SectorPack, published: str | None, cutoff: date | None
) -> None:
    assert freshness(published, cutoff, "regulator", pack) == 0.5


def test_a_document_of_the_cutoff_or_later_is_fresh(pack: SectorPack) -> None:
    assert freshness("2026-06-30", CUTOFF, "vendor", pack) == 1.0
    assert freshness("2027-01-01", CUTOFF, "vendor", pack) == 1.0


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2019", date(2019, 7, 1)),
        ("2019-10", date(2019, 10, 15)),
        ("2019-10-03", date(2019, 10, 3)),
        ("2019-10-03T08:00:00-05:00", date(2019, 10, 3)),
        ("2019-13", None),
        ("2019-02-30", None),
        ("10/2019", None),
        (None, None),
    ],
)
def test_partial_dates_stand_for_the_middle_of_their_span(text: str | None, day: date | None) -> None:
    assert middle_of(text) == day


@given(days=st.integers(0, 20_000), later=st.integers(1, 5_000))
def test_freshness_never_grows_with_age(days: int, later: int) -> None:
    newer = date.fromordinal(CUTOFF.toordinal() - days)
    older = date.fromordinal(max(1, newer.toordinal() - later))
    young = freshness(newer.isoformat(), CUTOFF, "academic", PACK)
    old = freshness(older.isoformat(), CUTOFF, "academic", PACK)
    assert 0 <= old <= young <= 1


def test_jurisdictions_are_read_from_words(pack: SectorPack) -> None:
    assert jurisdictions_of(["Regulation (EU) 2022/2554 (DORA)"], pack) == {"EU"}
    assert jurisdictions_of(["Rules of the Hong Kong Monetary Authority"], pack) == {"HK"}
    assert (
        jurisdictions_of(["Join us tomorrow"], pack) == {"US"}
        or jurisdictions_of(["Join us tomorrow"], pack) == frozenset()
    )


def test_a_text_of_the_same_jurisdiction_applies_more_than_one_of_another(pack: SectorPack) -> None:
    same = applicability(BOUNDARY, pack, title="Regulation (EU) 2024/1624")
    world = applicability(BOUNDARY, pack, title="Principles of the Basel Committee")
    other = applicability(BOUNDARY, pack, title="Prudential Standard CPS 230, APRA")
    assert same > world > 0.6 > other


def test_a_text_that_tells_nothing_scores_the_unknown_value(pack: SectorPack) -> None:
    assert applicability(BOUNDARY, pack, title="Annual report") == 0.6


def test_naming_the_product_helps_and_a_long_text_without_it_does_not(pack: SectorPack) -> None:
    filler = "plain words about something else entirely " * 10
    with_it = applicability(BOUNDARY, pack, title="Annual report", text=filler + "KYC investigations")
    without = applicability(BOUNDARY, pack, title="Annual report", text=filler)
    assert with_it > 0.6 > without


def test_a_foreign_text_on_another_subject_is_halved_by_policy(pack: SectorPack) -> None:
    filler = "plain words about something else entirely " * 10
    score = applicability(BOUNDARY, pack, title="Standard of APRA, Australia", text=filler)
    assert score < pack.evidence_policy.min_applicability
