"""The section that the mode of a decision asks for: profit pool, exposure, or response."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.analysis import Candidate
from porterlib.rendering.marks import Marks
from porterlib.rendering.tables import sourced_table

MODE_TITLES = {
    "industry_attractiveness": "Structure and direction of the profit pool",
    "strategic_initiative": "Exposure under no action, delay and action",
    "competitive_response": "The observed move and the responses to it",
}


def mode_section(candidate: Candidate, marks: Marks) -> Iterator[str]:
    """Yield what the mode of the decision asks of the evidence."""
    view = candidate.brief.mode_view
    if view is None:
        return
    yield f"## {MODE_TITLES[candidate.contract.analysis_mode]}"
    yield ""
    yield from sourced_table(view.head, [(row.cells, marks.cite(row.basis)) for row in view.rows])
    yield from (f"- {marks.point(point)}" for point in view.points)
    yield ""
