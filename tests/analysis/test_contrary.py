"""The one contrary page among decoys is the one that challenge and dissent cite."""

from __future__ import annotations

from pathlib import Path

import pytest

from porterlib.acquisition.filing import FiledPage
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot

from .harness import Case, page_of
from .pages import CONTRARY, DECOYS, page


def cited(candidate: Candidate, snapshot: EvidenceSnapshot, ids: tuple[str, ...]) -> set[str]:
    claims = {claim.id for claim in candidate.claims if claim.kind == "external_fact"}
    return {page_of(candidate, snapshot, name) for name in ids if name in claims}


@pytest.mark.parametrize("name", CONTRARY)
@pytest.mark.parametrize("finance", ["mixed", "none"])
def test_the_one_contrary_page_wins(
    case: Case, real_pages: list[FiledPage], mixed: Economics, tmp_path: Path, name: str, finance: str
) -> None:
    added = case.file(page(tmp_path, {**DECOYS, name: CONTRARY[name]}))
    snapshot = case.snapshot([*real_pages, *added])
    candidate = case.analyse(snapshot, mixed if finance == "mixed" else None)
    address = f"https://{name}.synthetic-pages.example/{name}"
    assert cited(candidate, snapshot, candidate.challenge.contrary_basis) == {address}
    assert address in cited(candidate, snapshot, candidate.brief.dissent[0].basis)
    sceptic = next(view for view in candidate.challenge.views if view.view == "sceptical_director")
    assert address in cited(candidate, snapshot, sceptic.counterargument.basis)
    page_one = " ".join(point.text for point in candidate.brief.what_could_go_wrong)
    assert "Synthetic" in page_one


def test_decoys_alone_change_no_dissent(
    case: Case, real_pages: list[FiledPage], real_candidate: Candidate, mixed: Economics, tmp_path: Path
) -> None:
    snapshot = case.snapshot([*real_pages, *case.file(page(tmp_path, DECOYS))])
    candidate = case.analyse(snapshot, mixed)
    assert candidate.brief.dissent[0].text == real_candidate.brief.dissent[0].text


def test_the_golden_review_is_the_dissent(golden_candidate: Candidate, golden: EvidenceSnapshot) -> None:
    wanted = {"https://www.union-prudential.example/reviews/2026/generative-ai-kyc-pilots"}
    assert cited(golden_candidate, golden, golden_candidate.challenge.contrary_basis) == wanted


@pytest.mark.parametrize("fixture", ["real_candidate", "golden_candidate"])
def test_dissent_never_praises_the_recommended_course(
    fixture: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate: Candidate = request.getfixturevalue(fixture)
    snapshot: EvidenceSnapshot = request.getfixturevalue(fixture.removesuffix("_candidate"))
    clauses = case.book(snapshot).clauses
    for name in candidate.challenge.contrary_basis:
        if name in clauses:
            assert not clauses[name].favourable
