"""The six views that test a recommendation."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porterlib.contracts.assessment import Point
from porterlib.contracts.base import Contract, Text

View = Literal[
    "cfo", "cro_model_risk", "regulator_audit", "business_executive", "sceptical_director", "evidence_auditor"
]
VIEWS: tuple[View, ...] = (
    "cfo",
    "cro_model_risk",
    "regulator_audit",
    "business_executive",
    "sceptical_director",
    "evidence_auditor",
)


class ChallengeView(Contract):
    """One of the six views that test the recommendation."""

    view: View
    """Who challenges."""
    counterargument: Point
    """Strongest counterargument from this view."""
    disconfirming: tuple[str, ...]
    """Claim or link ids that speak against."""
    dominant_assumptions: tuple[str, ...]
    """Assumption or calculation ids on which everything rests."""
    pre_mortem: Text
    """How it will have failed."""
    invalidating_conditions: tuple[str, ...] = Field(min_length=1)
    """What would invalidate the recommendation."""
    required_changes: tuple[str, ...]
    """What this view requires before approval."""


class ChallengeReport(Contract):
    """The independent challenge."""

    views: tuple[ChallengeView, ...] = Field(min_length=6, max_length=6)
    """Six views, each on a basis of its own."""
    contrary_basis: tuple[str, ...]
    """Canonical contrary claim or contradicting link; dissent cites the same."""
    repair_requests: tuple[str, ...] = ()
    """Codes that ask for the one repair of this attempt."""
