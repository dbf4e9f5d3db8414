"""What one attempt produces: assessments, options, brief, challenge, and the candidate that holds them."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Force, Score01, Sha256, Text, UtcTime, Versioned
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceSnapshot, Gap
from porterlib.contracts.request import Assumption, Audience, DecisionContract, OptionKind
from porterlib.contracts.sector import Exposure

Trend = Literal["increasing", "stable", "decreasing", "uncertain"]
RecommendationKind = Literal["proceed", "reversible_step", "wait", "stop", "missing_evidence"]
Lens = Literal["external_necessity", "capability_fit", "economics", "control_acceptability", "reversibility"]
LENSES: tuple[Lens, ...] = (
    "external_necessity",
    "capability_fit",
    "economics",
    "control_acceptability",
    "reversibility",
)
View = Literal[
    "cfo", "cro_model_risk", "regulator_audit", "business_executive", "sceptical_director", "evidence_auditor"
]
VIEWS: tuple[View, ...] = (
    "cfo",
    "cro_model_risk",
    "regulator_audit",
    "business_executive",
    "sceptical_director",
    "evidence_auditor",
)


class RuleFiring(Contract):
    """One rule of pack or policy that decided something, so that the brief can say why."""

    rule: Text
    """Name of the rule."""
    subject: Text
    """What it decided on: a driver, a link, an option and lens, the recommendation."""
    outcome: Text
    """What it decided."""
    because: tuple[str, ...] = ()
    """Ids it rests on."""
    note: str = ""
    """The figures the rule compared, in words."""
    stood_in: bool = False
    """True when a rule answered in place of a model that gave no valid answer."""


class Point(Contract):
    """A sentence or short paragraph of the brief with its basis."""

    text: Text
    """The text, without source marks."""
    basis: tuple[str, ...] = Field(min_length=1)
    """Claim, assumption or calculation ids it rests on."""


class DriverRating(Contract):
    """One driver on its anchored scale."""

    driver_id: Text
    """Driver of the sector pack."""
    name: Text
    """Name as printed."""
    weight: float = Field(ge=0, le=1)
    """Share within the force over the assessed drivers; 0 when not assessed."""
    rating: Decimal | None = Field(None, ge=1, le=5)
    """1 low, 3 mixed, 5 high pressure; absent means not assessed."""
    anchor: str = ""
    """The pack's words for the nearest anchor."""
    raising: tuple[str, ...] = ()
    """Claim ids that report higher pressure."""
    lowering: tuple[str, ...] = ()
    """Claim ids that report lower pressure."""
    publishers: int = Field(0, ge=0)
    """Independent publishers behind the rating."""
    rule: Text
    """Rule that set the rating."""
    mechanism_id: Text
    """Mechanism it works through."""


class HorizonEffect(Contract):
    """What the force does in one period."""

    horizon: Literal["near", "medium", "long"]
    """0-12, 12-36 or 36+ months."""
    effect: Literal["rising", "steady", "easing", "not_assessed"]
    """Direction of pressure in that period."""
    point: Point | None = None
    """The sentence and its basis, unless not assessed."""


