"""How long results take to show: run it by hand, `python tests/benchmarks/display_size.py`.

5,000 passages and 200 runs must display within 2 s, with a note of what was left out. Printed are wall seconds and the
size of the page; charts are measured cold (first picture of a process) and warm. Everything here is synthetic.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot
from porterlib.contracts.ledger import RunRow
from porterlib.display import run_library, show
from porterlib.economics import calculate
from porterlib.economics.loading import example_inputs, parse_inputs

NOW = datetime(2026, 7, 1, tzinfo=UTC)


def items(count: int) -> tuple[EvidenceItem, ...]:
    """Return synthetic passages of 1,200 characters."""
    text = ("Synthetic passage about exit plans and renewals at fourteen banks. " * 18)[:1200]
    return tuple(
        EvidenceItem(
            id=f"E-{n:012x}", url=f"corpus:{n}", publisher=f"Publisher {n % 40}", publisher_key=f"p{n % 40}",
            origin="corpus", source_class="vendor", class_basis="policy", retrieved_at=NOW,
            content_sha256="0" * 64, text_sha256="0" * 64, passage=text, start=0, end=len(text),
            forces=("suppliers",), authority=0.45, quality=0.55, freshness=0.5, applicability=0.6,
        )
        for n in range(count)
    )  # fmt: skip


def measured(label: str, work: Callable[[], int]) -> float:
    """Print seconds and characters; return the seconds."""
    started = time.perf_counter()
    size = work()
    seconds = time.perf_counter() - started
    print(f"{label:<44} {seconds:7.3f} s  {size:>9,} characters")
    return seconds


def main() -> int:
    """Measure and compare with the limit."""
    snapshot = EvidenceSnapshot(
        run_id="run-1", snapshot_id="0" * 64, evidence=items(5000), queries_executed=25, documents_captured=40
    )
    runs = [
        RunRow(run_id=f"run-{n}", ordinal=n + 1, status="blocked", request_sha256="0" * 64, created_at=NOW,
               changed_at=NOW, records=9, head="0" * 64)
        for n in range(200)
    ]  # fmt: skip
    economics = calculate(parse_inputs(example_inputs("bank")))
    together = measured("5,000 passages, cold", lambda: len(snapshot._repr_mimebundle_()[0]["text/html"]))
    measured("5,000 passages, warm", lambda: len(snapshot._repr_mimebundle_()[0]["text/html"]))
    together += measured("200 runs", lambda: len(run_library(runs)._repr_mimebundle_()[0]["text/html"]))
    measured("economics", lambda: len(economics._repr_html_()))
    measured("tornado with picture, cold", lambda: len(show(economics, "tornado").to_png()))
    measured("ranges with picture, warm", lambda: len(show(economics, "ranges").to_png()))
    return 0 if together <= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
