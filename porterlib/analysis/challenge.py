"""Challenges the recommendation from six views, each on a basis of its own."""

from __future__ import annotations

from collections.abc import Callable

from porterlib.analysis.contrary import contrary_claims, strongest
from porterlib.analysis.narrative import quoted
from porterlib.analysis.workings import Workings
from porterlib.contracts.analysis import (
    VIEWS,
    ChallengeReport,
    ChallengeView,
    Point,
    Recommendation,
    View,
)
from porterlib.contracts.evidence import Claim


class Challenger:
    """Builds the report; remembers which claims a view has already used."""

    def __init__(self, work: Workings, recommendation: Recommendation) -> None:
        self._work = work
        self._kind = recommendation.kind
        self._pool = contrary_claims(work, recommendation.kind)
        self._first = strongest(work, recommendation.kind)
        self._used: set[str] = set()

    def report(self) -> ChallengeReport:
        """Return six views; the sceptical director holds the strongest contrary claim."""
        if self._first is not None:
            self._take(self._first)
        views = tuple(self._view(view) for view in VIEWS)
        basis = (self._first.id, *self._contradicting(self._first)) if self._first else ()
        return ChallengeReport(views=views, contrary_basis=basis)

    def _view(self, view: View) -> ChallengeView:
        point, disconfirming = _BUILDERS[view](self)
        return ChallengeView(
            view=view,
            counterargument=point,
            disconfirming=disconfirming,
            dominant_assumptions=self._dominant(),
            pre_mortem=_PRE_MORTEM[view],
            invalidating_conditions=(_INVALID[view],),
            required_changes=(_REQUIRED[view],),
        )

    def _take(self, claim: Claim) -> None:
        self._used.add(claim.id)
        self._used.update(c.id for c in self._work.book.claims.values() if c.text == claim.text)

    def _contradicting(self, claim: Claim) -> tuple[str, ...]:
        item = self._work.book.clauses[claim.id].item.id
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

    def _claim(self, wanted: Callable[[Claim], bool]) -> Claim | None:
        """Return the best unused claim that is wanted: contrary ones first, then any usable one."""
        everything = sorted(
            (c for c in self._work.book.claims.values() if c.id in self._work.book.clauses),
            key=self._work.book.order,
        )
        for claim in (*self._pool, *everything):
            if claim.id not in self._used and self._work.book.usable(claim) and wanted(claim):
                self._take(claim)
                return claim
        return None

    def _quoted(self, frame: str, claim: Claim) -> Point:
        clause = self._work.book.clauses[claim.id]
        return Point(text=frame.format(p=clause.item.publisher, q=quoted(clause)), basis=(claim.id,))

    def sceptical_director(self) -> tuple[Point, tuple[str, ...]]:
        """Hold the strongest contrary claim against the recommendation."""
        if self._first is None:
            gap = self._work.assume(
                "No contrary source on the subject was found, which may be a gap in the search.",
                material=True,
            )
            return Point(
                text="No source against the recommendation was found; that is a gap, not a proof.",
                basis=(gap,),
            ), ()
        against = self._contradicting(self._first)
        return self._quoted("Why should this bank fare better than what {p} reports: “{q}”?", self._first), (
            self._first.id,
            *against,
        )

    def cfo(self) -> tuple[Point, tuple[str, ...]]:
        """Question the value: the figure that decides, or the input that is missing."""
        economics = self._work.economics
        if economics and economics.dominant_assumption:
            lead = economics.dominant_assumption
            figure = self._work.figure("npv.worst", lead.scenario)
            if figure:
                text = (
                    f"The value rests on {lead.driver.line.replace('_', ' ')}, owned by {lead.driver.owner or 'nobody named'}; "
                    f"the worst case is {figure.display}."
                )
                return Point(text=text, basis=(figure.id,)), (figure.id,)
        need = self._work.assume(
            "Finance has not supplied the inputs that a value could be calculated from.", material=True
        )
        return Point(
            text="Without finance inputs there is no value to approve, only an intention to find one.",
            basis=(need,),
        ), ()

    def cro_model_risk(self) -> tuple[Point, tuple[str, ...]]:
        """Point at concentration and control failure."""
        claim = self._claim(lambda c: c.force == "suppliers" and c.direction == "raises") or self._claim(
            lambda c: bool(self._work.book.clauses[c.id].controls)
        )
        return self._or_gap(
            claim,
            "A failure elsewhere would reach the bank, since {p} warns: “{q}”.",
            "concentration and control failure",
        )

    def regulator_audit(self) -> tuple[Point, tuple[str, ...]]:
        """Point at a duty whose primary text must be read."""
        clauses = self._work.book.clauses
        claim = self._claim(lambda c: c.legal_review and bool(clauses[c.id].controls)) or self._claim(
            lambda c: c.legal_review
        )
        return self._or_gap(
            claim, "A supervisor will ask for proof, since a text of {p} says: “{q}”.", "supervisory duties"
        )

    def business_executive(self) -> tuple[Point, tuple[str, ...]]:
        """Ask whether customers gain."""
        claim = self._claim(lambda c: c.force in ("buyers", "substitutes", "new_entrants")) or self._claim(
            lambda c: c.force == "rivalry"
        )
        return self._or_gap(
            claim, "Clients may not reward the effort; {p} finds: “{q}”.", "what clients gain"
        )

    def evidence_auditor(self) -> tuple[Point, tuple[str, ...]]:
        """Count ratings that rest on one publisher, and statements that carry no date."""
        book = self._work.book
        rated = [d for f in self._work.forces for d in f.drivers if d.rating is not None]
        single = [d for d in rated if d.publishers == 1]
        cited = sorted({claim for d in rated for claim in d.raising + d.lowering})
        undated = [c for c in cited if not book.clauses[c].item.published]
        text = (
            f"{len(single)} of {len(rated)} driver ratings rest on one publisher, and {len(undated)} of {len(cited)} "
            "statements behind them on pages without a date."
        )
        basis = tuple(sorted({claim for d in single for claim in d.raising + d.lowering}) or cited)
        if not basis:
            return self._or_gap(None, "", "the scores")
        inference = book.add_inference(text, basis, rule="inference.count_single_source")
        return Point(text=text, basis=(inference.id,)), (inference.id,)

    def _or_gap(self, claim: Claim | None, frame: str, what: str) -> tuple[Point, tuple[str, ...]]:
        if claim is not None:
            return self._quoted(frame, claim), (claim.id,)
        gap = self._work.assume(f"No usable source on {what} was promoted.", material=True)
        return Point(
            text=f"Nothing was found on {what}, so this view cannot be satisfied yet.", basis=(gap,)
        ), ()


