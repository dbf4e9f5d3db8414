"""The decision contract, and fidelity to what was asked (rules 2.2, 2.3 and 11.1)."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.supervision import Finding
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found


def decision_contract(case: Case) -> Iterator[Finding]:
    """Check that the decision is ready, complete, and the one that was framed."""
    contract = case.candidate.contract
    if not contract.ready or contract.open_questions:
        yield found("DECISION_NOT_READY", "contract", f"{len(contract.open_questions)} questions are open")
    boundary = contract.boundary
    parts = {
        "question": contract.question,
        "baseline": contract.baseline,
        "decision_owner": contract.decision_owner,
        "board_action_requested": contract.board_action_requested,
        "boundary.statement": boundary.statement,
        "boundary.product": boundary.product,
        "boundary.customer": boundary.customer,
        "boundary.geographies": "".join(boundary.geographies),
        "boundary.regulatory_perimeter": boundary.regulatory_perimeter,
    }
    for name, text in parts.items():
        if not text.strip():
            yield found("DECISION_PART_MISSING", f"contract.{name}", f"{name} is blank")
    framed = case.context.contract
    if framed is not None and framed != contract:
        changed = [
            name for name in type(framed).model_fields if getattr(framed, name) != getattr(contract, name)
        ]
        for name in changed:
            yield found("CONTRACT_CHANGED", f"contract.{name}", f"{name} differs from the framed decision")


def request_fidelity(case: Case) -> Iterator[Finding]:
    """Check that question and boundary are the request's, after case and white-space folding."""
    contract, brief, request = case.candidate.contract, case.candidate.brief, case.context.request
    asked = request.question if request else contract.question
    # A request may leave the boundary to the questions of framing; then the framed one is what was agreed.
    market = (request.market_boundary if request else "") or contract.boundary.statement
    for place, text in (("contract.question", contract.question), ("brief.question", brief.question)):
        if _folded(text) != _folded(asked):
            yield found("QUESTION_CHANGED", place, "it is not the question that was asked")
    statements = (
        ("contract.boundary.statement", contract.boundary.statement),
        ("brief.boundary", brief.boundary),
    )
    for place, text in statements:
        if _folded(text) != _folded(market):
            yield found("BOUNDARY_CHANGED", place, "it is not the market boundary that was given")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
