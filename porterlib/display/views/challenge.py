"""The independent challenge: six views against the recommendation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.display.blocks import Block, Built, Fold, Listed, Para
from porterlib.display.parts import part
from porterlib.display.words import VIEWS


def challenge(result: Any) -> Built:
    """Return the strongest argument of each view, what would invalidate the recommendation, and what it asks."""
    candidate = part(result, Candidate)
    blocks: list[Block] = [Listed("Dissent in the brief", [point.text for point in candidate.brief.dissent])]
    for view in candidate.challenge.views:
        inner: list[Block] = [
            Para(view.counterargument.text),
            Para(f"If it fails: {view.pre_mortem}"),
            Listed("Invalid if", view.invalidating_conditions),
            Listed("Required before approval", view.required_changes),
        ]
        blocks.append(Fold(VIEWS[view.view], inner, open=view.view == "cfo"))

    def rows() -> Iterator[dict[str, Any]]:
        for view in candidate.challenge.views:
            yield {
                "view": view.view,
                "counterargument": view.counterargument.text,
                "basis": ", ".join(view.counterargument.basis),
                "pre_mortem": view.pre_mortem,
                "invalid_if": "; ".join(view.invalidating_conditions),
                "required": "; ".join(view.required_changes),
            }

    return Built("Challenge from six views", blocks, rows)
