"""The doctor's verdicts are right for servers whose behaviour is known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from porterlib.analyst.local import ModelServerError, load_profile
from porterlib.contracts.model import DoctorReport
from porterlib.doctor import connect, diagnose
from tests.analyst_local.scripted import DONE, MODEL, right_answer, schema_answer, schema_of, scripted


def words_in(body: dict[str, Any]) -> int:
    return sum(len(message["content"]) for message in body["messages"]) // 4


def counted(text: str, body: dict[str, Any], cached: int = 0) -> list[Any]:
    """Return a streamed answer with a usage count of its own."""
    usage = {
        "prompt_tokens": words_in(body),
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}
    return [{"content": text}, b"data: " + json.dumps(end).encode() + b"\n\n"]


def enforcing(body: dict[str, Any], at: int) -> Any:
    """Hold the model to the schema; ignore tool_choice."""
    return counted(
        schema_answer(body) if "response_format" in body else complying(body), body, words_in(body) * 3 // 4
    )


def complying(body: dict[str, Any]) -> str:
    """Answer as a willing model without any enforcement would: it does what the message says."""
    user = body["messages"][-1]["content"]
    wanted = re.search(r"(?:exactly this JSON object|only right answer is)[^{]*(\{.*?\})", user)
    if wanted:
        return wanted.group(1)
    return "hello" if "single word hello" in user else right_answer(body)


def happens_to_comply(body: dict[str, Any], at: int) -> Any:
    return counted(complying(body), body)


def reads_schema_as_advice(body: dict[str, Any], at: int) -> Any:
    """Follow the schema where the message merely discourages it, but not against a plain order."""
    user = body["messages"][-1]["content"]
    return counted(
        schema_answer(body) if "single word hello" in user and schema_of(body) else complying(body), body
    )


def ignoring(body: dict[str, Any], at: int) -> Any:
    return counted("Hello there, how can I help?", body)


def forcing_tools(body: dict[str, Any], at: int) -> Any:
    if "tools" in body:
        call = {"index": 0, "function": {"name": "answer", "arguments": schema_answer(body)}}
        return [{"tool_calls": [call]}, DONE]
    return 400 if "response_format" in body else counted(complying(body), body)


def examine(say: Any, tmp_path: Path, **state: Any) -> DoctorReport:
    with scripted(say, **state) as server:
        return diagnose(server.url, folder=tmp_path)


def verdict(report: DoctorReport, name: str) -> tuple[str, str]:
    probe = next(probe for probe in report.probes if probe.name == name)
    return probe.verdict, probe.value


@pytest.mark.parametrize(
    ("say", "schema", "tool", "transports"),
    [
        (enforcing, "enforced", "ignored", ("json_schema", "prompt")),
        (happens_to_comply, "followed_when_told", "ignored", ("prompt", "json_schema")),
        (reads_schema_as_advice, "followed_when_told", "ignored", ("prompt", "json_schema")),
        (ignoring, "ignored", "ignored", ("prompt",)),
        (forcing_tools, "refused", "enforced", ("forced_tool", "prompt")),
    ],
)
def test_enforcement_is_told_from_compliance(
    say: Any, schema: str, tool: str, transports: tuple[str, ...], tmp_path: Path
) -> None:
    report = examine(say, tmp_path)
    assert report.profile is not None
    assert report.profile.schema_enforcement == schema
    assert report.profile.tool_choice == tool
    assert report.profile.transports == transports


@pytest.mark.parametrize("say", [enforcing, happens_to_comply, ignoring, forcing_tools])
def test_whatever_is_not_good_comes_with_its_measure_and_what_to_do(say: Any, tmp_path: Path) -> None:
    probes = examine(say, tmp_path).probes
    assert {"reachable", "model", "key", "json_schema", "forced_tool", "speed", "prefix_cache", "usage"} < {
        probe.name for probe in probes
    }
    assert [probe.name for probe in probes if not probe.value] == []
    assert [probe.name for probe in probes if probe.verdict != "good" and not probe.advice] == []


def test_a_slow_silent_server_with_a_small_context_is_told_what_to_change(tmp_path: Path) -> None:
    def meagre(body: dict[str, Any], at: int) -> Any:
        if words_in(body) > 2_100:
            return 400
        text = schema_answer(body) if "response_format" in body else complying(body)
        timings = {"prompt_per_second": 5.0, "predicted_per_second": 2.0}
        end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "timings": timings}
        return [{"content": text}, b"data: " + json.dumps(end).encode() + b"\n\n"]

    said = {probe.name: (probe.verdict, probe.advice) for probe in examine(meagre, tmp_path).probes}
    for name, wanted in (("speed", "faster"), ("usage", "tokens"), ("context", "4096")):
        verdict, advice = said[name]
        assert verdict == "usable"
        assert wanted in advice


def test_only_sentences_are_ever_left_to_the_rules_beforehand(tmp_path: Path) -> None:
    def wordless(body: dict[str, Any], at: int) -> Any:
        told = schema_of(body) or {}
        if {"sentence", "introduction", "rating"} & set(told.get("properties", ())):
            return counted("I would rather not.", body)
        return enforcing(body, at)

    report = examine(wordless, tmp_path)
    assert report.profile is not None
    # Ratings decide: a model that gives none has its runs blocked, it is not replaced in silence.
    assert report.profile.forms == ("choose", "rate")
    assert verdict(report, "sentences")[0] == "usable"
    assert examine(enforcing, tmp_path).profile.forms == ("choose", "rate", "write")


def test_a_capable_server_is_usable_and_its_profile_is_stored(tmp_path: Path) -> None:
    report = examine(enforcing, tmp_path)
    assert report.usable
    assert report.model == MODEL
    assert report.qualification is not None
    assert report.qualification.total.valid_first == report.qualification.total.items == 40
    assert verdict(report, "prefix_cache")[0] == "good"
    assert verdict(report, "pipeline_questions")[0] == "good"
    assert load_profile(report.profile.origin, MODEL, folder=tmp_path) == report.profile
    stored = Path(report.profile_path)
    assert stored.stat().st_mode & 0o777 == 0o600
    assert list(report.to_pandas().columns) == ["name", "verdict", "value", "advice"]
    assert DoctorReport.model_validate(report.to_dict()) == report


def test_a_model_that_talks_past_the_questions_is_not_usable(tmp_path: Path) -> None:
    report = examine(ignoring, tmp_path)
    assert not report.usable
    assert verdict(report, "pipeline_questions")[0] == "bad"
    with scripted(ignoring) as server, pytest.raises(ModelServerError, match="pipeline_questions"):
        connect(server.url, folder=tmp_path / "other")


def test_a_constant_answer_is_no_better_than_chance(tmp_path: Path) -> None:
    report = examine(enforcing, tmp_path)
    choose = next(entry for entry in report.qualification.by_kind if entry.kind == "choose")
    assert choose.items == 14
    assert 0.2 < choose.chance < 0.3
    assert choose.low < choose.right / choose.items < choose.high
    assert not choose.better_than_chance
    assert verdict(report, "agreement_choose")[0] == "usable"


@pytest.mark.parametrize("switch_works", [True, False])
def test_thinking_is_found_and_switched_off_where_the_switch_works(
    switch_works: bool, tmp_path: Path
) -> None:
    def thinking(body: dict[str, Any], at: int) -> Any:
        off = switch_works and body.get("chat_template_kwargs", {}).get("enable_thinking") is False
        text = schema_answer(body) if "response_format" in body else complying(body)
        return [*([] if off else [{"reasoning_content": "Let me see."}]), *counted(text, body)]

    report = examine(thinking, tmp_path)
    assert report.profile is not None
    assert (report.profile.thinking, report.profile.thinking_off) == ("separate", switch_works)
    assert report.profile.schema_enforcement == "enforced"


def test_a_context_that_is_cut_in_silence_is_noticed(tmp_path: Path) -> None:
    def cutting(body: dict[str, Any], at: int) -> Any:
        text = schema_answer(body) if "response_format" in body else complying(body)
        usage = {"prompt_tokens": min(words_in(body), 3000), "completion_tokens": 9}
        end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}
        return [{"content": text}, b"data: " + json.dumps(end).encode() + b"\n\n"]

    report = examine(cutting, tmp_path)
    assert report.profile is not None
    assert report.profile.context_tokens == 3000
    assert "without a word" in verdict(report, "context")[1]


def test_a_slow_server_is_not_taken_for_one_that_holds_nothing(tmp_path: Path) -> None:
    def slow(body: dict[str, Any], at: int) -> Any:
        text = schema_answer(body) if "response_format" in body else complying(body)
        usage = {"prompt_tokens": words_in(body), "completion_tokens": 9}
        timings = {"prompt_per_second": 5.0, "predicted_per_second": 2.0}
        end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage, "timings": timings}
        return [{"content": text}, b"data: " + json.dumps(end).encode() + b"\n\n"]

    report = examine(slow, tmp_path)
    assert report.usable
    assert report.profile is not None
    assert report.profile.context_tokens == 2048
    assert "larger sizes were not tried" in verdict(report, "context")[1]


@pytest.mark.parametrize(("checks", "expected"), [(True, "good"), (False, "usable")])
def test_a_server_that_takes_any_key_is_named(checks: bool, expected: str, tmp_path: Path) -> None:
    with scripted(enforcing, key="right" if checks else None) as server:
        report = diagnose(server.url, key=SecretStr("right"), folder=tmp_path, full=False)
    assert verdict(report, "key")[0] == expected
    assert "right" not in json.dumps(report.to_dict()).replace("at the right", "").replace(
        "_right", ""
    ).replace('"right"', "")


def test_a_missing_key_a_missing_model_and_a_missing_server_are_told_apart(tmp_path: Path) -> None:
    with scripted(enforcing, key="x") as server:
        assert verdict(diagnose(server.url, folder=tmp_path), "key")[0] == "bad"
    with scripted(enforcing) as server:
        report = diagnose(server.url, model="other", folder=tmp_path)
        assert verdict(report, "model") == ("bad", "'other' is not listed")
    gone = diagnose(server.url, folder=tmp_path)
    assert verdict(gone, "reachable") == ("bad", "no answer")
    refused = diagnose("http://user:pw@127.0.0.1/v1", folder=tmp_path)
    assert verdict(refused, "endpoint") == ("bad", "userinfo")
    assert "pw" not in json.dumps(refused.to_dict())
    assert [report.usable for report in (gone, refused)] == [False, False]
    assert list(tmp_path.iterdir()) == []


def test_a_server_without_text_is_not_usable(tmp_path: Path) -> None:
    report = examine(lambda body, at: 500, tmp_path)
    assert not report.usable
    assert report.profile is None


def test_a_run_uses_the_stored_profile_and_a_changed_model_asks_for_a_new_one(tmp_path: Path) -> None:
    with scripted(enforcing, models=[{"id": MODEL, "meta": {"size": 1}}]) as server:
        first = connect(server.url, folder=tmp_path)
        asked = len(server.requests)
        assert connect(server.url, folder=tmp_path).profile == first.profile
        assert len(server.requests) == asked
        server.models[0] = {"id": MODEL, "meta": {"size": 2}}
        second = connect(server.url, folder=tmp_path)
        assert len(server.requests) > asked
    assert first.profile.model_detail == "size=1"
    assert second.profile.model_detail == "size=2"
