"""Completeness of the board decision: options, recommendation, gates, questions, confidence."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.options import LENSES, OptionAssessment, RecommendationKind
from porterlib.contracts.request import ACTION_KINDS, OptionKind
from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found

BOARD_QUESTIONS = 10
_AMOUNTS_TO: dict[RecommendationKind, frozenset[OptionKind]] = {
    "proceed": ACTION_KINDS,
    "reversible_step": ACTION_KINDS,
    "wait": frozenset(("wait", "maintain")),
    "stop": frozenset(("maintain",)),
    "missing_evidence": frozenset(("wait", "maintain")),
}
_NEEDS_OPTION: frozenset[RecommendationKind] = frozenset(("proceed", "reversible_step", "wait"))


def options_assessed(case: Case) -> Iterator[Finding]:
    """Check that exactly the decision's options are assessed, each under five lenses, with conditions."""
    wanted = [(option.id, option.name, option.kind) for option in case.candidate.contract.options]
    given = [(option.option_id, option.name, option.kind) for option in case.candidate.options]
    if sorted(wanted) != sorted(given):
        yield found("OPTION_SET_MISMATCH", "options", "the options assessed are not those of the decision")
    for option in case.candidate.options:
        yield from _option(option)


def _option(option: OptionAssessment) -> Iterator[Finding]:
    place = f"options.{option.option_id}"
    if sorted(rating.lens for rating in option.ratings) != sorted(LENSES):
        yield found("OPTION_LENS_MISSING", place, "the five lenses are not rated once each")
    conditions = (option.stop_conditions, option.acceleration_conditions)
    if option.kind in ACTION_KINDS and not all(any(text.strip() for text in part) for part in conditions):
        yield found(
            "OPTION_CONDITIONS_MISSING", place, "an action option lacks stop or acceleration conditions"
        )


def recommendation(case: Case) -> Iterator[Finding]:
    """Check that recommendation, option and brief say the same thing."""
    advice = case.candidate.recommendation
    kinds = {option.id: option.kind for option in case.candidate.contract.options}
    if advice.option_id is None:
        if advice.kind in _NEEDS_OPTION:
            yield found(
                "RECOMMENDATION_INCOHERENT", "recommendation.option_id", f"{advice.kind} names no option"
            )
    elif kinds.get(advice.option_id) not in _AMOUNTS_TO[advice.kind]:
        message = f"{advice.kind} cannot amount to option {advice.option_id}"
        yield found("RECOMMENDATION_INCOHERENT", "recommendation.option_id", message)
    if case.candidate.brief.recommendation != advice.sentence:
        message = "the brief recommends in other words or on another basis"
        yield found("RECOMMENDATION_INCOHERENT", "brief.recommendation", message)


def brief_complete(case: Case) -> Iterator[Finding]:
    """Check gates, the mode's view, board questions, cutoff and confidence."""
    brief, contract = case.candidate.brief, case.candidate.contract
    acts = case.candidate.recommendation.kind in ("proceed", "reversible_step")
    if acts and not brief.gates:
        yield found("GATES_MISSING", "brief.gates", "a commitment without a stage gate")
    if brief.mode_view is None:
        message = f"the evidence is not read as the mode {contract.analysis_mode} asks"
        yield found("MODE_VIEW_MISSING", "brief.mode_view", message)
    asked = {" ".join(entry.question.casefold().split()) for entry in brief.board_questions}
    if len(asked) != BOARD_QUESTIONS or len(brief.board_questions) != BOARD_QUESTIONS:
        message = f"{len(asked)} different questions are answered, not {BOARD_QUESTIONS}"
        yield found("BOARD_QUESTIONS_INCOMPLETE", "brief.board_questions", message)
    cutoff = contract.evidence_cutoff.isoformat() if contract.evidence_cutoff else "none given"
    if brief.cutoff != cutoff:
        yield found("CUTOFF_MISMATCH", "brief.cutoff", f"the decision's cutoff is {cutoff}")
    highest = max((force.confidence for force in case.candidate.forces), default=0.0)
    if brief.confidence > highest + 1e-9:
        message = f"{brief.confidence:g} is stated, the best evidenced force has {highest:g}"
        yield found("CONFIDENCE_OVERSTATED", "brief.confidence", message)
