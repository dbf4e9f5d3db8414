"""The decision room: one run in tabs, for a board meeting or a review."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as w

from porterlib.errors import InputError
from porterlib.widgets.approval_panel import ApprovalDecision, approval_panel
from porterlib.widgets.parts import Panel, picture, said, titled
from porterlib.widgets.reading import EvidenceWidget, HeatmapWidget, RangesWidget, TimelineWidget

BRIEF = "board-brief.md"


class DecisionRoom(Panel):
    """Decision, forces, evidence, economics, attempts, trace and approvals of one run; absent parts say so.

    Args:
        run: what `workspace.run(run_id)` returns.
        text: the exact brief; read from the run's artifacts if absent.
        on_decide: passed to the approval panel; without it decisions are checked and handed to nobody.

    """

    def __init__(
        self,
        run: Any,
        *,
        text: str | None = None,
        on_decide: Callable[[ApprovalDecision], object] | None = None,
    ) -> None:
        self.run = run
        self.text = text if text is not None else _brief(run)
        self.tabs = {
            "Decision": lambda: picture(run.show()),
            "Five forces": lambda: HeatmapWidget(run).ui,
            "Evidence": lambda: EvidenceWidget(run).ui,
            "Options": lambda: picture(run.show("options")),
            "Economics": lambda: RangesWidget(run).ui,
            "Attempts": lambda: TimelineWidget(run).ui,
            "Acquisition": lambda: picture(run.show("trace")),
            "Approvals": lambda: self._approvals(on_decide),
        }
        children = [self._made(make) for make in self.tabs.values()]
        tabs = w.Tab(children=children, titles=tuple(self.tabs))
        super().__init__([titled(tabs)], name=f"Decision room of {run.run_id}")

    def _made(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except InputError as error:
            return said(error.message, "warn")

    def _approvals(self, on_decide: Callable[[ApprovalDecision], object] | None) -> Any:
        if self.run.review is None:
            raise InputError("this run has no text to approve; only a finished draft can be reviewed")
        self.panel = approval_panel(self.run.review, self.text, on_decide)
        return self.panel.ui


def _brief(run: Any) -> str:
    """Return the brief among the run's files, or nothing when it is not on this disk."""
    path = run.artifacts.get(BRIEF)
    if path is None or not Path(path).is_file():
        return ""
    return Path(path).read_text(encoding="utf-8")


def decision_room(
    run: Any, *, text: str | None = None, on_decide: Callable[[ApprovalDecision], object] | None = None
) -> DecisionRoom:
    """Return the room of a run: `decision_room(workspace.run(run_id), on_decide=…)`."""
    return DecisionRoom(run, text=text, on_decide=on_decide)
