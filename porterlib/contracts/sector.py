"""What a sector pack must contain (rules 19.1 and 19.2): knowledge as data, no code.

A *cue* is a short pattern that a sentence either meets or not: blank-separated stems that must all occur in
the sentence, in any order, within 25 words of each other; a trailing `*` matches any ending and `|` separates
alternatives (`few|limited provider*`). A `~` before a stem forbids it anywhere in the sentence. `_` joins
words that must follow one another (`open_banking|data_aggregator*`), and `@8` narrows the 25 words to 8.
Cues are matched on lower-case words; hyphens separate words, and a possessive ending does not count.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from porterlib.contracts.base import FORCES, Contract, Force, Text, Versioned
from porterlib.contracts.request import Audience, OptionKind

SourceClass = Literal[
    "regulator",
    "legislation",
    "official_statistics",
    "audited_filing",
    "company_disclosure",
    "academic",
    "industry_research",
    "reputable_media",
    "vendor",
    "internal_document",
    "user_assertion",
    "calculator",
]
Exposure = Literal["revenue", "cost", "capital", "liquidity", "service", "risk"]
Role = Literal["rival", "entrant", "supplier", "buyer", "substitute", "regulator", "complementor"]


class Anchors(Contract):
    """What the scale points mean for one driver."""

    low: Text
    """Rating 1: low pressure on sustainable economics."""
    mixed: Text
    """Rating 3: real pressure with countervailing mechanisms."""
    high: Text
    """Rating 5: high structural pressure."""


class Driver(Contract):
    """A cause that raises or lowers one force's pressure."""

    id: Text
    """Stable id such as `suppliers.model_concentration`."""
    name: Text
    """Short name a director understands."""
    mechanism_id: Text
    """Id of the economic mechanism; the same id in several forces is one mechanism."""
    mechanism: Text
    """Sentence that says how the driver reaches the economics, at most 30 words."""
    weight: float = Field(gt=0, le=1)
    """Weight within the force before the assessed drivers are scaled to 1."""
    anchors: Anchors
    """What 1, 3 and 5 mean for this driver."""
    topic: tuple[str, ...] = Field(min_length=2)
    """Cues of which at least one must be met for a sentence to be about this driver."""
    raises: tuple[str, ...] = Field(min_length=2)
    """Cues of sentences that report higher pressure."""
    lowers: tuple[str, ...] = Field(min_length=2)
    """Cues of sentences that report lower pressure."""
    exposure: tuple[Exposure, ...] = Field(min_length=1)
    """Where the organisation feels it."""
    metrics: tuple[str, ...] = ()
    """Ids of metrics that show it."""
    indicator: Text
    """Leading indicator to watch, with a measurable threshold where the field has one."""
    reversal: Text
    """Condition under which the rating would turn."""
    implication: Text
    """What follows for the institution when pressure is high, at most 30 words."""
    relief: Text
    """What follows when pressure is low, at most 30 words."""
    horizon: Literal["near", "medium", "long"]
    """When the effect is mostly felt: 0-12, 12-36 or 36+ months."""
    argues: Literal["act", "caution"] = "act"
    """What high pressure from this driver argues for; dependence on suppliers argues for caution."""


class Hypothesis(Contract):
    """A falsifiable statement: driver, force effect, mechanism, exposure, signal."""

    id: Text
    """Stable id such as `H-suppliers-1`."""
    force: Force
    """Force it belongs to."""
    driver_ids: tuple[str, ...] = Field(min_length=1)
    """Drivers whose cues bear on it."""
    asserts: Literal["raises", "lowers"]
    """Direction of pressure the hypothesis claims; evidence of the other direction contradicts it."""
    statement: Text
    """Driver → force effect → economic mechanism → exposure → observable signal, as one sentence."""
    driver: Text
    """Driver part of the chain."""
    force_effect: Text
    """Force-effect part of the chain."""
    economic_mechanism: Text
    """Mechanism part of the chain."""
    organisation_exposure: Text
    """Exposure part of the chain."""
    observable_signal: Text
    """Signal part of the chain."""
    falsifier: Text
    """Condition that would falsify or materially weaken it."""
    questions: tuple[str, ...] = Field(min_length=2)
    """Evidence questions."""
    contrary_questions: tuple[str, ...] = Field(min_length=1)
    """Questions that look for contrary evidence."""
    queries: tuple[str, ...] = Field(min_length=1)
    """Public query templates; may hold `{product}`, `{geography}`, `{topic}`."""
    contrary_queries: tuple[str, ...] = Field(min_length=1)
    """Public query templates that look for contrary evidence."""


