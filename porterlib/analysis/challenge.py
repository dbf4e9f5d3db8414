"""Challenges the recommendation from six views, each on a basis and, where it can be, on a document of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from porterlib.analysis.audit import heaviest_driver, single_source_point
from porterlib.analysis.contrary import FOR_ACTION, contrary_claims, strongest
from porterlib.analysis.doubts import Doubts
from porterlib.analysis.narrative import quoted
from porterlib.analysis.reading import Clause
from porterlib.analysis.wording import SHORT_QUOTE
from porterlib.analysis.workings import Workings
from porterlib.analyst import ChooseQuestion, Offer
from porterlib.analyst.ranking import ON_SUBJECT
from porterlib.contracts.assessment import Point
from porterlib.contracts.challenge import VIEWS, ChallengeReport, ChallengeView, View
from porterlib.contracts.evidence import Claim
from porterlib.contracts.options import Recommendation, RecommendationKind
from porterlib.contracts.request import Option

_Answer = tuple[Point, tuple[str, ...]]
OFFERED = 4
"""Claims offered when a view chooses its objection."""
NO_CONTRARY = "No contrary source on the subject was found, which may be a gap in the search."
_SCEPTIC: dict[RecommendationKind, str] = {
    "proceed": "Why should this bank fare better than what {p} reports: “{q}”?",
    "reversible_step": "Why should this bank fare better than what {p} reports: “{q}”?",
    "missing_evidence": "Why keep a case open of which {p} already reports: “{q}”?",
    "wait": "Why hold back when {p} reports: “{q}”?",
    "stop": "Why give up what {p} reports: “{q}”?",
}
_BUSINESS: dict[bool, tuple[tuple[str, str, str], ...]] = {
    True: (
        ("substitutes", "raises", "The work itself may move elsewhere; {p} reports: “{q}”."),
        ("rivalry", "lowers", "Rivals are held back as well; {p} reports: “{q}”."),
        ("buyers", "lowers", "Clients may not reward the effort; {p} states: “{q}”."),
        ("new_entrants", "lowers", "The threat that is to be met is itself held back; {p} states: “{q}”."),
    ),
    False: (
        ("buyers", "raises", "Clients will not wait for the bank; {p} states: “{q}”."),
        ("rivalry", "raises", "Rivals will not wait for the bank; {p} reports: “{q}”."),
        ("new_entrants", "raises", "Newcomers will not wait for the bank; {p} states: “{q}”."),
    ),
}
"""Force, direction and frame of what a business executive holds against acting (True) or against not acting."""


class Challenger:
    """Builds the report; remembers which claims and documents a view has already used."""

    def __init__(self, work: Workings, recommendation: Recommendation, step: Option | None) -> None:
        self._work = work
        self._kind = recommendation.kind
        self._step = step
        self._pool = contrary_claims(work, recommendation.kind)
        self._first = strongest(work, recommendation.kind)
        self._used: set[str] = set()
        self._documents: set[str] = set()
        self._duty: Claim | None = None
        self._asking: View = VIEWS[0]
        self._doubts = Doubts(work, step)

    def report(self) -> ChallengeReport:
        """Return six views; the sceptical director holds the strongest contrary claim."""
        if self._first is not None:
            self._take(self._first)
        views = tuple(self._view(view) for view in VIEWS)
        basis = (self._first.id, *self._contradicting(self._first)) if self._first else ()
        return ChallengeReport(views=views, contrary_basis=basis)

    def _view(self, view: View) -> ChallengeView:
        self._asking = view
        point, disconfirming = _BUILDERS[view](self)
        doubt = self._doubts.of(view, self._first if view == "sceptical_director" else self._duty)
        return ChallengeView(
            view=view,
            counterargument=point,
            disconfirming=disconfirming,
            dominant_assumptions=self._dominant(),
            pre_mortem=doubt.pre_mortem,
            invalidating_conditions=(doubt.invalid,),
            required_changes=(doubt.required,),
        )

    def _take(self, claim: Claim) -> None:
        self._documents.add(self._clause(claim).document)
        self._used.update(c.id for c in self._work.book.claims.values() if c.text == claim.text)

    def _clause(self, claim: Claim) -> Clause:
        return self._work.book.clauses[claim.id]

    def _contradicting(self, claim: Claim) -> tuple[str, ...]:
        item = self._clause(claim).item.id
        return tuple(
            sorted(
                link.id
                for link in self._work.book.links.values()
                if link.stance == "contradicts" and link.evidence_id == item and link.quote == claim.text
            )
        )

    def _dominant(self) -> tuple[str, ...]:
        economics = self._work.economics
        if economics and economics.dominant_assumption:
            name = economics.dominant_assumption.scenario
            if figure := self._work.figure("npv.base", name):
                return (figure.id,)
        return tuple(a.id for a in self._work.assumptions.values() if a.material)[:2]

    def _best(self, wanted: Callable[[Claim], bool], claims: Iterable[Claim] | None = None) -> Claim | None:
        """Return the best unused claim that is wanted, of a document no view has used where there is one."""
        book = self._work.book
        ranked = sorted(book.claims.values(), key=book.order) if claims is None else claims
        fitting = [
            c
            for c in ranked
            if c.id not in self._used and book.usable(c) and self._clause(c).quotable and wanted(c)
        ]
        fresh = [c for c in fitting if self._clause(c).document not in self._documents]
        chosen = self._ask((fresh or fitting)[:OFFERED])
        if chosen is not None:
            self._take(chosen)
        return chosen

    def _ask(self, claims: Sequence[Claim]) -> Claim | None:
        """Return the claim the analyst holds to be the strongest objection; the first where it names none."""
        if len(claims) < 2:
            return next(iter(claims), None)
        choice = self._work.analyst.choose(
            ChooseQuestion(
                purpose="objection",
                subject=self._asking,
                text=f"Which statement would the {self._asking.replace('_', ' ')} hold against the recommendation?",
                offers=tuple(Offer(c.id, c.text, {"rank": float(-at)}) for at, c in enumerate(claims)),
            )
        )
        return next((c for c in claims if c.id in choice.ids), claims[0])

    def _quoted(self, frame: str, claim: Claim) -> Point:
        clause = self._clause(claim)
        return Point(text=frame.format(p=clause.item.publisher, q=quoted(clause)), basis=(claim.id,))

    def sceptical_director(self) -> _Answer:
        """Hold the strongest contrary claim against the recommendation."""
        if self._first is None:
            gap = self._work.assume(NO_CONTRARY, material=True)
            text = "No source against the recommendation was found; that is a gap, not a proof."
            return Point(text=text, basis=(gap,)), ()
        return self._quoted(_SCEPTIC[self._kind], self._first), (
            self._first.id,
            *self._contradicting(self._first),
        )

    def cfo(self) -> _Answer:
        """Question the value: the figure that decides, or the input that is missing."""
        economics = self._work.economics
        lead = economics.dominant_assumption if economics else None
        figure = self._work.figure("npv.worst", lead.scenario) if lead else None
        if lead and figure:
            text = (
                f"The value rests on {lead.driver.line.replace('_', ' ')}, owned by {lead.driver.owner or 'nobody named'}; "
                f"the worst case is {figure.display}."
            )
            return Point(text=text, basis=(figure.id,)), (figure.id,)
        need = self._work.assume(
            "Finance has not supplied the inputs that a value could be calculated from.",
            owner="finance",
            material=True,
        )
        text = "Without finance inputs there is no value to approve, only an intention to find one."
        return Point(text=text, basis=(need,)), ()

    def cro_model_risk(self) -> _Answer:
        """Point at dependence and control failure."""
        book, heaviest = self._work.book, heaviest_driver(self._work, "suppliers")
        # Its doubt is about the heaviest driver. The first page quotes it, so a short one is preferred.
        short = sorted(
            book.claims.values(),
            key=lambda c: (
                heaviest is None or c.driver_id != heaviest.id,
                self._clause(c).words > SHORT_QUOTE,
                book.order(c),
            ),
        )
        claim = self._best(lambda c: c.force == "suppliers" and c.direction == "raises", short)
        claim = claim or self._best(lambda c: bool(self._clause(c).controls))
        frame = "On dependence {p} writes: “{q}”."
        return self._or_gap(claim, frame, "concentration and control failure")

    def regulator_audit(self) -> _Answer:
        """Point at a duty that bears on the decision and whose primary text must be read."""
        kind = self._step.kind if self._step else "targeted"
        applying = {c.id for c in self._work.pack.controls if kind in c.applies_to}
        duties = [c for c in self._work.book.claims.values() if c.legal_review]
        duties.sort(key=lambda c: (-self._bearing(c), self._work.book.order(c)))
        claim = self._best(lambda c: not applying.isdisjoint(self._clause(c).controls), duties)
        claim = self._duty = claim or self._best(lambda c: c.legal_review, duties)
        frame = "A supervisor will ask for proof, since a text of {p} says: “{q}”."
        return self._or_gap(claim, frame, "supervisory duties")

    def _bearing(self, claim: Claim) -> float:
        """Return how directly a duty bears on the decision: product before topic before the rest."""
        clause = self._clause(claim)
        return round(clause.product + clause.on_topic, 6)

    def business_executive(self) -> _Answer:
        """Ask whether customers and rivals make the course worth it."""
        frames = _BUSINESS[self._kind in FOR_ACTION]
        for near in (True, False):
            for force, direction, frame in frames:
                if claim := self._best(self._speaks(force, direction, near=near)):
                    return self._quoted(frame, claim), (claim.id,)
        return self._or_gap(None, "", "what clients gain")

    def _speaks(self, force: str, direction: str, *, near: bool) -> Callable[[Claim], bool]:
        """Return whether a claim reports that direction of that force, on the subject itself if `near`."""

        def wanted(claim: Claim) -> bool:
            clause = self._clause(claim)
            on_subject = clause.on_topic >= ON_SUBJECT or clause.product == 1
            return claim.force == force and claim.direction == direction and (on_subject or not near)

        return wanted

    def evidence_auditor(self) -> _Answer:
        """Count ratings that rest on one publisher, and statements that carry no date."""
        point = single_source_point(self._work)
        return (point, point.basis) if point else self._or_gap(None, "", "the scores")

    def _or_gap(self, claim: Claim | None, frame: str, what: str) -> _Answer:
        if claim is not None:
            return self._quoted(frame, claim), (claim.id,)
        gap = self._work.assume(f"No usable source on {what} was promoted.", material=True)
        text = f"Nothing was found on {what}, so this view cannot be satisfied yet."
        return Point(text=text, basis=(gap,)), ()


_BUILDERS: dict[View, Callable[[Challenger], _Answer]] = {
    "cfo": Challenger.cfo,
    "cro_model_risk": Challenger.cro_model_risk,
    "regulator_audit": Challenger.regulator_audit,
    "business_executive": Challenger.business_executive,
    "sceptical_director": Challenger.sceptical_director,
    "evidence_auditor": Challenger.evidence_auditor,
}
