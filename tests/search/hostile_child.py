"""Runs the whole pipeline in a process of its own and prints every address that reached a socket.

Started by `test_no_hidden_sender` with a hostile environment; `control` does what a careless program does.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

REACHED: list[list[Any]] = []


def record(event: str, args: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        REACHED.append([event, *map(str, args[1] if isinstance(args[1], tuple) else (args[1],))][:3])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        REACHED.append([event, str(args[0])])


sys.addaudithook(record)


def control() -> None:
    from langchain_core.runnables import RunnableLambda

    RunnableLambda(lambda value: value).invoke("telling words")
    with suppress(OSError):
        urllib.request.urlopen("http://a-page.example/", timeout=5)


def corpus_pipeline(given: dict[str, Any]) -> str:
    import porterlib

    place = porterlib.open_workspace(Path(given["workspace"]) / "corpus")
    outcome = porterlib.run(
        given["request"], corpus=given["corpus"], economics=given["economics"], workspace=place
    )
    return outcome.status


def web_pipeline(given: dict[str, Any]) -> str:
    import porterlib
    from porterlib.acquisition import acquire_evidence, plan_research
    from porterlib.capture import WebCapture
    from porterlib.capture.pinning import dial
    from porterlib.contracts.loading import load_request
    from porterlib.egress import EgressBudget, EgressGuard, policy_for
    from porterlib.sectors import load_pack

    place = porterlib.open_workspace(Path(given["workspace"]) / "web")
    request = load_request(Path(given["request"])).model_copy(update={"evidence_cutoff": None})
    contract = porterlib.frame(request, workspace=place, live=True)
    pack = load_pack(contract.sector)
    guard = EgressBudget(EgressGuard(policy_for(request, key=place.egress_key(), vocabulary=pack.vocabulary)))

    class Loopback:
        def resolve(self, host: str, timeout_s: float) -> list[str]:
            return ["127.0.0.1"]

    with (
        WebCapture(
            resolver=Loopback(),
            rule=lambda address: "ok",
            dialer=lambda address, port, timeout_s: dial(address, given["pages_port"], timeout_s),
        ) as capture,
        place.writing() as ledger,
    ):
        snapshot = acquire_evidence(
            contract,
            plan_research(contract, pack),
            pack=pack,
            search=searching(given["search_url"], place.path),
            source=capture,
            ledger=ledger,
            guard=guard,
            clock=place.clock,
        )
    if not isinstance(snapshot, porterlib.EvidenceSnapshot):
        return "insufficient"
    return porterlib.supervise(contract, snapshot, workspace=place).status


def searching(url: str, folder: Path) -> Any:
    from porterlib.search import DuckDuckGoSearch, Pacing, SearchCache

    pacing = Pacing(gap_s=0.0, backoff_s=0.0)
    return DuckDuckGoSearch(search_url=url, cache=SearchCache(folder / "cache"), pacing=pacing)


def worker(given: dict[str, Any], model_url: str, search_url: str) -> Any:
    from porterlib.acquisition.worker import ResearchAssignment, research_force
    from porterlib.acquisition.worker_model import worker_model
    from porterlib.acquisition.worker_records import WorkerRecords
    from porterlib.analyst.local.endpoint import check_endpoint
    from porterlib.contracts.plan import PlannedHypothesis
    from porterlib.egress import EgressBudget, EgressGuard, Sealed, make_policy
    from porterlib.ledger import Ledger

    folder = Path(given["workspace"]) / f"worker-{time.monotonic_ns()}"
    hypothesis = PlannedHypothesis(
        id="H",
        force="suppliers",
        statement="Few cloud providers raise switching cost",
        falsifier="Banks move",
        questions=("How many?",),
        contrary_questions=("Who moved?",),
    )
    with Ledger.open(folder, "write") as ledger:
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        return research_force(
            ResearchAssignment(force="suppliers", hypotheses=(hypothesis,)),
            model=worker_model(check_endpoint(model_url), name="scripted", timeout_s=20),
            search=searching(search_url, folder),
            guard=EgressBudget(EgressGuard(make_policy(key=b"k" * 32, question=Sealed("unrelated")))),
            record=WorkerRecords(ledger, "run-1"),
        )


def main() -> None:
    given = json.loads(sys.argv[2])
    told: dict[str, Any] = {}
    if sys.argv[1] == "control":
        control()
    else:
        told["corpus"] = corpus_pipeline(given)
        told["web"] = web_pipeline(given)
        told["worker"] = worker(given, given["model_url"], given["search_url"]).basis
        told["redirected"] = worker(given, given["moved_model_url"], given["search_url"]).reason
        told["moved"] = [
            row.rule for row in worker(given, given["model_url"], given["moved_search_url"]).gaps
        ]
    print(json.dumps({"told": told, "reached": REACHED}))


if __name__ == "__main__":
    main()
