"""The scenario range form for finance: exact decimals, errors beside the field, a preview before anything is saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets as w

from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics import calculate, inputs_sha256, moved_inputs
from porterlib.economics.loading import validate_inputs
from porterlib.errors import EconomicsError
from porterlib.widgets.input_yaml import inputs_yaml
from porterlib.widgets.parts import Panel, button, choice, draw, picture, row, said, say, titled
from porterlib.widgets.range_rows import RangeRow, headings, scenario_rows, shared_rows

_HEAD = "Write 1.5 with a point. What cannot be read is refused beside its row; nothing is changed for you."


class RangeForm(Panel):
    """Edit the ranges, apply, look at the preview, save.

    Args:
        inputs: the inputs to start from; they stay as they are.
        approved: inputs that were approved last, to compare with; the starting ones if absent.
        path: YAML file that saving writes; without one only the callback is called.
        on_save: called with the new inputs and their YAML text.

    """

    def __init__(
        self,
        inputs: EconomicsInputs,
        *,
        approved: EconomicsInputs | None = None,
        path: str | os.PathLike[str] | None = None,
        on_save: Callable[[EconomicsInputs, str], object] | None = None,
    ) -> None:
        self.inputs, self.approved = inputs, approved or inputs
        self._against = (
            "the inputs approved last" if approved is not None else "the inputs the form was opened with"
        )
        self.path, self._on_save = Path(path) if path is not None else None, on_save
        self.applied: EconomicsInputs | None = None
        self.economics: Economics | None = None
        self.sections = {"shared lines": list(shared_rows(inputs))}
        for index, scenario in enumerate(inputs.scenarios):
            if scenario.changes:
                self.sections[scenario.name] = list(scenario_rows(inputs, index))
        self._applied_text = self._text()
        self.message, self.difference = said(""), said("")
        self.saved_state = said("")
        self.preview = picture()
        self.scenario = choice("Tornado of", [(s.name, s.name) for s in inputs.scenarios], _main(inputs))
        self.scenario.observe(lambda _: self._draw(), names="value")
        for part in self.rows():
            for widget in part.fields.values():
                widget.observe(lambda _: self._say_state(), names="value")
        super().__init__(self._children(), name="Range form")

    def _children(self) -> list[Any]:
        sections = [w.VBox([headings(), *(part.ui() for part in rows)]) for rows in self.sections.values()]
        accordion = w.Accordion(children=sections, titles=tuple(self.sections), selected_index=0)
        apply = button("Apply and preview", self.apply, self.message, style="primary")
        save = button("Save", self.save, self.message, style="success")
        return [
            said(_HEAD),
            titled(accordion),
            row(apply, save, self.scenario),
            self.saved_state,
            self.message,
            self.difference,
            self.preview,
        ]

    def rows(self) -> Iterator[RangeRow]:
        """Yield every row of every section."""
        for rows in self.sections.values():
            yield from rows

    def row(self, *path: str | int) -> RangeRow:
        """Return the row at a path, such as `("lines", "upfront_cost")`; raises KeyError when there is none."""
        for found in self.rows():
            if found.path == path:
                return found
        raise KeyError(path)

    @property
    def pending(self) -> bool:
        """Return whether something was typed since the last time the fields were applied."""
        return self._text() != self._applied_text

    def apply(self) -> str:
        """Read every field, calculate and show the preview; nothing is saved.

        Raises:
            EconomicsError: a field cannot be used; the errors stand beside their rows and the preview stays.

        """
        for part in self.rows():
            say(part.error, "")
        made = self._validated(self._data())
        self.economics = calculate(made)
        self.applied, self._applied_text = made, self._text()
        moves = moved_inputs(self.approved, made)
        lines = [f"{m.path}: {m.before or 'absent'} → {m.after or 'absent'}" for m in moves]
        text = (
            f"Differs from {self._against} in {len(moves)}: " + "; ".join(lines)
            if moves
            else "No value differs."
        )
        say(self.difference, text, "warn" if moves else None)
        self._say_state()
        self._draw()
        return "Applied. The preview shows these inputs; they are not saved yet."

    def save(self) -> str:
        """Write the applied inputs and hand them on.

        Raises:
            EconomicsError: nothing was applied, fields were changed since, or the file cannot be written.

        """
        if self.applied is None or self.pending:
            raise EconomicsError("apply the fields first and look at the preview; then save", field="form")
        text = inputs_yaml(self.applied)
        # Recorded first: a file that the ledger refused must not lie there as if it counted.
        answer = self._on_save(self.applied, text) if self._on_save else None
        if self.path is not None:
            _write(self.path, text)
        self.saved_text = text
        where = f" to {self.path.name}" if self.path is not None else ""
        said_back = f" {answer}" if isinstance(answer, str) else ""
        say(self.saved_state, "")
        return f"Saved{where}, digest {inputs_sha256(self.applied)[:12]}.{said_back}"

    def _data(self) -> dict[str, Any]:
        wrong = []
        for part in self._given():
            if problems := list(part.problems()):
                part.refuse("; ".join(problems))
                wrong.append(part.label)
        if wrong:
            raise EconomicsError(
                f"rows that cannot be used: {', '.join(wrong)}; see beside them, nothing was changed",
                field=wrong[0],
            )
        data = self.inputs.signed_content()
        for part in self._given():
            _merge(data, part)
        for part in set_aside(self):
            target = _target(data, part.path[:-1])
            target[part.path[-1]] = None
        return data

    def _given(self) -> list[RangeRow]:
        return [part for part in self.rows() if not part.blank or part.single or len(part.path) > 2]

    def _validated(self, data: dict[str, Any]) -> EconomicsInputs:
        try:
            made = validate_inputs(data)
        except EconomicsError as error:
            for entry in error.data.get(
                "fields", [{"path": error.data.get("field", ""), "problem": error.message}]
            ):
                self._place(str(entry["path"]), str(entry["problem"]))
            raise
        same = inputs_sha256(made) == inputs_sha256(self.inputs)
        return made.model_copy(update={"sign_off": self.inputs.sign_off}) if same else made

    def _place(self, path: str, problem: str) -> None:
        """Show a problem beside the row its path belongs to."""
        for part in self.rows():
            dotted = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in part.path)[1:]
            if path.startswith(dotted):
                part.refuse(problem)

    def _draw(self) -> None:
        if self.economics is None:
            return
        views = [self.economics.show("ranges")]
        chosen = self.economics.scenario(self.scenario.value)
        if chosen.npv is not None and any(driver.swing > 0 for driver in chosen.drivers):
            views.append(self.economics.show("tornado", scenario=chosen.name))
        draw(self.preview, *views)

    def _say_state(self) -> None:
        if self.pending:
            say(self.saved_state, "Changed and not applied: the preview below shows earlier inputs.", "warn")
        else:
            say(self.saved_state, "Applied and not saved." if self.applied is not None else "")

    def _text(self) -> list[dict[str, str]]:
        return [part.typed for part in self.rows()]


def set_aside(form: RangeForm) -> list[RangeRow]:
    """Return the rows of shared lines whose figures were all removed: those lines become requests again."""
    return [
        p for p in form.rows() if p.blank and not p.single and len(p.path) <= 2 and p.estimate is not None
    ]


def _merge(data: dict[str, Any], part: RangeRow) -> None:
    target = _target(data, part.path if part.single else part.path[:-1])
    if part.single:
        target.update(part.changes())
    else:
        target[part.path[-1]] = {**(target.get(part.path[-1]) or {}), **part.changes()}


def _target(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def _main(inputs: EconomicsInputs) -> str | None:
    return next((s.name for s in inputs.scenarios if s.kind == "targeted"), None)


def _write(path: Path, text: str) -> None:
    """Replace the file in one step, readable by its owner alone."""
    draft = path.with_name(f".{path.name}.part")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        draft.replace(path)
    except OSError as error:
        raise EconomicsError(
            f"{path.name} cannot be written: {error.strerror}; choose another path", field="path"
        ) from error


def range_form(
    inputs: EconomicsInputs,
    *,
    approved: EconomicsInputs | None = None,
    path: str | os.PathLike[str] | None = None,
    on_save: Callable[[EconomicsInputs, str], object] | None = None,
) -> RangeForm:
    """Return the form over finance inputs; saving writes YAML to `path` and calls `on_save(inputs, yaml_text)`."""
    return RangeForm(inputs, approved=approved, path=path, on_save=on_save)
