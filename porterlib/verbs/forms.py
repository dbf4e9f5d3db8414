"""Forms bound to a workspace: what a person decides in a cell is committed by the verb it belongs to.

`result.edit()` returns a form that hands on what was typed; the functions here return the same forms with the ledger
behind them. What is shown to be decided on is built from the ledger, never read from a file that anybody could edit,
and a decision names the digest of what was on the screen. After a restart everything committed is there again.
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.publication import Outcome, Review
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.economics import inputs_sha256
from porterlib.errors import DecisionScopeError, TransitionError
from porterlib.hashing import canonical_json
from porterlib.publication.decisions import person_digest
from porterlib.publication.texts import brief_text
from porterlib.verbs.approving import approve
from porterlib.verbs.framing import frame, read_request
from porterlib.verbs.framing import plan as plan_of
from porterlib.verbs.reviewed import ReviewedRun
from porterlib.workspace import Workspace, current_workspace

if TYPE_CHECKING:
    from porterlib.widgets import (
        ApprovalDecision,
        ApprovalPanel,
        DecisionRoom,
        PlanEditor,
        RangeForm,
        RequestForm,
    )

SAVED = "saved_inputs"
"""Field that marks the checkpoint of finance inputs saved in a form."""


def edit_request(
    request: DecisionRequest | str | os.PathLike[str],
    *,
    error: DecisionScopeError | None = None,
    workspace: Workspace | None = None,
) -> RequestForm:
    """Return the form of a request; submitting frames it, and the form's `result` is the contract.

    Args:
        request: a request or the path of its file.
        error: the refusal of `frame`, whose questions are asked first.
        workspace: where the run is opened; the one opened last if absent.

    """
    from porterlib.widgets import request_form

    place = current_workspace(workspace)

    def submit(made: DecisionRequest) -> str:
        form.result = frame(made, workspace=place)
        return f"Framed as {form.result.run_id}; the form's .result holds the contract."

    form: RequestForm = request_form(read_request(request), error=error, on_submit=submit)
    return form


def edit_plan(
    contract: DecisionContract, plan: ResearchPlan | None = None, *, workspace: Workspace | None = None
) -> PlanEditor:
    """Return the editor of a contract's plan; each decision is recorded with the plan's SHA-256.

    A decision is refused with `TransitionError` once the run has searched: what was searched cannot be approved
    afterwards.
    """
    from porterlib.widgets import PlanDecision, plan_editor

    place = current_workspace(workspace)

    def decide(made: PlanDecision) -> str:
        with place.writing() as ledger:
            if ledger.records(contract.run_id, "query"):
                raise TransitionError(
                    f"run {contract.run_id!r} has searched already; frame the request again to decide on a plan"
                )
            key = place.egress_key()
            private = {"reviewer": made.reviewer, "comment": made.comment, "salt": secrets.token_hex(16)}
            payload = {
                "decision": made.decision,
                "plan_sha256": made.sha256,
                "at": place.clock.now().isoformat(),
                "person": person_digest(made.reviewer, key),
            }
            with ledger.transaction():
                ledger.append(contract.run_id, "plan", made.plan.to_dict(), key=made.sha256)
                identity = ledger.put_blob(canonical_json(private), "application/json")
                ledger.append(contract.run_id, "plan_approval", {**payload, "identity": identity})
        return f"{made.decision} recorded for plan {made.sha256[:12]}"

    return plan_editor(plan or plan_of(contract, workspace=place), on_decide=decide)


def approved_plan(contract: DecisionContract, *, workspace: Workspace | None = None) -> ResearchPlan | None:
    """Return the plan that the last decision approves, or None: nobody decided, or the last one rejects."""
    with current_workspace(workspace).reading() as ledger:
        decisions = ledger.records(contract.run_id, "plan_approval")
        if not decisions or decisions[-1].payload["decision"] != "approve":
            return None
        record = ledger.find(contract.run_id, "plan", decisions[-1].payload["plan_sha256"])
        return ResearchPlan.model_validate(record.payload) if record else None


def edit_inputs(
    contract: DecisionContract,
    inputs: EconomicsInputs,
    *,
    path: str | os.PathLike[str] | None = None,
    workspace: Workspace | None = None,
) -> RangeForm:
    """Return the range form of a decision; saving commits the inputs, and writes YAML to `path` if one is given.

    The difference is shown against the inputs saved last, or against the ones given here when none were.
    """
    from porterlib.widgets import range_form

    place = current_workspace(workspace)

    def save(made: EconomicsInputs, _: str) -> str:
        payload = {SAVED: made.to_dict(), "inputs_sha256": inputs_sha256(made)}
        with place.writing() as ledger:
            record = ledger.append(contract.run_id, "checkpoint", payload)
        return f"Record {record.seq} of {contract.run_id}."

    before = saved_inputs(contract, workspace=place)
    return range_form(inputs, approved=before, path=path, on_save=save)


def saved_inputs(contract: DecisionContract, *, workspace: Workspace | None = None) -> EconomicsInputs | None:
    """Return the finance inputs that were saved last in a form, or None."""
    with current_workspace(workspace).reading() as ledger:
        held = [r.payload[SAVED] for r in ledger.records(contract.run_id, "checkpoint") if SAVED in r.payload]
    return EconomicsInputs.model_validate(held[-1]) if held else None


def review_panel(outcome: Outcome | str, *, workspace: Workspace | None = None) -> ApprovalPanel:
    """Return the approval panel of a run: the text as the ledger gives it now, and the buttons that record.

    Raises:
        InputError: the run has no text to review.
        UnknownRunError: there is no such run.

    """
    from porterlib.widgets import approval_panel

    place = current_workspace(workspace)
    run_id = outcome.run_id if isinstance(outcome, Outcome) else outcome
    review, text = _shown(place, run_id)
    return approval_panel(review, text, lambda made: _decide(place, made))


def decision_room(outcome: Any, *, workspace: Workspace | None = None) -> DecisionRoom:
    """Return a run in tabs, the approval panel among them.

    Args:
        outcome: the results of a run, its outcome, or its id.
        workspace: where the run lives; the one opened last if absent.

    """
    from porterlib.widgets import decision_room as room

    place = current_workspace(workspace)
    results = place.run(outcome if isinstance(outcome, str) else outcome.run_id)
    text = _shown(place, results.run_id)[1] if results.review is not None else ""
    return room(results, text=text, on_decide=lambda made: _decide(place, made))


def _shown(place: Workspace, run_id: str) -> tuple[Review, str]:
    """Return where a review stands and the exact text its fingerprint names."""
    with place.reading() as ledger:
        stored = ReviewedRun(place, ledger, run_id)
        review = stored.review
        return review, brief_text(stored.outcome, stored.need(stored.request), label=stored.label)


def _decide(place: Workspace, made: ApprovalDecision) -> Review:
    return approve(
        made.run_id,
        role=made.role,
        reviewer=made.reviewer,
        decision=made.decision,
        comment=made.comment,
        fingerprint=made.fingerprint,
        workspace=place,
    )
