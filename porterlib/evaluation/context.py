"""What the gate looks at: one frozen context, and one validated case with its indexes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Calculation, Economics
from porterlib.contracts.evidence import (
    Claim,
    ClaimEvidenceLink,
    EvidenceItem,
    EvidenceSnapshot,
    SupportLevels,
)
from porterlib.contracts.publication import Approval
from porterlib.contracts.request import Assumption, DecisionContract, DecisionRequest
from porterlib.contracts.sector import EvidencePolicy
from porterlib.contracts.supervision import CompletionTarget, Finding
from porterlib.evaluation.citations import Citation, citations, material_ids
from porterlib.evaluation.findings import found, in_order
from porterlib.evaluation.strength import claim_agreements, claim_strengths, support_levels

_NOTHING: Mapping[str, Any] = MappingProxyType({})
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class EvaluationContext:
    """Everything a verdict depends on; the same context always gives the same verdict."""

    candidate: Any
    """The attempt's candidate, or its JSON form; anything else is a finding, never a crash."""
    snapshot: Any
    """The frozen evidence snapshot."""
    request: DecisionRequest | None = None
    """The stored request, which question and boundary are compared with."""
    contract: DecisionContract | None = None
    """The decision as it was framed, which the candidate must not have changed."""
    economics: Any = None
    """Finished calculations, if inputs were given."""
    policy: EvidencePolicy = field(default_factory=EvidencePolicy)
    """Thresholds of the sector pack."""
    argues: Mapping[str, Literal["act", "caution"]] = field(default_factory=lambda: _NOTHING)
    """Driver id to what high pressure from it argues for, from the sector pack; empty if unknown."""
    target: CompletionTarget = CompletionTarget.DRAFT
    """What supervision works towards."""
    approvals: tuple[Approval, ...] = ()
    """All decisions of reviewers, oldest first."""
    fingerprint: str = ""
    """Digest of the exact text that approvals must name."""
    one_person_many_roles: bool = False
    """Whether one person may approve in two roles."""
    ledger_claims: tuple[Claim, ...] | None = None
    """Claims as the ledger holds them, where it keeps its own copy."""
    texts: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Frozen texts by SHA-256, where they are at hand; passages are then compared with them."""


@dataclass(frozen=True)
class Case:
    """A context whose parts are valid contracts, with what the checks look up."""

    context: EvaluationContext
    candidate: Candidate
    snapshot: EvidenceSnapshot
    economics: Economics | None

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Return the canonical claims by id."""
        return {claim.id: claim for claim in self.candidate.claims}

    @cached_property
    def links(self) -> dict[str, ClaimEvidenceLink]:
        """Return the links by id."""
        return {link.id: link for link in self.candidate.links}

    @cached_property
    def links_of(self) -> dict[str, list[ClaimEvidenceLink]]:
        """Return the links of each claim."""
        grouped: dict[str, list[ClaimEvidenceLink]] = defaultdict(list)
        for link in self.candidate.links:
            grouped[link.claim_id].append(link)
        return grouped

    @cached_property
    def evidence(self) -> dict[str, EvidenceItem]:
        """Return the evidence by id."""
        return {item.id: item for item in self.snapshot.evidence}

    @cached_property
    def assumptions(self) -> dict[str, Assumption]:
        """Return the assumptions by id."""
        return {assumption.id: assumption for assumption in self.candidate.assumptions}

    @cached_property
    def calculations(self) -> dict[str, Calculation]:
        """Return the calculator's figures by id."""
        return {entry.id: entry for entry in (self.economics.calculations if self.economics else ())}

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """Return every place that cites ids."""
        return tuple(citations(self.candidate))

    @cached_property
    def material(self) -> frozenset[str]:
        """Return ids the decision rests on, whatever the candidate says about it."""
        return material_ids(self.candidate, self.economics)

    @cached_property
    def levels(self) -> dict[str, SupportLevels]:
        """Return the four levels of each supporting link, computed anew from the texts."""
        return {
            link.id: support_levels(
                self.claims[link.claim_id].text,
                link.quote,
                self.evidence[link.evidence_id],
                link.start,
                link.end,
                self.context.policy,
            )
            for link in self.candidate.links
            if link.stance == "supports"
            and link.claim_id in self.claims
            and link.evidence_id in self.evidence
        }

    @cached_property
    def sound_links(self) -> dict[str, list[ClaimEvidenceLink]]:
        """Return each claim's supporting links that pass all four levels, recorded and computed."""
        sound: dict[str, list[ClaimEvidenceLink]] = defaultdict(list)
        for link in self.candidate.links:
            if link.id in self.levels and self.levels[link.id].all and link.levels.all:
                sound[link.claim_id].append(link)
        return sound

    @cached_property
    def strengths(self) -> dict[str, float]:
        """Return the strength of each claim, computed anew."""
        links = [link for group in self.sound_links.values() for link in group]
        return claim_strengths(self.candidate.claims, links, self.evidence, self.context.policy)

    @cached_property
    def agreements(self) -> dict[str, float | None]:
        """Return the agreement of each claim, computed anew."""
        links = [link for group in self.sound_links.values() for link in group]
        links += [link for link in self.candidate.links if link.stance == "contradicts"]
        return claim_agreements(self.candidate.claims, links, self.evidence)


def examine(context: EvaluationContext) -> Case | tuple[Finding, ...]:
    """Return the validated case, or one finding for each part that breaks its contract."""
    problems: list[Finding] = []
    candidate = _rebuilt(Candidate, context.candidate, "candidate", problems)
    snapshot = _rebuilt(EvidenceSnapshot, context.snapshot, "snapshot", problems)
    economics = None
    if context.economics is not None:
        economics = _rebuilt(Economics, context.economics, "economics", problems)
    if problems or candidate is None or snapshot is None:
        return in_order(problems)
    return Case(context, candidate, snapshot, economics)


def _rebuilt(model: type[Model], value: Any, place: str, problems: list[Finding]) -> Model | None:
    """Validate `value` again from its content: an instance may have been built past its validators."""
    try:
        content = value.model_dump(warnings=False) if isinstance(value, BaseModel) else value
        return model.model_validate(content)
    except ValidationError as error:
        for entry in error.errors(include_url=False, include_input=False, include_context=False):
            path = ".".join(str(part) for part in (place, *entry["loc"]))
            problems.append(found("MALFORMED_GATE_INPUT", path, entry["msg"]))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        problems.append(
            found(
                "MALFORMED_GATE_INPUT",
                place,
                f"it cannot be read as {model.__name__}: {type(error).__name__}",
            )
        )
    return None
