"""What acquisition costs for 1, 2, 4 and 8 times the golden corpus, beside reading and parsing alone.

Every further copy of a document has each sixth word changed, so that copies are different documents. Times are of the
processor, so that other work on the machine counts less. The rival only reads each file and parses its HTML.

    python tests/benchmarks/acquisition_scaling.py [FOLDER] [COPIES …]
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bs4 import BeautifulSoup

from porterlib.acquisition import CorpusSearch, acquire_evidence, frame_request, plan_research
from porterlib.clock import FixedClock
from porterlib.contracts.loading import load_request
from porterlib.egress import EgressBudget, EgressGuard, policy_for
from porterlib.ledger import Ledger
from porterlib.sectors import load_pack

ROOT = Path(__file__).resolve().parents[2]
START = datetime(2026, 7, 1, tzinfo=UTC)
_WORD = re.compile(r"(?<=[ >])[a-z]{4,}(?=[ <.,])")


def multiply(source: Path, target: Path, copies: int) -> Path:
    """Write a corpus of `copies` times the documents of `source`."""
    entries = json.loads((source / "manifest.json").read_text())
    rows = []
    for number in range(copies):
        for entry in entries:
            if not (source / entry["file"]).is_file():
                continue
            file = f"docs/{number}-{Path(entry['file']).name}"
            text = (source / entry["file"]).read_text(errors="replace")
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            (target / file).write_text(salted(text, number) if number else text)
            url = entry["url"].partition("#")[0].rstrip("/") + f"/{number}"
            rows.append({**entry, "file": file, "url": url})
    (target / "manifest.json").write_text(json.dumps(rows))
    return target


def salted(text: str, number: int) -> str:
    """Return `text` with every sixth longer word changed."""
    count = 0

    def change(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{match.group()}x{number}" if count % 6 == 0 else match.group()

    return _WORD.sub(change, text)


def acquire(folder: Path) -> tuple[float, int]:
    """Return the seconds of the processor for a whole acquisition, and the passages it promoted."""
    request = load_request(ROOT / "fixtures" / "requests" / "bank_kyc.yaml")
    pack = load_pack("bank")
    contract = frame_request(request, pack, run_id="run-1", request_sha256="0" * 64)
    plan = plan_research(contract, pack)
    guard = EgressBudget(EgressGuard(policy_for(request, key=b"k" * 32, vocabulary=pack.vocabulary)))
    clock = FixedClock(START)
    with (
        tempfile.TemporaryDirectory() as place,
        Ledger.open(Path(place) / "w", "write", clock=clock) as ledger,
    ):
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        began = time.process_time()
        search = CorpusSearch(folder, clock=clock)
        found = acquire_evidence(
            contract, plan, pack=pack, search=search, source=search, ledger=ledger, guard=guard, clock=clock
        )
        return time.process_time() - began, len(getattr(found, "evidence", ()))


def parse_alone(folder: Path) -> float:
    """Return the seconds of the processor for reading and parsing every document."""
    began = time.process_time()
    for path in sorted((folder / "docs").iterdir()):
        raw = path.read_bytes()
        if path.suffix == ".html":
            BeautifulSoup(raw, "lxml").get_text()
        else:
            raw.decode("utf-8", "replace").split()
    return time.process_time() - began


def main(arguments: list[str]) -> None:
    source = Path(arguments[0]) if arguments else ROOT / "fixtures" / "corpora" / "bank_kyc"
    copies = [int(text) for text in arguments[1:]] or [1, 2, 4, 8]
    acquire(source)  # imports and compiled cues
    rows = [
        f"{'copies':>7}{'documents':>11}{'seconds':>9}{'ms a document':>15}{'parse alone':>13}{'passages':>10}"
    ]
    for number in copies:
        with tempfile.TemporaryDirectory() as place:
            folder = multiply(source, Path(place), number)
            seconds, passages = acquire(folder)
            documents = len(list((folder / "docs").iterdir()))
            each = 1000 * seconds / documents
            rows.append(
                f"{number:7}{documents:11}{seconds:9.2f}{each:15.1f}{parse_alone(folder):13.2f}{passages:10}"
            )
            sys.stderr.write(rows[-1] + "\n")
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
