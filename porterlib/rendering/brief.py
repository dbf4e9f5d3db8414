"""The board brief as Markdown: one page first, then sections, then the appendix of sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import ForceAssessment, Point
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.options import LENSES
from porterlib.contracts.supervision import GoalReport
from porterlib.rendering.appendix import appendix
from porterlib.rendering.checks import checks_section, internal_section
from porterlib.rendering.inert import markdown
from porterlib.rendering.marks import Marks
from porterlib.rendering.mode import mode_section
from porterlib.rendering.standing import entities_section, measures_section
from porterlib.rendering.tables import table

FORCE_TITLES = {
    "new_entrants": "New entrants",
    "suppliers": "Suppliers",
    "buyers": "Buyers",
    "substitutes": "Substitutes",
    "rivalry": "Rivalry",
}
_VIEW_TITLES = {
    "cfo": "Chief financial officer",
    "cro_model_risk": "Chief risk officer, model risk",
    "regulator_audit": "Regulator and audit",
    "business_executive": "Business executive",
    "sceptical_director": "Sceptical director",
    "evidence_auditor": "Evidence auditor",
}
_AUDIENCES = {
    "full_board": "Full board",
    "chair": "Chair",
    "ceo": "CEO",
    "cfo": "CFO",
    "cro": "CRO",
    "cio": "CIO",
    "coo": "COO",
    "business_executive": "Business executive",
    "audit_or_risk_committee": "Audit or risk committee",
}
_LENS_TITLES = {
    "external_necessity": "External necessity",
    "capability_fit": "Capability fit",
    "economics": "Economics",
    "control_acceptability": "Control",
    "reversibility": "Reversibility",
}


_STOPS = {
    "proceed": "We stop if",
    "reversible_step": "We stop if",
    "wait": "We stop waiting if",
    "stop": "We reopen the question if",
    "missing_evidence": "We reopen the question if",
}
FIRST_GATES = 4
"""Gates shown on the first page; all stand in the roadmap."""
FIRST_STOPS = 2
"""Stop conditions shown on the first page; all stand in the roadmap."""


class BriefInput(NamedTuple):
    """What a brief is rendered from."""

    candidate: Candidate
    snapshot: EvidenceSnapshot
    economics: Economics | None
    report: GoalReport | None
    label: str
    fingerprint: str
    internal_facts: tuple[tuple[str, str], ...] = ()
    """Id and owner of each internal fact; the text stays on the machine (rule 13.4)."""


def render_brief(brief: BriefInput) -> str:
    """Return the brief as Markdown; equal inputs give equal text."""
    marks = Marks()
    lines = [*_first_page(brief, marks), *_sections(brief, marks)]
    lines += appendix(brief.candidate, brief.snapshot, brief.economics, marks)
    lines += measures_section(brief.candidate)
    lines += internal_section(brief.internal_facts)
    lines += checks_section(brief.candidate, brief.report, brief.fingerprint, marks)
    return "\n".join(lines).rstrip() + "\n"


def _first_page(brief: BriefInput, marks: Marks) -> Iterator[str]:
    text = brief.candidate.brief
    yield f"# {markdown(text.question)}"
    yield ""
    yield f"*{brief.label}. Evidence up to {text.cutoff}.*"
    yield ""
    yield f"**Decision requested.** {marks.point(text.decision_requested)}"
    yield ""
    yield f"**Recommendation.** {marks.point(text.recommendation)}"
    yield ""
    for title, points in (
        ("Why now", text.why_now),
        ("If we wait", text.if_we_wait),
        ("Value", text.value),
        ("What could go wrong", text.what_could_go_wrong),
    ):
        yield f"**{title}.** {_paragraph(points, marks)}"
        yield ""
    kind = brief.candidate.recommendation.kind
    yield f"**Smallest commitment.** {marks.point(text.smallest_commitment)}"
    yield ""
    yield from _first_gates(brief.candidate)
    stops = [condition.rstrip(".") for condition in text.stop_conditions]
    yield f"**{_STOPS[kind]}:** {markdown('; '.join(_lower(stop) for stop in stops[:FIRST_STOPS]))}."
    yield ""
    yield f"**Confidence.** {marks.point(text.confidence_point)} {marks.point(text.largest_uncertainty)}"
    yield ""


def _first_gates(candidate: Candidate) -> Iterator[str]:
    """Yield the gates of the first page: those of the decision's owner before control gates, by month."""
    owner = candidate.contract.decision_owner
    own_first = sorted(candidate.brief.gates, key=lambda gate: (gate.owner != owner, gate.month))
    chosen = sorted(own_first[:FIRST_GATES], key=lambda gate: gate.month)
    rows = [(str(gate.month), gate.test, gate.owner) for gate in chosen]
    if all(gate.owner == owner for gate in chosen):
        yield from table(("Month", f"Gate ({owner})"), [row[:2] for row in rows])
    else:
        yield from table(("Month", "Gate", "Owner"), rows)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _sections(brief: BriefInput, marks: Marks) -> Iterator[str]:
    candidate, text = brief.candidate, brief.candidate.brief
    yield from _bullets("Context", text.context, marks)
    yield from _heatmap(candidate)
    for force in candidate.forces:
        yield from _force(force, marks)
    yield from mode_section(candidate, marks)
    yield from _hypotheses(candidate)
    yield from _mechanisms(candidate, marks)
    yield from entities_section(candidate, marks)
    yield from _options(candidate, marks)
    yield from _rules(candidate)
    yield from _economics(brief.economics, text.exact_values, marks)
    yield from _bullets("Risk, concentration and governance", text.risks, marks)
    yield from _bullets("Roadmap and exit", text.roadmap, marks)
    yield f"{_STOPS[candidate.recommendation.kind]}:"
    yield ""
    yield from (f"- {markdown(condition)}" for condition in text.stop_conditions)
    yield ""
    chosen = next((o for o in candidate.options if o.option_id == candidate.recommendation.option_id), None)
    if chosen and chosen.acceleration_conditions:
        yield "We go faster if:"
        yield ""
        yield from (f"- {markdown(condition)}" for condition in chosen.acceleration_conditions)
        yield ""
    yield "## Questions a board asks"
    yield ""
    for entry in text.board_questions:
        yield f"- **{markdown(entry.question)}** {marks.point(entry.answer)}"
    yield ""
    yield from _challenge(candidate, marks)
    yield from _analogies(candidate)


