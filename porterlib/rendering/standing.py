"""Who stands in several roles in the evidence, and by which measures the drivers show."""

from __future__ import annotations

from collections.abc import Iterator

from porterlib.contracts.analysis import Candidate
from porterlib.rendering.marks import Marks
from porterlib.rendering.tables import sourced_table, table


def entities_section(candidate: Candidate, marks: Marks) -> Iterator[str]:
    """Yield the entities that hold several roles; nothing where no statement names one."""
    found = candidate.brief.entities
    if not found:
        return
    yield "## Entities that hold several roles"
    yield ""
    yield "One of them may stand on several sides of the bank at once, so its terms are best read together."
    yield ""
    rows = [
        (
            (
                entry.entity,
                ", ".join(entry.roles),
                ", ".join(force.replace("_", " ") for force in entry.forces),
                str(len(entry.claim_ids)),
            ),
            marks.cite(entry.claim_ids[:2]),
        )
        for entry in found
    ]
    yield from sourced_table(("Entity", "Can be", "Named in", "Statements by or about it"), rows)


def measures_section(candidate: Candidate) -> Iterator[str]:
    """Yield the measures of the drivers that carry each force, with unit and definition."""
    rows = [(m.name, m.unit, m.definition, "; ".join(m.shows)) for m in candidate.brief.measures]
    if rows:
        yield "### Measures of the drivers that carry the forces"
        yield ""
        yield from table(("Measure", "Unit", "How it is measured", "Shows"), rows)
