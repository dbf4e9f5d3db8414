"""Names and helpers that the tests of acquisition share."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.request import DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.egress import EgressBudget, EgressGuard, PublicQuery, Sealed, make_policy, policy_for

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
START = datetime(2026, 7, 1, 9, tzinfo=UTC)
RUN = "run-1"
Outcome = EvidenceSnapshot | InsufficientEvidence
Gather = Callable[..., Outcome]


def guard_of(request: DecisionRequest, pack: SectorPack) -> EgressBudget:
    return EgressBudget(EgressGuard(policy_for(request, key=b"k" * 32, vocabulary=pack.vocabulary)))


def read_manifest(folder: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / "manifest.json").read_text())
    return entries


def write_manifest(folder: Path, entries: list[dict[str, Any]]) -> None:
    (folder / "manifest.json").write_text(json.dumps(entries))


def public_query(text: str) -> PublicQuery:
    """Return `text` as a query that passed a guard without anything to hide."""
    policy = make_policy(key=b"k" * 32, question=Sealed("unrelated"))
    return EgressGuard(policy).mint(text)
