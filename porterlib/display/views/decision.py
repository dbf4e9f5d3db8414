"""The request and the decision it was framed into."""

from __future__ import annotations

from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.display.blocks import Block, Built, Facts, Fold, Listed, Para, grid
from porterlib.display.words import spoken


def contract(decision: DecisionContract) -> Built:
    """Return the decision: question, boundary, options, and what is still open."""
    boundary = decision.boundary
    facts: list[tuple[str, object]] = [
        ("Run", decision.run_id),
        ("Boundary", boundary.statement),
        ("Baseline", decision.baseline),
        ("Horizon", f"{decision.horizon_months} months"),
        ("Evidence cutoff", decision.evidence_cutoff or "none"),
        ("Owner", decision.decision_owner),
        ("Board is asked", decision.board_action_requested),
        ("Sector", f"{decision.sector} {decision.pack_version}, {spoken(decision.analysis_mode)}"),
    ]
    options = grid(
        ("Id", "Option", "Kind", "What it does"),
        decision.options,
        lambda option: (option.id, option.name, spoken(option.kind), option.description),
        caption="Options",
        narrow=(3,),
    )
    blocks: list[Block] = [
        Para(decision.question, bold=True),
        Facts(facts),
        options,
        Listed("Open questions", decision.open_questions),
        Listed("Missing inputs", [f"{entry.name}: {entry.request}" for entry in decision.missing_inputs]),
        Fold(
            "Measures, constraints, reversibility, assumptions",
            [
                Listed("Success measures", decision.success_measures),
                Listed("Constraints", decision.constraints),
                Listed("Can be undone", decision.reversible_elements),
                Listed("Cannot be undone", decision.irreversible_elements),
                Listed("Assumptions", [f"{a.id} ({a.status}): {a.text}" for a in decision.assumptions]),
            ],
        ),
    ]
    state = "ready for research" if decision.ready else "not ready: questions are open"
    return Built(
        f"Decision contract, {state}",
        blocks,
        lambda: ({"run_id": decision.run_id} | o.to_dict() for o in decision.options),
    )


def request(asked: DecisionRequest) -> Built:
    """Return the request; restricted terms and internal facts are counted, never shown."""
    facts: list[tuple[str, object]] = [
        ("Organisation", asked.organisation_name or "—"),
        ("Sector", f"{asked.sector}, {spoken(asked.analysis_mode)}"),
        ("Market boundary", asked.market_boundary or "—"),
        ("Horizon", f"{asked.horizon_months} months"),
        ("Evidence cutoff", asked.evidence_cutoff or "none"),
        ("Current course", asked.current_course or "—"),
        ("Owner", asked.decision_owner or "—"),
        ("Restricted terms", f"{len(asked.restricted_terms)}, withheld"),
        ("Internal facts", f"{len(asked.internal_facts)}, withheld"),
    ]
    options = grid(
        ("Option", "Kind", "What it does"),
        asked.options,
        lambda option: (option.name, spoken(option.kind), option.description),
        caption="Options",
        narrow=(2,),
    )
    facts_held = Listed(
        "Owners of internal facts",
        [f"{fact.owner} ({fact.confidentiality})" for fact in asked.internal_facts],
    )
    blocks: list[Block] = [Para(asked.question, bold=True), Facts(facts), options, facts_held]
    columns = ("name", "kind", "description", "wait_months", "learning_months")
    return Built("Decision request", blocks, lambda: (o.to_dict() for o in asked.options), columns=columns)
