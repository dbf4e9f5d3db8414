"""Every code the gate can raise, with its severity and remedy, in one readable table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from porterlib.contracts.supervision import Finding

Severity = Literal["error", "warning"]


class Code(NamedTuple):
    """What a code means for the reader."""

    severity: Severity
    remedy: str


_ERRORS = {
    "MALFORMED_GATE_INPUT": "rebuild the input from its contract; nothing else was checked",
    # decision contract
    "DECISION_NOT_READY": "answer the open questions before anything is researched",
    "DECISION_PART_MISSING": "state the named part of the decision",
    "CONTRACT_CHANGED": "assess the decision as it was framed; a changed frame is a new run",
    # five forces
    "FORCE_MISSING": "assess each of the five forces once",
    "FORCE_DUPLICATED": "assess each of the five forces once",
    "FORCE_NOT_ASSESSED": "get evidence for the force, or recommend a more cautious course",
    "FORCE_CLAIM_MISSING": "rate a driver only where claims speak to it",
    "FORCE_GAP_MISSING": "say what is missing for the force that is not assessed",
    "FORCE_HORIZONS_INCOMPLETE": "give near, medium and long effects once each",
    "FORCE_REVERSAL_MISSING": "name leading indicators and what would turn the assessment",
    # evidence integrity
    "DUPLICATE_EVIDENCE_ID": "keep one item of that id",
    "DUPLICATE_CLAIM_ID": "keep one claim of that id",
    "DUPLICATE_LEDGER_CLAIM_ID": "keep one claim of that id in the ledger",
    "DUPLICATE_ASSUMPTION_ID": "keep one assumption of that id",
    "CLAIM_ABSENT_FROM_LEDGER": "cite a claim that the ledger holds",
    "CLAIM_LEDGER_MISMATCH": "take the claim from the ledger unchanged",
    "CLAIM_LINK_MISMATCH": "derive the link's id and strength from claim, evidence and span",
    "CLAIM_MATERIALITY_MISMATCH": "derive materiality from where the claim is cited",
    "CLAIM_STRENGTH_MISMATCH": "derive the strength from the claim's supporting links",
    "CLAIM_AGREEMENT_MISMATCH": "derive the agreement from the publishers of the claim's links",
    "DANGLING_CLAIM_LINK": "drop the link or add its claim",
    "DANGLING_EVIDENCE_LINK": "drop the link or cite evidence of the snapshot",
    "CLAIM_ORIGIN_MISMATCH": "support external facts from public sources and internal ones from the owner's",
    "EVIDENCE_AFTER_CUTOFF": "leave out what was published after the cutoff",
    "EVIDENCE_AUTHORITY_MISMATCH": "derive the authority from the class of the source",
    "EVIDENCE_ID_MISMATCH": "derive the id from text digest and offsets",
    "EVIDENCE_QUOTE_NOT_FOUND": "copy the quote from the passage at the stated offsets",
    "EVIDENCE_TEXT_MISMATCH": "take the passage from the frozen text at the stated offsets",
    "INSUFFICIENT_ENTAILED_SUPPORT": "find a stronger quote that passes all levels, or drop the claim",
    "MISSING_ASSUMPTION": "list the assumption, or cite one that is listed",
    "MISSING_CALCULATION": "cite a figure of the calculator",
    "MISSING_EVIDENCE": "link evidence of the snapshot to the claim",
    "MODEL_PRIOR_AS_FACT": "use a model's prior knowledge as a lead only",
    "REJECTED_ASSUMPTION_REFERENCED": "remove what rests on the rejected assumption",
    "SNAPSHOT_ID_MISMATCH": "assess the frozen snapshot; other evidence is a new run",
    "SUPPORT_LEVELS_OVERSTATED": "record the levels that the texts give",
    "SUPPORT_QUOTE_LOW_ALIGNMENT": "choose a quote that bears on the claim",
    "UNKNOWN_BASIS_ID": "cite claim, assumption or calculation ids",
    # board decision
    "BOARD_POINT_BASIS_MISSING": "cite at least one claim, assumption or calculation",
    "BOARD_QUESTIONS_INCOMPLETE": "answer each of the ten board questions once",
    "CONFIDENCE_OVERSTATED": "state no more confidence than the best evidenced force has",
    "CUTOFF_MISMATCH": "state the cutoff of the decision",
    "GATES_MISSING": "give at least one measurable stage gate",
    "MODE_VIEW_MISSING": "read the evidence as profit pool, exposure or response, whichever the mode asks for",
    "MODEL_PRIOR_BOARD_BASIS": "rest the point on evidence, not on a model's prior knowledge",
    "MODEL_PRIOR_OPTION_BASIS": "rest the rating on evidence, not on a model's prior knowledge",
    "OPTION_BASIS_MISSING": "cite what the rating rests on, or leave it not assessed",
    "OPTION_CONDITIONS_MISSING": "name stop and acceleration conditions of the action option",
    "OPTION_LENS_MISSING": "rate each of the five lenses once",
    "OPTION_SET_MISMATCH": "assess exactly the options of the decision",
    "RECOMMENDATION_INCOHERENT": "let recommendation, option and brief say the same",
    # audience analogies
    "ANALOGY_CORRESPONDENCE_EMPTY": "say what corresponds to what, each time something else",
    "ANALOGY_DUPLICATED": "give each audience one analogy",
    "ANALOGY_MISSING": "give each requested audience an analogy",
    "ANALOGY_RESTATES": "compare with something else, and say where the comparison stops working",
    # request fidelity
    "BOUNDARY_CHANGED": "keep the market boundary word for word",
    "QUESTION_CHANGED": "keep the question word for word",
    # counterevidence
    "CHALLENGE_BASIS_SHARED": "give each view a basis of its own",
    "CHALLENGE_VIEW_MISSING": "challenge from each of the six views once",
    "CONTRARY_BASIS_MISSING": "search for evidence against the recommendation and rest the challenge on it",
    "CONTRARY_BASIS_NOT_CONTRARY": "rest the challenge on what speaks against the recommendation",
    "CONTRARY_BASIS_UNKNOWN": "rest the challenge on a claim or link that the ledger holds",
    "DISSENT_BASIS_MISMATCH": "let the dissent cite the challenge's contrary basis",
    # economics coherence
    "CALCULATION_ID_MISMATCH": "take the figure from the calculator unchanged",
    "ECONOMICS_FIGURE_DIFFERS": "print the calculator's figure digit for digit",
    "ECONOMICS_RATING_TOO_HIGH": "rate the option at most 2 on economics",
    "ECONOMICS_VALUE_ABSENT": "print the figure as calculated and cite its id",
    "NEGATIVE_RANGE_NOT_STATED": "say in the brief that the whole range is negative, with the figure",
    "RECOMMENDATION_IGNORES_ECONOMICS": "do not proceed with an option whose whole range is negative",
    # human approval
    "CURRENT_BRIEF_REJECTED": "a rejected text stays blocked; revise the content in a new run",
}
_WARNINGS = {
    "ECONOMICS_UNSIGNED": "ask the finance owner to sign the inputs",
    "LEGAL_PRIMARY_TEXT_MISSING": "link the primary text and have a qualified person read it",
    "MATERIAL_ASSUMPTION_UNVALIDATED": "ask the owner to confirm the assumption",
    "NO_COUNTEREVIDENCE": "look for evidence on the other side",
    "REQUIRED_APPROVAL_MISSING": "ask the named role to decide on this exact text",
    "REVIEWER_HOLDS_TWO_ROLES": "ask another person to decide in the second role",
    "SINGLE_SOURCE_MATERIAL_FACT": "look for a second, independent publisher",
    "STALE_APPROVAL": "ask the reviewer to decide on the current text",
}
CODES: dict[str, Code] = {
    **{code: Code("error", remedy) for code, remedy in _ERRORS.items()},
    **{code: Code("warning", remedy) for code, remedy in _WARNINGS.items()},
}


def found(code: str, place: str, message: str, *, severity: Severity | None = None) -> Finding:
    """Return a finding with the code's remedy; `severity` overrides the table where the case decides it."""
    entry = CODES[code]
    return Finding(
        code=code,
        severity=severity or entry.severity,
        place=place,
        message=message,
        remedy=entry.remedy,
    )


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings once each: errors first, then by code, place and message."""
    unique = {(f.severity != "error", f.code, f.place, f.message): f for f in findings}
    return tuple(unique[key] for key in sorted(unique))
