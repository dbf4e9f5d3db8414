"""The options of a decision under five lenses, and the recommendation that follows by gated policy."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.assessment import Point, RuleFiring
from porterlib.contracts.base import Contract, Text
from porterlib.contracts.request import OptionKind

RecommendationKind = Literal["proceed", "reversible_step", "wait", "stop", "missing_evidence"]
Lens = Literal["external_necessity", "capability_fit", "economics", "control_acceptability", "reversibility"]
LENSES: tuple[Lens, ...] = (
    "external_necessity",
    "capability_fit",
    "economics",
    "control_acceptability",
    "reversibility",
)


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
