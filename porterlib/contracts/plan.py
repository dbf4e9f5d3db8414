"""The research plan: hypotheses, questions and public queries, before any search (rules 3.1, 3.2, 4.2)."""

from __future__ import annotations

from pydantic import Field

from porterlib.contracts.base import Contract, Force, Sha256, Text, Versioned


class PlannedQuery(Contract):
    """One query the plan wants to run."""

    id: Text
    """Stable id such as `Q-suppliers-3`."""
    force: Force
    """Force it serves."""
    sequence: int = Field(ge=1)
    """Place within its force, from 1; results are ordered by it, never by time."""
    hypothesis_id: Text
    """Hypothesis it tests."""
    text: Text
    """Public words, still to pass the egress guard."""
    contrary: bool = False
    """True when it looks for evidence against the hypothesis."""
    rationale: str = ""
    """Why it is asked, in one sentence."""


class PlannedHypothesis(Contract):
    """A hypothesis as it will be tested."""

    id: Text
    """Id from the sector pack."""
    force: Force
    """Force it belongs to."""
    statement: Text
    """Driver → force effect → mechanism → exposure → signal."""
    falsifier: Text
    """What would falsify it."""
    questions: tuple[str, ...]
    """Evidence questions."""
    contrary_questions: tuple[str, ...]
    """Questions that look for contrary evidence."""


class ResearchPlan(Versioned):
    """What will be researched; approval is bound to `sha256`."""

    run_id: Text
    """Run it belongs to."""
    topics: tuple[str, ...]
    """Subjects found in the request, such as `generative_ai`."""
    hypotheses: tuple[PlannedHypothesis, ...]
    """Hypotheses of all five forces."""
    queries: tuple[PlannedQuery, ...]
    """Queries, at most five a force, at least one of them contrary."""
    source_universe: tuple[str, ...]
    """Kinds of sources that are looked for, best first."""
    outline: tuple[str, ...]
    """Sections the brief will have."""
    sha256: Sha256
    """Digest of the plan without run id, which an approval names."""
