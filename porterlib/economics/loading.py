"""Finance inputs from YAML or JSON, numbers kept exact, errors with the place and an example."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.checks import check_inputs
from porterlib.errors import EconomicsError, PorterError
from porterlib.resources import bundled

_MAX_BYTES = 1_000_000
_MAX_DEPTH = 50
_EXAMPLES: Mapping[str, str] = {
    "basis": "basis: [A-benefit-1]",
    "unit": "unit: EUR m/year",
    "owner": "owner: Head of Operations",
    "kind": "kind: targeted",
    "option": "option: targeted",
    "because": "because: two regions instead of one",
    "currency": "currency: EUR",
    "title": "title: Name of the decision",
    "low": "low: 20, base: 35, high: 55",
    "base": "low: 20, base: 35, high: 55",
    "high": "low: 20, base: 35, high: 55",
    "horizon_years": "horizon_years: 3",
    "months": "months: 18",
    "signed_at": "signed_at: 2026-01-31T09:00:00Z",
    "meaning": "meaning: min-max",
    "distribution": "distribution: pert",
    "timing": "timing: end",
    "periods": "periods: annual",
    "approval": "approval: A-method-1",
}


if TYPE_CHECKING:
    _FastLoader = yaml.SafeLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _ExactLoader(_FastLoader):
    """Reads numbers as text so that no digit is lost, and refuses what makes a file ambiguous."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [str(key.value) for key, _ in node.value]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            line = node.start_mark.line + 1
            raise yaml.YAMLError(f"{', '.join(twice)} is given twice in the block at line {line}; keep one")
        return super().construct_mapping(node, deep=deep)


def _scalar_text(loader: yaml.SafeLoader, node: yaml.Node) -> str:
    return str(loader.construct_scalar(node))  # type: ignore[arg-type]


for _tag in ("int", "float", "timestamp"):
    _ExactLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _scalar_text)


def load_inputs(source: str | Path) -> EconomicsInputs:
    """Return finance inputs from a YAML, JSON or CSV file, or from text (a `str` with a line break or brace).

    Raises:
        EconomicsError: with the field's path, what is wrong, and an example of what is right.

    """
    text = _read(source)
    if isinstance(source, Path | str) and str(source).lower().endswith(".csv"):
        from porterlib.economics.tables import from_csv

        return from_csv(text)
    return parse_inputs(text)


def _read(source: str | Path) -> str:
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source
    path = Path(source)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise EconomicsError(
                f"{path.name} is larger than {_MAX_BYTES} bytes; give the inputs only", field="file"
            )
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise EconomicsError(
            f"cannot read {str(path)!r}: {reason}; name a YAML or JSON file", field="file"
        ) from error


def parse_inputs(text: str) -> EconomicsInputs:
    """Return finance inputs from YAML or JSON text; a top-level `economics:` key is accepted."""
    data = _parse(text)
    if isinstance(data, Mapping) and set(data) == {"economics"}:
        data = data["economics"]
    if not isinstance(data, Mapping):
        raise EconomicsError(
            "the file holds no finance inputs; start from `porterlib calculate --example bank`", field="file"
        )
    return validate_inputs(data)


def _parse(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, parse_float=Decimal, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            raise EconomicsError(
                f"line {error.lineno}, column {error.colno}: not valid JSON ({error.msg})", field="file"
            ) from error
    try:
        _refuse_bombs(text)
        return yaml.load(text, Loader=_ExactLoader)  # noqa: S506 - derives from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise EconomicsError(f"{place}not valid YAML ({error.problem})", field="file") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise EconomicsError(f"not valid YAML: {error}", field="file") from error


def _refuse_bombs(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_FastLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read; write the values out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply for finance inputs")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise EconomicsError(f"{', '.join(twice)} is given twice; keep one", field=twice[0])
    return dict(pairs)


def validate_inputs(data: Mapping[str, Any]) -> EconomicsInputs:
    """Return inputs from a mapping, with one error that lists every wrong field."""
    try:
        inputs = EconomicsInputs.model_validate(data)
    except ValidationError as error:
        problems = [(_path(entry["loc"]), _problem(dict(entry))) for entry in error.errors()]
        lines = "\n".join(f"  {path}: {problem}" for path, problem in problems)
        raise EconomicsError(
            f"the finance inputs cannot be used:\n{lines}",
            field=problems[0][0],
            fields=[{"path": path, "problem": problem} for path, problem in problems],
        ) from error
    check_inputs(inputs)
    return inputs


def _path(location: tuple[int | str, ...]) -> str:
    parts = ""
    for part in location:
        if part == "[key]":
            continue
        parts += f"[{part}]" if isinstance(part, int) else f".{part}" if parts else str(part)
    return parts or "file"


def _problem(entry: Mapping[str, Any]) -> str:
    last = next((part for part in reversed(entry["loc"]) if isinstance(part, str) and part != "[key]"), "")
    message = str(entry["msg"]).removeprefix("Value error, ")
    if entry["type"] == "missing":
        message = "is missing"
    elif entry["type"] == "extra_forbidden":
        return "is no field here; check the spelling against `porterlib calculate --example bank`"
    elif entry["type"] == "value_error":
        return message
    example = _EXAMPLES.get(last)
    shown = "" if entry["type"] == "missing" else f", got {entry['input']!r}"
    return f"{message}{shown}" + (f"; write for example {example}" if example else "")


def example_inputs(sector: str) -> str:
    """Return the documented example for a sector (`bank`, `quant`, `insurance`) as YAML text.

    Raises:
        EconomicsError: there is none for that sector.

    """
    folder = bundled("fixtures") / "economics"
    known = sorted(path.stem for path in folder.glob("*.yaml") if not path.stem.startswith("kyc_"))
    if sector not in known:
        raise EconomicsError(f"no example for {sector!r}; there is {', '.join(known)}", field="sector")
    try:
        return (folder / f"{sector}.yaml").read_text(encoding="utf-8")
    except OSError as error:  # pragma: no cover - a file that vanished between the two lines
        raise PorterError(f"the example for {sector!r} cannot be read; reinstall porterlib") from error