_BUILDERS: dict[View, Callable[[Challenger], tuple[Point, tuple[str, ...]]]] = {
    "cfo": Challenger.cfo,
    "cro_model_risk": Challenger.cro_model_risk,
    "regulator_audit": Challenger.regulator_audit,
    "business_executive": Challenger.business_executive,
    "sceptical_director": Challenger.sceptical_director,
    "evidence_auditor": Challenger.evidence_auditor,
}
_PRE_MORTEM: dict[View, str] = {
    "cfo": "Hours were saved, nobody redeployed them, and no line of the accounts ever moved.",
    "cro_model_risk": "One provider failed on a working day and three control processes stopped with it.",
    "regulator_audit": "An examiner asked how a decision was reached and the file could not show it.",
    "business_executive": "Clients waited as long as before, because the bottleneck lay elsewhere.",
    "sceptical_director": "The programme was extended twice on the strength of its own reports.",
    "evidence_auditor": "A figure quoted in every paper turned out to come from one unsigned page.",
}
_INVALID: dict[View, str] = {
    "cfo": "Realised benefit stays below the switching value for two quarters in a row.",
    "cro_model_risk": "An exit test to a second provider fails or cannot be scheduled within a quarter.",
    "regulator_audit": "A supervisor objects in writing, or a duty named here is read differently by counsel.",
    "business_executive": "Onboarding time or retention shows no change at the second gate.",
    "sceptical_director": "The outcome reported by the contrary source repeats in the bank's own first stage.",
    "evidence_auditor": "A statement behind a score is withdrawn, corrected or contradicted by its publisher.",
}
_REQUIRED: dict[View, str] = {
    "cfo": "Finance signs the inputs and names who books each benefit.",
    "cro_model_risk": "Risk sets a concentration limit and a tested exit before any second workflow.",
    "regulator_audit": "Counsel reads the primary texts marked for review before the first gate.",
    "business_executive": "The business owner commits to a client measure, with its value today on record.",
    "sceptical_director": "Management answers the contrary source in writing at the first gate.",
    "evidence_auditor": "A second publisher is sought for each statement that rests on one.",
}
