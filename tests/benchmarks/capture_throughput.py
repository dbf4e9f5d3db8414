"""Pages a second through capture, extraction, passages and ledger, against fetching and parsing alone.

Run: `python tests/benchmarks/capture_throughput.py PATH_OF_SHARED_MATERIAL`. A loopback server gives the real
HTML documents of the banking corpus. The rival fetches each with a plain httpx client and parses it with
Beautiful Soup over lxml to its bare text; it resolves nothing, limits nothing, keeps nothing. The script also
prints what lxml alone needs. Each runs one page at a time, then four at once.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bs4
import httpx
import lxml.html  # type: ignore[import-untyped]

from porterlib.acquisition.passages import cut_passages
from porterlib.acquisition.records import RunRecords
from porterlib.capture import FixedResolver, WebCapture
from porterlib.capture.addresses import address_rule
from porterlib.capture.pinning import dial
from porterlib.contracts.capture import SourceRef
from porterlib.ledger import Ledger

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "capture"))
from servers import PUBLIC, Server, answer

ROUNDS = 2


def seconds(work: Callable[[str], object], paths: Sequence[str], at_once: int) -> float:
    """Return the best of some rounds over all pages."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(work, paths))
        best = min(best, time.perf_counter() - started)
    return best


def measure(shared: Path, *, lxml_too: bool = False) -> dict[int, float]:
    """Print pages a second and return, by pages at once, the ratio to fetching and parsing alone."""
    ratios: dict[int, float] = {}
    files = sorted((shared / "corpus/bank/docs").glob("*.html"))
    with (
        Server() as server,
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder), "write") as ledger,
    ):
        server.pages = {f"/{file.name}": answer(file.read_bytes()) for file in files}
        hosts = {f"host{number}.example": [PUBLIC] for number in range(len(files))}
        paths = [f"{host}/{file.name}" for host, file in zip(hosts, files, strict=True)]
        web = WebCapture(
            resolver=FixedResolver(hosts),
            rule=lambda address: "ok" if address == PUBLIC else address_rule(address),
            dialer=lambda address, port, timeout_s: dial(address, server.port, timeout_s),
        )
        runs = iter(range(1000))

        def bare(path: str) -> str:
            with httpx.Client(trust_env=False) as client:
                raw = client.get(f"http://{PUBLIC}:{server.port}/{path.partition('/')[2]}").content
            return bs4.BeautifulSoup(raw, "lxml").get_text()

        def barest(path: str) -> str:
            with httpx.Client(trust_env=False) as client:
                raw = client.get(f"http://{PUBLIC}:{server.port}/{path.partition('/')[2]}").content
            return str(lxml.html.fromstring(raw).text_content())

        def fetched(path: str) -> object:
            return web.fetch(SourceRef(source_id=f"S-{path}", url=f"http://{path}"))

        def whole(at_once: int) -> float:
            best = float("inf")
            for _ in range(ROUNDS):
                run = f"run-{next(runs)}"
                ledger.create_run(run, {})
                records = RunRecords(ledger, run)
                started = time.perf_counter()
                with ThreadPoolExecutor(at_once) as pool:
                    for page in pool.map(fetched, paths):
                        cut_passages(page.text, page.headings)  # type: ignore[attr-defined]
                        records.record_page(page)  # type: ignore[arg-type]
                best = min(best, time.perf_counter() - started)
            return best

        for path in paths:  # warm up: worker processes, imports
            fetched(path)
        for at_once in (1, 4):
            alone, all_of_it = seconds(bare, paths, at_once), whole(at_once)
            ratios[at_once] = all_of_it / alone
            print(
                f"{at_once} at once: fetch and parse {len(paths) / alone:.1f} pages/s, all of it"
                f" {len(paths) / all_of_it:.1f} pages/s, ratio {all_of_it / alone:.2f}"
            )
            if lxml_too:
                pages = len(paths) / seconds(barest, paths, at_once)
                print(f"lxml without Beautiful Soup {pages:.1f} pages/s")
        web.close()
    return ratios


if __name__ == "__main__":
    measure(Path(sys.argv[1]), lxml_too=True)
