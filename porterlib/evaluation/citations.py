"""Where a candidate cites ids, and which claims its decision therefore rests on (rule 7.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import ForceAssessment, Mechanism, Point
from porterlib.contracts.brief import BoardQuestion, EntityStanding, ModeView
from porterlib.contracts.economics import Economics

Where = Literal["board", "option", "force", "challenge", "gate"]


@dataclass(frozen=True)
class Citation:
    """One place that cites ids."""

    where: Where
    place: str
    ids: tuple[str, ...]
    text: str | None = None
    """The sentence, where the place is a point that a reader sees."""
    carries: bool = False
    """True when the recommendation, a rating, a score or a gate rests on it."""


def citations(candidate: Candidate) -> Iterator[Citation]:
    """Yield every place of the candidate that cites ids, apart from claims and the contrary basis."""
    yield _point("recommendation.sentence", candidate.recommendation.sentence, carries=True)
    for at, firing in enumerate(candidate.recommendation.because):
        yield Citation("gate", f"recommendation.because[{at}]", firing.because, carries=True)
    yield from _of_brief(candidate)
    for option in candidate.options:
        for rating in option.ratings:
            place = f"options.{option.option_id}.{rating.lens}"
            yield Citation("option", place, rating.basis, carries=rating.rating is not None)
    for force in candidate.forces:
        yield from _of_force(force)
    yield from _of_challenge(candidate)


def _point(place: str, point: Point, *, where: Where = "board", carries: bool = False) -> Citation:
    return Citation(where, place, point.basis, point.text, carries)


def _of_brief(candidate: Candidate) -> Iterator[Citation]:
    brief = candidate.brief
    for name in type(brief).model_fields:
        value = getattr(brief, name)
        if isinstance(value, Point):
            yield _point(f"brief.{name}", value)
        elif isinstance(value, ModeView):
            for at, row in enumerate(value.rows):
                yield Citation("board", f"brief.{name}.rows[{at}]", row.basis)
            for at, point in enumerate(value.points):
                yield _point(f"brief.{name}.points[{at}]", point)
        elif isinstance(value, tuple):
            for at, entry in enumerate(value):
                yield from _of_entry(f"brief.{name}[{at}]", entry)


def _of_entry(place: str, entry: object) -> Iterator[Citation]:
    if isinstance(entry, Point):
        yield _point(place, entry)
    elif isinstance(entry, BoardQuestion):
        yield _point(f"{place}.answer", entry.answer)
    elif isinstance(entry, EntityStanding):
        yield Citation("force", f"{place}.claim_ids", entry.claim_ids)
    elif isinstance(entry, Mechanism):
        yield _point(f"{place}.point", entry.point)
        yield Citation("force", f"{place}.claim_ids", entry.claim_ids)


def _of_force(force: ForceAssessment) -> Iterator[Citation]:
    place = f"forces.{force.force}"
    for driver in force.drivers:
        ids = driver.raising + driver.lowering
        yield Citation("force", f"{place}.{driver.driver_id}", ids, carries=driver.rating is not None)
    yield Citation("force", f"{place}.evidence_for", force.evidence_for)
    yield Citation("force", f"{place}.evidence_against", force.evidence_against)
    points = {f"narrative[{at}]": point for at, point in enumerate(force.narrative)}
    extra = {"exposure_point": force.exposure_point, "implication": force.implication}
    felt = {f"horizons.{effect.horizon}": effect.point for effect in force.horizons}
    for name, point in (points | extra | felt).items():
        if point is not None:
            yield _point(f"{place}.{name}", point)


def _of_challenge(candidate: Candidate) -> Iterator[Citation]:
    for view in candidate.challenge.views:
        place = f"challenge.{view.view}"
        yield _point(f"{place}.counterargument", view.counterargument, where="challenge")
        yield Citation("challenge", f"{place}.disconfirming", view.disconfirming)
        yield Citation("challenge", f"{place}.dominant_assumptions", view.dominant_assumptions)


def material_ids(candidate: Candidate, economics: Economics | None = None) -> frozenset[str]:
    """Return ids of all claims, assumptions and calculations that the decision rests on.

    These are what the recommendation, its gates, the ratings, the scores and the economics cite, and
    everything the claims among them rest on in turn. Authors have no say in it.
    """
    queue = [name for citation in citations(candidate) if citation.carries for name in citation.ids]
    queue += [name for entry in (economics.calculations if economics else ()) for name in entry.basis]
    below = {claim.id: claim.basis for claim in candidate.claims}
    reached: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue.extend(below.get(name, ()))
    return frozenset(reached)
