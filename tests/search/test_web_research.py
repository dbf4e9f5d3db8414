"""A local model forms the queries of a run on the web; stopped twice and resumed, nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support_servers.model import bundle, completion, searches

from porterlib import open_workspace, resume, run
from porterlib.acquisition.bundle import ResearchBundle
from porterlib.contracts.base import FORCES
from porterlib.contracts.publication import Outcome
from porterlib.ledger import verify
from porterlib.verbs.sources import open_search
from porterlib.workspace import Workspace
from tests.analyst_local.conftest import analyst
from tests.analyst_local.scripted import Scripted, right_answer, scripted

from .loopback_web import ECONOMICS, Web

CLOCKS = {"first_token_s": 60.0, "idle_s": 60.0, "total_s": 120.0}
INVENTED = "http://invented.example/report"


def is_research(body: dict[str, Any]) -> bool:
    return "ResearchBundle" in {tool["function"]["name"] for tool in body.get("tools", ())}


class Model:
    """Calls its tools when it researches, and answers small questions when it analyses.

    It asks for the plan's first queries, for one that may not leave and for a tool it does not have; then it
    names the second page of every search and one that no search led to.
    """

    def __init__(self, *, stop_in: str = "") -> None:
        self.server: Scripted
        self.stop_in = stop_in
        self.started: Counter[str] = Counter()
        self.bundles: Counter[str] = Counter()

    def say(self, body: dict[str, Any], at: int) -> Any:
        if not is_research(body):
            return right_answer(body)
        assignment = json.loads(body["messages"][1]["content"])
        force = assignment["force"].replace(" ", "_")
        results = [
            json.loads(row["content"]) for row in body["messages"] if (row["content"] or "")[:2] == '{"'
        ]
        if body["messages"][-1]["role"] == "user":
            self.started[force] += 1
            turn = searches(*assignment["example queries"][:2], "Ardenvale exit plan")
            turn.calls.append(("read_file", {"file_path": "/etc/passwd"}))
            return completion(turn, at)
        if force == self.stop_in:
            self.stop_in = ""
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            self.server.release.wait(20)
        self.bundles[force] += 1
        found = [row["results"] for row in results if len(row.get("results", ())) > 1]
        return completion(bundle(*(row[1]["url"] for row in found), INVENTED), at)


def researched(place: Workspace, run_id: str) -> dict[str, ResearchBundle]:
    with place.reading() as ledger:
        rows = {force: ledger.find(run_id, "checkpoint", f"research-{force}") for force in FORCES}
    return {
        force: ResearchBundle.model_validate(row.payload) for force, row in rows.items() if row is not None
    }


def straight_through(request: Path, folder: Path) -> Outcome:
    """Run the same decision without a stop."""
    place, model = open_workspace(folder), Model()
    with scripted(model.say) as server:
        return run(
            request,
            search=open_search("duckduckgo", place),
            economics=ECONOMICS,
            analyst=analyst(server, tool_choice="enforced", **CLOCKS),
            max_attempts=1,
            workspace=place,
        )


def test_research_by_a_model_is_stopped_twice_and_resumed_without_asking_twice(
    web: Web, undated: Path, tmp_path: Path
) -> None:
    place, model = open_workspace(tmp_path / "w"), Model(stop_in=FORCES[2])

    def interrupt(line: str) -> None:
        if "reading page 5" in line:
            raise KeyboardInterrupt

    with scripted(model.say) as server:
        model.server = server
        held = analyst(server, tool_choice="enforced", **CLOCKS)
        with pytest.raises(KeyboardInterrupt):
            run(
                undated,
                search=open_search("duckduckgo", place),
                economics=ECONOMICS,
                analyst=held,
                max_attempts=1,
                workspace=place,
            )
        (row,) = place.runs()
        assert row.status == "cancelled"
        assert set(researched(place, row.run_id)) == set(FORCES[:2])
        assert web.pages.headers == []
        with pytest.raises(KeyboardInterrupt):
            resume(row.run_id, analyst=held, workspace=place, progress=interrupt)
        read = len(web.pages.headers)
        outcome = resume(row.run_id, analyst=held, workspace=place)
    assert len(web.search.queries) == len(set(web.search.queries)) == 3 * len(FORCES)
    assert model.started == {force: 2 if force == FORCES[2] else 1 for force in FORCES}
    assert model.bundles[FORCES[0]] == model.bundles[FORCES[4]] == 1
    assert len(web.pages.headers) > read >= 4
    spoken = Counter((headers["host"], headers[":path"]) for headers in web.pages.headers)
    assert len(spoken) >= len(web.pages.headers) - 2  # only pages under way at the stop were fetched again
    found = researched(place, row.run_id)
    assert {name: (row.basis, row.reason) for name, row in found.items()} == dict.fromkeys(
        FORCES, ("agent", "")
    )
    for own in found.values():
        assert {"query_restricted_term", "url_invented", "tool_refused"} <= {gap.rule for gap in own.gaps}
        assert own.sources[0].nominated
    assert outcome.candidate is not None
    assert outcome.candidate.analyst.kind == "local"
    assert {item.origin for item in outcome.snapshot.evidence} == {"web"}
    assert not any("invented.example" in item.url for item in outcome.snapshot.evidence)
    assert verify(place.path).ok
    again = straight_through(undated, tmp_path / "other")
    assert again.snapshot.snapshot_id == outcome.snapshot.snapshot_id
    assert again.fingerprint == outcome.fingerprint
