"""The golden decision, its plan, and one way to gather evidence from a folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from porterlib.acquisition import (
    AcquisitionLimits,
    CorpusSearch,
    acquire_evidence,
    frame_request,
    plan_research,
)
from porterlib.clock import FixedClock
from porterlib.contracts.loading import load_request
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.ledger import Ledger
from porterlib.sectors import load_pack

from .golden import FIXTURES, RUN, START, Gather, Outcome, guard_of


@pytest.fixture(scope="session")
def pack() -> SectorPack:
    return load_pack("bank")


@pytest.fixture(scope="session")
def request_kyc() -> DecisionRequest:
    return load_request(FIXTURES / "requests" / "bank_kyc.yaml")


@pytest.fixture(scope="session")
def contract(request_kyc: DecisionRequest, pack: SectorPack) -> DecisionContract:
    return frame_request(request_kyc, pack, run_id=RUN, request_sha256="0" * 64)


@pytest.fixture(scope="session")
def plan(contract: DecisionContract, pack: SectorPack) -> ResearchPlan:
    return plan_research(contract, pack)


@pytest.fixture(scope="session")
def gather(
    contract: DecisionContract,
    plan: ResearchPlan,
    pack: SectorPack,
    request_kyc: DecisionRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Gather:
    """Return a function that gathers from a folder into a fresh ledger (or a given one)."""

    def run(
        folder: Path,
        *,
        ledger: Ledger | None = None,
        search: Any = None,
        limits: AcquisitionLimits | None = None,
        contract: DecisionContract = contract,
        plan: ResearchPlan = plan,
    ) -> Outcome:
        clock = FixedClock(START)
        provider = search or CorpusSearch(folder, clock=clock)
        opened = ledger or Ledger.open(tmp_path_factory.mktemp("workspace"), "write", clock=clock)
        try:
            opened.create_run(RUN, {"request_sha256": "0" * 64})
            return acquire_evidence(
                contract,
                plan,
                pack=pack,
                search=provider,
                source=provider,
                ledger=opened,
                guard=guard_of(request_kyc, pack),
                clock=clock,
                limits=limits,
            )
        finally:
            if ledger is None:
                opened.close()

    return run


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a copy of the golden corpus that a test may change."""
    folder = tmp_path / "corpus"
    shutil.copytree(FIXTURES / "corpora" / "bank_kyc", folder)
    return folder
