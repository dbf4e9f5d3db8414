"""`approve` and `review`: named people decide on one exact text, and the ledger keeps each decision."""

from __future__ import annotations

from porterlib.contracts.publication import Approval, Outcome, Review
from porterlib.contracts.supervision import CompletionTarget, GoalReport
from porterlib.egress.key import keyed_digest
from porterlib.errors import IntegrityError, TransitionError
from porterlib.evaluation import EvaluationContext, evaluate
from porterlib.ledger import Entry, Ledger
from porterlib.publication import approvals
from porterlib.publication.artifacts import record_artifacts, write_artifacts
from porterlib.publication.decisions import person_digest, record_decision
from porterlib.publication.texts import text_files
from porterlib.verbs.reviewed import VERDICT, ReviewedRun
from porterlib.workspace import Workspace, current_workspace


def approve(
    outcome: Outcome | str,
    *,
    role: str,
    reviewer: str,
    decision: str = "approve",
    comment: str = "",
    fingerprint: str | None = None,
    workspace: Workspace | None = None,
    allow_same_person: bool = False,
) -> Review:
    """Record one reviewer's decision on the current text and return where the review stands.

    The text is rebuilt from the ledger and judged again under the current versions; a decision that names
    another text is refused. Completed attempts stay as they are: decision, verdict and files are appended.

    Args:
        outcome: the outcome that was read, or the id of its run.
        role: strategy, finance, technology or risk.
        reviewer: name of the person who decides, self-declared.
        decision: `approve` or `reject`; a rejection blocks the text until the same person takes it back.
        comment: why; kept locally, in no shared file.
        fingerprint: text the decision is about; an outcome carries its own, a run id does not.
        workspace: where the run lives; the one opened last if absent.
        allow_same_person: policy that one person may hold several roles; recorded with the decision.

    Raises:
        InputError: role, decision, reviewer or fingerprint is missing or unknown, or the person holds a role.
        FingerprintError: the decision names another text than the current one.
        TransitionError: the run is not in review, or the text fails a check and so cannot be approved.
        UnknownRunError: there is no such run.

    """
    place = current_workspace(workspace)
    run_id = outcome.run_id if isinstance(outcome, Outcome) else outcome
    named = fingerprint or (outcome.fingerprint if isinstance(outcome, Outcome) else None)
    given = _Given(role, reviewer, decision, comment)
    with place.writing() as ledger:
        stored = ReviewedRun(place, ledger, run_id)
        stored.check_chain()
        stored.check_reviewable()
        approvals.check_fingerprint(named, stored.fingerprint)
        person = person_digest(given.reviewer, place.egress_key())
        approvals.check_distinct(
            stored.decisions, stored.fingerprint, given.role, person, allowed=allow_same_person
        )
        if given.decision == "approve":
            _check_passes(stored)
        with ledger.transaction():
            record_decision(
                ledger,
                run_id,
                given.approval(stored),
                key=place.egress_key(),
                same_person=allow_same_person,
            )
            settle(stored.refreshed())
        stored = stored.refreshed()
        write_artifacts(ledger, place.run_folder(run_id), stored.files)
        return stored.review


def review(outcome: Outcome | str, *, workspace: Workspace | None = None) -> Review:
    """Return where the review of a run stands on its current text; nothing is recorded.

    Raises:
        InputError: the run has no text to review.
        UnknownRunError: there is no such run.

    """
    place = current_workspace(workspace)
    with place.reading() as ledger:
        return ReviewedRun(place, ledger, outcome.run_id if isinstance(outcome, Outcome) else outcome).review


