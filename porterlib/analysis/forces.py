"""Assesses one force: ratings on anchors, score, trend, horizons, confidence, gaps."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from math import fsum
from typing import Literal, cast

from porterlib.analysis.claims import ClaimBook
from porterlib.analysis.hypotheses import claim_volume
from porterlib.analysis.narrative import tell_force
from porterlib.analyst import Analyst, ChooseQuestion, Offer, RateQuestion
from porterlib.analyst.policy import confidence_word, driver_confidence, horizon_effect
from porterlib.contracts.assessment import (
    DriverRating,
    ForceAssessment,
    HorizonEffect,
    Point,
    RuleFiring,
    Trend,
)
from porterlib.contracts.evidence import Claim
from porterlib.contracts.sector import Driver, Exposure, ForcePack

Period = Literal["near", "medium", "long"]
Effect = Literal["rising", "steady", "easing"]
_TENTH = Decimal("0.1")
SHOWN = 3
"""Clauses shown to the analyst for each driver and direction."""


@dataclass(frozen=True)
class DriverView:
    """A driver of the pack with what the evidence says of it."""

    driver: Driver
    raising: tuple[Claim, ...]
    lowering: tuple[Claim, ...]
    rating: DriverRating
    confidence: float

    @property
    def claims(self) -> tuple[str, ...]:
        """Return ids of all its claims."""
        return tuple(claim.id for claim in self.raising + self.lowering)


def assess_force(
    part: ForcePack, book: ClaimBook, analyst: Analyst
) -> tuple[ForceAssessment, tuple[RuleFiring, ...]]:
    """Return the assessment of one force and the rules that fired for it."""
    views, firings = _rate_drivers(part, book, analyst)
    assessed = [view for view in views if view.rating.rating is not None]
    score = _score(assessed)
    trend, trend_rule = _trend(part, assessed, book, analyst)
    firings.append(RuleFiring(rule=trend_rule, subject=f"trend:{part.force}", outcome=trend))
    confidence = round(fsum(view.driver.weight * view.confidence for view in views) / _total(views), 9)
    told = tell_force(part, views, score, trend, book, analyst)
    top = _by_weight(assessed)
    assessment = ForceAssessment(
        force=part.force,
        score=score,
        trend=trend,
        trend_rule=trend_rule,
        drivers=tuple(view.rating for view in views),
        horizons=_horizons(assessed),
        evidence_for=tuple(claim.id for view in assessed for claim in view.raising),
        evidence_against=tuple(claim.id for view in assessed for claim in view.lowering),
        exposure=_exposure(top),
        exposure_point=told.exposure,
        narrative=told.points,
        implication=told.implication,
        confidence=confidence,
        confidence_word=confidence_word(confidence),
        gaps=told.gaps,
        indicators=tuple(view.driver.indicator for view in top[:3]),
        reversal_conditions=tuple(view.driver.reversal for view in top[:3]),
    )
    return assessment, tuple(firings)


def _rate_drivers(
    part: ForcePack, book: ClaimBook, analyst: Analyst
) -> tuple[list[DriverView], list[RuleFiring]]:
    rated = [(driver, *_rate(driver, book, analyst)) for driver in part.drivers]
    total = fsum(driver.weight for driver, rating, _ in rated if rating.rating is not None)
    views, firings = [], []
    for driver, rating, firing in rated:
        share = driver.weight / total if rating.rating is not None else 0.0
        raising, lowering = book.of_driver(driver.id, "raises"), book.of_driver(driver.id, "lowers")
        confidence = driver_confidence(claim_volume(raising, book), claim_volume(lowering, book))
        rating = rating.model_copy(update={"weight": share})
        views.append(DriverView(driver, raising, lowering, rating, confidence))
        firings.append(firing)
    return views, firings


def _rate(driver: Driver, book: ClaimBook, analyst: Analyst) -> tuple[DriverRating, RuleFiring]:
    raising, lowering = book.of_driver(driver.id, "raises"), book.of_driver(driver.id, "lowers")
    features = {
        "raising": claim_volume(raising, book),
        "lowering": claim_volume(lowering, book),
        "raising_publishers": float(len({book.publisher(c) for c in raising})),
        "lowering_publishers": float(len({book.publisher(c) for c in lowering})),
    }
    anchors = {1: driver.anchors.low, 3: driver.anchors.mixed, 5: driver.anchors.high}
    answer = analyst.rate(
        RateQuestion(
            purpose="driver",
            subject=driver.id,
            text=f"How much pressure does {driver.name} put on sustainable economics?",
            anchors=anchors,
            offers=tuple(Offer(c.id, c.text) for c in raising[:SHOWN] + lowering[:SHOWN]),
            features=features,
        )
    )
    # Without usable evidence nobody may rate, whatever an analyst answers.
    value = answer.value if raising or lowering else None
    rating = DriverRating(
        driver_id=driver.id,
        name=driver.name,
        weight=0.0,
        rating=None if value is None else Decimal(value),
        anchor="" if value is None else anchors[min(anchors, key=lambda at: (abs(at - value), at))],
        raising=tuple(c.id for c in raising),
        lowering=tuple(c.id for c in lowering),
        publishers=len({book.publisher(c) for c in raising + lowering}),
        rule=answer.rule,
        mechanism_id=driver.mechanism_id,
    )
    firing = RuleFiring(
        rule=answer.rule,
        subject=f"driver:{driver.id}",
        outcome="not assessed" if value is None else f"{value} of 5",
        because=rating.raising + rating.lowering,
        note=answer.note,
        stood_in=answer.stood_in,
    )
    return rating, firing


def _score(assessed: list[DriverView]) -> Decimal | None:
    if not assessed:
        return None
    mean = sum(
        (Decimal(str(round(v.rating.weight, 9))) * (v.rating.rating or 0) for v in assessed), Decimal(0)
    )
    return mean.quantize(_TENTH, rounding=ROUND_HALF_EVEN)


def _total(views: list[DriverView]) -> float:
    return fsum(view.driver.weight for view in views)


def _trend(
    part: ForcePack, assessed: list[DriverView], book: ClaimBook, analyst: Analyst
) -> tuple[Trend, str]:
    moves: dict[str, set[str]] = {"up": set(), "down": set(), "flat": set()}
    offers: list[Offer] = []
    for view in assessed:
        for claim in view.raising + view.lowering:
            clause = book.clauses[claim.id]
            if clause.grows or clause.eases:
                rising = clause.grows == (claim.direction == "raises")
                moves["up" if rising else "down"].add(book.publisher(claim))
                offers.append(Offer(claim.id, claim.text))
            elif clause.flat:
                moves["flat"].add(book.publisher(claim))
    counts = {name: float(len(publishers)) for name, publishers in moves.items()}
    choice = analyst.choose(
        ChooseQuestion(
            purpose="trend",
            subject=part.force,
            text=f"Is the pressure of {part.force.replace('_', ' ')} increasing, stable, decreasing or uncertain?",
            offers=(Offer("evidence", " ".join(o.text for o in offers[:SHOWN]), counts),),
        )
    )
    return cast(Trend, choice.ids[0]), choice.rule


def _horizons(assessed: list[DriverView]) -> tuple[HorizonEffect, ...]:
    periods: tuple[Period, ...] = ("near", "medium", "long")
    return tuple(_horizon(period, assessed) for period in periods)


def _horizon(period: Period, assessed: list[DriverView]) -> HorizonEffect:
    felt = [view for view in assessed if view.driver.horizon == period]
    if not felt:
        return HorizonEffect(horizon=period, effect="not_assessed")
    lead = _by_weight(felt)[0]
    rating = lead.rating.rating or Decimal(3)
    point = Point(text=lead.driver.name, basis=lead.claims[:2])
    return HorizonEffect(horizon=period, effect=cast(Effect, horizon_effect(float(rating))), point=point)


def _by_weight(views: list[DriverView]) -> list[DriverView]:
    """Return assessed drivers, the ones that move the score most first."""
    return sorted(
        views,
        key=lambda v: (-v.rating.weight * (1 + abs(float(v.rating.rating or 3) - 3)), v.driver.id),
    )


def _exposure(top: list[DriverView]) -> tuple[Exposure, ...]:
    named: dict[Exposure, None] = {}
    for view in top[:3]:
        named.update(dict.fromkeys(view.driver.exposure))
    return tuple(named)
