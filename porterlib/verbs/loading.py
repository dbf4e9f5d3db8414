"""`load_run` and `load_outcome`: everything a run recorded, rebuilt from hash-checked records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

from pydantic import Field

from porterlib.analyst.local import stored_cost
from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.base import Contract, Force, Text
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot, Gap
from porterlib.contracts.ledger import RunRow, RunStatus
from porterlib.contracts.model import ModelCost
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.publication import Outcome, Review
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.supervision import AttemptManifest, RalphState
from porterlib.errors import InputError
from porterlib.ledger import Ledger
from porterlib.rendering.redact import HIDDEN, redact, redactor
from porterlib.verbs.reviewed import ReviewedRun
from porterlib.workspace import Workspace, current_workspace

_TRIES = 3
_PARTS = ("contract", "plan", "snapshot", "economics", "outcome", "review")
_OUTCOMES: tuple[str, ...] = get_args(Outcome.model_fields["status"].annotation)


class GuardedRequest(DecisionRequest):
    """A stored request whose `repr` shows no restricted term and no internal fact."""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield fields as they may stand on a screen or in a log."""
        hidden = redactor(self.restricted_terms, (fact.text for fact in self.internal_facts))
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name in ("restricted_terms", "internal_facts"):
                yield name, f"{len(value)} {HIDDEN}"
            else:
                yield name, redact(value, hidden) if isinstance(value, str) else value


class RunQuery(Contract):
    """One query of a run, as it was executed or rejected."""

    query_id: Text
    """Id from the plan."""
    force: Force
    """Force it served."""
    sequence: int
    """Place within its force."""
    hypothesis_id: Text
    """Hypothesis it tested."""
    contrary: bool
    """Whether it looked for contrary evidence."""
    status: Literal["executed", "rejected"]
    """What became of it."""
    text: str = ""
    """The words that were sent; empty for a rejected query, whose words are kept nowhere."""
    provider: str = ""
    """Who answered."""
    hits: int = 0
    """Number of hits."""
    rule: str = ""
    """Egress rule that rejected it."""


class RunResults(Contract):
    """Every result of one run, as the ledger holds it now; absent parts are None or empty."""

    run_id: Text
    """The run."""
    status: RunStatus
    """Current status."""
    reason: str = ""
    """Why it is in this status, where there is a reason."""
    request: GuardedRequest | None = Field(None, exclude=True)
    """The stored request; its text stays out of `repr` and `to_dict`."""
    contract: DecisionContract | None = None
    """The framed decision."""
    plan: ResearchPlan | None = None
    """The plan the run took up; before that, the one recorded last."""
    snapshot: EvidenceSnapshot | None = None
    """The frozen evidence."""
    inputs: EconomicsInputs | None = None
    """Finance inputs, as given."""
    economics: Economics | None = None
    """Calculations."""
    state: RalphState | None = None
    """How supervision stands."""
    outcome: Outcome | None = None
    """What supervision ended with; None while unfinished, or when it failed or was cancelled."""
    review: Review | None = None
    """Approvals against the current text; None without a text."""
    insufficient: InsufficientEvidence | None = None
    """What was missing, if evidence did not suffice."""
    queries: tuple[RunQuery, ...] = ()
    """Queries in the order they were recorded."""
    gaps: tuple[Gap, ...] = ()
    """What was refused or not found."""
    model_cost: ModelCost | None = None
    """What model calls cost and how much the model decided itself; None for a run without a model."""
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Artifact name to path, for files that are on disk."""
    head: Text
    """Hash of the last record, for safekeeping."""
    records: int = Field(ge=1)
    """Number of records."""

    @property
    def attempts(self) -> tuple[AttemptManifest, ...]:
        """Return the finished attempts."""
        return self.state.attempts if self.state else ()

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield what identifies the run; parts hold text that must not reach a log."""
        yield "run_id", self.run_id
        yield "status", self.status
        if self.reason:
            yield "reason", self.reason
        yield "holds", [name for name in _PARTS if getattr(self, name) is not None]


def load_run(workspace: Workspace | None, run_id: str) -> RunResults:
    """Return every result of a run, also after a restart; nothing is computed again but the fingerprint.

    Raises:
        UnknownRunError: the workspace holds no such run.
        IntegrityError: a record, content or part does not fit the others.

    """
    place = current_workspace(workspace)
    with place.reading() as ledger:
        for _ in range(_TRIES):
            row = ledger.run(run_id)
            results = _results(place, ledger, row)
            # A writer may have committed between two reads; then what was read belongs to two moments.
            if ledger.head(run_id) == row.head:
                return results
        return results


def load_outcome(workspace: Workspace | None, run_id: str) -> Outcome:
    """Return the outcome of a run as it stands, approvals included.

    Raises:
        UnknownRunError: the workspace holds no such run.
        InputError: the run has not ended, or failed or was cancelled before an outcome.

    """
    place = current_workspace(workspace)
    with place.reading() as ledger:
        stored = ReviewedRun(place, ledger, run_id)
        outcome = _outcome(stored)
    if outcome is None:
        why = f" ({stored.row.reason})" if stored.row.reason else ""
        raise InputError(
            f"run {run_id!r} is {stored.row.status}{why} and has no outcome; resume it, or read what it "
            "holds with workspace.run(run_id)",
            run_id=run_id,
            status=stored.row.status,
        )
    return outcome


def _results(place: Workspace, ledger: Ledger, row: RunRow) -> RunResults:
    stored = ReviewedRun(place, ledger, row.run_id)
    request = stored.request
    return RunResults(
        run_id=row.run_id,
        status=row.status,
        reason=row.reason or "",
        request=GuardedRequest(**dict(request)) if request else None,
        contract=stored.contract,
        plan=stored.plan,
        snapshot=stored.snapshot,
        inputs=stored.inputs,
        economics=stored.economics,
        state=stored.state,
        outcome=_outcome(stored),
        review=stored.review if stored.candidate is not None and row.status in _OUTCOMES else None,
        insufficient=stored.insufficient,
        queries=tuple(_query(record.payload) for record in stored.of("query")),
        gaps=tuple(Gap.model_validate(record.payload) for record in stored.of("gap")),
        model_cost=_cost(ledger, row.run_id),
        artifacts=stored.artifacts,
        head=row.head,
        records=row.records,
    )


def _cost(ledger: Ledger, run_id: str) -> ModelCost | None:
    cost = stored_cost(ledger, run_id)
    return cost if cost.total.questions else None


def _outcome(stored: ReviewedRun) -> Outcome | None:
    if stored.row.status not in _OUTCOMES:
        return None
    if stored.insufficient is not None:
        return stored.insufficient_outcome
    return stored.outcome if stored.snapshot is not None else None


def _query(payload: dict[str, Any]) -> RunQuery:
    known = {name: payload[name] for name in RunQuery.model_fields if name in payload}
    return RunQuery.model_validate(known)
