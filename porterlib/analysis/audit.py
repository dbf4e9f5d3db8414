"""Looks at what the scores rest on: the heaviest driver, single publishers, undated pages."""

from __future__ import annotations

from porterlib.analysis.workings import Workings
from porterlib.contracts.assessment import DriverRating, Point
from porterlib.contracts.base import Force
from porterlib.contracts.sector import Driver


def rated_drivers(work: Workings) -> list[DriverRating]:
    """Return the rated drivers of all forces."""
    return [driver for force in work.forces for driver in force.drivers if driver.rating is not None]


def single_source_point(work: Workings) -> Point | None:
    """Return how many ratings rest on one publisher and how many statements carry no date, as an inference."""
    rated = rated_drivers(work)
    single = [driver for driver in rated if driver.publishers == 1]
    cited = sorted({claim for driver in rated for claim in driver.raising + driver.lowering})
    if not cited:
        return None
    undated = [claim for claim in cited if not work.book.clauses[claim].item.published]
    text = (
        f"{len(single)} of {len(rated)} driver ratings rest on one publisher, and {len(undated)} of {len(cited)} "
        "statements behind them on undated pages."
    )
    basis = tuple(sorted({claim for driver in single for claim in driver.raising + driver.lowering}) or cited)
    inference = work.book.add_inference(text, basis, rule="inference.count_single_source")
    return Point(text=text, basis=(inference.id,))


def heaviest_driver(work: Workings, force: Force) -> Driver | None:
    """Return the driver that adds most to a force's score, or None where none is rated."""
    assessment = next(f for f in work.forces if f.force == force)
    rated = [d for d in assessment.drivers if d.rating is not None]
    if not rated:
        return None
    top = max(rated, key=lambda d: (d.weight * float(d.rating or 0), d.driver_id))
    return next(d for part in work.pack.forces for d in part.drivers if d.id == top.driver_id)