class ForceAssessment(Contract):
    """One of the five forces."""

    force: Force
    """Which force."""
    score: Decimal | None = Field(None, ge=1, le=5)
    """Weighted mean of the assessed drivers, one decimal; absent means not assessed."""
    trend: Trend
    """Where the pressure is heading."""
    trend_rule: Text
    """Rule that set the trend."""
    drivers: tuple[DriverRating, ...]
    """All drivers of the pack, assessed or not."""
    horizons: tuple[HorizonEffect, ...] = Field(min_length=3, max_length=3)
    """Near, medium and long effects."""
    evidence_for: tuple[str, ...]
    """Claim ids that report pressure."""
    evidence_against: tuple[str, ...]
    """Claim ids that report relief."""
    exposure: tuple[Exposure, ...]
    """Where the organisation feels it, apart from the structure of the industry."""
    exposure_point: Point | None
    """The organisation's own exposure, in words."""
    narrative: tuple[Point, ...]
    """The section's text."""
    implication: Point | None
    """What follows for the institution."""
    confidence: Score01
    """How much independent, strong, agreeing evidence stands behind the score."""
    confidence_word: Literal["high", "medium", "low", "none"]
    """The same in a word."""
    gaps: tuple[str, ...]
    """What is not known, in sentences."""
    indicators: tuple[str, ...]
    """Leading indicators to watch."""
    reversal_conditions: tuple[str, ...]
    """What would turn the assessment."""

    @model_validator(mode="after")
    def _coherent(self) -> ForceAssessment:
        assessed = [driver for driver in self.drivers if driver.rating is not None]
        if (self.score is None) != (not assessed):
            raise ValueError("score: present exactly when a driver is assessed")
        if self.score is not None:
            total = sum(driver.weight for driver in assessed)
            if abs(total - 1) > 1e-6:
                raise ValueError(f"drivers: weights of assessed drivers sum to {total:.4f}, not 1")
            mean = sum(driver.weight * float(driver.rating or 0) for driver in assessed)
            if abs(mean - float(self.score)) > 0.0500001:
                raise ValueError(f"score: {self.score} differs from the weighted drivers {mean:.3f}")
        return self


class Mechanism(Contract):
    """One economic mechanism, shown once with every force it reaches."""

    id: Text
    """Stable id from the pack."""
    forces: tuple[Force, ...] = Field(min_length=1)
    """Forces it works in."""
    point: Point
    """How it works, with its basis."""
    claim_ids: tuple[str, ...]
    """Claims behind it; one fact is counted once."""


class LensRating(Contract):
    """One option under one lens."""

    lens: Lens
    """Which lens."""
    rating: int | None = Field(None, ge=1, le=5)
    """5 best, 1 worst; absent means not assessed."""
    basis: tuple[str, ...]
    """Claim, assumption or calculation ids."""
    rule: Text
    """Rule that set it."""
    note: Text
    """Why, in one sentence."""


class OptionAssessment(Contract):
    """One option on the four lenses and reversibility; never summed."""

    option_id: Text
    """Option of the contract."""
    name: Text
    """Name as printed."""
    kind: OptionKind
    """Which standard course."""
    ratings: tuple[LensRating, ...] = Field(min_length=5, max_length=5)
    """One rating a lens."""
    months_to_learning: int = Field(ge=1)
    """Months until the option tells the owner something new."""
    stop_conditions: tuple[str, ...]
    """When to stop; needed for action options."""
    acceleration_conditions: tuple[str, ...]
    """When to go faster; needed for action options."""

    def lens(self, lens: Lens) -> LensRating:
        """Return the rating under `lens`."""
        return next(rating for rating in self.ratings if rating.lens == lens)


class Recommendation(Contract):
    """What the brief recommends, by gated policy."""

    kind: RecommendationKind
    """One of the five answers."""
    option_id: str | None
    """Option it amounts to, if one."""
    sentence: Point
    """The recommendation in one sentence."""
    rule: Text
    """The gate that decided."""
    because: tuple[RuleFiring, ...] = Field(min_length=1)
    """Every gate that was looked at, in order, with its outcome."""


class BriefAnalogy(Contract):
    """An analogy for one audience."""

    audience: Audience
    """Whom it helps."""
    analogy: Text
    """The comparison."""
    correspondences: tuple[str, ...] = Field(min_length=2)
    """What corresponds to what."""
    implication: Text
    """What it means for this decision."""
    breaking_point: Text
    """Where it stops working."""


class Gate(Contract):
    """A stage gate of the smallest commitment."""

    month: int = Field(ge=0)
    """Month after approval."""
    test: Text
    """What must hold, measurable."""
    owner: Text
    """Function that answers for it."""


