"""The gated recommendation: every gate sets a ceiling, the most cautious one decides."""

from __future__ import annotations

from porterlib.analysis.value import input_name
from porterlib.analysis.wording import listed
from porterlib.analysis.workings import Workings
from porterlib.analyst.policy import GateResult, decide, recommendation_gates
from porterlib.contracts.assessment import ForceAssessment, Point, RuleFiring
from porterlib.contracts.options import Recommendation, RecommendationKind
from porterlib.contracts.request import Option


def recommend(work: Workings) -> Recommendation:
    """Return the recommendation with every gate that was looked at."""
    gates = recommendation_gates(_features(work))
    deciding = decide(gates)
    kind = deciding.ceiling
    option = _option(kind, work)
    return Recommendation(
        kind=kind,
        option_id=option.id if option else None,
        sentence=_sentence(kind, option, deciding, work),
        rule=deciding.gate,
        because=tuple(
            RuleFiring(
                rule=gate.gate, subject="recommendation", outcome=f"at most {gate.ceiling}", note=gate.note
            )
            for gate in gates
        ),
    )


def decision_confidence(forces: tuple[ForceAssessment, ...]) -> float:
    """Return the confidence of the least evidenced force; an order statistic, no arithmetic across forces."""
    return min((force.confidence for force in forces), default=0.0)


def _features(work: Workings) -> dict[str, float]:
    valued = [s.npv for option in work.actions if (s := work.scenario(option)) and s.npv]
    economics = work.economics
    delay = economics.cost_of_delay if economics else None
    missing = len(economics.missing_inputs) if economics else 0
    control = [work.rating(option.id, "control_acceptability") or 0 for option in work.actions]
    features = {
        "forces_unassessed": float(sum(force.score is None for force in work.forces)),
        "confidence": decision_confidence(work.forces),
        "control": float(max(control, default=5)),
        "economics_known": float(bool(valued)),
        "inputs_missing": float(missing),
        "delay_known": float(delay is not None and delay.base is not None),
        "delay_base": float(delay.base) if delay is not None and delay.base is not None else 0.0,
    }
    for end in ("worst", "base", "best"):
        features[end] = max((float(getattr(npv, end)) for npv in valued), default=0.0)
    return features


def _option(kind: RecommendationKind, work: Workings) -> Option | None:
    if kind == "missing_evidence":
        return None
    if kind == "stop":
        return work.option_of(("maintain",))
    if kind == "wait":
        return work.option_of(("wait",)) or work.option_of(("maintain",))
    gaining = [o for o in work.actions if (s := work.scenario(o)) and s.npv and s.npv.base > 0] or list(
        work.actions
    )
    if kind == "proceed":
        robust = [o for o in gaining if (s := work.scenario(o)) and s.npv and s.npv.worst >= 0] or gaining
        return max(robust, key=lambda o: (_base(o, work), o.id))
    return max(gaining, key=lambda o: (work.rating(o.id, "reversibility") or 0, _base(o, work), o.id))


def _base(option: Option, work: Workings) -> float:
    scenario = work.scenario(option)
    return float(scenario.npv.base) if scenario and scenario.npv else float("-inf")


def _sentence(kind: RecommendationKind, option: Option | None, gate: GateResult, work: Workings) -> Point:
    basis = _missing(gate, work) if kind == "missing_evidence" else _basis(option, work)
    months = _learning(option, work)
    if kind == "proceed" and option:
        text = f"Approve “{option.name}”: its value stays positive across finance's range, and all five forces are evidenced."
    elif kind == "reversible_step" and option:
        text = f"Commit to “{option.name}” alone, behind stage gates, and decide on more when {months} months of results are in."
    elif kind == "wait" and option:
        length = option.wait_months or months
        text = f"Wait {length} months and watch the signals named below, because {gate.note}."
    elif kind == "stop":
        text = f"Do not start, and keep the current course, because {gate.note}."
    else:
        text = f"Keep the current course until the missing evidence is in, because {gate.note}."
    return Point(text=text, basis=basis)


def _missing(gate: GateResult, work: Workings) -> tuple[str, ...]:
    """Return what is missing where evidence must be got first, as an assumption that names it."""
    if gate.gate == "gate.inputs":
        wanted = work.economics.missing_inputs if work.economics else ()
        named = f": {listed([input_name(entry) for entry in wanted])}" if wanted else ""
        text = f"Missing is what finance has to supply{named}."
        return (work.assume(text, owner="finance", material=True),)
    bare = [force.force.replace("_", " ") for force in work.forces if force.score is None]
    if bare:
        return (work.assume(f"Missing is usable evidence on {listed(bare)}.", material=True),)
    weakest = min(work.forces, key=lambda f: (f.confidence, f.force))
    return (weakest.evidence_for + weakest.evidence_against)[:2]


def _basis(option: Option | None, work: Workings) -> tuple[str, ...]:
    """Return what the recommendation rests on: figures of the best action option, and the leading force."""
    valued = [o for o in work.actions if work.scenario(o)]
    shown = option if option in valued else (valued[0] if valued else None)
    figures: list[str] = []
    if shown is not None:
        scenario = work.scenario(shown)
        names = [
            work.figure(f"npv.{end}", scenario.name if scenario else None)
            for end in ("worst", "base", "best")
        ]
        figures = [figure.id for figure in names if figure]
    scored = [force for force in work.forces if force.score is not None]
    top = max(scored, key=lambda f: (f.score or 0, f.force), default=None)
    claims = list((top.evidence_for or top.evidence_against)[:2]) if top else []
    if not figures and not claims:
        return (
            work.assume("Neither evidence nor finance inputs carry a recommendation yet.", material=True),
        )
    return tuple(figures + claims)


def _learning(option: Option | None, work: Workings) -> int:
    if option is None:
        return 0
    return next(o for o in work.options if o.option_id == option.id).months_to_learning
