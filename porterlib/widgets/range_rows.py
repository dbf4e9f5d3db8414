"""Rows of the range form: one estimate each, kept as typed and read as exact decimals or refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import ipywidgets as w

from porterlib.contracts.economics_estimates import Estimate, plain_text, read_number
from porterlib.contracts.economics_inputs import MEASURES, EconomicsInputs
from porterlib.rendering.inert import visible
from porterlib.widgets.parts import said, say

POINTS = ("low", "base", "high")
Path = tuple[str | int, ...]


_WIDTHS = {"label": (170, 105), "unit": (120, 92), "owner": (190, 110), "basis": (190, 92)}
"""Columns with the width they like and the least they take, in pixels; the rest are figures."""
_FIGURE = (110, 50)


def _column(name: str) -> Any:
    """Return the layout of a column; all shrink alike in a narrow cell, so that headings stay above their fields."""
    wide, least = _WIDTHS.get(name, _FIGURE)
    return w.Layout(width="auto", flex=f"1 1 {wide}px", min_width=f"{least}px", margin="2px")


def cell(name: str, value: str, hint: str = "") -> Any:
    """Return a text field for one figure; ipywidgets' number fields would alter what is typed."""
    made = w.Text(value=value, placeholder=hint, continuous_update=False, layout=_column(name))
    # In a narrow window a field shows the beginning of a name; the pointer tells the rest.
    made.tooltip = f"{name.replace('_', ' ')}: {visible(value)}" if value else name
    return made


@dataclass
class RangeRow:
    """One estimate, or one single figure where `single` names it."""

    path: Path
    """Where it stands in the inputs."""
    label: str
    estimate: Estimate | None = None
    single: str = ""
    """Name of a lone figure of a change: `factor` or `add`."""
    value: str = ""
    unit: str = ""
    owner: str = ""
    basis: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    error: Any = None

    def __post_init__(self) -> None:
        """Make the fields, filled with what is there."""
        held, self.error = self.estimate, said("")
        if self.single:
            self.fields[self.single] = cell(self.single, self.value)
        else:
            for point in POINTS:
                shown = plain_text(getattr(held, point)) if held else ""
                self.fields[point] = cell(point, shown, point)
            self.fields["unit"] = cell("unit", held.unit if held else self.unit, "unit")
        self.fields["owner"] = cell("owner", (held.owner if held else self.owner) or "", "owner")
        basis = ", ".join(held.basis if held else self.basis)
        self.fields["basis"] = cell("basis", basis, "A-basis-1")

    @property
    def typed(self) -> dict[str, str]:
        """Return what stands in the fields."""
        return {name: str(widget.value) for name, widget in self.fields.items()}

    @property
    def blank(self) -> bool:
        """Return whether no figure is given, which for an absent line stays absent."""
        return not any(self.typed[name].strip() for name in self._figures)

    @property
    def _figures(self) -> tuple[str, ...]:
        return (self.single,) if self.single else POINTS

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the figures and the basis as typed; an owner may be missing and is shown as such."""
        for name in self._figures:
            text = self.typed[name].strip()
            try:
                read_number(text) if text else None
            except ValueError as error:
                yield f"{name}: {error}"
            if not text:
                yield f"{name}: is empty; write a number"
        if not self._ids():
            yield "basis: is empty; write the id of the evidence or assumption, such as A-benefit-1"

    def refuse(self, problem: str) -> None:
        """Show a problem beside the row."""
        say(self.error, problem, "bad")

    def changes(self) -> dict[str, Any]:
        """Return the values of the row for the inputs, numbers as the text that was typed."""
        typed = self.typed
        made: dict[str, Any] = {name: typed[name].strip() for name in self._figures}
        made |= {"owner": typed["owner"].strip() or None, "basis": self._ids()}
        return made if self.single else {**made, "unit": typed["unit"].strip()}

    def _ids(self) -> list[str]:
        return [part.strip() for part in self.typed["basis"].split(",") if part.strip()]

    def ui(self) -> Any:
        """Return the row with its error below."""
        label = w.Label(visible(self.label).replace("$", "＄"), layout=_column("label"))
        line = w.HBox([label, *self.fields.values()], layout=w.Layout(width="auto"))
        return w.VBox([line, self.error], layout=w.Layout(overflow="visible"))


def headings() -> Any:
    """Return the names of the columns, each above its fields."""
    names = {
        "label": "",
        "low": "low",
        "base": "base",
        "high": "high",
        "unit": "unit",
        "owner": "owner",
        "basis": "basis ids",
    }
    cells = [w.Label(text, layout=_column(name)) for name, text in names.items()]
    return w.HBox(cells, layout=w.Layout(width="auto"))


def shared_rows(inputs: EconomicsInputs) -> Iterator[RangeRow]:
    """Yield the shared lines and the discount rate; absent ones are empty rows."""
    for name in type(inputs.lines).model_fields:
        yield _row(("lines", name), name, getattr(inputs.lines, name), inputs.currency)
    yield _row(("discount_rate",), "discount_rate", inputs.discount_rate, inputs.currency)


def scenario_rows(inputs: EconomicsInputs, index: int) -> Iterator[RangeRow]:
    """Yield what one scenario changes."""
    for name, change in inputs.scenarios[index].changes.items():
        path: Path = ("scenarios", index, "changes", name)
        label = f"{name.replace('_', ' ')}"
        if change.to is not None:
            yield _row((*path, "to"), label, change.to, inputs.currency)
        else:
            single = "factor" if change.factor is not None else "add"
            number = change.factor if change.factor is not None else change.add
            assert number is not None
            sign = "×" if single == "factor" else "+"
            yield RangeRow(
                path,
                f"{label} {sign}",
                None,
                single,
                plain_text(number),
                "",
                change.owner or "",
                change.basis,
            )


def _row(path: Path, name: str, estimate: Estimate | None, currency: str) -> RangeRow:
    measure = MEASURES.get(name, "money")
    unit = f"{currency} m{measure.removeprefix('money')}" if measure.startswith("money") else measure
    return RangeRow(path, name.replace("_", " "), estimate, unit=unit)
