"""Widgets to read results with: heatmap, evidence, ranges, attempts. They choose; the pictures are the results' own."""

from __future__ import annotations

from typing import Any

import ipywidgets as w

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import ForceAssessment
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.supervision import RalphState
from porterlib.errors import InputError
from porterlib.rendering.tones import PAIRS, Tone, heat
from porterlib.widgets.parts import Panel, attempt, button, choice, draw, field, picture, row, said

ANY = ("any", "")
"""An empty value, since a list shows nothing at all for None."""
PAGE = 60
"""Rows of a page of evidence; the table shows as many."""


def held(result: Any, kind: type, name: str) -> Any:
    """Return a part of a result, the result itself included.

    Raises:
        InputError: it holds none.

    """
    for holder in (result, getattr(result, "outcome", None)):
        for found in (holder, getattr(holder, name, None)):
            if isinstance(found, kind):
                return found
    raise InputError(f"{type(result).__name__} holds no {name} to show")


class HeatmapWidget(Panel):
    """The five forces as buttons; one opens its drivers and the quotes behind them."""

    def __init__(self, result: Any) -> None:
        self.result = result
        candidate: Candidate = held(result, Candidate, "candidate")
        self._forces: dict[Force, ForceAssessment] = {entry.force: entry for entry in candidate.forces}
        self.cells = {force: _cell(self._forces[force]) for force in FORCES}
        for force, cell in self.cells.items():
            cell.on_click(lambda _, force=force: self.select(force))
        self.driver = choice("Driver", [("all drivers", "")])
        self.driver.observe(lambda _: self._open(), names="value")
        self.message, self.place = said(""), picture()
        self.selected: Force = FORCES[0]
        super().__init__(
            [
                said("Choose a force to see its drivers and the quotes behind them.", bold=True),
                w.HBox(list(self.cells.values()), layout=w.Layout(flex_flow="row wrap", grid_gap="6px")),
                self.driver,
                self.message,
                self.place,
            ],
            name="Five forces",
        )
        self.select(FORCES[0])

    def select(self, force: Force) -> None:
        """Show a force."""
        self.selected = force
        drivers = [(d.name, d.driver_id) for d in self._forces[force].drivers]
        self.driver.options = [("all drivers", ""), *drivers]
        for name, cell in self.cells.items():
            cell.layout.border = "3px solid #4d9fd6" if name == force else "3px solid transparent"
        self._open()

    def _open(self) -> None:
        def show() -> None:
            draw(self.place, self.result.show("force", force=self.selected, driver=self.driver.value or None))

        attempt(show, self.message)


def _cell(entry: ForceAssessment) -> Any:
    name = entry.force.replace("_", " ")
    tone: Tone
    tone, word = ("quiet", "not assessed") if entry.score is None else heat(float(entry.score))
    ground, ink = PAIRS[tone]
    score = "" if entry.score is None else f"{entry.score} "
    return w.Button(
        description=f"{name}: {score}{word}",
        tooltip=f"{name}, trend {entry.trend}, confidence {entry.confidence_word}",
        style={"button_color": ground, "text_color": ink, "font_weight": "600"},
        layout=w.Layout(width="auto", height="44px"),
    )


