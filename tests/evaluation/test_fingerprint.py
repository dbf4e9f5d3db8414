"""The fingerprint: blind to runs and times, awake to everything else."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from porterlib.evaluation import brief_fingerprint, evidence_snapshot_id

from .factory import economics, swap, valid_context, versions

CONTEXT = valid_context()
LATER = datetime(2027, 5, 5, tzinfo=UTC)


def fingerprint(
    candidate: Any = CONTEXT.candidate,
    ids: Any = CONTEXT.snapshot.snapshot_id,
    value: Any = CONTEXT.economics,
    used: Any = None,
) -> str:
    return brief_fingerprint(candidate, ids, value, used or versions())


def test_another_process_with_another_hash_seed_and_time_zone_agrees() -> None:
    code = "from evaluation.test_fingerprint import fingerprint; print(fingerprint())"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    surroundings = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": paths}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == fingerprint()


def test_a_stored_candidate_has_the_same_fingerprint() -> None:
    stored = CONTEXT.candidate.model_dump_json()
    assert fingerprint(type(CONTEXT.candidate).model_validate_json(stored)) == fingerprint()


def test_run_ids_and_times_do_not_enter() -> None:
    candidate = swap(CONTEXT.candidate, "contract.run_id", "run-of-another-day")
    value = swap(CONTEXT.economics, "signed.signed_at", LATER)
    assert fingerprint(candidate, value=value) == fingerprint()


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("brief.why_now.0.text", "Synthetic point!"),
        ("brief.gates.0.month", 7),
        ("claims.0.legal_review", True),
        ("links.0.quote", "other"),
        ("forces.0.trend", "stable"),
        ("options.0.ratings.0.rating", 4),
        ("challenge.views.0.pre_mortem", "Other."),
        ("analyst.stood_in", 1),
        ("contract.horizon_months", 24),
        ("contract.request_sha256", "c" * 64),
    ],
)
def test_any_change_of_content_changes_it(path: str, new: Any) -> None:
    assert fingerprint(swap(CONTEXT.candidate, path, new)) != fingerprint()


def test_snapshots_economics_and_versions_enter() -> None:
    changed = [
        fingerprint(ids="0" * 64),
        fingerprint(ids=(CONTEXT.snapshot.snapshot_id, "1" * 64)),
        fingerprint(value=None),
        fingerprint(value=economics(best=Decimal(30500001))),
        fingerprint(value=economics(signed=False)),
        *(fingerprint(used=swap(versions(), name, "next")) for name in ("evaluator", "pack", "prompts")),
    ]
    assert len({fingerprint(), *changed}) == len(changed) + 1


def test_the_order_of_snapshot_ids_does_not_matter() -> None:
    assert fingerprint(ids=("a", "b")) == fingerprint(ids=("b", "a"))


def test_the_snapshot_id_ignores_order_and_retrieval_time() -> None:
    evidence = CONTEXT.snapshot.evidence
    later = tuple(item.model_copy(update={"retrieved_at": LATER}) for item in reversed(evidence))
    assert evidence_snapshot_id(later) == evidence_snapshot_id(evidence)
    changed = (evidence[0].model_copy(update={"published": "2024"}), *evidence[1:])
    assert evidence_snapshot_id(changed) != evidence_snapshot_id(evidence)
