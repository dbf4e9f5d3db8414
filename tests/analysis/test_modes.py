"""The mode changes what the same evidence is read for (rule 2.1); cells repeat what was decided, digit for digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from porterlib.acquisition import frame_request
from porterlib.contracts.analysis import Candidate
from porterlib.contracts.base import FORCES
from porterlib.contracts.brief import ModeView
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.loading import load_request
from porterlib.contracts.request import AnalysisMode
from porterlib.rendering.brief import BriefInput, render_brief

from .harness import Case

REQUESTS = Path(__file__).resolve().parents[2] / "fixtures" / "requests"
MODES: dict[AnalysisMode, tuple[str, str]] = {
    "industry_attractiveness": ("bank_kyc_industry.yaml", "## Structure and direction of the profit pool"),
    "strategic_initiative": ("bank_kyc.yaml", "## Exposure under no action, delay and action"),
    "competitive_response": ("bank_kyc_response.yaml", "## The observed move and the responses to it"),
}


def analysed(mode: AnalysisMode, case: Case, snapshot: EvidenceSnapshot, economics: Economics) -> Candidate:
    request = load_request(REQUESTS / MODES[mode][0])
    contract = frame_request(request, case.pack, run_id="run-1", request_sha256="0" * 64)
    assert contract.analysis_mode == mode
    return Case(contract, case.pack).analyse(snapshot, economics)


@pytest.fixture(scope="module")
def read(case: Case, golden: EvidenceSnapshot, mixed: Economics) -> dict[AnalysisMode, Candidate]:
    return {mode: analysed(mode, case, golden, mixed) for mode in MODES}


def view(candidate: Candidate) -> ModeView:
    assert candidate.brief.mode_view is not None
    return candidate.brief.mode_view


@pytest.mark.parametrize("mode", MODES)
def test_the_brief_holds_the_reading_of_its_mode_alone(
    read: dict[AnalysisMode, Candidate], golden: EvidenceSnapshot, mode: AnalysisMode
) -> None:
    text = render_brief(BriefInput(read[mode], golden, None, None, "DRAFT", "0" * 64))
    assert [title for _, title in MODES.values() if title in text] == [MODES[mode][1]]


@pytest.mark.parametrize("mode", MODES)
def test_every_row_and_point_rests_on_something_the_candidate_holds(
    read: dict[AnalysisMode, Candidate], mode: AnalysisMode, mixed: Economics
) -> None:
    candidate = read[mode]
    known = {entry.id for entry in (*candidate.claims, *candidate.assumptions, *mixed.calculations)}
    entries = (*view(candidate).rows, *view(candidate).points)
    assert all(set(entry.basis) <= known for entry in entries)
    assert len(view(candidate).points) >= 2


def test_a_profit_pool_has_structure_and_direction_and_no_total(read: dict[AnalysisMode, Candidate]) -> None:
    candidate = read["industry_attractiveness"]
    forces = {force.force.replace("_", " ").capitalize(): force for force in candidate.forces}
    rows = view(candidate).rows
    assert {row.cells[0] for row in rows} == set(forces)
    for row in rows:
        force = forces[row.cells[0]]
        assert f"({force.score})" in row.cells[1]
        assert list(row.cells[3:6]) == [effect.effect.replace("_", " ") for effect in force.horizons]
    scores = [forces[row.cells[0]].score for row in rows]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]  # firmest hold first
    first, last = rows[0].cells[0].lower(), rows[-1].cells[0].lower()
    assert f"{first} take the firmest hold ({scores[0]} of 5)" in view(candidate).points[0].text
    assert f"{last} the loosest ({scores[-1]})" in view(candidate).points[0].text


def test_an_initiative_shows_exposure_under_no_action_delay_and_action(
    read: dict[AnalysisMode, Candidate], case: Case
) -> None:
    candidate = read["strategic_initiative"]
    shown = view(candidate)
    assert shown.head[2:4] == ("No action, to month 36", "Delay of 12 months")
    action = next(o for o in candidate.options if o.option_id == candidate.recommendation.option_id)
    assert shown.head[4] == f"Action: {action.name}"
    drivers = {d.id: d for part in case.pack.forces for d in part.drivers}
    for row, force in zip(shown.rows, candidate.forces, strict=True):
        near, medium, _ = (effect.effect for effect in force.horizons)
        latest = medium if medium != "not_assessed" else near
        assert row.cells[2].endswith(f"({force.score}), {latest}")
        open_still = "direction not assessed"
        assert row.cells[3] == (open_still if near == "not_assessed" else f"{near} meanwhile")
        rated = [d for d in force.drivers if d.rating is not None]
        top = max(rated, key=lambda d: (d.weight * float(d.rating or 0), d.driver_id))
        if drivers[top.driver_id].argues == "caution":
            control = action.lens("control_acceptability").rating
            assert row.cells[4] == f"grows with use; control rates {control} of 5"
        else:
            assert f"({action.lens('external_necessity').rating} of 5)" in row.cells[4]
    assert {row.cells[4].partition(" ")[0] for row in shown.rows} == {"grows", "answered"}


def test_a_longer_wait_looks_further_ahead(case: Case, golden: EvidenceSnapshot, mixed: Economics) -> None:
    options = tuple(
        option.model_copy(update={"wait_months": 24}) if option.kind == "wait" else option
        for option in case.contract.options
    )
    contract = case.contract.model_copy(update={"options": options})
    candidate = Case(contract, case.pack).analyse(golden, mixed)
    shown = view(candidate)
    assert shown.head[3] == "Delay of 24 months"
    for row, force in zip(shown.rows, candidate.forces, strict=True):
        medium = force.horizons[1].effect
        if medium != "not_assessed":
            assert row.cells[3] == f"{medium} meanwhile"


def test_a_response_weighs_options_against_the_move_on_record(
    read: dict[AnalysisMode, Candidate], mixed: Economics
) -> None:
    candidate = read["competitive_response"]
    shown = view(candidate)
    assert [row.cells[0] for row in shown.rows] == [option.name for option in candidate.options]
    for row, option in zip(shown.rows, candidate.options, strict=True):
        assert f"({option.lens('external_necessity').rating} of 5)" in row.cells[1]
        assert row.cells[2] == str(option.months_to_learning)
        assert row.cells[3] == f"{option.lens('reversibility').rating} of 5"
    claims = {claim.id: claim for claim in candidate.claims}
    move, brake = shown.points[:2]
    assert (claims[move.basis[0]].force, claims[move.basis[0]].direction) == ("rivalry", "raises")
    assert (claims[brake.basis[0]].force, claims[brake.basis[0]].direction) == ("rivalry", "lowers")
    targeted = next(row for row in shown.rows if row.cells[0].startswith("Stage-gated"))
    assert targeted.cells[4] == mixed.figure("npv.base", "targeted").display.partition(" (")[0]


@pytest.mark.parametrize("mode", MODES)
def test_forces_without_evidence_are_not_assessed_in_any_mode(
    case: Case, golden: EvidenceSnapshot, mixed: Economics, mode: AnalysisMode
) -> None:
    lost = {"buyers", "rivalry"}
    kept = tuple(item for item in golden.evidence if not lost & set(item.forces))
    candidate = analysed(mode, case, golden.model_copy(update={"evidence": kept}), mixed)
    bare = {force.force for force in candidate.forces if force.score is None}
    assert bare >= lost
    rows = {row.cells[0].lower().replace(" ", "_"): row for row in view(candidate).rows}
    for force in bare & set(rows):
        assert set(rows[force].cells[1:]) == {"not assessed"} or mode == "industry_attractiveness"
        assert "not assessed" in rows[force].cells
    assert mode == "competitive_response" or set(rows) == set(FORCES)