def _paragraph(points: Sequence[Point], marks: Marks) -> str:
    return " ".join(marks.point(point) for point in points)


def _bullets(title: str, points: Sequence[Point], marks: Marks) -> Iterator[str]:
    if points:
        yield f"## {title}"
        yield ""
        yield from (f"- {marks.point(point)}" for point in points)
        yield ""


def _heatmap(candidate: Candidate) -> Iterator[str]:
    yield "## Five forces"
    yield ""
    rows = [
        (
            FORCE_TITLES[f.force],
            "not assessed" if f.score is None else str(f.score),
            f.trend,
            *(h.effect.replace("_", " ") for h in f.horizons),
            f"{f.confidence_word} ({f.confidence:.2f})",
        )
        for f in candidate.forces
    ]
    yield from table(
        ("Force", "Pressure (1-5)", "Trend", "0-12 months", "12-36 months", "36+ months", "Confidence"), rows
    )
    yield "Scores are not added up: each force stands for itself."
    yield ""


def _force(force: ForceAssessment, marks: Marks) -> Iterator[str]:
    yield f"### {FORCE_TITLES[force.force]}"
    yield ""
    if force.narrative:
        yield _paragraph(force.narrative, marks)
        yield ""
    for title, point in (("For this institution", force.exposure_point), ("Implication", force.implication)):
        if point is not None:
            yield f"*{title}:* {marks.point(point)}"
            yield ""
    yield from table(
        ("Driver", "Rating", "By rule", "Weight", "Publishers", "Nearest anchor"),
        [
            (
                d.name,
                "not assessed" if d.rating is None else str(d.rating),
                d.rule.rpartition(".")[2].replace("_", " "),
                f"{d.weight:.2f}",
                str(d.publishers),
                d.anchor or "-",
            )
            for d in force.drivers
        ],
    )
    for title, entries in (
        ("Not known", force.gaps),
        ("Watch", force.indicators),
        ("Would turn it", force.reversal_conditions),
    ):
        if entries:
            yield f"*{title}:* {' '.join(markdown(e) for e in entries)}"
            yield ""


def _hypotheses(candidate: Candidate) -> Iterator[str]:
    if not candidate.hypotheses:
        return
    yield "## Hypotheses tested"
    yield ""
    rows = [
        (
            h.hypothesis_id,
            h.statement,
            h.verdict,
            f"{len(h.supporting)} / {len(h.contradicting)}",
            h.falsifier,
        )
        for h in candidate.hypotheses
    ]
    yield from table(("Id", "Hypothesis", "Verdict", "For / against", "Would be falsified by"), rows)


