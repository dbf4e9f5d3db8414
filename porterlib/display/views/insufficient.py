"""The report of a run that ended without enough evidence."""

from __future__ import annotations

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import Gap
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Listed
from porterlib.display.views.trace import gap_table
from porterlib.display.words import FORCES


def insufficient(report: InsufficientEvidence) -> Built:
    """Return the forces without evidence, and what to get."""
    facts: list[tuple[str, object]] = [
        ("Run", report.run_id),
        ("Forces without evidence", Cell(", ".join(FORCES[f] for f in report.forces) or "none", "warn")),
        ("Ended", f"{report.at:%Y-%m-%d %H:%M} UTC"),
    ]
    gaps = list(report.gaps)
    blocks: list[Block] = [
        Facts(facts),
        Listed("What to get", report.requests),
        Fold(f"Refused or not found: {len(gaps)}", [gap_table(gaps)]),
    ]
    return Built(
        "Not enough evidence", blocks, lambda: (g.to_dict() for g in gaps), columns=tuple(Gap.model_fields)
    )
