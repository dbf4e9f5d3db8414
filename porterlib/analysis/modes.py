"""What the mode of a decision asks of the same evidence (rule 2.1): a table by force or option, and what follows.

Each cell is a rating, a direction, an exposure or a date that other parts decided; nothing is rated here anew.
"""

from __future__ import annotations

from porterlib.analysis.audit import heaviest_driver
from porterlib.analysis.narrative import quoted
from porterlib.analysis.value import rounded
from porterlib.analysis.wording import listed, lower_first
from porterlib.analysis.workings import Workings
from porterlib.analyst.policy import pressure_word
from porterlib.contracts.assessment import ForceAssessment, Point
from porterlib.contracts.brief import ModeRow, ModeView
from porterlib.contracts.evidence import Claim
from porterlib.contracts.request import Option

_NEAR = 12
"""Months of the near horizon."""
_ANSWERED = {1: "not at all", 2: "little", 3: "in part", 4: "largely", 5: "fully"}
OPEN = "not assessed"


def mode_view(work: Workings, action: Option | None) -> ModeView:
    """Return the reading that the decision's mode asks for; `action` is the course that would be taken."""
    if work.contract.analysis_mode == "industry_attractiveness":
        return _profit_pool(work)
    if work.contract.analysis_mode == "competitive_response":
        return _response(work, action)
    return _exposure(work, action)


def _profit_pool(work: Workings) -> ModeView:
    """Structure and direction of a defined profit pool, force by force."""
    forces = sorted(work.forces, key=lambda force: (-(force.score or 0), force.force))
    rows = [
        ModeRow(
            cells=(
                _name(force).capitalize(),
                _pressure(force),
                lower_first(driver.name) if (driver := heaviest_driver(work, force.force)) else OPEN,
                *(effect.effect.replace("_", " ") for effect in force.horizons),
                listed(list(force.exposure)) if force.exposure else OPEN,
            ),
            basis=_basis(force, work),
        )
        for force in forces
    ]
    head = (
        "Force", "Hold on the pool", "Carried by", "0-12 months", "12-36 months", "36+ months", "Felt in",
    )  # fmt: skip
    return ModeView(head=head, rows=tuple(rows), points=tuple(_pool_points(work, forces)))


def _pool_points(work: Workings, forces: list[ForceAssessment]) -> list[Point]:
    scored = [force for force in forces if force.score is not None]
    points = []
    if len(scored) > 1:
        top, least = scored[0], scored[-1]
        text = (
            f"Of the pool in {lower_first(work.contract.boundary.product)}, {_name(top)} take the firmest hold "
            f"({top.score} of 5) and {_name(least)} the loosest ({least.score})."
        )
        points.append(Point(text=text, basis=_basis(top, work)[:2] + _basis(least, work)[:2]))
    moving = {trend: [f for f in scored if f.trend == trend] for trend in ("increasing", "decreasing")}
    for trend, word in (("increasing", "tightening"), ("decreasing", "loosening")):
        if held := moving[trend]:
            text = f"The hold of {listed([_name(force) for force in held])} is {word}, by two or more publishers."
            points.append(Point(text=text, basis=tuple(i for force in held for i in _basis(force, work)[:2])))
    unsure = [force for force in scored if force.trend == "uncertain"]
    if unsure:
        text = f"No direction is established for {listed([_name(force) for force in unsure])}."
        points.append(Point(text=text, basis=tuple(i for force in unsure for i in _basis(force, work)[:1])))
    return points


def _exposure(work: Workings, action: Option | None) -> ModeView:
    """The institution's exposure to each force under no action, delay and action."""
    wait = work.option_of(("wait",))
    months = (wait.wait_months or wait.learning_months or _NEAR) if wait else _NEAR
    rows = [
        ModeRow(
            cells=(
                _name(force).capitalize(),
                listed(list(force.exposure)) if force.exposure else OPEN,
                _left_alone(force, work.contract.horizon_months),
                _meanwhile(force, months),
                _acted(force, work, action),
            ),
            basis=_basis(force, work),
        )
        for force in work.forces
    ]
    head = (
        "Force",
        "Felt in",
        f"No action, to month {work.contract.horizon_months}",
        f"Delay of {months} months",
        f"Action: {action.name}" if action else "Action",
    )
    return ModeView(head=head, rows=tuple(rows), points=tuple(_exposure_points(work, months)))


def _exposure_points(work: Workings, months: int) -> list[Point]:
    points = []
    rising = [f for f in work.forces if f.score is not None and _effect(f, months) == "rising"]
    if rising:
        names = listed([_name(force) for force in rising])
        text = f"A delay of {months} months meets rising pressure from {names}."
        points.append(Point(text=text, basis=tuple(i for force in rising for i in _basis(force, work)[:2])))
    else:
        text = f"No force is reported to press harder within a delay of {months} months."
        basis = tuple(i for force in work.forces for i in _basis(force, work)[:1])
        points.append(Point(text=text, basis=basis))
    added = [force for force in work.forces if force.score is not None and _adds(force, work)]
    if added:
        text = f"Action itself adds exposure to {listed([_name(force) for force in added])}, since use is dependence."
        points.append(Point(text=text, basis=tuple(i for force in added for i in _basis(force, work)[:2])))
    return points


def _left_alone(force: ForceAssessment, horizon_months: int) -> str:
    """Return pressure today with the direction of the last assessed period inside the decision's horizon."""
    if force.score is None:
        return OPEN
    effect = _effect(force, horizon_months)
    return f"{_pressure(force)}, {effect}" if effect else f"{_pressure(force)}, direction {OPEN}"


