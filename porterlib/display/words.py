"""Words for the closed vocabularies of the contracts, as a reader of a table meets them."""

from __future__ import annotations

from porterlib.display.style import Tone

GATES = {
    "gate.coverage": "how many forces could be assessed",
    "gate.confidence": "how sure the evidence makes us",
    "gate.control": "whether controls are acceptable",
    "gate.inputs": "whether finance inputs are complete",
    "gate.value": "what the options are worth",
    "gate.delay": "what waiting costs",
}
FORCES = {
    "new_entrants": "New entrants",
    "suppliers": "Suppliers",
    "buyers": "Buyers",
    "substitutes": "Substitutes",
    "rivalry": "Rivalry",
}
LENSES = {
    "external_necessity": "External necessity",
    "capability_fit": "Capability fit",
    "economics": "Economics",
    "control_acceptability": "Control acceptability",
    "reversibility": "Reversibility",
}
RATING_WORDS = {1: "poor", 2: "weak", 3: "fair", 4: "good", 5: "strong"}
VIEWS = {
    "cfo": "Chief financial officer",
    "cro_model_risk": "Chief risk officer, model risk",
    "regulator_audit": "Regulator and audit",
    "business_executive": "Business executive",
    "sceptical_director": "Sceptical director",
    "evidence_auditor": "Evidence auditor",
}
KINDS = {
    "proceed": "Proceed",
    "reversible_step": "Take a smaller reversible step",
    "wait": "Wait and watch named signals",
    "stop": "Stop",
    "missing_evidence": "Get the missing evidence first",
}
STATUSES: dict[str, tuple[str, Tone]] = {
    "created": ("created", "quiet"),
    "acquiring_evidence": ("acquiring evidence", "quiet"),
    "verifying": ("verifying", "quiet"),
    "achieved_draft": ("draft achieved", "good"),
    "human_required": ("people must decide", "warn"),
    "publishable": ("publishable", "good"),
    "blocked": ("blocked", "bad"),
    "insufficient_evidence": ("insufficient evidence", "warn"),
    "failed": ("failed", "bad"),
    "cancelled": ("cancelled", "quiet"),
    "running": ("running", "quiet"),
}
OUTCOMES: dict[str, tuple[str, Tone]] = {
    "pass": ("pass", "good"),
    "fail": ("fail", "bad"),
    "human_required": ("a person decides", "warn"),
}
APPROVALS: dict[str, tuple[str, Tone]] = {
    "missing": ("missing", "quiet"),
    "approved": ("approved", "good"),
    "rejected": ("rejected", "bad"),
    "stale": ("stale: decided on an earlier text", "warn"),
}
STANCES: dict[str, tuple[str, Tone]] = {
    "supports": ("supports", "good"),
    "contradicts": ("contradicts", "bad"),
    "context": ("context", "quiet"),
}
TRENDS = {
    "increasing": "▲ increasing",
    "stable": "● stable",
    "decreasing": "▼ decreasing",
    "uncertain": "? uncertain",
}
EFFECTS = {"rising": "▲ rising", "steady": "● steady", "easing": "▼ easing", "not_assessed": "not assessed"}
HORIZONS = {"near": "Months 0–12", "medium": "12–36", "long": "36+"}
NOT_ASSESSED = "not assessed"
NO_PROOF = "Four checks of wording; passing all of them does not prove a statement true."


def spoken(name: str) -> str:
    """Return a name of the library's vocabulary without underscores."""
    return name.replace("_", " ")
