"""The request form: what is missing is asked with the pack's questions, what is there can be changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from porterlib.contracts.loading import parse_request
from porterlib.contracts.request import DecisionRequest
from porterlib.errors import DecisionScopeError, RequestError
from porterlib.widgets.parts import Panel, button, field, row, said, say

_TEXTS = (
    ("question", 3),
    ("market_boundary", 3),
    ("organisation_name", 1),
    ("business_line", 1),
    ("product", 1),
    ("customer", 1),
    ("geographies", 1),
    ("regulatory_perimeter", 2),
    ("horizon_months", 1),
    ("evidence_cutoff", 1),
    ("current_course", 2),
    ("risk_appetite", 2),
    ("success_measures", 3),
    ("constraints", 3),
    ("decision_owner", 1),
    ("board_action_requested", 2),
    ("public_context", 4),
)
_LISTS = frozenset({"success_measures", "constraints"})
_HINTS = {
    "geographies": "separated by commas",
    "horizon_months": "whole months, 1 to 120",
    "evidence_cutoff": "yyyy-mm-dd, or empty",
    "success_measures": "one a line",
    "constraints": "one a line",
    "public_context": "words approved for public queries, at most 4,000 characters",
}


class RequestForm(Panel):
    """A form over a request; submitting hands on the answers and changes nothing else.

    Args:
        request: the request to edit; without one only the questions of the error are asked.
        error: the refusal of `frame`, whose questions come first.
        on_submit: called with the new request, or with the answers by name where there was no request.

    """

    def __init__(
        self,
        request: DecisionRequest | None,
        *,
        error: DecisionScopeError | None = None,
        on_submit: Callable[[Any], object] | None = None,
    ) -> None:
        self.request, self.error, self._on_submit = request, error, on_submit
        self.fields: dict[str, Any] = {}
        self.errors: dict[str, Any] = {}
        self.message = said("")
        asked = dict(zip(error.missing, error.questions, strict=False)) if error else {}
        children: list[Any] = []
        if asked:
            children.append(said("The decision cannot be framed yet. Please answer:", "warn"))
        for name, question in asked.items():
            children += [said(question, bold=True), *self._add(name, 2)]
        if request is not None:
            children += [
                part for name, lines in _TEXTS if name not in asked for part in self._add(name, lines)
            ]
        kept = said(self._kept()) if request is not None else said("")
        submit = button("Submit", self.submit, self.message, style="primary")
        super().__init__([*children, kept, row(submit), self.message], name="Request form")

    def _add(self, name: str, lines: int) -> list[Any]:
        self.fields[name] = field(
            name.replace("_", " "), self._text(name), lines=lines, hint=_HINTS.get(name, "")
        )
        self.errors[name] = said("")
        return [self.fields[name], self.errors[name]]

    def _text(self, name: str) -> str:
        value = getattr(self.request, name, None)
        if isinstance(value, tuple):
            return ("\n" if name in _LISTS else ", ").join(map(str, value))
        return "" if value is None else str(value)

    def _kept(self) -> str:
        held = self.request
        if held is None:
            return ""
        return (
            f"Kept as they are: {len(held.options)} options, {len(held.audiences)} audiences, "
            f"{len(held.internal_facts)} internal facts and {len(held.restricted_terms)} restricted terms (withheld)."
        )

    def answers(self) -> dict[str, Any]:
        """Return what the fields say, by name, exactly as typed but for lists, which are split."""
        return {name: _parsed(name, widget.value) for name, widget in self.fields.items()}

    def submit(self) -> str:
        """Check everything and hand it on; errors stand beside their fields.

        Raises:
            RequestError: a field cannot be used; nothing was handed on.

        """
        for place in self.errors.values():
            say(place, "")
        made: Any = self.answers()
        if self.request is not None:
            made = self._checked(made)
        elif blank := [name for name, value in made.items() if not value]:
            self._refuse(dict.fromkeys(blank, "is empty; answer the question"))
        if self._on_submit is None:
            self.result = made
            return "Checked. The form's .result holds the answers."
        return str(self._on_submit(made) or "Submitted.")

    def _checked(self, answers: Mapping[str, Any]) -> DecisionRequest:
        assert self.request is not None
        try:
            return parse_request({**self.request.model_dump(mode="json"), **answers}, name="request form")
        except RequestError as error:
            rows = error.data.get("fields", [])
            found = {_field_of(part["path"]): f"{part['problem']}; {part['write']}" for part in rows}
            self._refuse(found, error.message)
            raise

    def _refuse(self, problems: Mapping[str, str], message: str = "") -> None:
        for name, problem in problems.items():
            if name in self.errors:
                say(self.errors[name], problem, "bad")
        if not message:
            first = next(iter(problems))
            raise RequestError(f"{first} {problems[first]}", fields=[{"path": n} for n in problems])


def _parsed(name: str, text: str) -> Any:
    if name in _LISTS:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if name == "geographies":
        return [part.strip() for part in text.split(",") if part.strip()]
    if name == "evidence_cutoff":
        return text.strip() or None
    return text


def _field_of(path: str) -> str:
    return path.removeprefix("request.").split("[")[0].split(".")[0]


def request_form(
    asked: DecisionRequest | DecisionScopeError,
    *,
    error: DecisionScopeError | None = None,
    on_submit: Callable[[Any], object] | None = None,
) -> RequestForm:
    """Return the form for a request, for the questions of a refusal, or for both.

    With a request, `on_submit` gets the changed and checked `DecisionRequest`; with a refusal alone it gets the
    answers by name, as `frame(request, answers=…)` takes them.
    """
    if isinstance(asked, DecisionScopeError):
        return RequestForm(None, error=asked, on_submit=on_submit)
    return RequestForm(asked, error=error, on_submit=on_submit)
