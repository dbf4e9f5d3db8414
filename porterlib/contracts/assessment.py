"""What the evidence says of the five forces: ratings of drivers, mechanisms and hypotheses, with the rules that fired."""

from __future__ import annotations

from decimal import Decimal
from math import fsum
from typing import Literal

from pydantic import Field, model_validator

from porterlib.contracts.base import Contract, Force, Score01, Text
from porterlib.contracts.sector import Exposure

Trend = Literal["increasing", "stable", "decreasing", "uncertain"]


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
            total = fsum(driver.weight for driver in assessed)
            if abs(total - 1) > 1e-6:
                raise ValueError(f"drivers: weights of assessed drivers sum to {total:.4f}, not 1")
            mean = fsum(driver.weight * float(driver.rating or 0) for driver in assessed)
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
