"""What one attempt reads and produces, and what a run without enough evidence ends with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.assessment import ForceAssessment, HypothesisTest, RuleFiring
from porterlib.contracts.base import Contract, Force, Sha256, Text, UtcTime, Versioned
from porterlib.contracts.brief import BoardBrief
from porterlib.contracts.challenge import ChallengeReport
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceSnapshot, Gap
from porterlib.contracts.options import OptionAssessment, Recommendation
from porterlib.contracts.request import Assumption, DecisionContract


class AnalystStamp(Contract):
    """Which analyst answered the small questions."""

    kind: Literal["offline", "local"]
    """Rules and extraction, or a chat model."""
    version: Text
    """Version of analyst and policy."""
    model: str = ""
    """Model id, for `local`."""
    prompts_version: str = "none"
    """Version of the prompts, for `local`."""
    asked: int = Field(0, ge=0)
    """Small questions asked."""
    stood_in: int = Field(0, ge=0)
    """Answers given by rule in place of the model."""


class Candidate(Versioned):
    """Everything one attempt produced."""

    contract: DecisionContract
    """The decision."""
    snapshot_id: Sha256
    """Evidence it rests on."""
    claims: tuple[Claim, ...]
    """All claims, in order of id."""
    links: tuple[ClaimEvidenceLink, ...]
    """All links, in order of id."""
    assumptions: tuple[Assumption, ...]
    """Assumptions, in order of id."""
    forces: tuple[ForceAssessment, ...]
    """Five assessments."""
    hypotheses: tuple[HypothesisTest, ...] = ()
    """What became of each hypothesis."""
    options: tuple[OptionAssessment, ...]
    """Options compared."""
    recommendation: Recommendation
    """Gated recommendation."""
    brief: BoardBrief
    """What the board reads."""
    challenge: ChallengeReport
    """The independent challenge."""
    rules: tuple[RuleFiring, ...]
    """Which rule fired on what."""
    analyst: AnalystStamp
    """Who answered."""
    repairs: int = Field(0, ge=0, le=1)
    """Repairs within the attempt."""

    def force(self, force: Force) -> ForceAssessment:
        """Return the assessment of `force`; raises KeyError when it is absent."""
        for assessment in self.forces:
            if assessment.force == force:
                return assessment
        raise KeyError(force)


class AnalysisInput(Contract):
    """The frozen material one attempt reads; it never searches."""

    contract: DecisionContract
    """The decision."""
    snapshot: EvidenceSnapshot
    """Frozen evidence."""
    economics: Economics | None = None
    """Finished calculations, if inputs were given."""
    directives: tuple[str, ...] = ()
    """Criterion ids of open gaps from the attempt before, each of which widens or changes something."""


class InsufficientEvidence(Versioned):
    """Why a run ended without enough evidence, and what to get."""

    run_id: Text
    """The run."""
    forces: tuple[Force, ...]
    """Forces without promotable evidence."""
    gaps: tuple[Gap, ...]
    """What was refused or not found."""
    requests: tuple[str, ...]
    """What to get, one sentence each."""
    at: UtcTime
    """When it ended."""
