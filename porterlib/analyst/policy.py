"""Every rule by which the offline analyst decides, in one readable place.

Nothing here sees text: rules compare named figures (strength volumes, counts of publishers, ratings, signs of
ranges). Each function returns the answer with the name of the rule that gave it, which the brief can print.
A *volume* is a sum of document weights in which further documents of one publisher, and further publishers,
count less and less; it grows with every added source and never falls when one is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from porterlib.contracts.options import RecommendationKind

POLICY_VERSION = "policy-3"

PUBLISHER_DECAY = 0.6
"""Each further independent publisher adds this share of what the one before could add."""
DOCUMENT_DECAY = 2.0
"""The n-th document of one publisher adds 1 / n to this power of what it could add alone: little, never nothing."""
FURTHER_REPORTS = 0.25
"""A document that makes a point n times weighs n / (n + this) of its strength."""
HALF_EVIDENCE = 0.5
"""Volume of all usable evidence together at which the brief's confidence is half of its weakest force's."""
HALF_VOLUME = 0.8
"""Volume at which a driver's confidence is one half: about one regulator's statement."""
MINOR_SHARE = 0.25
"""Evidence for the weaker direction adds this share of its volume: it informs, and it disagrees."""
DOMINANT, CLEAR = 0.6, 0.2
"""Balance (raising - lowering) / (raising + lowering) from which one side dominates, or clearly prevails."""
MIN_DECISION_CONFIDENCE, FULL_DECISION_CONFIDENCE = 0.03, 0.10
"""Below the first, evidence must be got first; below the second, nothing beyond a reversible step."""

Confidence = Literal["high", "medium", "low", "none"]
STRENGTH_OF_RECOMMENDATION: tuple[RecommendationKind, ...] = (
    "stop",
    "missing_evidence",
    "wait",
    "reversible_step",
    "proceed",
)
"""From the most to the least cautious; every gate sets a ceiling and the lowest ceiling wins."""


def volume(strengths: Mapping[str, Sequence[float]]) -> float:
    """Return the volume of link strengths grouped by publisher.

    Monotone: removing a strength never raises it, because weights fall with rank and ranks are by size.
    """
    publishers = sorted(
        (
            fsum(
                value / pow(rank + 1.0, DOCUMENT_DECAY)
                for rank, value in enumerate(sorted(values, reverse=True))
            )
            for values in strengths.values()
        ),
        reverse=True,
    )
    return float(round(fsum(value * PUBLISHER_DECAY**rank for rank, value in enumerate(publishers)), 12))


def document_weight(strength: float, reports: int) -> float:
    """Return what a document weighs that makes a point `reports` times; more often adds less and less."""
    return strength * reports / (reports + FURTHER_REPORTS)


def brief_confidence(least: float, evidence: float) -> float:
    """Return the confidence of a brief: its least evidenced force's, scaled by the volume of all evidence.

    The first is an order statistic, so no force makes up for another. The second rises with every usable
    document, so that losing any support lowers the brief's confidence, not only losing it where it is scarcest.
    """
    return round(least * evidence / (evidence + HALF_EVIDENCE), 9)


def driver_confidence(raising: float, lowering: float) -> float:
    """Return confidence in one driver's rating, 0 to below 1; both volumes count, the weaker one less."""
    total = max(raising, lowering) + MINOR_SHARE * min(raising, lowering)
    return total / (total + HALF_VOLUME)


def confidence_word(value: float) -> Confidence:
    """Return the word for a confidence: high from .6, medium from .3, low above 0."""
    if value >= 0.6:
        return "high"
    if value >= 0.3:
        return "medium"
    return "low" if value > 0 else "none"


def pressure_word(score: float) -> str:
    """Return the word for a pressure score on the 1 to 5 scale."""
    for limit, word in ((1.75, "low"), (2.5, "limited"), (3.5, "mixed"), (4.25, "elevated")):
        if score < limit:
            return word
    return "high"


@dataclass(frozen=True)
class Answer:
    """A rated answer with the rule that gave it and the figures it compared."""

    value: int | None
    rule: str
    note: str