def settle(stored: ReviewedRun) -> None:
    """Append a verdict on the current text, a revision of its files, goals and status; inside a transaction."""
    ledger, run_id = stored.ledger, stored.run_id
    stored.report = judge(stored)
    status, reason = stored.standing
    revision = len(stored.verdicts) + 1
    verdict = {
        "revision": revision,
        "fingerprint": stored.fingerprint,
        "status": status,
        "label": stored.label,
        "roles": {
            entry.role: entry.state for entry in approvals.role_states(stored.decisions, stored.fingerprint)
        },
        "versions": stored.versions.to_dict(),
        "report": stored.report.to_dict(),
    }
    ledger.append(run_id, "checkpoint", {VERDICT: verdict}, key=f"{VERDICT}-{revision}")
    ledger.append_many(run_id, _changed_goals(ledger, run_id, stored.report))
    record_artifacts(ledger, run_id, files_of(stored), about=stored.fingerprint, revision=revision)
    ledger.set_status(run_id, status, reason)


def judge(stored: ReviewedRun) -> GoalReport:
    """Return the verdict on the current text as one to be published, decisions included."""
    if stored.best is None:
        raise IntegrityError(f"run {stored.run_id!r} has no attempt to judge; run `porterlib verify`")
    pack = stored.pack
    context = EvaluationContext(
        candidate=stored.candidate,
        snapshot=stored.snapshot,
        request=stored.request,
        contract=stored.contract,
        economics=stored.used_economics,
        policy=pack.evidence_policy,
        argues={driver.id: driver.argues for part in pack.forces for driver in part.drivers},
        target=CompletionTarget.PUBLISHABLE,
        approvals=approvals.masked(stored.decisions, stored.fingerprint),
        fingerprint=stored.fingerprint,
        one_person_many_roles=approvals.many_roles(stored.decisions, stored.fingerprint),
        texts=_texts(stored),
    )
    return evaluate(context, attempt_id=stored.best.attempt_id)


def files_of(stored: ReviewedRun) -> dict[str, tuple[str, str]]:
    """Return the files of the current text under its current label."""
    if stored.request is None:
        raise IntegrityError(f"run {stored.run_id!r} holds no request; run `porterlib verify`")
    key = stored.place.egress_key()
    return text_files(
        stored.outcome,
        stored.request,
        label=stored.label,
        seal=lambda text: keyed_digest(key, "withheld", text),
    )


class _Given:
    """A decision as it was given, each part checked before anything is opened."""

    def __init__(self, role: str, reviewer: str, decision: str, comment: str) -> None:
        self.role = approvals.role_of(role)
        self.decision = approvals.decision_of(decision)
        self.reviewer = approvals.reviewer_of(reviewer)
        self.comment = approvals.comment_of(comment)

    def approval(self, stored: ReviewedRun) -> Approval:
        """Return the decision on the current text, taken now."""
        return Approval(
            role=self.role,
            decision=self.decision,
            reviewer=self.reviewer,
            comment=self.comment,
            fingerprint=stored.fingerprint,
            at=stored.place.clock.now(),
        )


def _check_passes(stored: ReviewedRun) -> None:
    # Under unchanged versions the recorded verdict on this very text is what judging it again would give.
    known = stored.report if stored.bound == stored.fingerprint else None
    failed = approvals.failed_criteria(known or judge(stored))
    if failed:
        raise TransitionError(
            f"the text fails {', '.join(failed)} under the current checks and cannot be approved; "
            "start a new run, or reject it",
            run_id=stored.run_id,
            criteria=list(failed),
        )


def _changed_goals(ledger: Ledger, run_id: str, report: GoalReport) -> list[Entry]:
    now = {goal.goal_id: goal.status for goal in ledger.goals(run_id)}
    return [
        Entry("goal", {"goal_id": e.criterion_id, "status": e.outcome, "attempt_id": report.attempt_id})
        for e in report.evaluations
        if now.get(e.criterion_id) != e.outcome
    ]


def _texts(stored: ReviewedRun) -> dict[str, str]:
    """Return the frozen texts of the evidence, so that passages are compared with what was captured."""
    names = {item.text_sha256 for item in stored.snapshot.evidence} if stored.snapshot else set()
    held = sorted(name for name in names if stored.ledger.has_blob(name))
    return {name: stored.ledger.get_blob(name).decode() for name in held}