class BoardQuestion(Contract):
    """One of the ten questions a board asks, with its answer from this analysis."""

    question: Text
    """The question."""
    answer: Point
    """The answer and its basis."""


class HypothesisTest(Contract):
    """What the evidence says of one hypothesis."""

    hypothesis_id: Text
    """Hypothesis of the sector pack."""
    force: Force
    """Force it belongs to."""
    statement: Text
    """Driver → force effect → mechanism → exposure → signal."""
    falsifier: Text
    """Condition that would falsify or materially weaken it."""
    supporting: tuple[str, ...]
    """Usable claims that bear on it and point its way."""
    contradicting: tuple[str, ...]
    """Usable claims that bear on it and point the other way."""
    verdict: Literal["supported", "contested", "weakened", "open"]
    """What follows; `open` when nothing usable bears on it."""
    rule: Text
    """Rule that set the verdict."""


class BoardBrief(Contract):
    """What the board reads."""

    question: Text
    """The exact question."""
    boundary: Text
    """The exact boundary."""
    decision_requested: Point
    """What the board is asked to decide."""
    recommendation: Point
    """The recommendation in one sentence."""
    why_now: tuple[Point, ...] = Field(min_length=1)
    """Why the question is open now."""
    if_we_wait: tuple[Point, ...] = Field(min_length=1)
    """What waiting means."""
    value: tuple[Point, ...] = Field(min_length=1)
    """Economics as a range, or as formula and request."""
    exact_values: tuple[Point, ...] = ()
    """The same ranges to the last digit, for who recomputes them."""
    what_could_go_wrong: tuple[Point, ...] = Field(min_length=1)
    """Largest risks and the largest uncertainty."""
    largest_uncertainty: Point
    """The one thing that would change the recommendation most."""
    smallest_commitment: Point
    """The smallest sensible step."""
    gates: tuple[Gate, ...]
    """Stage gates."""
    stop_conditions: tuple[str, ...] = Field(min_length=1)
    """What makes management stop."""
    confidence: Score01
    """Least evidenced force's confidence, scaled by the volume of all evidence."""
    confidence_point: Point
    """Confidence in words, with its reason."""
    cutoff: str
    """Evidence cutoff as ISO date, or `none given`."""
    context: tuple[Point, ...]
    """Baseline and organisation context."""
    mechanisms: tuple[Mechanism, ...]
    """Causal mechanisms and cross-force effects."""
    risks: tuple[Point, ...]
    """Risk, concentration and governance."""
    roadmap: tuple[Point, ...]
    """Steps with owners, and the exit path."""
    board_questions: tuple[BoardQuestion, ...]
    """The ten questions with answers."""
    analogies: tuple[BriefAnalogy, ...]
    """One for each requested audience."""
    dissent: tuple[Point, ...] = Field(min_length=1)
    """The strongest case against, citing the challenge's contrary basis."""


class ChallengeView(Contract):
    """One of the six views that test the recommendation."""

    view: View
    """Who challenges."""
    counterargument: Point
    """Strongest counterargument from this view."""
    disconfirming: tuple[str, ...]
    """Claim or link ids that speak against."""
    dominant_assumptions: tuple[str, ...]
    """Assumption or calculation ids on which everything rests."""
    pre_mortem: Text
    """How it will have failed."""
    invalidating_conditions: tuple[str, ...] = Field(min_length=1)
    """What would invalidate the recommendation."""
    required_changes: tuple[str, ...]
    """What this view requires before approval."""


class ChallengeReport(Contract):
    """The independent challenge."""

    views: tuple[ChallengeView, ...] = Field(min_length=6, max_length=6)
    """Six views, each on a basis of its own."""
    contrary_basis: tuple[str, ...]
    """Canonical contrary claim or contradicting link; dissent cites the same."""
    repair_requests: tuple[str, ...] = ()
    """Codes that ask for the one repair of this attempt."""


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
