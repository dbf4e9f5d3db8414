"""Fingerprints that were recorded on another machine and day come out again: text, evidence and figures alike.

They change with every word a brief says, and with every rule that decides one. Whoever changes either records
them anew here, with the version of what changed (`EVALUATOR_VERSION`, `POLICY_VERSION`, `ANALYST_VERSION`, the
pack's): approvals of the earlier text become stale by that.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from porterlib.contracts.publication import Outcome
from tests.robustness.golden import place_at, run_golden


class Recorded(NamedTuple):
    """What one run gave."""

    snapshot_id: str
    fingerprint: str


GOLDEN = Recorded(
    "dce70701316ed408be1417bb5a95ee7f462c062d88300403df69740c6353174d",
    "d7f3936b97fb9d69817ad56ce1f573e8e7dd42cc13ddb09ea55c36ff58e509a2",
)
REAL = Recorded(
    "f2b7df78e11a4107b9f1bf81bf0aa25ac91b83317eb5fd39f1175e78c7d7a61a",
    "d82678d9254f87380d824f58d30ceae675220f5d972a1c88a0a45ef33187070f",
)
"""Recorded on 1 December 2026: x86-64, Python 3.11.7, SQLite 3.40.1."""


def of(outcome: Outcome) -> Recorded:
    return Recorded(outcome.snapshot.snapshot_id, outcome.fingerprint or "")


def test_the_golden_case_gives_the_fingerprint_that_was_recorded(undisturbed: Outcome) -> None:
    assert of(undisturbed) == GOLDEN


def test_the_real_corpus_gives_the_fingerprint_that_was_recorded(shared_dir: Path, tmp_path: Path) -> None:
    assert of(run_golden(place_at(tmp_path / "w"), corpus=shared_dir / "corpus" / "bank")) == REAL