class EvidenceWidget(Panel):
    """The evidence table with filters, order and pages, and the reader from a passage to its claims."""

    def __init__(self, result: Any) -> None:
        self.result, self.start = result, 0
        snapshot: EvidenceSnapshot = held(result, EvidenceSnapshot, "snapshot")
        self.total = len(snapshot.evidence)
        classes = sorted({entry.source_class for entry in snapshot.evidence})
        spoken = [(name.replace("_", " "), name) for name in classes]
        self.force = choice("Force", [ANY, *((f.replace("_", " "), f) for f in FORCES)])
        self.stance = choice(
            "Has a quote that", [ANY, *((s, s) for s in ("supports", "contradicts", "context"))]
        )
        self.source_class = choice("Class", [ANY, *spoken])
        self.sort = choice("Order", [(s, s) for s in ("strength", "published", "publisher", "quotes")])
        self.contains = field("Contains", hint="words in passage, title or publisher", width="340px")
        self.contains.style.description_width = "initial"
        self.passage = field("Read passage", hint="E-…", width="260px")
        self.passage.style.description_width = "initial"
        self.message, self.place, self.reader = said(""), picture(), picture()
        for control in (self.force, self.stance, self.source_class, self.sort, self.contains):
            control.observe(lambda _: self.turn(0), names="value")
        self.passage.observe(lambda _: attempt(self._read, self.message), names="value")
        pages = row(
            button("◀ previous", lambda: self.turn(self.start - PAGE), self.message),
            button("next ▶", lambda: self.turn(self.start + PAGE), self.message),
            self.passage,
        )
        filters = row(self.force, self.stance, self.source_class, self.sort, self.contains)
        super().__init__([filters, pages, self.message, self.reader, self.place], name="Evidence")
        self.turn(0)

    def turn(self, start: int) -> None:
        """Show the page that begins at a row."""
        self.start = max(0, min(start, max(0, self.total - 1)))
        attempt(self._show, self.message)

    def _show(self) -> None:
        view = self.result.show(
            "evidence",
            force=self.force.value or None,
            stance=self.stance.value or None,
            source_class=self.source_class.value or None,
            contains=self.contains.value,
            sort=self.sort.value,
            start=self.start,
        )
        draw(self.place, view)

    def _read(self) -> None:
        wanted = self.passage.value.strip()
        if not wanted:
            draw(self.reader)
        else:
            draw(self.reader, self.result.show("claims", evidence=wanted))


class RangesWidget(Panel):
    """Ranges of all scenarios, and what moves the one that is chosen."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.economics: Economics = held(result, Economics, "economics")
        names = [(entry.name, entry.name) for entry in self.economics.scenarios]
        main = self.economics.main_scenario("targeted")
        self.scenario = choice("Scenario", names, main.name if main else None)
        self.measure = choice(
            "Measure", [("net present value", "npv"), ("above no action", "incremental_npv")]
        )
        self.message, self.ranges, self.detail = said(""), picture(), picture()
        self.measure.observe(lambda _: attempt(self._ranges, self.message), names="value")
        self.scenario.observe(lambda _: attempt(self._detail, self.message), names="value")
        super().__init__(
            [row(self.measure), self.ranges, row(self.scenario), self.message, self.detail], name="Ranges"
        )
        attempt(self._ranges, self.message)
        attempt(self._detail, self.message)

    def _ranges(self) -> None:
        draw(self.ranges, self.economics.show("ranges", measure=self.measure.value))

    def _detail(self) -> None:
        name = self.scenario.value
        draw(self.detail)
        views = [self.economics.show("tornado", scenario=name), self.economics.show("cash", scenarios=[name])]
        draw(self.detail, *views)


class TimelineWidget(Panel):
    """Attempts and their criteria; one attempt and one criterion can be chosen."""

    def __init__(self, result: Any) -> None:
        self.result = result
        state: RalphState = held(result, RalphState, "state")
        attempts = [(f"attempt {a.attempt_number}", a.attempt_number) for a in state.attempts]
        self.attempt = choice("Attempt", [("all attempts", 0), *attempts])
        criteria = [(c.criterion_id, c.criterion_id) for c in state.criteria]
        self.criterion = choice("Criterion", [("all criteria", ""), *criteria])
        self.message, self.place = said(""), picture()
        for control in (self.attempt, self.criterion):
            control.observe(lambda _: attempt(self._show, self.message), names="value")
        super().__init__([row(self.attempt, self.criterion), self.message, self.place], name="Attempts")
        attempt(self._show, self.message)

    def _show(self) -> None:
        view = self.result.show(
            "timeline", attempt=self.attempt.value or None, criterion=self.criterion.value or None
        )
        draw(self.place, view)
