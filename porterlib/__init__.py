"""Turns a strategic technology question into a decision a board can challenge.

The five verbs are `frame`, `acquire`, `calculate`, `supervise` and `approve`; `open_workspace` says where their
results live. Names load on first use, so that importing the library stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from porterlib.contracts.hooks import provide as _provide

if TYPE_CHECKING:
    from porterlib.contracts.analysis import Candidate as Candidate
    from porterlib.contracts.economics import Economics as Economics
    from porterlib.contracts.economics_inputs import EconomicsInputs as EconomicsInputs
    from porterlib.contracts.evidence import EvidenceSnapshot as EvidenceSnapshot
    from porterlib.contracts.plan import ResearchPlan as ResearchPlan
    from porterlib.contracts.publication import Outcome as Outcome
    from porterlib.contracts.publication import Review as Review
    from porterlib.contracts.request import DecisionContract as DecisionContract
    from porterlib.contracts.request import DecisionRequest as DecisionRequest
    from porterlib.contracts.supervision import CompletionTarget as CompletionTarget
    from porterlib.contracts.supervision import GoalCriterion as GoalCriterion
    from porterlib.evaluation import evidence_snapshot_id as evidence_snapshot_id
    from porterlib.evaluation import screen_support as screen_support
    from porterlib.supervision import RalphSupervisor as RalphSupervisor
    from porterlib.verbs.approving import approve as approve
    from porterlib.verbs.forms import decision_room as decision_room
    from porterlib.verbs.framing import frame as frame
    from porterlib.verbs.framing import plan as plan
    from porterlib.verbs.gathering import acquire as acquire
    from porterlib.verbs.gathering import calculate as calculate
    from porterlib.verbs.running import resume as resume
    from porterlib.verbs.running import run as run
    from porterlib.verbs.supervising import supervise as supervise
    from porterlib.workspace import Workspace as Workspace
    from porterlib.workspace import open_workspace as open_workspace

_HOMES = {
    "acquire": "verbs.gathering",
    "approve": "verbs.approving",
    "calculate": "verbs.gathering",
    "decision_room": "verbs.forms",
    "frame": "verbs.framing",
    "export_bundle": "verbs.exporting",
    "load_outcome": "verbs.loading",
    "load_run": "verbs.loading",
    "plan": "verbs.framing",
    "review": "verbs.approving",
    "verify_bundle": "publication.bundle_check",
    "resume": "verbs.running",
    "run": "verbs.running",
    "supervise": "verbs.supervising",
    "open_workspace": "workspace",
    "Workspace": "workspace",
    "RalphSupervisor": "supervision",
    "CompletionTarget": "contracts.supervision",
    "CriterionEvaluation": "contracts.supervision",
    "GapDirective": "contracts.supervision",
    "GoalCriterion": "contracts.supervision",
    "GoalReport": "contracts.supervision",
    "RalphState": "contracts.supervision",
    "evidence_snapshot_id": "evaluation",
    "screen_support": "evaluation",
    "SupportScreen": "contracts.support",
    "Candidate": "contracts.analysis",
    "DecisionContract": "contracts.request",
    "DecisionRequest": "contracts.request",
    "Economics": "contracts.economics",
    "EconomicsInputs": "contracts.economics_inputs",
    "Claim": "contracts.evidence",
    "ClaimEvidenceLink": "contracts.evidence",
    "EvidenceItem": "contracts.evidence",
    "EvidenceSnapshot": "contracts.evidence",
    "Outcome": "contracts.publication",
    "ResearchPlan": "contracts.plan",
    "Review": "contracts.publication",
    "PorterError": "errors",
    "DecisionScopeError": "errors",
    "EgressViolation": "errors",
    "SearchUnavailableError": "errors",
    "ModelContractError": "errors",
}

# Who shows a result and who edits one; imported when the first result is looked at.
_provide("display", "porterlib.display")
_provide("widgets", "porterlib.widgets")

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'porterlib' has no attribute {name!r}")
    value = getattr(import_module(f"porterlib.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
