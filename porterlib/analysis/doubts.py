"""What each view fears, what would prove it right, and what it requires first: from pack, request and figures."""

from __future__ import annotations

from typing import NamedTuple

from porterlib.analysis.audit import heaviest_driver, rated_drivers
from porterlib.analysis.value import turning_value
from porterlib.analysis.wording import lower_first
from porterlib.analysis.workings import Workings
from porterlib.contracts.challenge import View
from porterlib.contracts.evidence import Claim
from porterlib.contracts.request import Option
from porterlib.contracts.sector import ControlOverlay


class Doubt(NamedTuple):
    """One view's fear and conditions."""

    pre_mortem: str
    invalid: str
    required: str


class Doubts:
    """Doubts of the six views on one decision."""

    def __init__(self, work: Workings, step: Option | None) -> None:
        self._work, self._step = work, step

    def of(self, view: View, claim: Claim | None) -> Doubt:
        """Return the doubt of one view; `claim` is the contrary claim, or the duty, that its view cites."""
        if view == "cfo":
            return self._cfo()
        if view == "cro_model_risk":
            return self._cro()
        if view == "regulator_audit":
            return self._regulator(claim)
        if view == "business_executive":
            return self._business()
        return self._sceptic(claim) if view == "sceptical_director" else self._auditor()

    def _cfo(self) -> Doubt:
        economics = self._work.economics
        lead = economics.dominant_assumption if economics else None
        if economics is None or lead is None:
            return Doubt(
                "Money was spent on a benefit that nobody had valued, and nobody could say when to stop.",
                "Finance cannot value the first stage before it starts.",
                "Finance supplies the inputs named above, each with an owner.",
            )
        line = lead.driver.line.replace("_", " ")
        turning = lead.driver.switching_value
        limit = (
            "its base case"
            if turning is None
            else turning_value(lead.driver.line, turning, economics.currency)
        )
        return Doubt(
            f"The input {line} ended at the wrong end of its range, and no line of the accounts had moved.",
            f"For two quarters in a row {line} is worse than {limit}.",
            "Finance signs the inputs and names who books each benefit."
            if economics.signed is None
            else f"{lead.driver.owner or 'An owner'} reports {line} at every gate.",
        )

    def _cro(self) -> Doubt:
        driver = heaviest_driver(self._work, "suppliers")
        if driver is None:
            return Doubt(
                "A dependence that no source had described stopped the process on a working day.",
                "An exit test fails or cannot be scheduled within a quarter.",
                "Risk describes the dependence and its exit before the first gate.",
            )
        return Doubt(
            f"What failed was {lower_first(driver.name)}, and the way out took longer than the outage allowed.",
            f"The indicator turns: {lower_first(driver.indicator)}",
            f"Risk sets a limit on {lower_first(driver.name)} before a second workflow.",
        )

    def _regulator(self, duty: Claim | None) -> Doubt:
        control = self._control(duty)
        if control is None:
            return Doubt(
                "An examiner asked how a decision was reached and the file could not show it.",
                "A supervisor objects in writing.",
                "Counsel names the duties that apply before the first gate.",
            )
        return Doubt(
            f"An examiner asked for proof under “{control.title}” and the file could not show it.",
            f"This gate is not met: {lower_first(control.gate)}",
            f"Counsel reads {control.primary_text} before the first gate.",
        )

    def _business(self) -> Doubt:
        measures = self._work.contract.success_measures
        if not measures:
            return Doubt(
                "The step was completed and no customer noticed.",
                "No measure of what customers gain exists at the second gate.",
                "The business owner names a customer measure, with its value today.",
            )
        return Doubt(
            f"The step ran as planned, and the board's first measure did not move: {measures[0].rstrip('.')}.",
            f"At the second gate this measure shows no change: {measures[min(1, len(measures) - 1)].rstrip('.')}.",
            "The business owner puts today's value of each success measure on record.",
        )

    def _sceptic(self, contrary: Claim | None) -> Doubt:
        if contrary is None:
            return Doubt(
                "The case against existed, and nobody had looked where it was kept.",
                "A later search finds an outcome on the subject that this brief does not face.",
                "A second search looks for contrary outcomes before the first gate.",
            )
        publisher = self._work.book.clauses[contrary.id].item.publisher
        return Doubt(
            f"What {publisher} reports came true here, and was called an exception.",
            f"The bank's own first stage shows what {publisher} reports.",
            f"Management answers {publisher} in writing at the first gate.",
        )

    def _auditor(self) -> Doubt:
        names = {d.id: d.name for part in self._work.pack.forces for d in part.drivers}
        single = [driver for driver in rated_drivers(self._work) if driver.publishers == 1]
        named = names[single[0].driver_id] if single else "a score"
        return Doubt(
            f"The rating of “{lower_first(named)}” turned out to rest on a page its publisher had corrected.",
            "A statement behind a score is withdrawn, corrected or contradicted by its publisher.",
            f"A second publisher is sought, first for “{lower_first(named)}”.",
        )

    def _control(self, duty: Claim | None) -> ControlOverlay | None:
        """Return the control that a duty speaks of, else the first that applies to the step."""
        kind = self._step.kind if self._step else "targeted"
        applying = [control for control in self._work.pack.controls if kind in control.applies_to]
        spoken = self._work.book.clauses[duty.id].controls if duty else ()
        return next(iter([c for c in applying if c.id in spoken] or applying), None)
