"""What the user asks for, and the decision it is framed into (rules 2.1 to 2.4)."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field, field_validator, model_validator

from porterlib.contracts.base import Contract, Sha256, Text, Told, ToldIfGiven, Versioned, Whole

AnalysisMode = Literal["industry_attractiveness", "strategic_initiative", "competitive_response"]
Audience = Literal[
    "full_board",
    "chair",
    "ceo",
    "cfo",
    "cro",
    "cio",
    "coo",
    "business_executive",
    "audit_or_risk_committee",
]
OptionKind = Literal["maintain", "wait", "targeted", "scaled", "build", "buy", "partner", "acquire"]
ACTION_KINDS: frozenset[OptionKind] = frozenset(("targeted", "scaled", "build", "buy", "partner", "acquire"))


class InternalFact(Contract):
    """A statement only the organisation knows; it never leaves the machine."""

    owner: Told
    """Person or function that answers for the fact."""
    confidentiality: Told
    """Label such as `internal`, `confidential` or `MNPI`."""
    text: Told
    """The fact itself; kept in the stored request and the local sidecar only."""


class OptionRequest(Contract):
    """A course of action the owner wants compared."""

    name: Told
    """Unique name, as the board will read it."""
    kind: OptionKind
    """Which of the standard courses it is."""
    description: ToldIfGiven = ""
    """What the option would do, in one or two sentences."""
    wait_months: Whole | None = Field(None, ge=1, le=120)
    """For `wait`: how long, in months."""
    learning_months: Whole | None = Field(None, ge=1, le=120)
    """Months until the option tells the owner something new; the pack's default if absent."""


class DecisionRequest(Versioned):
    """A strategic technology question with the context its owner may give."""

    question: Told
    """The exact question, kept word for word."""
    sector: Text
    """Name of the sector pack, such as `bank`."""
    archetype: ToldIfGiven = ""
    """Kind of organisation, such as `global universal bank`."""
    analysis_mode: AnalysisMode = "strategic_initiative"
    """What the five forces are used for."""
    organisation_name: ToldIfGiven = ""
    """Name of the institution; treated as restricted in queries."""
    market_boundary: ToldIfGiven = ""
    """The market in one sentence: product, customer, geography and regulatory perimeter."""
    business_line: ToldIfGiven = ""
    """Business line within the organisation."""
    product: ToldIfGiven = ""
    """Product or service whose economics are at stake."""
    customer: ToldIfGiven = ""
    """Customer group served."""
    geographies: tuple[Told, ...] = ()
    """Countries or regions in scope."""
    regulatory_perimeter: ToldIfGiven = ""
    """Rules and supervisors that apply."""
    horizon_months: Whole = Field(36, ge=1, le=120)
    """How far ahead the decision looks, in months."""
    evidence_cutoff: date | None = None
    """Last publication date that counts; freshness is measured against it."""
    audiences: tuple[Audience, ...] = ("full_board",)
    """Who reads the brief; each gets an analogy of its own."""
    constraints: tuple[Told, ...] = ()
    """Limits any option must respect."""
    risk_appetite: ToldIfGiven = ""
    """What the board has said about the risk it accepts."""
    success_measures: tuple[Told, ...] = ()
    """How the owner will tell that the decision was right."""
    current_course: ToldIfGiven = ""
    """The baseline: what happens without a decision."""
    options: tuple[OptionRequest, ...] = ()
    """Courses to compare; the pack's standard four if absent."""
    decision_owner: ToldIfGiven = ""
    """Who is accountable for the decision."""
    board_action_requested: ToldIfGiven = ""
    """What the board is asked to do."""
    public_context: ToldIfGiven = Field("", max_length=4000)
    """Context approved for use in public queries."""
    internal_facts: tuple[InternalFact, ...] = ()
    """Facts that stay on this machine."""
    restricted_terms: tuple[Told, ...] = ()
    """Words that may appear in no query, log or shared artifact."""

    @field_validator("audiences")
    @classmethod
    def _some_audience(cls, value: tuple[Audience, ...]) -> tuple[Audience, ...]:
        if not value:
            raise ValueError("name at least one audience, e.g. full_board")
        if len(set(value)) != len(value):
            raise ValueError("an audience is named twice")
        return value

    @model_validator(mode="after")
    def _unique_options(self) -> DecisionRequest:
        names = [option.name.casefold() for option in self.options]
        if len(set(names)) != len(names):
            raise ValueError("options: two options have the same name")
        return self