class ForcePack(Contract):
    """One force's knowledge."""

    force: Force
    """Which force."""
    meaning: Text
    """What the force is in this sector, in one sentence."""
    drivers: tuple[Driver, ...] = Field(min_length=3)
    """Driver taxonomy with rubric anchors."""
    hypotheses: tuple[Hypothesis, ...] = Field(min_length=2)
    """Hypotheses to test."""


class SourceRule(Contract):
    """Decides class and publisher by host and path."""

    host: Text
    """Host or registrable domain; matches its subdomains too."""
    path_prefix: str = ""
    """Path prefix the rule is limited to."""
    source_class: SourceClass
    """Class of pages that match."""
    publisher: Text
    """Name of the publisher as the brief prints it."""
    owner: str = ""
    """Group that owns the publisher, where several hosts are one owner."""


class Metric(Contract):
    """A measure the board knows."""

    id: Text
    """Stable id."""
    name: Text
    """Name as printed."""
    unit: Text
    """Unit, such as `%`, `minutes a case`, `USD m a year`."""
    definition: Text
    """How it is measured."""


class Formula(Contract):
    """A formula of the sector's economics, shown where an input is missing."""

    id: Text
    """Stable id."""
    name: Text
    """Name of the result."""
    expression: Text
    """Formula as text."""
    inputs: tuple[str, ...] = Field(min_length=1)
    """Names of its inputs, with unit."""
    owner: Text
    """Function that usually owns the inputs."""


class EntityRole(Contract):
    """An entity or kind of entity and the roles it can hold at once."""

    entity: Text
    """Name, such as `hyperscale cloud provider`."""
    names: tuple[str, ...] = ()
    """Names under which texts mention it."""
    roles: tuple[Role, ...] = Field(min_length=1)
    """Roles it can hold in this sector."""


class ControlOverlay(Contract):
    """A control requirement that an option must meet."""

    id: Text
    """Stable id."""
    title: Text
    """Short name."""
    requirement: Text
    """What must hold, in one sentence."""
    primary_text: Text
    """Regulation or guidance with article, that a qualified person must read."""
    cues: tuple[str, ...] = Field(min_length=1)
    """Cues of sentences that bear on it."""
    applies_to: tuple[OptionKind, ...] = Field(min_length=1)
    """Kinds of options it applies to."""
    owner: Text
    """Function that owns the control."""
    gate: Text
    """Measurable gate derived from it."""


class SectorAnalogy(Contract):
    """An analogy with its breaking point."""

    id: Text
    """Stable id."""
    audience: Audience
    """Whom it helps."""
    analogy: Text
    """The comparison, in one sentence."""
    correspondences: tuple[str, ...] = Field(min_length=2)
    """What corresponds to what."""
    implication: Text
    """What it means for this decision."""
    breaking_point: Text
    """Where it stops working."""
    fits: tuple[Literal["proceed", "reversible_step", "wait", "stop", "missing_evidence"], ...] = ()
    """Recommendations it fits; empty for all."""


class OptionTemplate(Contract):
    """A standard course of action."""

    kind: OptionKind
    """Which course."""
    name: Text
    """Default name."""
    description: Text
    """What it does."""
    learning_months: int = Field(ge=1, le=120)
    """Months until it tells the owner something new."""
    reversibility: int = Field(ge=1, le=5)
    """5 fully reversible, 1 not reversible."""
    control_load: int = Field(ge=1, le=5)
    """5 hardly any new control exposure, 1 very much."""
    capability_demand: int = Field(ge=1, le=5)
    """5 needs nothing new, 1 needs capabilities few have."""
    responds_to_pressure: int = Field(ge=1, le=5)
    """5 answers external pressure fully, 1 not at all."""
    reversible_elements: tuple[str, ...] = ()
    """What can be undone."""
    irreversible_elements: tuple[str, ...] = ()
    """What cannot be undone."""
    stop_conditions: tuple[str, ...] = ()
    """When to stop, measurable."""
    acceleration_conditions: tuple[str, ...] = ()
    """When to go faster, measurable."""
    gates: tuple[str, ...] = ()
    """Stage gates with month and threshold."""


