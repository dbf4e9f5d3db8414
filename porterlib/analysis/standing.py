"""Which entities the evidence names, in which roles and forces, and by which measures the drivers show."""

from __future__ import annotations

from porterlib.analysis.workings import Workings
from porterlib.contracts.base import Force
from porterlib.contracts.brief import EntityStanding, Measure
from porterlib.sectors import EntityIndex

NAMED_OFTEN = 2
"""Statements that must name an entity before it is listed."""
LISTED = 8
"""Entities listed, the most often named first."""
_WATCHED = 3
"""Drivers of a force whose measures are listed: those whose indicators it watches."""


def entities(work: Workings) -> tuple[EntityStanding, ...]:
    """Return the entities of several roles that statements behind the scores name, most often named first."""
    index = EntityIndex(work.pack)
    forces: dict[str, dict[Force, None]] = {}
    claims: dict[str, dict[str, None]] = {}
    for force in work.forces:
        for name in force.evidence_for + force.evidence_against:
            spoken = f"{work.book.claims[name].text} ({work.book.clauses[name].item.publisher})"
            for entity in index.named(spoken):
                forces.setdefault(entity.entity, {})[force.force] = None
                claims.setdefault(entity.entity, {})[name] = None
    rows = [
        EntityStanding(
            entity=entity.entity,
            roles=entity.roles,
            forces=tuple(forces[entity.entity]),
            claim_ids=tuple(claims[entity.entity]),
        )
        for entity in work.pack.entities
        if len(entity.roles) > 1 and len(claims.get(entity.entity, ())) >= NAMED_OFTEN
    ]
    return tuple(sorted(rows, key=lambda row: (-len(row.claim_ids), row.entity))[:LISTED])


def measures(work: Workings) -> tuple[Measure, ...]:
    """Return the pack's measures of the drivers that carry each force, each once with the drivers it shows."""
    drivers = {driver.id: driver for part in work.pack.forces for driver in part.drivers}
    shows: dict[str, dict[str, None]] = {}
    for force in work.forces:
        rated = [rating for rating in force.drivers if rating.rating is not None]
        heaviest = sorted(rated, key=lambda d: (-d.weight * float(d.rating or 0), d.driver_id))[:_WATCHED]
        for rating in heaviest:
            for metric in drivers[rating.driver_id].metrics:
                shows.setdefault(metric, {})[rating.name] = None
    return tuple(
        Measure(name=m.name, unit=m.unit, definition=m.definition, shows=tuple(shows[m.id]))
        for m in work.pack.metrics
        if m.id in shows
    )