class Boundary(Contract):
    """The market in which the decision stands."""

    statement: Text
    """The boundary as the owner wrote it."""
    product: Text
    """Product or service."""
    customer: Text
    """Customer group."""
    geographies: tuple[str, ...] = Field(min_length=1)
    """Countries or regions."""
    regulatory_perimeter: Text
    """Rules and supervisors that apply."""
    business_line: str = ""
    """Business line, where given."""


class Option(Contract):
    """One course of action under comparison."""

    id: Text
    """Stable id such as `O1`, in the order of comparison."""
    name: Text
    """Name as the board reads it."""
    kind: OptionKind
    """Which of the standard courses it is."""
    description: str
    """What the option does."""
    wait_months: int | None = None
    """For `wait`: how long, in months."""
    learning_months: int | None = None
    """Months until the option tells the owner something new."""


class Assumption(Contract):
    """Something the decision takes as given without a source."""

    id: Text
    """Stable id such as `A-…`."""
    text: Text
    """The assumption as a sentence."""
    owner: str = ""
    """Who would have to confirm it; empty if nobody was named."""
    status: Literal["open", "validated", "rejected"] = "open"
    """Whether its owner confirmed it."""
    material: bool = False
    """True when the recommendation or the economics rests on it."""


class MissingInput(Contract):
    """Something the decision needs and does not have."""

    name: Text
    """What is missing."""
    request: Text
    """What to supply, and from whom."""
    formula: str = ""
    """Formula the input would enter, if any."""


class DecisionContract(Versioned):
    """The framed decision: what is decided, among which options, within which boundary."""

    run_id: Text
    """Run this contract opened."""
    request_sha256: Sha256
    """Digest of the stored request."""
    question: Text
    """The exact question."""
    sector: Text
    """Name of the sector pack."""
    pack_version: Text
    """Version of the sector pack."""
    analysis_mode: AnalysisMode
    """What the five forces are used for."""
    archetype: str
    """Kind of organisation."""
    boundary: Boundary
    """Market boundary."""
    baseline: Text
    """The current course, which every option is compared with."""
    options: tuple[Option, ...] = Field(min_length=3, max_length=12)
    """Three to twelve options; no action is among them."""
    horizon_months: int = Field(ge=1, le=120)
    """How far ahead the decision looks, in months."""
    evidence_cutoff: date | None
    """Last publication date that counts."""
    success_measures: tuple[str, ...]
    """How the owner will tell that the decision was right."""
    constraints: tuple[str, ...]
    """Limits any option must respect."""
    risk_appetite: str
    """What the board has said about the risk it accepts."""
    reversible_elements: tuple[str, ...]
    """What can be undone, and how."""
    irreversible_elements: tuple[str, ...]
    """What cannot be undone once done."""
    assumptions: tuple[Assumption, ...]
    """What the frame takes as given."""
    missing_inputs: tuple[MissingInput, ...]
    """What the frame lacks."""
    audiences: tuple[Audience, ...]
    """Who reads the brief."""
    decision_owner: Text
    """Who is accountable."""
    board_action_requested: Text
    """What the board is asked to do."""
    public_context: str
    """Context approved for public queries."""
    internal_fact_ids: tuple[str, ...]
    """Ids (`F-…`) of internal facts; their text stays in the stored request."""
    open_questions: tuple[str, ...] = ()
    """Questions that must be answered before research; empty when ready."""
    ready: bool = True
    """True when research may start."""

    @model_validator(mode="after")
    def _consistent(self) -> DecisionContract:
        if self.ready and self.open_questions:
            raise ValueError("a contract marked ready cannot have open questions")
        names = [option.name.casefold() for option in self.options]
        if len(set(names)) != len(names):
            raise ValueError("options: two options have the same name")
        if not any(option.kind == "maintain" for option in self.options):
            raise ValueError("options: no action (kind maintain) must be among them")
        return self
