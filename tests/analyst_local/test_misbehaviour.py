"""Every way a server or model misbehaves ends in an answer and a clear record, never in a broken run."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from porterlib.analyst import Choice
from tests.analyst_local.conftest import analyst
from tests.analyst_local.scripted import DONE, chunk, right_answer, schema_of, scripted

Say = Callable[[dict[str, Any], int], Any]
SHORT = {"first_token_s": 0.6, "idle_s": 0.4, "total_s": 1.5}
RIGHT = '{"choice": "b"}'


def always(value: Any) -> Say:
    return lambda body, at: value


def in_turn(*values: Any) -> Say:
    return lambda body, at: values[min(at, len(values) - 1)]


def ask(say: Say, choose: Any, **profile: Any) -> tuple[Choice, Any, Any]:
    with scripted(say) as server:
        held = analyst(server, **profile)
        found = held.choose(choose)
    return found, held.calls[0], server


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{RIGHT}\n```",
        f"Here is the answer:\n```\n{RIGHT}\n```\nHope it helps!",
        f"<think>The letter {{a}} or b?</think>{RIGHT}",
        f'<think>First {{"choice": "a"}}, no.</think>\n{RIGHT}',
        f"So I think it is b.</think>{RIGHT}",
        f"[THINK]hm[/THINK]{RIGHT}",
        f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{RIGHT}",
        f"◁think▷hm◁/think▷{RIGHT}",
        f"{RIGHT} {RIGHT}",
    ],
)
def test_wrapping_around_a_right_answer_is_taken_off_at_once(text: str, choose: Any) -> None:
    found, call, server = ask(always(text), choose)
    assert found.ids == ("C-2",)
    assert (call.answered_by, call.repairs, call.valid_first) == ("model", 0, True)
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_thinking_in_a_field_of_its_own_never_counts_as_the_answer(name: str, choose: Any) -> None:
    found, call, _ = ask(always([{name: RIGHT}, DONE]), choose)
    assert found.stood_in
    assert call.failures == ("empty",) * 3
    found, call, _ = ask(always([{name: '{"choice": "a"}'}, RIGHT]), choose)
    assert found.ids == ("C-2",)


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("I cannot answer that.", ("not_json",) * 3),
        ('{"choice": "z"}', ("not_offered",) * 3),
        ('{"choice": "C-2"}', ("not_offered",) * 3),
        ('{"choice": 2}', ("not_offered",) * 3),
        ('{"choice": "a", "choice": "b"}', ("not_json",) * 3),
        ('{"choice": "a"} or {"choice": "b"}', ("ambiguous",) * 3),
        ('{"answer": "a"}', ("not_json",) * 3),
        ("<think>still thinking about it", ("empty",) * 3),
        ("", ("empty",) * 3),
        ("   \n", ("empty",) * 3),
        ([chunk('{"cho')], ("cut_off",) * 3),
        ([chunk('{"choice": "b"'), DONE], ("cut_off",) * 3),
        (429, ("busy",) * 3),
        (500, ("server_error",) * 3),
        ([b'data: {"error": {"message": "out of memory"}}\n\n'], ("server_error",) * 3),
        (401, ("unauthorised",)),
        (302, ("redirect",)),
        (404, ("not_found",)),
        (400, ("bad_request",) * 3),
    ],
)
def test_what_has_no_valid_form_ends_in_the_rules_answer_with_its_cause(
    said: Any, codes: tuple[str, ...], choose: Any
) -> None:
    found, call, server = ask(always(said), choose)
    assert found == Choice(("C-3",), "choose.lead_claim_by_rank", found.note, stood_in=True)
    assert codes[-1] in found.note
    assert (call.answered_by, call.failures, call.reason) == ("stand_in", codes, codes[-1])
    assert call.requests == len(server.requests) == len(codes)
    assert "secret detail" not in json.dumps(call.to_dict())


def test_a_repair_sends_the_error_back_and_keeps_the_prefix(choose: Any) -> None:
    found, call, server = ask(in_turn("I say c", '{"choice": "q"}', RIGHT), choose)
    assert found.ids == ("C-2",)
    assert (call.repairs, call.requests, call.failures) == (2, 3, ("not_json", "not_offered"))
    assert not call.valid_first
    first, second, third = (request["messages"] for request in server.requests)
    assert second[0] == third[0] == first[0]
    assert all(later[1]["content"].startswith(first[1]["content"]) for later in (second, third))
    assert "no complete JSON object" in second[1]["content"]
    assert "I say c" not in second[1]["content"]
    assert [request["temperature"] for request in server.requests] == [0, 0.7, 0.7]
    assert "choose a letter from a to c" in third[1]["content"]


def test_a_busy_server_is_asked_again_without_a_repair(choose: Any) -> None:
    found, call, server = ask(in_turn(429, 500, RIGHT), choose)
    assert found.ids == ("C-2",)
    assert (call.repairs, call.failures) == (0, ("busy", "server_error"))
    assert server.requests[0] == server.requests[2]


def test_a_refused_way_of_asking_gives_way_to_the_next_of_the_profile(choose: Any) -> None:
    def say(body: dict[str, Any], at: int) -> Any:
        return 400 if schema_of(body) else RIGHT

    found, call, _ = ask(say, choose, transports=("json_schema", "forced_tool", "prompt"))
    assert found.ids == ("C-2",)
    assert (call.transport, call.failures, call.repairs) == ("prompt", ("bad_request",) * 2, 0)


def test_a_forced_tool_is_read_and_prose_in_its_place_is_refused(choose: Any) -> None:
    tool = {"tool_calls": [{"index": 0, "function": {"name": "answer", "arguments": RIGHT}}]}
    found, call, server = ask(always([tool, DONE]), choose, transports=("forced_tool",))
    assert (found.ids, call.transport) == (("C-2",), "forced_tool")
    assert server.requests[0]["tool_choice"]["function"]["name"] == "answer"
    assert ask(always("b, I think"), choose, transports=("forced_tool",))[1].failures == ("not_json",) * 3


def test_a_server_that_does_not_stream_is_understood(choose: Any) -> None:
    document = {
        "choices": [{"message": {"content": RIGHT}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 6},
    }
    found, call, _ = ask(always(document), choose)
    assert found.ids == ("C-2",)
    assert (call.prompt_tokens, call.completion_tokens) == (50, 6)


def endless(body: dict[str, Any], at: int) -> Iterator[Any]:
    while True:
        yield chunk("again and again and again " * 20)


def test_endless_repetition_is_cut_off(choose: Any) -> None:
    started = time.monotonic()
    found, call, server = ask(endless, choose, idle_s=5, total_s=20)
    assert found.stood_in
    assert call.failures == ("endless",) * 3
    assert time.monotonic() - started < 15
    assert all(request["max_tokens"] <= 300 for request in server.requests)


def silent(body: dict[str, Any], at: int) -> Iterator[Any]:
    while True:
        yield b": ping\n\n"
        yield 0.1


def stalls(body: dict[str, Any], at: int) -> Iterator[Any]:
    yield chunk('{"choice"')
    yield from silent(body, at)


def drips(body: dict[str, Any], at: int) -> Iterator[Any]:
    while True:
        yield chunk("x")
        yield 0.2


@pytest.mark.parametrize(
    ("say", "code", "limit_s"),
    [(silent, "first_token_timeout", 0.6), (stalls, "idle_timeout", 0.4), (drips, "total_timeout", 1.5)],
)
def test_each_clock_stops_what_it_is_there_for_though_keep_alives_arrive(
    say: Say, code: str, limit_s: float, choose: Any
) -> None:
    started = time.monotonic()
    found, call, _ = ask(say, choose, **SHORT)
    assert found.stood_in
    assert call.failures == (code,)
    assert limit_s - 0.05 <= call.seconds <= limit_s + 1.5
    assert time.monotonic() - started < limit_s + 3


def test_a_server_that_is_gone_costs_three_questions_not_all(choose: Any, rate: Any, write: Any) -> None:

    with scripted(always(RIGHT)) as server:
        held = analyst(server)
    started = time.monotonic()
    for at in range(20):
        assert held.choose(dataclasses.replace(choose, subject=f"s{at}")).stood_in
    reasons = [call.reason for call in held.calls]
    assert reasons == ["unreachable"] * 3 + ["server_down"] * 17
    assert time.monotonic() - started < 10
    assert held.unqualified()


def test_ratings_and_sentences_have_their_stand_ins_too(rate: Any, write: Any) -> None:
    with scripted(always("no")) as server:
        held = analyst(server)
        rating, sentence = held.rate(rate), held.write(write)
    assert (rating.value, rating.stood_in) == (4, True)
    assert "by rule" in rating.note
    assert (sentence.text, sentence.stood_in) == (write.draft, True)
    assert held.stamp.stood_in == held.stamp.asked == 2


def test_a_good_server_answers_all_forms_itself(choose: Any, rate: Any, write: Any) -> None:
    with scripted(lambda body, at: right_answer(body)) as server:
        held = analyst(server)
        assert held.choose(choose).ids == ("C-1",)
        assert held.rate(rate).value == 4
        assert held.write(write).text == write.draft
    assert {call.answered_by for call in held.calls} == {"model"}
    assert held.cost.total.cached_share == 0.75
    assert held.stamp.model == "scripted-1"
    held.check_shares()