def _meanwhile(force: ForceAssessment, months: int) -> str:
    if force.score is None:
        return OPEN
    effect = _effect(force, months)
    return f"{effect} meanwhile" if effect else f"direction {OPEN}"


def _effect(force: ForceAssessment, months: int) -> str:
    """Return the direction of the last period that begins within `months` and was assessed, or nothing."""
    begins = {"near": 0, "medium": 12, "long": 36}
    felt = [
        effect.effect
        for effect in force.horizons
        if effect.effect != "not_assessed" and begins[effect.horizon] < months
    ]
    return felt[-1] if felt else ""


def _acted(force: ForceAssessment, work: Workings, action: Option | None) -> str:
    if force.score is None or action is None:
        return OPEN
    if _adds(force, work):
        control = work.rating(action.id, "control_acceptability")
        return (
            f"grows with use; control rates {control} of 5" if control else f"grows with use; control {OPEN}"
        )
    answered = work.rating(action.id, "external_necessity")
    return f"answered {_ANSWERED[answered]} ({answered} of 5)" if answered else OPEN


def _adds(force: ForceAssessment, work: Workings) -> bool:
    """Return whether the force's heaviest driver argues for caution: acting adds to what it presses with."""
    driver = heaviest_driver(work, force.force)
    return driver is not None and driver.argues == "caution"


def _response(work: Workings, action: Option | None) -> ModeView:
    """The response that protects the position against an observed move."""
    rows = []
    for option in work.contract.options:
        assessed = next(entry for entry in work.options if entry.option_id == option.id)
        necessity, undone = assessed.lens("external_necessity"), assessed.lens("reversibility")
        scenario = work.scenario(option)
        figure = work.figure("npv.base", scenario.name) if scenario else None
        rows.append(
            ModeRow(
                cells=(
                    option.name,
                    f"{_ANSWERED[necessity.rating]} ({necessity.rating} of 5)" if necessity.rating else OPEN,
                    str(assessed.months_to_learning),
                    f"{undone.rating} of 5" if undone.rating else OPEN,
                    rounded(figure) if figure else "not valued",
                ),
                basis=necessity.basis[:2] + undone.basis[:1] + ((figure.id,) if figure else ()),
            )
        )
    head = ("Response", "Answers the move", "Months to learning", "Can be undone", "Base value")
    return ModeView(head=head, rows=tuple(rows), points=tuple(_response_points(work, action)))


def _response_points(work: Workings, action: Option | None) -> list[Point]:
    rivalry = next(force for force in work.forces if force.force == "rivalry")
    points = []
    for ids, frame in (
        (rivalry.evidence_for, "The move on record: {p} reports “{q}”."),
        (rivalry.evidence_against, "What holds such moves back: {p} reports “{q}”."),
    ):
        if claim := _quotable(ids, work):
            clause = work.book.clauses[claim.id]
            text = frame.format(p=clause.item.publisher, q=quoted(clause))
            points.append(Point(text=text, basis=(claim.id,)))
    buyers = next(force for force in work.forces if force.force == "buyers")
    driver = heaviest_driver(work, "buyers")
    if driver is not None and buyers.exposure:
        text = (
            f"The position at stake is {listed(list(buyers.exposure))}, "
            f"above all through {lower_first(driver.name)}."
        )
        points.append(Point(text=text, basis=_basis(buyers, work)[:3]))
    return [*points, *_answers(work, action)]


def _answers(work: Workings, action: Option | None) -> list[Point]:
    """Return how far the response taken protects, and what answering more would cost in control."""
    if action is None:
        return []
    own = next(entry for entry in work.options if entry.option_id == action.id)
    necessity, undone = own.lens("external_necessity"), own.lens("reversibility")
    if necessity.rating is None:
        return []
    text = (
        f"“{own.name}” answers the move {_ANSWERED[necessity.rating]} and teaches within "
        f"{own.months_to_learning} months; undoing it rates {undone.rating or OPEN} of 5."
    )
    points = [Point(text=text, basis=necessity.basis[:2] + undone.basis[:1])]
    fuller = [o for o in work.options if (o.lens("external_necessity").rating or 0) > necessity.rating]
    for other in sorted(fuller, key=lambda o: -(o.lens("external_necessity").rating or 0))[:1]:
        answer, control = other.lens("external_necessity"), other.lens("control_acceptability")
        text = (
            f"“{other.name}” would answer it {_ANSWERED[answer.rating or 1]}, "
            f"at {control.rating or OPEN} of 5 on control."
        )
        points.append(Point(text=text, basis=answer.basis[:1] + control.basis[:2]))
    return points


def _quotable(ids: tuple[str, ...], work: Workings) -> Claim | None:
    claims = [work.book.claims[name] for name in ids if work.book.clauses[name].quotable]
    return min(claims, key=work.book.order, default=None)


def _pressure(force: ForceAssessment) -> str:
    return OPEN if force.score is None else f"{pressure_word(float(force.score))} ({force.score})"


def _basis(force: ForceAssessment, work: Workings) -> tuple[str, ...]:
    """Return claims of the force's heaviest driver; without any, the gap."""
    driver = heaviest_driver(work, force.force)
    rating = next((d for d in force.drivers if driver is not None and d.driver_id == driver.id), None)
    claims = rating.raising + rating.lowering if rating else ()
    gap = f"No usable source tells how {_name(force)} press on this market."
    return claims[:3] or (work.assume(gap),)


def _name(force: ForceAssessment) -> str:
    return force.force.replace("_", " ")
