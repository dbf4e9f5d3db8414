"""Throttled, blocked, broken, timeout and empty are told apart; none is ever empty when it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from porterlib.errors import InputError, SearchUnavailableError
from porterlib.search import DuckDuckGoSearch

from .conftest import Serve, Waits, query
from .pages import ADVERT, CHALLENGE, EMPTY_HREF, UNKNOWN, empty_page, result, results_page, shell
from .server import Reply, SearchServer

Make = Callable[..., DuckDuckGoSearch]
URLS = [f"https://host{n}.example/page" for n in range(1, 11)]


def refused(search: DuckDuckGoSearch, text: str = "cloud concentration banks") -> SearchUnavailableError:
    with pytest.raises(SearchUnavailableError) as caught:
        search.search(query(text))
    error = caught.value
    assert "Secret body marker" not in str(error) + str(error.to_dict()) + repr(error.__cause__)
    return error


def test_hits_come_in_order_with_text_and_at_most_eight(serve: Serve, provider: Make) -> None:
    server = serve(Reply(results_page(URLS)))
    answer = provider(server).search(query("cloud concentration banks"))
    assert [hit.url for hit in answer.hits] == URLS[:8]
    assert answer.hits[0].title == "Title 1 of <a> page"
    assert answer.hits[0].snippet == "About cloud & banks, lead 1"
    assert answer.status == "ok"
    assert not answer.relaxed
    assert server.forms == [{"q": "cloud concentration banks", "b": "", "l": "wt-wt"}]


def test_a_verified_empty_page_is_empty_and_asked_once(serve: Serve, provider: Make) -> None:
    server = serve(Reply(empty_page()))
    answer = provider(server).search(query())
    assert (answer.hits, answer.status, answer.relaxed) == ((), "empty", False)
    assert len(server.forms) == 1


def test_a_filtered_empty_answer_is_asked_for_once_without_the_filter(serve: Serve, provider: Make) -> None:
    server = serve(Reply(empty_page()), Reply(results_page(URLS[:2])))
    answer = provider(server, timelimit="y").search(query())
    assert [hit.url for hit in answer.hits] == URLS[:2]
    assert answer.relaxed
    assert [form.get("df") for form in server.forms] == ["y", None]


def test_an_unfiltered_empty_answer_after_a_filtered_one_is_empty(serve: Serve, provider: Make) -> None:
    server = serve(Reply(empty_page()))
    answer = provider(server, timelimit="m").search(query())
    assert (answer.status, answer.relaxed) == ("empty", True)
    assert len(server.forms) == 2


def test_a_failure_of_the_relaxed_query_is_a_failure(serve: Serve, provider: Make) -> None:
    server = serve(Reply(empty_page()), Reply(UNKNOWN))
    assert refused(provider(server, timelimit="y")).kind == "broken"


FAILURES: list[tuple[str, Reply, str, int]] = [
    ("202", Reply("<html>soon</html>", 202), "throttled", 3),
    ("202 without body", Reply("", 202), "throttled", 3),
    ("429", Reply("Secret body marker", 429), "throttled", 3),
    ("403", Reply("<html>Secret body marker</html>", 403), "blocked", 1),
    ("challenge 200", Reply(CHALLENGE), "blocked", 1),
    ("challenge 202", Reply(CHALLENGE, 202), "blocked", 1),
    ("challenge 403", Reply(CHALLENGE, 403), "blocked", 1),
    ("500", Reply("Secret body marker", 500), "broken", 2),
    ("503", Reply(empty_page(), 503), "broken", 2),
    ("404", Reply(empty_page(), 404), "broken", 1),
    ("204", Reply("", 204), "broken", 1),
    ("unknown layout", Reply(UNKNOWN), "broken", 1),
    ("nothing at all", Reply(""), "broken", 1),
    ("blank", Reply(" \n "), "broken", 1),
    ("only empty links", Reply(EMPTY_HREF), "broken", 1),
    ("only an advert", Reply(shell(result(ADVERT, "Buy", "now", advert=True))), "broken", 1),
    ("not html", Reply('{"message": "Secret body marker"}'), "broken", 2),
    ("a comment", Reply("<!-- Secret body marker -->"), "broken", 1),
    ("xml", Reply('<?xml version="1.0" encoding="utf-8"?><a>Secret body marker</a>'), "broken", 1),
    ("zero bytes", Reply("\0\0\0"), "broken", 2),
    ("cut before the marker", Reply(empty_page()[:150]), "broken", 2),
    ("cut after the marker", Reply(empty_page()[:-30]), "broken", 2),
    ("cut within a hit", Reply(results_page(URLS)[:900]), "broken", 2),
    ("cut on the wire", Reply(results_page(URLS), claimed=90_000), "broken", 2),
    ("flood", Reply(flood=4_000_000), "broken", 1),
    ("no results in words only", Reply(shell("<p>No results.</p>", "no-results")), "broken", 1),
]


@pytest.mark.parametrize(
    ("reply", "kind", "asked"), [row[1:] for row in FAILURES], ids=[r[0] for r in FAILURES]
)
def test_failures_are_told_apart(serve: Serve, provider: Make, reply: Reply, kind: str, asked: int) -> None:
    server = serve(reply)
    assert refused(provider(server)).kind == kind
    assert len(server.forms) == asked


@pytest.mark.parametrize("reply", [Reply(empty_page(), delay_s=5), Reply(drip_s=0.05)], ids=["hang", "drip"])
def test_a_slow_answer_is_a_timeout_of_the_whole_request(serve: Serve, provider: Make, reply: Reply) -> None:
    server = serve(reply)
    assert refused(provider(server, timeout_s=0.3)).kind == "timeout"
    assert len(server.forms) == 2


def test_nobody_listening_is_broken(serve: Serve, waits: Waits) -> None:
    search = DuckDuckGoSearch(search_url="http://127.0.0.1:9/html/", pacing=waits.pacing())
    assert refused(search).kind == "broken"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_is_not_followed(serve: Serve, provider: Make, status: int) -> None:
    other = serve(Reply(results_page(URLS)))
    there = other.url.replace("127.0.0.1", "localhost")
    server = serve(Reply("", status, {"location": there}))
    assert refused(provider(server)).kind == "broken"
    assert (len(server.forms), len(other.forms)) == (1, 0)


def test_a_query_about_challenges_and_no_results_decides_nothing(serve: Serve, provider: Make) -> None:
    text = 'class="no-results" anomaly-modal challenge-form'
    server = serve(Reply(results_page(URLS[:1], text)), Reply(empty_page(text)))
    search = provider(server)
    assert search.search(query(text)).status == "ok"
    assert search.search(query(f"{text} again")).status == "empty"


def test_throttling_backs_off_doubling_then_recovers(serve: Serve, provider: Make, waits: Waits) -> None:
    server = serve(Reply("", 429), Reply("", 202), Reply(results_page(URLS)))
    answer = provider(server, pacing=waits.pacing(gap_s=0.0)).search(query())
    assert len(answer.hits) == 8
    assert waits.slept == [3.0, 6.0]


def test_a_wait_the_provider_asks_for_is_kept_within_bounds(
    serve: Serve, provider: Make, waits: Waits
) -> None:
    server = serve(
        Reply("", 429, {"retry-after": "12"}), Reply("", 429, {"retry-after": "9999"}), Reply("", 429)
    )
    refused(provider(server, pacing=waits.pacing(gap_s=0.0)))
    assert waits.slept == [12.0, 30.0]


def test_jitter_stays_in_the_upper_half(waits: Waits) -> None:
    from porterlib.search import Pacing

    drawn: list[tuple[float, float]] = []

    def low(a: float, b: float) -> float:
        drawn.append((a, b))
        return a

    pacing = Pacing(sleep=waits.sleep, uniform=low, monotonic=lambda: waits.now)
    for failures in range(1, 7):
        pacing.before_repetition(failures)
    assert waits.slept == [1.5, 3.0, 6.0, 12.0, 15.0, 15.0]
    assert all(high == 2 * first for first, high in drawn)


def test_queries_are_spread(serve: Serve, provider: Make, waits: Waits) -> None:
    server = serve(Reply(results_page(URLS)))
    search = provider(server)
    for n in range(4):
        search.search(query(f"cloud banks {n}"))
    assert waits.slept == [3.0, 3.0, 3.0]


def test_after_a_block_nothing_is_sent_for_a_while(serve: Serve, provider: Make, waits: Waits) -> None:
    server = serve(Reply(CHALLENGE, 202), Reply(results_page(URLS)))
    search = provider(server)
    assert refused(search).kind == "blocked"
    assert refused(search).kind == "blocked"
    assert len(server.forms) == 1
    waits.now += 301
    assert search.search(query()).status == "ok"


def test_links_are_unwrapped_kept_exact_and_listed_once(serve: Serve, provider: Make) -> None:
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwrapped.example%2Fa%3Fx%3D1%26y%3D2&rut=0f"
    escaped = "https://exact.example/a%2Fb?q=c%20d"
    rows = [
        result(ADVERT, "An advert", "by address"),
        result("https://advert.example/", "An advert", "by class", advert=True),
        result(wrapped, "Wrapped", "x"),
        result(escaped, "Exact", "x"),
        result(escaped, "Again", "x"),
        result("/html/?q=more", "Within", "x"),
        result("//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", "Script", "x"),
        result("javascript:alert(1)", "Script", "x"),
        result("http://[broken/", "Broken", "x"),
        result("", "Empty", "x"),
    ]
    server = serve(Reply(shell("".join(rows))))
    answer = provider(server).search(query())
    assert [hit.url for hit in answer.hits] == ["https://wrapped.example/a?x=1&y=2", escaped]


def test_titles_lose_control_and_invisible_characters_and_length(serve: Serve, provider: Make) -> None:
    page = shell(result("https://a.example/", "\u202ereverse\u200b \x07bell " + "t" * 400, "s" * 900))
    hit = provider(serve(Reply(page))).search(query()).hits[0]
    assert hit.title.startswith("reverse bell tttt")
    assert (len(hit.title), len(hit.snippet)) == (300, 500)


def test_the_environment_leads_nowhere_else(
    serve: Serve, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = serve(Reply(results_page(URLS)))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, trap.url)
    server = serve(Reply(results_page(URLS), headers={"set-cookie": "id=1"}))
    search = provider(server)
    search.search(query("cloud banks one"))
    search.search(query("cloud banks two"))
    assert (len(server.forms), len(trap.forms)) == (2, 0)
    for headers in server.headers:
        assert not {"cookie", "referer", "authorization", "proxy-authorization"} & set(headers)


def test_requests_of_several_threads_go_out_one_at_a_time(serve: Serve, provider: Make) -> None:
    at_once: list[int] = []
    inside = threading.Semaphore(0)

    def watched(form: dict[str, str]) -> Reply:
        inside.release()
        at_once.append(inside._value)
        inside.acquire()
        return Reply(results_page(URLS[:1]), delay_s=0.02)

    search = provider(serve(watched))
    threads = [threading.Thread(target=search.search, args=(query(f"banks {n}"),)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert at_once == [1] * 5


def test_nothing_is_sent_before_the_first_search(serve: Serve, provider: Make) -> None:
    server = serve(Reply(empty_page()))
    search = provider(server)
    assert "duckduckgo" in search.name
    assert search.live
    assert server.forms == []


def test_an_unknown_time_limit_is_refused() -> None:
    wrong: Any = "decade"
    with pytest.raises(InputError, match="'decade' is not known"):
        DuckDuckGoSearch(timelimit=wrong)


def test_a_plain_string_is_no_query(serve: Serve, provider: Make) -> None:
    server: SearchServer = serve(Reply(empty_page()))
    wrong: Any = "cloud banks"
    with pytest.raises(AttributeError):
        provider(server).search(wrong)
    assert server.forms == []