def _mechanisms(candidate: Candidate, marks: Marks) -> Iterator[str]:
    shared = [m for m in candidate.brief.mechanisms if len(m.forces) > 1]
    if not shared:
        return
    yield "## Mechanisms that reach several forces"
    yield ""
    for mechanism in shared:
        forces = ", ".join(FORCE_TITLES[f].lower() for f in mechanism.forces)
        yield f"- {marks.point(mechanism.point)} Reaches {forces}; counted once."
    yield ""


def _options(candidate: Candidate, marks: Marks) -> Iterator[str]:
    options = candidate.options
    described = {option.id: option.description.rstrip(".") for option in candidate.contract.options}
    yield "## Options"
    yield ""
    rows = [
        (
            o.name,
            *("not assessed" if o.lens(lens).rating is None else str(o.lens(lens).rating) for lens in LENSES),
            str(o.months_to_learning),
        )
        for o in options
    ]
    yield from table(("Option", *(_LENS_TITLES[lens] for lens in LENSES), "Months to learning"), rows)
    yield "Ratings run from 1 to 5, 5 best, and are not summed across lenses."
    yield ""
    common = [lens for lens in LENSES if len({option.lens(lens).note for option in options}) == 1]
    for lens in common:
        note = options[0].lens(lens).note
        each = (i for option in options for i in option.lens(lens).basis[:2])
        yield f"- **All options**, {_LENS_TITLES[lens].lower()}: {markdown(note)}{marks.cite(each, shown=None)}."
    for option in options:
        reasons = "; ".join(
            f"{_LENS_TITLES[r.lens].lower()}: {markdown(r.note)}{marks.cite(r.basis[:2])}"
            for r in option.ratings
            if r.lens not in common
        )
        yield f"- **{markdown(option.name)}**: {markdown(described[option.option_id])}. Rated so: {reasons}."
    yield ""


def _rules(candidate: Candidate) -> Iterator[str]:
    yield "## How the recommendation was reached"
    yield ""
    yield "Each gate sets the most that may be recommended; the most cautious one decides."
    yield ""
    rows = [
        (
            firing.rule.removeprefix("gate."),
            firing.outcome.replace("_", " "),
            firing.note,
            "decides" if firing.rule == candidate.recommendation.rule else "",
        )
        for firing in candidate.recommendation.because
    ]
    yield from table(("Gate", "Allows", "Because", ""), rows)


def _economics(economics: Economics | None, exact: Sequence[Point], marks: Marks) -> Iterator[str]:
    if economics is None or not economics.calculations:
        return
    yield "## Scenarios"
    yield ""
    yield markdown(
        f"Currency {economics.currency}, rounded; worst, base and best are found by search over the ranges, not assumed."
    )
    yield ""
    shown = {(c.scenario, c.name): c.display.partition(" (")[0] for c in economics.calculations}
    rows = [
        (
            s.name.replace("_", " "),
            *(shown.get((s.name, f"npv.{end}"), "not valued") for end in ("worst", "base", "best")),
            shown.get((s.name, "discounted_payback_month.base"), "-"),
        )
        for s in economics.scenarios
    ]
    yield from table(("Scenario", "Worst", "Base", "Best", "Discounted payback"), rows)
    if exact:
        yield "To the last digit:"
        yield ""
        yield from (f"- {marks.point(point)}" for point in exact)
    yield from (f"- {markdown(warning[:1].upper() + warning[1:])}." for warning in economics.warnings)
    yield ""


def _challenge(candidate: Candidate, marks: Marks) -> Iterator[str]:
    yield "## The case against"
    yield ""
    yield _paragraph(candidate.brief.dissent, marks)
    yield ""
    for view in candidate.challenge.views:
        yield f"- **{_VIEW_TITLES[view.view]}.** {marks.point(view.counterargument)}"
        yield f"  - It will have failed like this: {markdown(view.pre_mortem)}"
        yield f"  - Invalid if: {markdown(' '.join(view.invalidating_conditions))}"
        if view.required_changes:
            yield f"  - Required first: {markdown(' '.join(view.required_changes))}"
    yield ""


def _analogies(candidate: Candidate) -> Iterator[str]:
    yield "## Comparisons for each reader"
    yield ""
    for entry in candidate.brief.analogies:
        yield f"- **{_AUDIENCES[entry.audience]}.** {markdown(entry.analogy)}"
        yield f"  - Corresponds: {markdown('; '.join(c.rstrip('.') for c in entry.correspondences))}."
        yield f"  - For this decision: {markdown(entry.implication)}"
        yield f"  - Breaks where: {markdown(entry.breaking_point)}"
    yield ""
