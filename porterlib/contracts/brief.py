"""What the board reads."""

from __future__ import annotations

from pydantic import Field, model_validator

from porterlib.contracts.assessment import Mechanism, Point
from porterlib.contracts.base import Contract, Force, Score01, Text
from porterlib.contracts.request import Audience
from porterlib.contracts.sector import Role


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


class ModeRow(Contract):
    """One force or option as the decision's mode looks at it."""

    cells: tuple[Text, ...] = Field(min_length=2)
    """One entry a column; the first names the force or option."""
    basis: tuple[str, ...] = Field(min_length=1)
    """Claim, assumption or calculation ids the row rests on."""


class ModeView(Contract):
    """What the mode of the decision asks of the evidence (rule 2.1)."""

    head: tuple[Text, ...] = Field(min_length=2)
    """Names of the columns."""
    rows: tuple[ModeRow, ...] = Field(min_length=1)
    """One row a force, or one an option where a response is chosen."""
    points: tuple[Point, ...]
    """What follows from the rows."""

    @model_validator(mode="after")
    def _rectangular(self) -> ModeView:
        if any(len(row.cells) != len(self.head) for row in self.rows):
            raise ValueError("rows: each needs one cell a column")
        return self


class EntityStanding(Contract):
    """An entity that statements behind the scores name, with every role it can hold."""

    entity: Text
    """Name or kind, from the sector pack."""
    roles: tuple[Role, ...] = Field(min_length=2)
    """Roles it can hold at once."""
    forces: tuple[Force, ...] = Field(min_length=1)
    """Forces whose statements name it."""
    claim_ids: tuple[str, ...] = Field(min_length=1)
    """Statements that name it."""


class Measure(Contract):
    """A measure by which drivers show."""

    name: Text
    """Name as printed."""
    unit: Text
    """Unit."""
    definition: Text
    """How it is measured."""
    shows: tuple[Text, ...] = Field(min_length=1)
    """Names of the drivers it shows."""


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
    mode_view: ModeView | None = None
    """The reading that the mode asks for; absent in briefs of earlier versions."""
    mechanisms: tuple[Mechanism, ...]
    """Causal mechanisms and cross-force effects."""
    entities: tuple[EntityStanding, ...] = ()
    """Entities that hold several roles in the evidence."""
    measures: tuple[Measure, ...] = ()
    """Measures of the drivers that carry each force."""
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
