"""The KYC decision over the real corpus and over the golden one, filed once a session."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from porterlib.acquisition import folding, frame_request
from porterlib.acquisition.filing import FiledPage
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.loading import load_request
from porterlib.economics import calculate, load_inputs
from porterlib.sectors import load_pack

from .harness import Case

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="session")
def case() -> Case:
    pack = load_pack("bank")
    request = load_request(FIXTURES / "requests" / "bank_kyc.yaml")
    return Case(frame_request(request, pack, run_id="run-1", request_sha256="0" * 64), pack)


@pytest.fixture(scope="session")
def mixed() -> Economics:
    return calculate(load_inputs(FIXTURES / "economics" / "kyc_mixed.yaml"))


@pytest.fixture(scope="session")
def real_pages(case: Case, shared_dir: Path) -> list[FiledPage]:
    return case.file(shared_dir / "corpus" / "bank")


@pytest.fixture(scope="session")
def real(case: Case, real_pages: list[FiledPage]) -> EvidenceSnapshot:
    return case.snapshot(real_pages)


@pytest.fixture(scope="session")
def real_candidate(case: Case, real: EvidenceSnapshot, mixed: Economics) -> Candidate:
    return case.analyse(real, mixed)


@pytest.fixture(scope="session")
def golden_pages(case: Case) -> list[FiledPage]:
    return case.file(FIXTURES / "corpora" / "bank_kyc")


@pytest.fixture(scope="session")
def golden(case: Case, golden_pages: list[FiledPage]) -> EvidenceSnapshot:
    return case.snapshot(golden_pages)


@pytest.fixture(scope="session")
def golden_candidate(case: Case, golden: EvidenceSnapshot, mixed: Economics) -> Candidate:
    return case.analyse(golden, mixed)


@pytest.fixture(autouse=True, scope="session")
def _texts_are_cut_into_runs_once() -> Iterator[None]:
    """Remember what folding takes from a text alone: the real corpus is folded a hundred times here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "_runs", lru_cache(maxsize=512)(folding._runs))
        yield
