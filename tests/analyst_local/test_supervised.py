"""A whole run on a scripted model: drafted by a good one, blocked with reasons by a bad one, resumed without repeats."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from porterlib import acquire, calculate, frame, open_workspace, supervise
from porterlib.acquisition.search import CorpusSearch
from porterlib.analyst.local import stored_calls, stored_cost
from porterlib.cli.main import main
from porterlib.contracts.analysis import Candidate
from porterlib.economics import load_inputs
from porterlib.ledger import verify
from porterlib.verbs.loading import load_run
from porterlib.workspace import Workspace
from tests.analyst_local.conftest import analyst
from tests.analyst_local.scripted import right_answer, scripted

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CLOCKS = {"first_token_s": 30.0, "idle_s": 30.0, "total_s": 30.0}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Frame, calculate and acquire once; return a function that copies the folder for a test."""
    folder = tmp_path_factory.mktemp("prepared") / "w"
    place = open_workspace(folder)
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=place)
    economics = calculate(contract, load_inputs(FIXTURES / "economics" / "kyc_mixed.yaml"), workspace=place)
    search = CorpusSearch(FIXTURES / "corpora" / "bank_kyc", clock=place.clock)
    snapshot = acquire(contract, search=search, workspace=place)

    def copy(to: Path) -> tuple[Workspace, Any, Any, Any]:
        import shutil

        shutil.copytree(folder, to)
        return open_workspace(to), contract, snapshot, economics

    return copy


def test_a_good_model_drafts_and_the_brief_names_it(prepared: Any, tmp_path: Path) -> None:
    place, contract, snapshot, economics = prepared(tmp_path / "w")
    with scripted(lambda body, at: right_answer(body)) as server:
        outcome = supervise(
            contract, snapshot, economics, analyst=analyst(server, **CLOCKS), workspace=place, max_attempts=1
        )
    assert outcome.status in {"achieved_draft", "blocked"}
    assert outcome.candidate is not None
    assert outcome.candidate.analyst.kind == "local"
    assert outcome.candidate.analyst.stood_in == 0
    assert Candidate.model_validate(outcome.candidate.to_dict()) == outcome.candidate
    with place.reading() as ledger:
        cost = stored_cost(ledger, contract.run_id)
    assert cost.total.by_model == cost.total.put_to_model > 60
    assert cost.total.longest_completion <= 300
    assert verify(place.path).ok


def test_a_model_without_valid_answers_is_blocked_with_reasons(prepared: Any, tmp_path: Path) -> None:
    place, contract, snapshot, economics = prepared(tmp_path / "w")
    with scripted(lambda body, at: "I would rather not.") as server:
        outcome = supervise(contract, snapshot, economics, analyst=analyst(server, **CLOCKS), workspace=place)
    assert (outcome.status, outcome.reason) == ("blocked", "model_not_qualified")
    assert len(outcome.state.attempts) == 1
    with place.reading() as ledger:
        checkpoint = ledger.latest(contract.run_id, "checkpoint")
        assert ledger.status(contract.run_id) == "blocked"
    assert any("not_json" in reason for reason in checkpoint.payload["reasons"])
    assert verify(place.path).ok


def test_an_interrupt_in_the_middle_keeps_the_answers_and_a_resume_repeats_none(
    prepared: Any, tmp_path: Path
) -> None:
    place, contract, snapshot, economics = prepared(tmp_path / "w")

    def slow(body: dict[str, Any], at: int) -> Iterator[Any]:
        if at == 12:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            yield 20.0
        yield right_answer(body)

    with scripted(slow) as server:
        held = analyst(server, **CLOCKS)
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            supervise(contract, snapshot, economics, analyst=held, workspace=place)
        assert time.monotonic() - started < 60
        with place.reading() as ledger:
            kept = stored_calls(ledger, contract.run_id)
            assert ledger.status(contract.run_id) == "cancelled"
        asked_before = sum(call.requests for call in kept)
        with place.writing() as ledger:
            ledger.reopen(contract.run_id)
        outcome = supervise(contract, snapshot, economics, analyst=held, workspace=place, max_attempts=1)
        requests = [request["messages"] for request in server.requests]
    assert asked_before >= 8
    assert outcome.candidate is not None
    # Only the questions under way at the interrupt were asked twice.
    repeated = len(requests) - len({str(messages) for messages in requests})
    assert repeated <= 1


def test_the_cost_is_a_result_of_the_run_and_shown_on_the_command_line(
    prepared: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, contract, snapshot, economics = prepared(tmp_path / "w")
    with scripted(lambda body, at: right_answer(body)) as server:
        held = analyst(server, **CLOCKS, call_limits={"assess": 5, "options": 2, "brief": 2})
        supervise(contract, snapshot, economics, analyst=held, workspace=place, max_attempts=1)
    cost = load_run(place, contract.run_id).model_cost
    assert cost is not None
    assert cost.total.by_model == 9
    assert cost.total.withheld > 20
    assert main(["show", contract.run_id, "--workspace", str(place.path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["model_cost"]
    assert shown["total"]["by_model"] == 9
    assert shown["decided_by_model"] == cost.total.own_share < 0.2
