"""Entities of several roles and measures of the carrying drivers stand in the brief, from the pack's own data."""

from __future__ import annotations

import pytest

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.rendering.brief import BriefInput, render_brief
from porterlib.sectors import EntityIndex

from .harness import Case

BOTH = pytest.mark.parametrize("name", ["real", "golden"])


@BOTH
def test_entities_are_those_that_statements_behind_the_scores_name(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate: Candidate = request.getfixturevalue(f"{name}_candidate")
    snapshot: EvidenceSnapshot = request.getfixturevalue(name)
    publishers = {item.id: item.publisher for item in snapshot.evidence}
    speaks = {
        link.claim_id: publishers[link.evidence_id]
        for link in candidate.links
        if link.rule == "link.own_quote"
    }
    claims = {claim.id: claim for claim in candidate.claims}
    index, known = EntityIndex(case.pack), {entity.entity: entity for entity in case.pack.entities}
    found = candidate.brief.entities
    assert found
    for entry in found:
        assert entry.roles == known[entry.entity].roles
        assert len(entry.roles) >= 2
        assert len(entry.claim_ids) >= 2
        for claim_id in entry.claim_ids:
            spoken = f"{claims[claim_id].text} ({speaks[claim_id]})"
            assert known[entry.entity] in index.named(spoken), spoken
            assert claims[claim_id].force in entry.forces
    counts = [len(entry.claim_ids) for entry in found]
    assert counts == sorted(counts, reverse=True)


def test_card_networks_and_cloud_providers_hold_several_roles_in_the_real_corpus(
    real_candidate: Candidate,
) -> None:
    found = {entry.entity: entry for entry in real_candidate.brief.entities}
    assert set(found["hyperscale cloud provider"].forces) == {"suppliers"}
    assert {"substitute", "rival"} <= set(found["card network"].roles)
    assert len(found["card network"].forces) >= 3


@BOTH
def test_measures_are_defined_and_belong_to_rated_drivers(
    name: str, request: pytest.FixtureRequest, case: Case
) -> None:
    candidate: Candidate = request.getfixturevalue(f"{name}_candidate")
    known = {metric.name: metric for metric in case.pack.metrics}
    rated = {d.name for force in candidate.forces for d in force.drivers if d.rating is not None}
    owners = {d.name: d.metrics for part in case.pack.forces for d in part.drivers}
    assert len(candidate.brief.measures) >= 8
    for measure in candidate.brief.measures:
        metric = known[measure.name]
        assert (measure.unit, measure.definition) == (metric.unit, metric.definition)
        assert set(measure.shows) <= rated
        assert all(metric.id in owners[driver] for driver in measure.shows)


def test_the_brief_prints_both_and_what_each_option_would_do(
    golden_candidate: Candidate, golden: EvidenceSnapshot
) -> None:
    text = render_brief(BriefInput(golden_candidate, golden, None, None, "DRAFT", "0" * 64))
    for entry in golden_candidate.brief.entities:
        assert f"| {entry.entity} | {', '.join(entry.roles)} |" in text
    for measure in golden_candidate.brief.measures:
        assert f"| {measure.name} |" in text
    for option in golden_candidate.contract.options:
        assert f"**{option.name}**: {option.description.rstrip('.')}" in text


def test_without_statements_there_is_nothing_to_list(case: Case, golden: EvidenceSnapshot) -> None:
    candidate = case.analyse(golden.model_copy(update={"evidence": ()}))
    assert candidate.brief.entities == candidate.brief.measures == ()
    text = render_brief(BriefInput(candidate, golden, None, None, "DRAFT", "0" * 64))
    assert "Entities that hold several roles" not in text
    assert "Measures of the drivers" not in text
