"""The plan editor: read, change, approve or reject the research plan before anything is searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import ipywidgets as w

from porterlib.acquisition.planning import edit_plan, plan_sha256
from porterlib.contracts.plan import PlannedQuery, ResearchPlan
from porterlib.errors import RequestError
from porterlib.widgets.parts import Panel, button, field, row, said, say


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """What was decided on one exact plan."""

    decision: Literal["approve", "reject"]
    plan: ResearchPlan
    sha256: str
    """Digest of the plan that was on the screen."""
    reviewer: str
    comment: str


class PlanEditor(Panel):
    """Queries to keep, change or drop; the approval names the fingerprint of exactly what is shown.

    Args:
        plan: the plan to decide on.
        on_decide: called with the decision; what it returns, if text, is shown.

    """

    def __init__(
        self, plan: ResearchPlan, *, on_decide: Callable[[PlanDecision], object] | None = None
    ) -> None:
        self.plan, self._on_decide = plan, on_decide
        self.decision: PlanDecision | None = None
        self.keep: dict[str, Any] = {}
        self.texts: dict[str, Any] = {}
        self.errors: dict[str, Any] = {}
        self.message, self.state = said(""), said("")
        self.reviewer = field("Reviewer (self-declared)")
        self.comment = field("Comment", lines=2)
        rows = [part for query in plan.queries for part in self._line(query)]
        apply = button("Apply changes", self.apply, self.message)
        approve = button("Approve this plan", lambda: self.decide("approve"), self.message, style="success")
        reject = button("Reject", lambda: self.decide("reject"), self.message, style="danger")
        super().__init__(
            [
                said(
                    f"{len(plan.hypotheses)} hypotheses, {len(plan.queries)} queries. Nothing was searched yet.",
                    bold=True,
                ),
                w.VBox(rows, layout=w.Layout(max_height="420px", overflow="auto", width="auto")),
                row(apply),
                self.state,
                self.reviewer,
                self.comment,
                row(approve, reject),
                self.message,
            ],
            name="Plan editor",
        )
        self._say_state()

    def _line(self, query: PlannedQuery) -> list[Any]:
        contrary = ", contrary" if query.contrary else ""
        label = f"{query.force.replace('_', ' ')} {query.sequence}{contrary}"
        keep = w.Checkbox(value=True, indent=False, layout=w.Layout(width="34px"), description="")
        keep.tooltip = "keep this query"
        text = field(label, query.text)
        text.layout.flex, text.layout.min_width = "1 1 0%", "0"
        self.keep[query.id], self.texts[query.id], self.errors[query.id] = keep, text, said("")
        keep.observe(lambda _: self._say_state(), names="value")
        text.observe(lambda _: self._say_state(), names="value")
        line = w.HBox([keep, text], layout=w.Layout(width="auto", align_items="center", flex="0 0 auto"))
        return [line, self.errors[query.id]]

    @property
    def changed(self) -> bool:
        """Return whether the fields differ from the plan that was applied last."""
        kept = {query.id: query.text for query in self.plan.queries}
        shown = {key: text.value for key, text in self.texts.items() if self.keep[key].value}
        return kept != shown

    def _say_state(self) -> None:
        if self.changed:
            say(self.state, "Changed and not applied: apply the changes before deciding.", "warn")
        else:
            say(self.state, f"Fingerprint of exactly this plan: {self.plan.sha256}")

    def apply(self) -> str:
        """Make the plan of what the fields say; the rules of a plan hold (one contrary query a force, at most five).

        Raises:
            RequestError: a query is empty or too long, or the plan breaks a rule; the plan stays as it was.

        """
        for place in self.errors.values():
            say(place, "")
        self._check_texts()
        queries, places = [], dict.fromkeys((query.force for query in self.plan.queries), 0)
        for query in self.plan.queries:
            if not self.keep[query.id].value:
                continue
            places[query.force] += 1
            changes = {"text": self.texts[query.id].value, "sequence": places[query.force]}
            queries.append(query.model_copy(update=changes))
        self.plan = edit_plan(self.plan, queries=tuple(queries))
        for key in [key for key in self.keep if not self.keep[key].value]:
            self.texts[key].disabled = True
            self.keep[key].disabled = True
        self._say_state()
        return f"Applied: {len(queries)} queries. The plan has a new fingerprint."

    def _check_texts(self) -> None:
        bad = {}
        for key, text in self.texts.items():
            if self.keep[key].value and not text.value.strip():
                bad[key] = "is empty; write the query, or drop it with the box in front"
            elif len(text.value) > 240:
                bad[key] = f"has {len(text.value)} characters; a query leaves only up to 240"
        for key, problem in bad.items():
            say(self.errors[key], problem, "bad")
        if bad:
            first = next(iter(bad))
            raise RequestError(f"query {first} {bad[first]}", fields=[{"path": key} for key in bad])

    def decide(self, decision: Literal["approve", "reject"]) -> str:
        """Hand on a decision about exactly the plan that is shown.

        Raises:
            RequestError: changes were not applied, no name was given, or a rejection has no reason.

        """
        if self.changed:
            raise RequestError(
                "the fields were changed; apply the changes first, then decide on the new plan"
            )
        if not self.reviewer.value.strip():
            raise RequestError("reviewer: a decision needs a name; write who decides")
        if decision == "reject" and not self.comment.value.strip():
            raise RequestError("comment: a rejection needs a reason; write what has to change")
        shown = plan_sha256(self.plan)
        made = PlanDecision(
            decision, self.plan, shown, self.reviewer.value.strip(), self.comment.value.strip()
        )
        answer = self._on_decide(made) if self._on_decide else None
        self.decision = made
        return answer if isinstance(answer, str) else f"{decision} recorded for plan {shown[:12]}"


def plan_editor(
    plan: ResearchPlan, *, on_decide: Callable[[PlanDecision], object] | None = None
) -> PlanEditor:
    """Return the editor of a plan; `on_decide` gets the decision with the plan and its SHA-256."""
    return PlanEditor(plan, on_decide=on_decide)
