"""What search costs beside the network: provider, cache and worker, against the bare request and parse.

Run: `python tests/benchmarks/search_speed.py`. Everything runs on loopback: a search server with pages of 45
kB (the size of a usual result page) and a scripted model server. The rival of the provider is the engine
class of ddgs with its own request and parsing; the rival of a worker is the same requests to the model server
by the client alone.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from acquisition.worker_setup import ASSIGNMENT, RUN, TableSearch, budget
from ddgs.engines.duckduckgo import Duckduckgo
from search.pages import results_page
from search.server import Reply, SearchServer, serving
from support_servers.model import ModelServer, Turn, bundle, searches, serving_model

from porterlib.acquisition.worker import research_force
from porterlib.acquisition.worker_model import worker_model
from porterlib.acquisition.worker_records import WorkerRecords
from porterlib.analyst.local.endpoint import check_endpoint
from porterlib.egress import EgressGuard, Sealed, make_policy
from porterlib.ledger import Ledger
from porterlib.search import DuckDuckGoSearch, Pacing, SearchCache

QUERIES = 100
PADDING = "<!-- " + "x" * 38_000 + " -->"


def each(work: Callable[[int], object], times: int = QUERIES) -> float:
    """Return the milliseconds one call takes, on average."""
    work(0)
    started = time.perf_counter()
    for number in range(1, times + 1):
        work(number)
    return 1000 * (time.perf_counter() - started) / times


def provider() -> dict[str, float]:
    """Milliseconds a query: the engine alone, the provider, the provider with its cache, a cached answer."""
    urls = [f"https://host{n}.example/page" for n in range(10)]
    page = results_page(urls).replace("</head>", f"{PADDING}</head>")
    guard = EgressGuard(make_policy(key=b"k" * 32, question=Sealed("unrelated")))
    queries = [guard.mint(f"cloud banks {n}") for n in range(QUERIES + 1)]
    with serving(SearchServer(Reply(page))) as server, tempfile.TemporaryDirectory() as folder:
        engine = type("Bare", (Duckduckgo,), {"search_url": server.url})(timeout=15)
        options = {"search_url": server.url, "pacing": Pacing(gap_s=0.0)}
        plain = DuckDuckGoSearch(**options)
        kept = DuckDuckGoSearch(**options, cache=SearchCache(Path(folder) / "c"))
        return {
            "engine": each(lambda n: engine.search(f"cloud banks {n}")),
            "provider": each(lambda n: plain.search(queries[n])),
            "with cache": each(lambda n: kept.search(queries[n])),
            "from cache": each(lambda n: kept.search(queries[n])),
        }


def worker(rounds: int = 10) -> dict[str, float]:
    """Milliseconds a worker of two model calls and five searches, and the same two calls alone."""

    def turn(body: dict[str, object]) -> Turn:
        messages: list[dict[str, object]] = body["messages"]  # type: ignore[assignment]
        return searches(*[f"cloud {n}" for n in range(5)]) if messages[-1]["role"] == "user" else bundle()

    with serving_model(ModelServer(turn)) as server, tempfile.TemporaryDirectory() as folder:
        model = worker_model(check_endpoint(server.url), name="scripted")

        def research(number: int) -> None:
            with Ledger.open(Path(folder) / str(number), "write") as ledger:
                ledger.create_run(RUN, {"request_sha256": "0" * 64})
                record = WorkerRecords(ledger, RUN)
                result = research_force(
                    ASSIGNMENT, model=model, search=TableSearch(), guard=budget(), record=record
                )
                assert (result.basis, result.searches) == ("agent", 5)

        def alone(_: int) -> None:
            for _ in range(2):
                model.invoke("Name the pages worth reading.")

        return {"worker": each(research, rounds), "two calls alone": each(alone, rounds)}


def main() -> None:
    """Print the figures."""
    for name, figures in (("search", provider()), ("worker", worker())):
        for label, milliseconds in figures.items():
            print(f"{name}: {label:16} {milliseconds:8.2f} ms")


if __name__ == "__main__":
    main()
