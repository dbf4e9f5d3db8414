"""Every view by contract and name; the first of a contract is the one it shows by itself.

Names, not classes, so that a picture loads only when somebody looks, and results of any room can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping

_FORCES = {
    "heatmap": "charts.heatmap:heatmap",
    "forces": "views.forces:forces",
    "force": "views.forces:force",
    "mode": "views.mode:mode",
    "mechanisms": "views.forces:mechanisms",
    "options": "views.options:options",
    "challenge": "views.challenge:challenge",
}
_READING = {"evidence": "views.evidence:evidence", "claims": "views.claims:claims"}
_MONEY = {
    "ranges": "charts.ranges:ranges",
    "tornado": "charts.tornado:tornado",
    "cash": "charts.cash:cash",
    "delay": "charts.delay:delay",
    "ladder": "views.economics:ladder",
    "missing": "views.economics:missing",
}
_WATCH = {"timeline": "views.attempts:timeline"}

VIEWS: Mapping[str, Mapping[str, str]] = {
    "DecisionRequest": {"request": "views.decision:request"},
    "DecisionContract": {"contract": "views.decision:contract"},
    "ResearchPlan": {"plan": "views.plan:plan"},
    "EvidenceSnapshot": {"evidence": "views.evidence:evidence", "gaps": "views.trace:gaps"},
    "EvidenceItem": {"item": "views.evidence:item"},
    "Gap": {"gap": "views.fields:fields"},
    "InsufficientEvidence": {"insufficient": "views.insufficient:insufficient"},
    "EconomicsInputs": {"inputs": "views.economics:inputs"},
    "Economics": {"economics": "views.economics:economics", **_MONEY},
    "Explanation": {"explanation": "views.economics:explanation"},
    "Simulation": {"simulation": "views.economics:simulation", "histogram": "charts.histogram:histogram"},
    "Candidate": {"candidate": "views.outcome:candidate", **_FORCES, "claims": _READING["claims"]},
    "ForceAssessment": {"force": "views.forces:one_force"},
    "Outcome": {"outcome": "views.outcome:outcome", **_FORCES, **_READING, **_MONEY, **_WATCH},
    "GoalReport": {"report": "views.attempts:report"},
    "RalphState": {"timeline": "views.attempts:timeline"},
    "Review": {"approvals": "views.approvals:approvals"},
    "RunResults": {
        "run": "views.run:run",
        **_FORCES,
        **_READING,
        **_MONEY,
        **_WATCH,
        "trace": "views.trace:trace",
        "gaps": "views.trace:gaps",
        "approvals": "views.approvals:approvals",
        "cost": "views.model:cost",
    },
    "ModelCost": {"cost": "views.model:cost"},
    "Qualification": {"qualification": "views.model:qualification"},
    "CapabilityProfile": {"profile": "views.model:profile"},
    "DoctorReport": {"doctor": "views.model:doctor"},
    "RunRow": {"run": "views.fields:fields"},
    "VerifyReport": {"verification": "views.verification:verification"},
    "BundleReport": {"verification": "views.verification:verification"},
}
