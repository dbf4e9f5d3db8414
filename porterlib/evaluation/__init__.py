"""Evaluation: an independent, deterministic verdict on what an attempt produced.

A frozen context enters (candidate, snapshot, economics, request, policy, approvals); every check looks at it
and says what is wrong as data; the gate collects all of it, and the report says which criteria hold. Nothing
that an author states about its own work is believed: quotes, ids, levels, strengths and materiality are
derived again. No model takes part, and a malformed input is a finding, not a crash.
"""

from porterlib.evaluation.citations import material_ids
from porterlib.evaluation.context import EvaluationContext
from porterlib.evaluation.criteria import default_criteria
from porterlib.evaluation.findings import CODES
from porterlib.evaluation.fingerprint import brief_fingerprint
from porterlib.evaluation.gate import EVALUATOR_VERSION, evaluate, gate
from porterlib.evaluation.ids import claim_id, evidence_id, evidence_snapshot_id, link_id
from porterlib.evaluation.labels import publication_label, standing
from porterlib.evaluation.strength import (
    claim_agreement,
    claim_agreements,
    claim_strength,
    claim_strengths,
    link_strength,
    usable,
)
from porterlib.evaluation.support import screen_support

__all__ = [
    "CODES",
    "EVALUATOR_VERSION",
    "EvaluationContext",
    "brief_fingerprint",
    "claim_agreement",
    "claim_agreements",
    "claim_id",
    "claim_strength",
    "claim_strengths",
    "default_criteria",
    "evaluate",
    "evidence_id",
    "evidence_snapshot_id",
    "gate",
    "link_id",
    "link_strength",
    "material_ids",
    "publication_label",
    "screen_support",
    "standing",
    "usable",
]
