"""The definition of done: which criteria apply, and which checks decide each of them (rule 11.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from porterlib.contracts.supervision import CompletionTarget, Finding, GoalCriterion
from porterlib.evaluation.checks import (
    analogies,
    approval,
    basis,
    board,
    counter,
    decision,
    economics,
    forces,
    records,
    support,
)
from porterlib.evaluation.context import Case, EvaluationContext

Check = Callable[[Case], Iterator[Finding]]

CHECKS: dict[str, tuple[Check, ...]] = {
    "G-decision": (decision.decision_contract,),
    "G-forces": (forces.five_forces, basis.force_bases),
    "G-evidence": (
        records.unique_ids,
        records.snapshot_identity,
        records.evidence_records,
        records.claim_records,
        records.link_records,
        support.material_support,
        support.levels_not_overstated,
        support.fact_origins,
        support.single_sources,
        support.legal_texts,
        support.model_priors,
        basis.cited_ids,
        basis.material_assumptions,
    ),
    "G-board": (
        board.options_assessed,
        board.recommendation,
        board.brief_complete,
        basis.board_points,
        basis.option_bases,
    ),
    "G-analogies": (analogies.audience_analogies,),
    "G-fidelity": (decision.request_fidelity,),
    "G-counterevidence": (counter.challenge_views, counter.contrary_basis, forces.counter_coverage),
    "G-economics": (
        records.calculation_records,
        economics.values_reach_brief,
        economics.figures_are_exact,
        economics.negative_ranges,
        economics.unsigned_inputs,
    ),
    "G-approval": (approval.human_approval,),
}
_WORDS = {
    "G-decision": (
        "The decision is ready, complete and the one that was framed.",
        "decision contract checks",
    ),
    "G-forces": ("Each of the five forces is assessed once, from claims.", "five-force checks"),
    "G-evidence": (
        "Every claim, quote and id holds, and every material statement is supported.",
        "evidence-integrity checks, everything derived again",
    ),
    "G-board": (
        "Options, recommendation and brief are complete and rest on cited ids.",
        "board-decision checks",
    ),
    "G-analogies": ("Each requested audience has an analogy with its breaking point.", "analogy checks"),
    "G-fidelity": (
        "Question and market boundary are the ones that were given.",
        "comparison with the request",
    ),
    "G-counterevidence": (
        "The challenge rests on a canonical contrary basis that the board sees as dissent.",
        "counter-evidence checks",
    ),
    "G-economics": (
        "The calculator's exact figures reach brief and challenge, and losses are called losses.",
        "comparison of figures, digit for digit",
    ),
    "G-approval": ("All four roles approve exactly this text.", "approvals against the fingerprint"),
}


def default_criteria(context: EvaluationContext) -> tuple[GoalCriterion, ...]:
    """Return the criteria that apply to `context`.

    Economics coherence applies only where there are calculations, human approval only when the target is a
    publishable text; approval is the one criterion that another attempt cannot help.
    """
    skipped = set()
    if not getattr(context.economics, "calculations", ()):
        skipped.add("G-economics")
    if context.target != CompletionTarget.PUBLISHABLE:
        skipped.add("G-approval")
    return tuple(
        GoalCriterion(
            criterion_id=name,
            description=description,
            verification_method=method,
            retryable=name != "G-approval",
        )
        for name, (description, method) in _WORDS.items()
        if name not in skipped
    )
