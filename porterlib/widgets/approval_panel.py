"""The approval panel: the exact text, its fingerprint and what changed come first, the buttons after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import ipywidgets as w

from porterlib.contracts.publication import REVIEW_ROLES, Review, ReviewRole
from porterlib.errors import InputError
from porterlib.widgets.parts import Panel, button, choice, draw, field, picture, row, said, say, verbatim


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    """One reviewer's decision on the text that was on the screen."""

    run_id: str
    role: ReviewRole
    decision: Literal["approve", "reject"]
    reviewer: str
    comment: str
    fingerprint: str
    """Fingerprint of the text that was shown; a verb refuses it when the text has changed since."""


class ApprovalPanel(Panel):
    """One text, four roles. A reviewer confirms having read it before the buttons work.

    Args:
        review: where the approvals stand.
        text: the exact brief the fingerprint belongs to.
        on_decide: called with the decision; a `Review` it returns is shown as the new state.

    """

    def __init__(
        self, review: Review, text: str, *, on_decide: Callable[[ApprovalDecision], object] | None = None
    ) -> None:
        self.review, self.text, self._on_decide = review, text, on_decide
        self.decision: ApprovalDecision | None = None
        self.message, self.standing = said(""), picture(review.show())
        self.role = choice("Role", [(role, role) for role in REVIEW_ROLES])
        self.reviewer = field("Reviewer (self-declared)")
        self.comment = field("Comment", lines=2)
        self.read = w.Checkbox(
            value=False,
            indent=False,
            description="I have read exactly this text",
            layout=w.Layout(width="auto"),
        )
        self.approve = button("Approve", lambda: self.decide("approve"), self.message, style="success")
        self.reject = button("Reject", lambda: self.decide("reject"), self.message, style="danger")
        self.shown_fingerprint = said(f"Fingerprint of exactly this text: {review.fingerprint}", bold=True)
        super().__init__(
            [
                said("The text to decide on", bold=True),
                verbatim(text) if text else said("The text is not at hand; nothing can be decided.", "bad"),
                self.shown_fingerprint,
                said(
                    "What changed since the last approval"
                    if review.diff
                    else "No difference to a text approved earlier."
                ),
                *([verbatim(review.diff, height="220px")] if review.diff else []),
                self.standing,
                self.role,
                self.reviewer,
                self.comment,
                self.read,
                row(self.approve, self.reject),
                self.message,
            ],
            name="Approval panel",
        )

    def decide(self, decision: Literal["approve", "reject"]) -> str:
        """Hand on a decision about exactly the text that is shown.

        Raises:
            InputError: no text, not read, no name, or a rejection without a reason; nothing was handed on.

        """
        if not self.text:
            raise InputError("there is no text to decide on; open the run's artifacts first")
        if not self.read.value:
            raise InputError("confirm that you have read exactly this text, then decide", field="read")
        if not self.reviewer.value.strip():
            raise InputError("reviewer: a decision needs a name; write who decides", field="reviewer")
        if decision == "reject" and not self.comment.value.strip():
            raise InputError("comment: a rejection needs a reason; write what has to change", field="comment")
        made = ApprovalDecision(
            run_id=self.review.run_id,
            role=self.role.value,
            decision=decision,
            reviewer=self.reviewer.value.strip(),
            comment=self.comment.value.strip(),
            fingerprint=self.review.fingerprint,
        )
        answer = self._on_decide(made) if self._on_decide else None
        self.decision = made
        return self._settled(made, answer)

    def _settled(self, made: ApprovalDecision, answer: object) -> str:
        self.read.value = False
        if isinstance(answer, Review):
            draw(self.standing, answer.show())
            if answer.fingerprint != self.review.fingerprint:
                say(
                    self.shown_fingerprint,
                    "The text has changed; open the panel again to decide on the new one.",
                    "warn",
                )
                self.approve.disabled = self.reject.disabled = True
            return f"{made.role}: {made.decision} recorded for text {made.fingerprint[:12]}"
        return (
            answer
            if isinstance(answer, str)
            else f"{made.role}: {made.decision} for text {made.fingerprint[:12]}"
        )


def approval_panel(
    review: Review, text: str, on_decide: Callable[[ApprovalDecision], object] | None = None
) -> ApprovalPanel:
    """Return the panel for one exact text; `on_decide` gets the decision with the fingerprint that was shown."""
    return ApprovalPanel(review, text, on_decide=on_decide)
