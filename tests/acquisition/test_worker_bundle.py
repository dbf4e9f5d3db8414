"""A bundle orders what was recorded; it can neither add to it nor take from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from porterlib.acquisition.bundle import BundleAnswer, NamedSource, canonical_hits, canonical_url, reconcile
from porterlib.acquisition.records import RecordedHit, RecordedQuery, source_id_of
from porterlib.contracts.search import SearchHit, SearchResult

HOSTS = st.sampled_from(
    ["bank.example", "BANK.example", "cloud.example", "bücher.example", "10.0.0.1", "a b"]
)
ADDRESSES = st.one_of(
    st.builds(
        lambda scheme, host, path, tail: f"{scheme}://{host}/{path}{tail}",
        st.sampled_from(["http", "https", "HTTPS", "ftp"]),
        HOSTS,
        st.sampled_from(["", "a", "a/../b", "a%2Fb"]),
        st.sampled_from(["", "?b=2&a=1", "?utm_source=x&a=1", "#part"]),
    ),
    st.text(min_size=1, max_size=30),
)


def recorded(rows: list[list[str]]) -> list[RecordedQuery]:
    queries = []
    for urls in rows:
        hits = canonical_hits(SearchResult(hits=tuple(SearchHit(url=url) for url in urls))).hits
        queries.append(RecordedQuery("executed", tuple(RecordedHit(source_id_of(hit), hit) for hit in hits)))
    return queries


@given(rows=st.lists(st.lists(ADDRESSES, max_size=5), max_size=4), named=st.lists(ADDRESSES, max_size=8))
def test_a_bundle_is_a_reordering_of_the_recorded_sources(rows: list[list[str]], named: list[str]) -> None:
    answers = recorded(rows)
    ids = {hit.source_id for answer in answers for hit in answer.hits}
    sources, invented = reconcile(BundleAnswer(sources=[NamedSource(url=url) for url in named]), answers)
    assert {row.source_id for row in sources} == ids
    assert len(sources) == len(ids)
    chosen = [row for row in sources if row.nominated]
    assert list(sources[: len(chosen)]) == chosen
    known = {hit.hit.url for answer in answers for hit in answer.hits}
    strangers = {url for url in named if canonical_url(url.strip()) not in known}
    assert invented == len(strangers)


@given(urls=st.lists(ADDRESSES, max_size=8))
def test_one_form_of_an_address_is_final_and_listed_once(urls: list[str]) -> None:
    once = canonical_hits(SearchResult(hits=tuple(SearchHit(url=url) for url in urls)))
    assert canonical_hits(once) == once
    assert len({hit.url for hit in once.hits}) == len(once.hits)


def test_without_an_answer_the_first_hits_of_all_queries_come_first() -> None:
    answers = recorded([["https://a.example/1", "https://a.example/2"], ["https://b.example/1"]])
    sources, invented = reconcile(None, answers)
    assert [row.url for row in sources] == [
        "https://a.example/1",
        "https://b.example/1",
        "https://a.example/2",
    ]
    assert (invented, [row.nominated for row in sources]) == (0, [False] * 3)


def test_a_reason_is_cut_to_one_line() -> None:
    answers = recorded([["https://a.example/1"]])
    named = NamedSource(url="https://a.example/1", why="because\nit  is " + "long " * 100)
    (source,), _ = reconcile(BundleAnswer(sources=[named]), answers)
    assert source.why.startswith("because it is long")
    assert len(source.why) <= 240