def rate_driver(features: Mapping[str, float]) -> Answer:
    """Rate a driver from volumes `raising`, `lowering` and publisher counts of each direction."""
    raising, lowering = features["raising"], features["lowering"]
    total = raising + lowering
    note = (
        f"{features['raising_publishers']:.0f} publishers report more pressure, "
        f"{features['lowering_publishers']:.0f} less"
    )
    if total == 0:
        return Answer(None, "driver.no_usable_source", "no usable source speaks to it")
    balance = (raising - lowering) / total
    if balance >= DOMINANT:
        several = features["raising_publishers"] >= 2
        return Answer(5 if several else 4, f"driver.raising_{'dominates' if several else 'single'}", note)
    if balance <= -DOMINANT:
        several = features["lowering_publishers"] >= 2
        return Answer(1 if several else 2, f"driver.lowering_{'dominates' if several else 'single'}", note)
    if balance >= CLEAR:
        return Answer(4, "driver.raising_prevails", note)
    if balance <= -CLEAR:
        return Answer(2, "driver.lowering_prevails", note)
    return Answer(3, "driver.balanced", note)


def judge_hypothesis(supporting: float, contradicting: float) -> tuple[str, str]:
    """Return verdict and rule of a hypothesis from the volumes of evidence for and against it."""
    total = supporting + contradicting
    if total == 0:
        return "open", "hypothesis.no_usable_source"
    balance = (supporting - contradicting) / total
    if balance >= DOMINANT:
        return "supported", "hypothesis.support_dominates"
    return (
        ("weakened", "hypothesis.contradiction_prevails")
        if balance < -CLEAR
        else ("contested", "hypothesis.both_sides")
    )


def judge_trend(features: Mapping[str, float]) -> tuple[str, str]:
    """Return trend and rule from publishers that report pressure growing (`up`) or easing (`down`)."""
    up, down, flat = features["up"], features["down"], features["flat"]
    if up + down + flat == 0:
        return "uncertain", "trend.no_source_reports_change"
    if up >= 2 and up >= 2 * down:
        return "increasing", "trend.two_publishers_report_growth"
    if down >= 2 and down >= 2 * up:
        return "decreasing", "trend.two_publishers_report_decline"
    if flat > up + down:
        return "stable", "trend.sources_report_no_change"
    if up and down:
        return "uncertain", "trend.sources_disagree"
    return "uncertain", "trend.one_publisher_only"


def horizon_effect(rating: float) -> str:
    """Return what the heaviest driver of a period does to pressure in it, from its rating."""
    if rating == 3:
        return "steady"
    return "rising" if rating > 3 else "easing"


def rate_lens(lens: str, features: Mapping[str, float]) -> Answer:
    """Rate an option under one lens; every lens has its own rule and none is summed with another."""
    return _LENS_RULES[lens](features)


def _necessity(features: Mapping[str, float]) -> Answer:
    highest, answers = features["highest_score"], int(features["responds"])
    if highest == 0:
        return Answer(None, "lens.necessity_no_force_assessed", "no force could be assessed")
    if highest < 2.5:
        return Answer(3, "lens.necessity_pressure_limited", f"no force scores above {highest:.1f}")
    value = answers if highest >= 3.5 else round((answers + 3) / 2)
    return Answer(value, "lens.necessity_by_response", f"the strongest force scores {highest:.1f}")


def _capability(features: Mapping[str, float]) -> Answer:
    demand = int(features["demand"])
    if not features["assumed"]:
        return Answer(None, "lens.capability_unknown", "nothing is known about the institution's capability")
    return Answer(demand, "lens.capability_by_demand", "rests on an open assumption about capability")


def _economics(features: Mapping[str, float]) -> Answer:
    if not features["known"]:
        return Answer(None, "lens.economics_no_inputs", "no finance input values this option")
    if features["baseline"]:
        return Answer(3, "lens.economics_baseline", "it is the baseline the others are measured against")
    worst, base, best = features["worst"], features["base"], features["best"]
    if best <= 0:
        return Answer(1, "lens.economics_range_negative", "the whole range of net present value is negative")
    if base <= 0:
        return Answer(2, "lens.economics_base_negative", "the base case loses value, the best case gains")
    if worst < 0:
        return Answer(3, "lens.economics_range_mixed", "the base case gains value, the worst case loses")
    return Answer(5, "lens.economics_range_positive", "even the worst case gains value")


