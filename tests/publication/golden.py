"""Builds finished runs of the golden case through the verbs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from porterlib.clock import FixedClock, SequentialIds
from porterlib.contracts.publication import REVIEW_ROLES, Outcome, Review
from porterlib.verbs.approving import approve
from porterlib.verbs.framing import frame
from porterlib.verbs.gathering import acquire, calculate
from porterlib.verbs.supervising import supervise
from porterlib.workspace import Workspace, open_workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PEOPLE = dict(zip(REVIEW_ROLES, ("Ada Strand", "Bo Finch", "Cy Techer", "Di Rask"), strict=True))


class Finished(NamedTuple):
    """A workspace with one finished run."""

    place: Workspace
    outcome: Outcome

    @property
    def run_id(self) -> str:
        return self.outcome.run_id

    def approve(self, role: str, **changes: object) -> Review:
        given: dict[str, object] = {"reviewer": PEOPLE.get(role, "Someone Else"), "workspace": self.place}
        return approve(self.outcome, role=role, **{**given, **changes})  # type: ignore[arg-type]

    def approve_all(self) -> Review:
        return [self.approve(role) for role in REVIEW_ROLES][-1]


def build(folder: Path, request: str, corpus: str = "bank_kyc") -> Finished:
    """Run a golden request from question to draft."""
    clock = FixedClock(datetime(2026, 7, 1, 9, tzinfo=UTC), timedelta(seconds=1))
    place = open_workspace(folder, corpus=FIXTURES / "corpora" / corpus, clock=clock, ids=SequentialIds())
    contract = frame(FIXTURES / "requests" / f"{request}.yaml", workspace=place)
    snapshot = acquire(contract, workspace=place)
    economics = calculate(contract, FIXTURES / "economics" / "kyc_mixed.yaml", workspace=place)
    outcome = supervise(contract, snapshot, economics, workspace=place)
    assert outcome.status == "achieved_draft", outcome.report
    return Finished(place, outcome)


def reopened(folder: Path, outcome: Outcome, hour: int = 12) -> Finished:
    """Open a copied workspace with a clock of its own."""
    clock = FixedClock(datetime(2026, 7, 2, hour, tzinfo=UTC), timedelta(seconds=1))
    return Finished(open_workspace(folder, clock=clock), outcome)
