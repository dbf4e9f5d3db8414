"""How long many results take to show, against pandas writing the same rows as HTML.

5,000 passages and 200 runs must display within 2 s, and a display says what it left out. Everything is synthetic.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pandas as pd
import pytest

from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot
from porterlib.contracts.ledger import RunRow
from porterlib.display import run_library, show
from porterlib.economics import calculate
from porterlib.economics.loading import example_inputs, parse_inputs

NOW = datetime(2026, 7, 1, tzinfo=UTC)
LIMIT_S = 2.0


@pytest.fixture(scope="module")
def snapshot() -> EvidenceSnapshot:
    """Return 5,000 passages of 1,200 characters."""
    text = ("Synthetic passage about exit plans and renewals at fourteen banks. " * 18)[:1200]
    items = tuple(
        EvidenceItem(
            id=f"E-{n:012x}", url=f"corpus:{n}", publisher=f"Publisher {n % 40}", publisher_key=f"p{n % 40}",
            origin="corpus", source_class="vendor", class_basis="policy", retrieved_at=NOW,
            content_sha256="0" * 64, text_sha256="0" * 64, passage=text, start=0, end=len(text),
            forces=("suppliers",), authority=0.45, quality=0.55, freshness=0.5, applicability=0.6,
        )
        for n in range(5000)
    )  # fmt: skip
    return EvidenceSnapshot(
        run_id="run-1", snapshot_id="0" * 64, evidence=items, queries_executed=25, documents_captured=40
    )


@pytest.fixture(scope="module")
def runs() -> list[RunRow]:
    return [
        RunRow(run_id=f"run-{n}", ordinal=n + 1, status="blocked", request_sha256="0" * 64, created_at=NOW,
               changed_at=NOW, records=9, head="0" * 64)
        for n in range(200)
    ]  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def test_many_results_show_within_two_seconds_and_faster_than_pandas_writes_them(
    snapshot: EvidenceSnapshot, runs: list[RunRow]
) -> None:
    cold = seconds(snapshot._repr_mimebundle_)
    library = seconds(lambda: run_library(runs)._repr_mimebundle_())
    warm = min(seconds(snapshot._repr_mimebundle_) for _ in range(3))
    table = snapshot.to_pandas()
    pandas = min(seconds(table.to_html) for _ in range(2))
    assert isinstance(table, pd.DataFrame)
    assert len(table) == 5000
    print(
        f"5,000 passages cold {cold:.3f} s, warm {warm:.3f} s; 200 runs {library:.3f} s; "
        f"pandas HTML of the rows {pandas:.3f} s, ratio {warm / pandas:.3f}"
    )
    assert cold + library < LIMIT_S
    assert warm / pandas < 0.5


def test_charts_with_their_pictures_take_no_longer_than_altair_needs_to_save_them() -> None:
    economics = calculate(parse_inputs(example_inputs("bank")))
    moved = [e.name for e in economics.scenarios if e.npv and any(d.swing > 0 for d in e.drivers)]
    views = [show(economics, "tornado", scenario=name) for name in moved[:6]]
    # A picture that was drawn once is kept, so each is drawn by one of the two first, the warm-up by both.
    charts = [view.chart() for view in views]
    views[0].bundle()
    charts[0].save(io.BytesIO(), format="png")
    own = seconds(lambda: [view.bundle() for view in views[1:]])
    theirs = seconds(lambda: [chart.save(io.BytesIO(), format="png") for chart in charts[1:]])
    count = len(views) - 1
    print(
        f"{count} tornados with pictures {own:.3f} s, Altair's {theirs:.3f} s, ratio {own / theirs:.2f}, "
        f"again {seconds(views[1].bundle):.4f} s each"
    )
    assert count >= 4
    assert own / theirs < 1.5
