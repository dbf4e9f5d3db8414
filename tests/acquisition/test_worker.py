"""A worker has two tools, five searches and eight model calls; whatever it does, its searches stay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support_servers.model import ModelServer, Turn, bundle, searches

from porterlib.acquisition.worker import WorkerLimits
from porterlib.acquisition.worker_records import WorkerRecords
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import IntegrityError, SearchUnavailableError
from porterlib.ledger import Ledger

from .golden import RUN
from .worker_setup import ASSIGNMENT, Research, TableSearch, budget, pages, planned, texts, urls


@pytest.fixture
def research(tmp_path: Path) -> Iterator[Research]:
    with ExitStack() as stack:
        yield Research(stack, tmp_path / "w")


def rules(result: Any) -> list[str]:
    return [gap.rule for gap in result.gaps]


def test_a_worker_searches_at_once_and_names_what_is_worth_reading(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    server = research.server(searches("cloud one", "cloud two", "cloud three"), bundle(pages("cloud two")[1]))
    result = research.run(server, ledger, search)
    assert (result.basis, result.reason, result.searches, result.model_calls) == ("agent", "", 3, 2)
    assert urls(result, nominated=True) == [pages("cloud two")[1]]
    first, second = zip(*(pages(f"cloud {n}") for n in ("one", "two", "three")), strict=True)
    assert urls(result, nominated=False) == [url for url in (*first, *second) if url != pages("cloud two")[1]]
    assert texts(ledger) == ["cloud one", "cloud two", "cloud three"]
    assert [row.payload["sequence"] for row in ledger.records(RUN, "query")] == [1, 2, 3]
    assert result.gaps == ()


def test_exactly_two_tools_are_on_the_wire(research: Research) -> None:
    server = research.server(searches("cloud one"), bundle(pages("cloud one")[0]))
    research.run(server, research.ledger(), TableSearch())
    for at in range(2):
        assert sorted(server.tools(at)) == ["ResearchBundle", "search_public_web"]
    parameters = server.requests[0]["tools"][0]["function"]["parameters"]["properties"]
    assert set(parameters) == {"query", "contrary"}


def test_only_public_text_of_the_assignment_is_told(research: Research) -> None:
    server = research.server(bundle())
    research.run(server, research.ledger(), TableSearch())
    told = server.requests[0]["messages"]
    assert [row["role"] for row in told] == ["system", "user"]
    assert "Few cloud providers raise switching cost" in told[1]["content"]


def test_a_search_is_committed_before_its_result_is_told(research: Research) -> None:
    ledger = research.ledger()
    seen: list[list[str]] = []

    def second(body: dict[str, Any]) -> Turn:
        seen.append([row.payload["text"] for row in ledger.records(RUN, "query")])
        assert len(ledger.records(RUN, "hit")) == 2
        return bundle(pages("cloud one")[0])

    research.run(research.server(searches("cloud one", "cloud two"), second), ledger, TableSearch())
    assert seen == [["cloud one", "cloud two"]]


def test_calls_beyond_five_get_a_limit_error_and_the_bundle_is_made(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    many = [f"cloud {n}" for n in range(9)]
    server = research.server(searches(*many), bundle(pages("cloud 4")[0]))
    result = research.run(server, ledger, search)
    assert search.asked == texts(ledger) == many[:5]
    assert (result.basis, result.searches) == ("agent", 5)
    told = server.told(1)
    assert len([row for row in told if isinstance(row, dict) and "results" in row]) == 5
    assert len([row for row in told if isinstance(row, str) and "limit" in row.lower()]) == 4
    assert server.tools(1) == ["ResearchBundle"]


def test_a_withdrawn_search_stays_refused(research: Research) -> None:
    search = TableSearch()
    server = research.server(
        searches(*[f"cloud {n}" for n in range(5)]), searches("one more"), bundle(pages("cloud 1")[0])
    )
    result = research.run(server, research.ledger(), search)
    assert len(search.asked) == 5
    assert result.basis == "agent"


GUESSED = ["execute", "read_file", "write_file", "ls", "task", "delete", "write_todos", "fetch_url", "eval"]


def test_guessed_tools_are_refused_and_cost_nothing(research: Research, tmp_path: Path) -> None:
    search = TableSearch()
    target = tmp_path / "made-by-a-tool"
    args = {"command": f"touch {target}", "file_path": str(target), "content": "x", "description": "x"}
    server = research.server(
        Turn([(name, args) for name in GUESSED] + [("search_public_web", {"query": "cloud one"})]),
        bundle(pages("cloud one")[0]),
    )
    result = research.run(server, research.ledger(), search)
    print(server.told(1), [m for m in server.requests[1]["messages"] if m["role"] == "tool"])
    assert result.refused_calls == len(GUESSED)
    assert not target.exists()
    refusals = [row for row in server.told(1) if isinstance(row, str)]
    assert len(refusals) == 9
    # The harness itself refuses two changes of one file before anything of ours is asked.
    assert len([row for row in refusals if row.startswith("refused: there is no such tool")]) == 8
    assert (result.basis, search.asked) == ("agent", ["cloud one"])
    assert rules(result) == ["tool_refused"]


def test_prose_instead_of_a_bundle_leaves_the_ledger_s(research: Research) -> None:
    server = research.server(
        searches("cloud one"), Turn(prose="Read https://cloud-one.example/1, it is fine.")
    )
    result = research.run(server, research.ledger(), TableSearch())
    assert (result.basis, result.reason) == ("ledger", "prose")
    assert urls(result, nominated=False) == pages("cloud one")
    assert rules(result) == ["bundle_missing"]


def test_a_bundle_that_never_comes_ends_after_eight_calls(research: Research) -> None:
    search = TableSearch()
    server = research.server(lambda body: searches(f"cloud {len(body['messages'])}"))
    result = research.run(server, research.ledger(), search)
    assert (result.basis, result.reason, result.model_calls) == ("ledger", "model_calls", 8)
    assert len(server.requests) == 8
    assert len(search.asked) == 5
    assert len(result.sources) == 10
    assert server.tools(7) == ["ResearchBundle"]


def test_an_invalid_bundle_may_be_corrected(research: Research) -> None:
    wrong = Turn([("ResearchBundle", {"sources": "all of them"})])
    server = research.server(searches("cloud one"), wrong, bundle(pages("cloud one")[1]))
    result = research.run(server, research.ledger(), TableSearch())
    assert (result.basis, result.model_calls) == ("agent", 3)
    assert urls(result, nominated=True) == [pages("cloud one")[1]]


def test_an_invalid_bundle_without_end_leaves_the_ledger_s(research: Research) -> None:
    wrong = Turn([("ResearchBundle", {"pages": []})])
    server = research.server(searches("cloud one"), wrong)
    result = research.run(server, research.ledger(), TableSearch())
    assert (result.basis, result.reason, result.model_calls) == ("ledger", "model_calls", 8)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": "cloud',
        "cloud one",
        "[]",
        '{"query": 7}',
        '{"words": "cloud"}',
        "{}",
        '{"query": ["a"]}',
        "null",
    ],
)
def test_broken_arguments_search_nothing_and_break_nothing(research: Research, arguments: str) -> None:
    search = TableSearch()
    server = research.server(
        searches("cloud one"), Turn([("search_public_web", arguments)]), bundle(pages("cloud one")[0])
    )
    result = research.run(server, research.ledger(), search)
    assert search.asked == ["cloud one"]
    assert {row.url for row in result.sources} == set(pages("cloud one"))


def test_invented_addresses_are_dropped_and_counted(research: Research) -> None:
    ledger = research.ledger()
    server = research.server(
        searches("cloud one"),
        bundle(
            "https://invented.example/",
            pages("cloud one")[0] + "/more",
            "javascript:alert(1)",
            "http://127.0.0.1:8000/v1",
            pages("cloud one")[1],
        ),
    )
    result = research.run(server, ledger, TableSearch())
    assert (result.invented, urls(result, nominated=True)) == (4, [pages("cloud one")[1]])
    assert rules(result) == ["url_invented"]
    assert not any("invented.example" in str(row.payload) for row in ledger.records(RUN))


def test_another_spelling_of_a_recorded_address_is_that_address(research: Research) -> None:
    given = "HTTPS://Bank.Example:443/report?utm_source=mail&b=2&a=1#part"
    found = SearchResult(hits=(SearchHit(url=given), SearchHit(url="https://bank.example/report?a=1&b=2")))
    server = research.server(searches("cloud one"), bundle("https://BANK.example/report?a=1&b=2&gclid=7"))
    ledger = research.ledger()
    result = research.run(server, ledger, TableSearch({"cloud one": found}))
    assert urls(result, nominated=True) == ["https://bank.example/report?a=1&b=2"]
    assert (len(result.sources), result.invented) == (1, 0)
    assert [row["url"] for row in ledger.records(RUN, "hit")[0].payload["hits"]] == [
        "https://bank.example/report?a=1&b=2"
    ]


def test_an_address_capture_would_refuse_stays_a_lead_under_its_spelling(research: Research) -> None:
    found = SearchResult(hits=(SearchHit(url="http://user:pw@bank.example:8080/"),))
    server = research.server(searches("cloud one"), bundle())
    result = research.run(server, research.ledger(), TableSearch({"cloud one": found}))
    assert [row.url for row in result.sources] == ["http://user:pw@bank.example:8080/"]


SECRET = '{"error": {"message": "Secret body marker", "type": "server_error"}}'


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (Turn(status=500, raw=SECRET), "model_status_500"),
        (Turn(status=429, raw=SECRET), "model_status_429"),
        (Turn(status=401, raw=SECRET), "model_status_401"),
        (Turn(status=307, raw=SECRET, headers={"location": "http://localhost:9/v1"}), "model_status_307"),
        (Turn(raw="Secret body marker"), "model_failed"),
        (Turn(raw="{}"), "model_failed"),
        (Turn(hang=True), "model_timeout"),
    ],
    ids=["500", "429", "401", "redirect", "no json", "no choices", "hang"],
)
def test_a_failing_server_costs_no_search(
    research: Research, caplog: pytest.LogCaptureFixture, turn: Turn, reason: str
) -> None:
    ledger = research.ledger()
    server = research.server(searches("cloud one", "cloud two"), turn)
    result = research.run(server, ledger, TableSearch(), timeout_s=0.5)
    assert result.basis == "ledger"
    assert result.reason == reason
    assert len(result.sources) == 4
    assert len(server.requests) == 2
    told = caplog.text + str([row.payload for row in ledger.records(RUN)]) + str(result.to_dict())
    assert "Secret body marker" not in told


@pytest.mark.parametrize("turn", [Turn(hang=True), Turn(drip=True)], ids=["hang", "drip"])
def test_the_deadline_ends_a_worker_whatever_the_server_does(research: Research, turn: Turn) -> None:
    server = research.server(searches("cloud one"), turn)
    limits = WorkerLimits(deadline_s=1.5)
    result = research.run(server, research.ledger(), TableSearch(), limits=limits)
    assert (result.basis, result.reason) == ("ledger", "deadline")
    assert len(result.sources) == 2


def test_the_deadline_keeps_the_search_under_way_and_starts_no_other(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch(delay=lambda _: 0.6)
    server = research.server(searches(*[f"cloud {n}" for n in range(5)]), bundle())
    result = research.run(server, ledger, search, limits=WorkerLimits(deadline_s=1.0))
    assert result.reason == "deadline"
    assert 1 <= len(search.asked) <= 3
    assert search.asked == texts(ledger)
    assert len(result.sources) == 2 * len(search.asked)


def test_nobody_listening_is_a_reason(research: Research) -> None:
    server = ModelServer()
    server.port = 9
    result = research.run(server, research.ledger(), TableSearch())
    assert result.reason == "model_unreachable"


def test_a_provider_that_fails_or_raises_costs_the_other_searches_nothing(research: Research) -> None:
    ledger = research.ledger()
    search = TableSearch(
        {
            "cloud one": SearchUnavailableError("throttled", "table"),
            "cloud two": RuntimeError("Secret body marker"),
            "cloud three": SearchResult(status="empty"),
        }
    )
    server = research.server(
        searches("cloud one", "cloud two", "cloud three", "cloud four"), bundle(pages("cloud four")[0])
    )
    result = research.run(server, ledger, search)
    assert [row["unavailable"] for row in server.told(1) if "unavailable" in row] == ["throttled", "failed"]
    assert rules(result) == ["search_throttled", "search_failed", "no_hits"]
    assert texts(ledger) == ["cloud three", "cloud four"]
    assert "Secret body marker" not in str(server.requests) + str(result.to_dict())


def test_a_rejected_query_is_recorded_by_rule_and_never_sent(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    server = research.server(
        searches("Ardenvale cloud contract", "cloud one", "mail me at a.b@bank.example", ""),
        bundle(pages("cloud one")[0]),
    )
    result = research.run(server, ledger, search, guard=budget("Ardenvale"))
    assert search.asked == ["cloud one"]
    assert rules(result) == ["query_restricted_term", "query_email", "query_empty"]
    assert not any("Ardenvale" in str(row.payload) for row in ledger.records(RUN))
    assert [row.get("refused") for row in server.told(1)] == ["restricted_term", None, "email", "empty"]


class FailingLedger(Ledger):
    """A ledger whose hits cannot be committed."""

    def append_many(self, run_id: str, entries: Any) -> Any:
        rows = list(entries)
        if any(row.kind == "hit" for row in rows):
            raise IntegrityError("the disk is full; free some space")
        return super().append_many(run_id, rows)


def test_a_search_that_cannot_be_committed_ends_the_worker_untold(research: Research) -> None:
    with FailingLedger.open(research.place, "write") as ledger:
        ledger.create_run(RUN, {"request_sha256": "0" * 64})
        server = research.server(searches("cloud one", "cloud two"), bundle())
        search = TableSearch()
        with pytest.raises(IntegrityError, match="disk is full"):
            research.run(server, ledger, search)
    assert search.asked == ["cloud one"]
    assert len(server.requests) == 1


def test_timing_of_parallel_searches_changes_nothing(research: Research, tmp_path: Path) -> None:
    outcomes = []
    for name, delay in (
        ("even", None),
        ("rising", lambda text: 0.02 * int(text[-1])),
        ("falling", lambda text: 0.02 * (5 - int(text[-1]))),
    ):
        there = Research(research.stack, tmp_path / name)
        ledger, search = there.ledger(), TableSearch(delay=delay)
        server = there.server(searches(*[f"cloud {n}" for n in range(5)]), bundle(pages("cloud 3")[0]))
        result = there.run(server, ledger, search)
        kept = [row.payload for row in ledger.records(RUN) if row.kind in ("query", "hit", "checkpoint")]
        outcomes.append((result, kept, search.asked))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_the_same_words_are_not_searched_twice(research: Research) -> None:
    search = TableSearch()
    server = research.server(
        searches("cloud one", "Cloud  ONE"), searches("cloud one"), bundle(pages("cloud one")[0])
    )
    result = research.run(server, research.ledger(), search)
    assert search.asked == ["cloud one"]
    assert result.searches == 1


def test_a_contrary_query_of_the_plan_comes_first_and_counts(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    server = research.server(searches(*[f"cloud {n}" for n in range(6)]), bundle())
    assignment = ASSIGNMENT.model_copy(update={"first": (planned("banks that left a cloud provider"),)})
    result = research.run(server, ledger, search, assignment=assignment)
    assert search.asked == ["banks that left a cloud provider", *[f"cloud {n}" for n in range(4)]]
    rows = [row.payload for row in ledger.records(RUN, "query")]
    assert [(row["query_id"], row["sequence"]) for row in rows[:2]] == [
        ("Q-suppliers-4", 1),
        ("W-suppliers-2", 2),
    ]
    assert [row["contrary"] for row in rows] == [True, False, False, False, False]
    assert result.searches == 5


def test_a_search_belongs_to_the_hypothesis_it_shares_words_with(research: Research) -> None:
    ledger = research.ledger()
    server = research.server(
        searches("licence terms generative AI vendors"),
        searches("switching cost cloud", contrary=True),
        bundle(),
    )
    research.run(server, ledger, TableSearch())
    rows = [row.payload for row in ledger.records(RUN, "query")]
    assert [row["hypothesis_id"] for row in rows] == ["H-models", "H-lockin"]
    assert [row["contrary"] for row in rows] == [False, True]


def test_model_calls_are_recorded_with_their_cost_and_without_words(research: Research) -> None:
    ledger = research.ledger()
    research.run(research.server(searches("cloud one"), Turn(status=500, raw=SECRET)), ledger, TableSearch())
    rows = WorkerRecords(ledger, RUN).model_calls()
    assert [row["outcome"] for row in rows] == ["answered", "failed"]
    assert {name: rows[0][name] for name in ("input_tokens", "output_tokens", "cached_tokens")} == {
        "input_tokens": 101,
        "output_tokens": 7,
        "cached_tokens": 40,
    }
    assert all(row["force"] == "suppliers" and row["seconds"] >= 0 for row in rows)


def test_a_finished_worker_is_read_back_without_a_call(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    first = research.run(
        research.server(searches("cloud one"), bundle(pages("cloud one")[0])), ledger, search
    )
    quiet = research.server(bundle())
    assert research.run(quiet, ledger, search) == first
    assert quiet.requests == []
    assert search.asked == ["cloud one"]


def test_a_worker_that_was_stopped_goes_on_without_repeating_a_search(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()

    class Stopped(BaseException):
        pass

    class StoppingSearch(TableSearch):
        def search(self, query: Any, limit: int) -> SearchResult:
            if len(self.asked) == 2:
                raise Stopped
            return super().search(query, limit)

    with pytest.raises(Stopped):
        research.run(
            research.server(searches("cloud one", "cloud two", "cloud three")), ledger, StoppingSearch()
        )
    server = research.server(
        searches("cloud two", "cloud three", "cloud four", "cloud five"), bundle(pages("cloud one")[0])
    )
    result = research.run(server, ledger, search)
    assert search.asked == ["cloud three", "cloud four"]
    assert urls(result, nominated=True) == [pages("cloud one")[0]]
    assert [row.payload["sequence"] for row in ledger.records(RUN, "query")] == [1, 2, 3, 4]


SUGGESTED = tuple(
    planned(f"cloud market {n}", contrary=False).model_copy(update={"id": f"Q-suppliers-{n}", "sequence": n})
    for n in range(1, 7)
)


def test_a_model_that_cannot_search_leaves_the_plan_s_queries_to_the_application(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    assignment = ASSIGNMENT.model_copy(update={"suggestions": SUGGESTED})
    server = research.server(Turn(prose="I cannot search."))
    result = research.run(server, ledger, search, assignment=assignment)
    assert search.asked == [f"cloud market {n}" for n in range(1, 6)]
    assert (result.basis, result.reason, result.searches) == ("ledger", "prose", 5)


def test_a_worker_that_fails_halfway_leaves_the_rest_to_the_application(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    assignment = ASSIGNMENT.model_copy(update={"suggestions": SUGGESTED})
    server = research.server(searches("cloud one", "cloud two"), Turn(status=500, raw=SECRET))
    research.run(server, ledger, search, assignment=assignment)
    assert search.asked == ["cloud one", "cloud two", "cloud market 1", "cloud market 2", "cloud market 3"]
    assert [row.payload["sequence"] for row in ledger.records(RUN, "query")] == [1, 2, 3, 4, 5]


def test_a_bundle_without_a_search_is_filled_from_the_plan(research: Research) -> None:
    search = TableSearch()
    assignment = ASSIGNMENT.model_copy(update={"suggestions": SUGGESTED[:2]})
    result = research.run(
        research.server(bundle("https://x.example/")), research.ledger(), search, assignment=assignment
    )
    assert search.asked == ["cloud market 1", "cloud market 2"]
    assert (result.basis, result.invented, len(result.sources)) == ("agent", 1, 4)


def test_used_up_searches_need_no_model(research: Research) -> None:
    ledger, search = research.ledger(), TableSearch()
    limits = WorkerLimits(searches=1)
    assignment = ASSIGNMENT.model_copy(update={"first": (planned("banks that left"),)})
    server = research.server(bundle())
    result = research.run(server, ledger, search, assignment=assignment, limits=limits)
    assert (result.basis, result.reason, server.requests) == ("ledger", "searches_used", [])


def test_a_worker_runs_inside_a_running_event_loop(research: Research) -> None:
    ledger = research.ledger()
    server = research.server(searches("cloud one"), bundle(pages("cloud one")[0]))

    async def notebook() -> Any:
        return research.run(server, ledger, TableSearch())

    assert asyncio.run(notebook()).basis == "agent"
