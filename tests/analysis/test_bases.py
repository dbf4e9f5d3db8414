"""What the brief says rests on what it is about: each gap on its owner, each option on its own basis."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from porterlib.acquisition import frame_request
from porterlib.analyst.policy import brief_confidence
from porterlib.contracts.analysis import AnalysisInput, Candidate
from porterlib.contracts.base import FORCES
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.request import Assumption, DecisionRequest
from porterlib.contracts.supervision import GoalReport
from porterlib.economics import calculate, load_inputs
from porterlib.evaluation import evaluate
from porterlib.rendering.brief import BriefInput, render_brief

from .harness import Case

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def bare(case: Case, golden: EvidenceSnapshot) -> Candidate:
    """Return the decision without any finance input."""
    return case.analyse(golden)


@pytest.fixture(scope="module")
def partly(case: Case, golden: EvidenceSnapshot) -> Candidate:
    """Return the decision with some finance inputs missing."""
    return case.analyse(golden, calculate(load_inputs(FIXTURES / "economics" / "kyc_missing.yaml")))


def assumed(candidate: Candidate, ids: tuple[str, ...]) -> list[Assumption]:
    held = {entry.id: entry for entry in candidate.assumptions}
    return [held[name] for name in ids if name in held]


def test_a_recommendation_for_want_of_inputs_cites_that_gap_and_finance_owns_it(bare: Candidate) -> None:
    assert bare.recommendation.kind == "missing_evidence"
    basis = bare.recommendation.sentence.basis
    (gap,) = assumed(bare, basis)
    assert len(basis) == 1
    assert (gap.owner, gap.material) == ("finance", True)


def test_a_recommendation_for_missing_inputs_names_them(partly: Candidate) -> None:
    economics = calculate(load_inputs(FIXTURES / "economics" / "kyc_missing.yaml"))
    assert partly.recommendation.rule == "gate.inputs"
    (gap,) = assumed(partly, partly.recommendation.sentence.basis)
    names = [entry.field.rpartition(".")[2].replace("_", " ") for entry in economics.missing_inputs]
    assert len(names) >= 3
    assert all(name in gap.text for name in names)
    said = " ".join(point.text for point in partly.brief.value)
    assert all(f"{name} (from the " in said for name in names[:4])
    assert "lines." not in said + gap.text


def test_a_recommendation_for_want_of_evidence_names_the_forces(
    case: Case, golden: EvidenceSnapshot, mixed: Economics
) -> None:
    """Two forces lose their evidence; the gap names these two and no other."""
    lost = {"buyers", "rivalry"}
    kept = [item for item in golden.evidence if not lost & set(item.forces)]
    candidate = case.analyse(golden.model_copy(update={"evidence": tuple(kept)}), mixed)
    (gap,) = assumed(candidate, candidate.recommendation.sentence.basis)
    named = {force for force in FORCES if force.replace("_", " ") in gap.text}
    assert named == {force.force for force in candidate.forces if force.score is None} >= lost


def test_everything_that_finance_owes_is_owned_by_finance(bare: Candidate) -> None:
    owed = [entry for entry in bare.assumptions if re.search(r"\bfinance\b", entry.text, re.IGNORECASE)]
    stated = [entry for entry in owed if entry.text.startswith(("Success measures", "As the request"))]
    assert len(owed) - len(stated) >= 8
    assert {entry.owner for entry in owed if entry not in stated} == {"finance"}


def test_each_option_rests_on_its_own_basis_and_names_the_course(bare: Candidate) -> None:
    for lens in ("capability_fit", "economics", "reversibility"):
        for option in bare.options:
            (basis,) = assumed(bare, option.lens(lens).basis)
            assert f"“{option.name}”" in basis.text, lens
    for option in bare.options:
        control = option.lens("control_acceptability")
        for basis in assumed(bare, control.basis):
            assert f"“{option.name}”" in basis.text


def test_a_course_without_duties_is_not_said_to_lack_sources(case: Case, bare: Candidate) -> None:
    free = [o for o in bare.options if not any(o.kind in c.applies_to for c in case.pack.controls)]
    assert [option.kind for option in free] == ["maintain", "wait"]
    for option in free:
        rating = option.lens("control_acceptability")
        assert rating.note == "the pack names no control duty for it"
        assert assumed(bare, rating.basis)[0].text == f"The pack names no control duty for “{option.name}”."


def test_options_that_share_a_reason_show_the_basis_of_each(
    bare: Candidate, golden: EvidenceSnapshot
) -> None:
    text = render_brief(BriefInput(bare, golden, None, None, "DRAFT", "0" * 64))
    appendix = dict(re.findall(r"^- \*\*(A\d+)\*\* (.*)$", text, re.MULTILINE))
    shared = re.findall(r"^- \*\*All options\*\*, ([a-z ]+): .*?((?: \[[A-Z]\d+\])+)\.$", text, re.MULTILINE)
    assert {lens for lens, _ in shared} >= {"capability fit", "economics", "reversibility"}
    for lens, cited in shared:
        if lens in ("capability fit", "economics", "reversibility"):
            lines = [appendix[mark] for mark in re.findall(r"A\d+", cited)]
            assert [option.name for option in bare.options] == [
                re.search(r"“([^”]*)”", line).group(1)  # type: ignore[union-attr]
                for line in lines
            ]


def test_the_brief_s_confidence_can_be_recomputed_from_its_sentence(
    golden_candidate: Candidate, case: Case, golden: EvidenceSnapshot
) -> None:
    text = golden_candidate.brief.confidence_point.text
    total, least, factor = (float(number) for number in re.findall(r"(?<![\d.])0\.\d\d", text))
    weakest = min(golden_candidate.forces, key=lambda force: (force.confidence, force.force))
    assert least == round(weakest.confidence, 2)
    assert factor == round(brief_confidence(1.0, case.book(golden).evidence_volume()), 2)
    assert abs(total - least * factor) < 0.01
    assert total == round(golden_candidate.brief.confidence, 2)


def report(case: Case, candidate: Candidate, snapshot: EvidenceSnapshot, economics: Economics) -> GoalReport:
    inputs = AnalysisInput(contract=case.contract, snapshot=snapshot, economics=economics)
    return evaluate(case.context(candidate, inputs))


def test_a_check_says_each_finding_once_with_the_marks_it_concerns(
    case: Case, golden_candidate: Candidate, golden: EvidenceSnapshot, mixed: Economics
) -> None:
    verdict = report(case, golden_candidate, golden, mixed)
    text = render_brief(BriefInput(golden_candidate, golden, mixed, verdict, "DRAFT", "0" * 64))
    (row,) = re.findall(r"^\| G-evidence \|.*$", text, re.MULTILINE)
    assert row.count("no owner confirmed it") == 1
    marks = re.search(r"((?:A\d+, )*A\d+)(?: and \d+ more)?: the decision rests on it", row)
    assert marks is not None
    assert len(marks.group(1).split(", ")) >= 2
    messages = {f.message for entry in verdict.evaluations for f in entry.findings}
    assert any(message in row for message in messages if message.startswith("only "))


@pytest.mark.parametrize("name", ["real", "golden"])
def test_the_doubt_about_dependence_is_about_what_its_quotation_speaks_of(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate: Candidate = request.getfixturevalue(f"{name}_candidate")
    view = next(view for view in candidate.challenge.views if view.view == "cro_model_risk")
    claims = {claim.id: claim for claim in candidate.claims}
    cited = claims[view.counterargument.basis[0]]
    drivers = {d.id: d for part in case.pack.forces for d in part.drivers}
    suppliers = next(force for force in candidate.forces if force.force == "suppliers")
    rated = [d for d in suppliers.drivers if d.rating is not None]
    heaviest = max(rated, key=lambda d: (d.weight * float(d.rating or 0), d.driver_id))
    assert cited.driver_id == heaviest.driver_id
    assert drivers[heaviest.driver_id].name.casefold() in view.pre_mortem.casefold()


def test_a_cost_of_waiting_for_another_time_than_the_option_s_says_so(
    case: Case, golden: EvidenceSnapshot, mixed: Economics
) -> None:
    """Finance gave 18 months; the option waits 12. Where both agree, nothing is added."""
    assert mixed.cost_of_delay is not None
    assert mixed.cost_of_delay.months == 18
    said = case.analyse(golden, mixed, same_documents=True).brief.if_we_wait[0].text
    assert said.startswith("Waiting 18 months (the option to wait lasts 12) costs EUR 30.0m")
    equal = mixed.model_copy(update={"cost_of_delay": mixed.cost_of_delay.model_copy(update={"months": 12})})
    said = case.analyse(golden, equal, same_documents=True).brief.if_we_wait[0].text
    assert said.startswith("Waiting 12 months costs EUR 30.0m")


def test_the_context_holds_what_binds_the_options_and_what_the_frame_takes_as_given(
    case: Case, golden_candidate: Candidate
) -> None:
    said = [point.text for point in golden_candidate.brief.context]
    constraints = next(text for text in said if text.startswith("Constraints on every option: "))
    assert len(case.contract.constraints) == 3
    assert all(limit.rstrip(".") in constraints for limit in case.contract.constraints)
    cited = {name for point in golden_candidate.brief.context for name in point.basis}
    assert {entry.id for entry in case.contract.assumptions} <= cited


def test_what_the_request_leaves_open_is_said(case: Case, golden: EvidenceSnapshot) -> None:
    body = yaml.safe_load((FIXTURES / "requests" / "bank_kyc.yaml").read_text(encoding="utf-8"))["request"]
    bare = {name: value for name, value in body.items() if name not in ("risk_appetite", "success_measures")}
    request = DecisionRequest.model_validate({**bare, "constraints": []})
    contract = frame_request(request, case.pack, run_id="run-1", request_sha256="0" * 64)
    said = [point.text for point in Case(contract, case.pack).analyse(golden).brief.context]
    assert "Not stated in the request: success measures and risk appetite." in said
    assert "Taken as given: No constraint beyond the regulatory perimeter binds the options." in said
    assert not any(text.startswith("Constraints on every option") for text in said)


def test_the_roadmap_says_when_to_stop_and_when_to_go_faster(
    golden_candidate: Candidate, golden: EvidenceSnapshot, bare: Candidate
) -> None:
    chosen = next(
        o for o in golden_candidate.options if o.option_id == golden_candidate.recommendation.option_id
    )
    text = render_brief(BriefInput(golden_candidate, golden, None, None, "DRAFT", "0" * 64))
    faster = text.split("We go faster if:")[1].split("## Questions")[0]
    assert len(chosen.acceleration_conditions) >= 2
    assert all(f"- {condition}" in faster for condition in chosen.acceleration_conditions)
    assert "We go faster if:" not in render_brief(BriefInput(bare, golden, None, None, "DRAFT", "0" * 64))