class EvidencePolicy(Contract):
    """Thresholds of evidence; the defaults are rule 7.4's."""

    usable_strength: float = Field(0.30, gt=0, le=1)
    """Claim strength from which a material fact may be used."""
    min_freshness: float = Field(0.2, ge=0, le=1)
    """Below this freshness a link's strength is halved."""
    min_applicability: float = Field(0.3, ge=0, le=1)
    """Below this applicability a link's strength is halved."""
    min_alignment: float = Field(0.25, ge=0, le=1)
    """Lexical support below this is an error."""
    half_life_months: dict[str, int] = Field(default_factory=dict)
    """Source class to months after which freshness has halved."""


class SectorPack(Versioned):
    """A sector's knowledge: boundary questions, drivers, sources, metrics, controls, analogies."""

    name: Text
    """Folder name of the pack."""
    version: Text
    """Version, part of every fingerprint."""
    title: Text
    """What the pack is for."""
    boundary_questions: dict[str, str] = Field(min_length=4)
    """Missing part (`product`, `customer`, …) to the question that asks for it."""
    not_a_boundary: tuple[str, ...] = Field(min_length=1)
    """Phrases such as `banking` that name no market."""
    topics: dict[str, tuple[str, ...]]
    """Subject of a decision (`generative_ai`, `cloud`) to the cues that tell it from a request."""
    topic_queries: dict[str, str]
    """Subject to the public words that stand for `{topic}` in queries."""
    topic_terms: dict[str, tuple[str, ...]]
    """Subject to its vocabulary (stems), by which relevance of a passage is judged."""
    forces: tuple[ForcePack, ...]
    """Exactly five, in the order of `FORCES`."""
    sources: tuple[SourceRule, ...] = Field(min_length=10)
    """Source policy; unknown hosts are vendor."""
    recognised_quality: dict[str, float]
    """Source class to quality for recognised hosts (regulator .9, academic .8)."""
    jurisdictions: dict[str, tuple[str, ...]]
    """Jurisdiction to words that show a text applies to it."""
    metrics: tuple[Metric, ...] = Field(min_length=3)
    """Board metrics."""
    formulas: tuple[Formula, ...] = Field(min_length=1)
    """Economic formulas with their inputs."""
    entities: tuple[EntityRole, ...] = Field(min_length=3)
    """Entity roles."""
    controls: tuple[ControlOverlay, ...] = Field(min_length=3)
    """Control overlays."""
    analogies: tuple[SectorAnalogy, ...] = Field(min_length=1)
    """Analogy library."""
    options: tuple[OptionTemplate, ...] = Field(min_length=4)
    """Standard courses."""
    vocabulary: tuple[str, ...] = Field(min_length=10)
    """Public words from which queries may be built."""
    evidence_policy: EvidencePolicy = EvidencePolicy()
    """Thresholds of evidence."""
    adverse: tuple[str, ...] = ()
    """Cues of sentences that report a bad outcome of acting: benefit missed, cost risen, programme stopped."""
    favourable: tuple[str, ...] = ()
    """Cues of sentences that report a good outcome of acting."""
    trend_up: tuple[str, ...] = ()
    """Cues of sentences that report growth over time."""
    trend_down: tuple[str, ...] = ()
    """Cues of sentences that report decline over time."""
    golden_cases: tuple[str, ...] = ()
    """Ids of golden cases that guard the pack."""

    @model_validator(mode="after")
    def _coherent(self) -> SectorPack:
        if tuple(pack.force for pack in self.forces) != FORCES:
            raise ValueError(f"forces: exactly five are needed, in the order {', '.join(FORCES)}")
        metrics = {metric.id for metric in self.metrics}
        for pack in self.forces:
            drivers = {driver.id for driver in pack.drivers}
            for driver in pack.drivers:
                if unknown := set(driver.metrics) - metrics:
                    raise ValueError(f"driver {driver.id}: unknown metric {sorted(unknown)[0]!r}")
            for hypothesis in pack.hypotheses:
                if unknown := set(hypothesis.driver_ids) - drivers:
                    raise ValueError(f"hypothesis {hypothesis.id}: unknown driver {sorted(unknown)[0]!r}")
        return self