def _control(features: Mapping[str, float]) -> Answer:
    load, duties, applying = (int(features[name]) for name in ("load", "duties", "applying"))
    value = max(1, load - (1 if duties >= 3 else 0))
    note = (
        f"{duties} of its {applying} control duties are evidenced"
        if applying
        else "the pack names no control duty for it"
    )
    return Answer(value, "lens.control_by_load_and_duties", note)


def _reversibility(features: Mapping[str, float]) -> Answer:
    return Answer(int(features["template"]), "lens.reversibility_of_course", "as such a course usually is")


_LENS_RULES = {
    "external_necessity": _necessity,
    "capability_fit": _capability,
    "economics": _economics,
    "control_acceptability": _control,
    "reversibility": _reversibility,
}


@dataclass(frozen=True)
class GateResult:
    """One gate of the recommendation: its ceiling and why."""

    gate: str
    ceiling: RecommendationKind
    note: str


def recommendation_gates(features: Mapping[str, float]) -> tuple[GateResult, ...]:
    """Return the ceiling of each gate, in the order a board would ask.

    Features: `forces_unassessed`, `confidence`, `economics_known`, `inputs_missing`, `worst`, `base`, `best`
    (the action option with the best base value), `delay_known`, `delay_base`, `delay_high`, `control` (best
    control rating among action options).
    """
    return (
        _coverage_gate(features),
        _confidence_gate(features),
        _control_gate(features),
        _inputs_gate(features),
        _value_gate(features),
        _delay_gate(features),
    )


def decide(gates: Sequence[GateResult]) -> GateResult:
    """Return the gate with the lowest ceiling; the first of them where several agree."""
    return min(gates, key=lambda gate: STRENGTH_OF_RECOMMENDATION.index(gate.ceiling))


def _coverage_gate(features: Mapping[str, float]) -> GateResult:
    missing = int(features["forces_unassessed"])
    if missing >= 2:
        return GateResult("gate.coverage", "missing_evidence", f"{missing} forces could not be assessed")
    if missing == 1:
        return GateResult("gate.coverage", "reversible_step", "one force could not be assessed")
    return GateResult("gate.coverage", "proceed", "all five forces are assessed")


def _confidence_gate(features: Mapping[str, float]) -> GateResult:
    value = features["confidence"]
    note = f"confidence of the least evidenced force is {value:.2f}"
    if value < MIN_DECISION_CONFIDENCE:
        return GateResult("gate.confidence", "missing_evidence", note)
    if value < FULL_DECISION_CONFIDENCE:
        return GateResult("gate.confidence", "reversible_step", note)
    return GateResult("gate.confidence", "proceed", note)


def _control_gate(features: Mapping[str, float]) -> GateResult:
    best = int(features["control"])
    note = f"the most acceptable action option rates {best} of 5 on control"
    if best <= 1:
        return GateResult("gate.control", "stop", note)
    return GateResult("gate.control", "reversible_step" if best == 2 else "proceed", note)


def _inputs_gate(features: Mapping[str, float]) -> GateResult:
    if not features["economics_known"]:
        return GateResult("gate.inputs", "missing_evidence", "no finance inputs value any action option")
    if features["inputs_missing"]:
        return GateResult(
            "gate.inputs", "missing_evidence", f"{int(features['inputs_missing'])} finance inputs are missing"
        )
    return GateResult("gate.inputs", "proceed", "finance inputs are complete")


def _value_gate(features: Mapping[str, float]) -> GateResult:
    if not features["economics_known"]:
        return GateResult("gate.value", "proceed", "not judged without finance inputs")
    if features["best"] <= 0:
        return GateResult("gate.value", "stop", "no action option gains value anywhere in its range")
    if features["base"] <= 0:
        return GateResult("gate.value", "wait", "no action option gains value in the base case")
    if features["worst"] < 0:
        return GateResult("gate.value", "reversible_step", "the base case gains value, the worst case loses")
    return GateResult("gate.value", "proceed", "the best action option gains value across its range")


def _delay_gate(features: Mapping[str, float]) -> GateResult:
    if not features["delay_known"]:
        return GateResult("gate.delay", "proceed", "the cost of delay was not supplied")
    if features["delay_base"] < 0:
        return GateResult("gate.delay", "wait", "waiting saves more than it costs in the base case")
    return GateResult("gate.delay", "proceed", "waiting costs at least as much as it saves in the base case")
