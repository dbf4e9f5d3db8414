"""What was committed stays: a run stopped at any commit ends in the same snapshot, no query repeated."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from porterlib.acquisition import CorpusSearch
from porterlib.clock import FixedClock
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.search import SearchResult
from porterlib.egress import PublicQuery
from porterlib.ledger import Ledger

from .golden import FIXTURES, RUN, START, Gather, read_manifest, write_manifest

KEPT = {
    "docs/union-digital-resilience-act-chapter-v.md",
    "docs/upa-thematic-review-genai-kyc-pilots.html",
    "docs/lumora-annual-filing-2025.html",
    "docs/whitmore-why-kyc-utilities-close.html",
    "docs/treasury-forum-corporate-survey-2026.md",
    "docs/union-stats-account-switching-2025.md",
    "docs/federal-charter-office-annual-report-2025.html",
    "docs/union-customer-due-diligence-regulation.md",
}


class Stopped(BaseException):
    """The process ends here."""


class StoppingLedger(Ledger):
    """A real ledger that stops before or after its n-th outermost transaction."""

    stop_at = -1
    stop_after = True
    seen = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        outermost = self._depth == 0
        if outermost:
            self.seen += 1
            if self.seen == self.stop_at and not self.stop_after:
                raise Stopped
        with super().transaction():
            yield
        if outermost and self.seen == self.stop_at and self.stop_after:
            raise Stopped


class CountingSearch(CorpusSearch):
    """Counts what is asked."""

    asked: list[str]

    def search(self, query: PublicQuery, limit: int = 50) -> SearchResult:
        self.asked.append(query.text)
        return super().search(query, limit)


def counting(folder: Path) -> CountingSearch:
    search = CountingSearch(folder, clock=FixedClock(START))
    search.asked = []
    return search


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    shutil.copytree(FIXTURES / "corpora" / "bank_kyc", folder)
    write_manifest(folder, [row for row in read_manifest(folder) if row["file"] in KEPT])
    return folder


def commits_of(gather: Gather, folder: Path, place: Path) -> tuple[Any, int, list[str]]:
    search = counting(folder)
    with StoppingLedger.open(place, "write", clock=FixedClock(START)) as ledger:
        outcome = gather(folder, ledger=ledger, search=search)
        return outcome, ledger.seen, search.asked  # type: ignore[attr-defined]


@pytest.mark.parametrize("after", [True, False])
def test_a_stop_at_every_commit_changes_neither_result_nor_queries(
    gather: Gather, small: Path, tmp_path: Path, after: bool
) -> None:
    whole, commits, asked = commits_of(gather, small, tmp_path / "whole")
    assert isinstance(whole, EvidenceSnapshot)
    assert commits > len(asked) == 25
    # The run's first commit, the queries' (25), the pages' and the last one, which holds the evidence.
    for at in sorted({1, 2, 3, 15, 26, commits - 1, commits}):
        place = tmp_path / f"w{at}"
        search = counting(small)
        ledger = StoppingLedger.open(place, "write", clock=FixedClock(START))
        ledger.stop_at, ledger.stop_after = at, after  # type: ignore[attr-defined]
        with pytest.raises(Stopped), ledger:
            gather(small, ledger=ledger, search=search)
        with Ledger.open(place, "write", clock=FixedClock(START)) as again:
            if any(run.status == "failed" for run in again.runs()):
                again.reopen(RUN)
            resumed = gather(small, ledger=again, search=search)
        assert resumed == whole
        repeated = 0 if after else 1  # stopped before the commit, the answer was never used
        assert len(search.asked) - len(set(search.asked)) <= repeated
        assert list(dict.fromkeys(search.asked)) == asked


def test_a_finished_run_is_read_back_without_any_query(gather: Gather, small: Path, tmp_path: Path) -> None:
    whole, _, _ = commits_of(gather, small, tmp_path / "w")
    search = counting(small)
    with Ledger.open(tmp_path / "w", "write", clock=FixedClock(START)) as ledger:
        assert gather(small, ledger=ledger, search=search) == whole
    assert search.asked == []
