"""Addresses an operator gives reach every query of their force, in their order, and nothing is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.contracts.base import FORCES
from porterlib.contracts.plan import PlannedQuery, ResearchPlan
from porterlib.errors import RequestError
from porterlib.search import RegisteredUrls, load_registered

from .conftest import query


def plan_of(counts: dict[str, int]) -> ResearchPlan:
    rows = [
        PlannedQuery(
            id=f"Q-{force}-{n}",
            force=force,  # type: ignore[arg-type]
            sequence=n,
            hypothesis_id="H",
            text=f"{force} query {n}",
        )
        for force, count in counts.items()
        for n in range(1, count + 1)
    ]
    return ResearchPlan(
        schema_version=1,
        run_id="run-1",
        topics=(),
        hypotheses=(),
        queries=tuple(rows),
        source_universe=(),
        outline=(),
        sha256="0" * 64,
    )


def test_a_list_serves_every_query(tmp_path: Path) -> None:
    search = RegisteredUrls(["https://a.example/1", "https://b.example/2"])
    assert [hit.url for hit in search.search(query("any words")).hits] == [
        "https://a.example/1",
        "https://b.example/2",
    ]
    assert search.live
    assert len(search.search(query(), 1).hits) == 1


def test_a_force_gets_its_own(tmp_path: Path) -> None:
    search = RegisteredUrls({"buyers": ["https://a.example/"]}, plan=plan_of(dict.fromkeys(FORCES, 1)))
    assert [hit.url for hit in search.search(query("buyers query 1")).hits] == ["https://a.example/"]
    assert search.search(query("rivalry query 1")).status == "empty"
    assert search.search(query("words of no plan")).status == "empty"


@given(count=st.integers(1, 40), queries=st.integers(1, 5))
def test_a_long_list_is_reached_whole_and_in_order(count: int, queries: int) -> None:
    urls = [f"https://a.example/{n}" for n in range(count)]
    search = RegisteredUrls({"buyers": urls}).bound_to(plan_of({"buyers": queries}))
    rows = [search.search(query(f"buyers query {n}")).hits for n in range(1, queries + 1)]
    in_turn = [row[rank].url for rank in range(8) for row in rows if rank < len(row)]
    assert in_turn == urls[: min(count, 8 * queries)]


@pytest.mark.parametrize(
    ("urls", "place"),
    [
        ([], "urls: no address"),
        ({}, "urls: no address"),
        (["ftp://a.example/"], r"urls\[0\]"),
        (["https://a.example/", 7], r"urls\[1\]"),
        ({"buyers": ["a.example"]}, r"urls\.buyers\[0\]"),
        ({"customers": ["https://a.example/"]}, r"urls\.customers"),
        ("https://a.example/", "give a list"),
        ({"buyers": "https://a.example/"}, r"urls\.buyers: give a list"),
    ],
)
def test_what_is_no_address_is_refused_with_its_place(urls: Any, place: str) -> None:
    with pytest.raises(RequestError, match=place):
        RegisteredUrls(urls)


def test_files_may_be_lines_or_json(tmp_path: Path) -> None:
    file = tmp_path / "urls.txt"
    file.write_text("# regulators\nhttps://a.example/\n\n  https://b.example/  \n")
    assert len(load_registered(file).search(query()).hits) == 2
    file.write_text('{"buyers": ["https://a.example/"]}')
    assert len(load_registered(file).search(query()).hits) == 1
    file.write_text('["https://a.example/",\n oops]')
    with pytest.raises(RequestError, match="line 2"):
        load_registered(file)
    with pytest.raises(RequestError, match="cannot be read"):
        load_registered(tmp_path / "absent.txt")
