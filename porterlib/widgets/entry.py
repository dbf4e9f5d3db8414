"""Which widget and which form belong to which contract: what `.widget()` and `.edit()` answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from porterlib.errors import InputError
from porterlib.widgets.approval_panel import approval_panel
from porterlib.widgets.plan_editor import plan_editor
from porterlib.widgets.range_form import range_form
from porterlib.widgets.reading import EvidenceWidget, HeatmapWidget, RangesWidget, TimelineWidget
from porterlib.widgets.request_form import request_form
from porterlib.widgets.room import decision_room

Make = Callable[..., Any]
_READING: Mapping[str, Make] = {
    "heatmap": HeatmapWidget,
    "evidence": EvidenceWidget,
    "ranges": RangesWidget,
    "timeline": TimelineWidget,
}
WIDGETS: Mapping[str, Mapping[str, Make]] = {
    "Candidate": {"heatmap": HeatmapWidget},
    "Outcome": _READING,
    "RunResults": {"room": decision_room, **_READING},
    "EvidenceSnapshot": {"evidence": EvidenceWidget},
    "Economics": {"ranges": RangesWidget},
    "RalphState": {"timeline": TimelineWidget},
}
FORMS: Mapping[str, Make] = {
    "DecisionRequest": request_form,
    "ResearchPlan": plan_editor,
    "EconomicsInputs": range_form,
    "Review": approval_panel,
}


def widget(result: Any, name: str | None = None, **options: Any) -> Any:
    """Return a widget of a result, its default one without a name.

    Raises:
        InputError: this result has no widget, or none of that name.

    """
    known = _of(WIDGETS, result) or {}
    wanted = name or next(iter(known), "")
    if wanted not in known:
        there_is = f"it has {', '.join(map(repr, known))}" if known else "use .show() to look at it"
        raise InputError(f"{type(result).__name__} has no widget {wanted!r}; {there_is}")
    return known[wanted](result, **options)


def edit(contract: Any, **callbacks: Any) -> Any:
    """Return the form of a contract.

    Raises:
        InputError: there is no form for this contract.

    """
    form = _of(FORMS, contract)
    if form is None:
        raise InputError(
            f"there is no form for {type(contract).__name__}; there is one for {', '.join(FORMS)}"
        )
    return form(contract, **callbacks)


def _of(table: Mapping[str, Any], result: Any) -> Any:
    return next((table[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in table), None)
