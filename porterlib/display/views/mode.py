"""What the decision's mode asks of the evidence: profit pool, exposure, or response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.display.blocks import Block, Built, Listed, Para, grid
from porterlib.display.parts import part
from porterlib.rendering.mode import MODE_TITLES

_EARLIER = "The text is of a version that did not hold this; decide again to see it."


def mode(result: Any) -> Built:
    """Return the table of the mode with what follows from it."""
    candidate = part(result, Candidate)
    view = candidate.brief.mode_view
    head, entries = (view.head, view.rows) if view else (("", ""), ())
    table = grid((*head, "Basis"), entries, lambda row: (*row.cells, ", ".join(row.basis)))
    blocks: list[Block] = [table] if view else [Para(_EARLIER)]
    if view and view.points:
        blocks.append(Listed("What follows", [point.text for point in view.points]))

    def rows() -> Iterator[dict[str, Any]]:
        for row in entries:
            yield {**dict(zip(head, row.cells, strict=True)), "basis": " ".join(row.basis)}

    return Built(MODE_TITLES[candidate.contract.analysis_mode], blocks, rows)
