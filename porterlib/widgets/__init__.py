"""Forms and interactive views for a notebook: a contract enters, a changed contract or a decision leaves.

Nothing here writes a ledger or reaches the network: a form checks, then calls back, and the caller records. Numbers
are typed as text and read as exact decimals; what cannot be used is refused beside its field and never altered.
What is shown after a restart is what was recorded, not what a form held.
"""

from porterlib.widgets.approval_panel import ApprovalDecision, ApprovalPanel, approval_panel
from porterlib.widgets.entry import edit, widget
from porterlib.widgets.input_yaml import inputs_yaml
from porterlib.widgets.plan_editor import PlanDecision, PlanEditor, plan_editor
from porterlib.widgets.range_form import RangeForm, range_form
from porterlib.widgets.reading import EvidenceWidget, HeatmapWidget, RangesWidget, TimelineWidget
from porterlib.widgets.request_form import RequestForm, request_form
from porterlib.widgets.room import DecisionRoom, decision_room

__all__ = [
    "ApprovalDecision",
    "ApprovalPanel",
    "DecisionRoom",
    "EvidenceWidget",
    "HeatmapWidget",
    "PlanDecision",
    "PlanEditor",
    "RangeForm",
    "RangesWidget",
    "RequestForm",
    "TimelineWidget",
    "approval_panel",
    "decision_room",
    "edit",
    "inputs_yaml",
    "plan_editor",
    "range_form",
    "request_form",
    "widget",
]
