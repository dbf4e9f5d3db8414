"""Finance inputs as a flat table, for spreadsheets and DataFrames, with the validation of the file form.

One row an estimate (`low`, `base`, `high`, …) and one row for every other value (`value`). The `field` column
is the path that error messages use, so a complaint can be found in the sheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.loading import validate_inputs
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import pandas as pd

_ESTIMATE = (
    "low",
    "base",
    "high",
    "unit",
    "basis",
    "owner",
    "meaning",
    "distribution",
    "includes_contingency",
    "note",
)
COLUMNS = ("field", "value", *_ESTIMATE)
_TOKEN = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def to_rows(inputs: EconomicsInputs) -> list[dict[str, str]]:
    """Return the table of the inputs; absent values have no row."""
    return list(_rows(inputs.to_dict(), ""))


def _rows(value: Any, path: str) -> Iterator[dict[str, str]]:
    if isinstance(value, Mapping) and "low" in value and "high" in value:
        yield {
            "field": path,
            **{name: _text(value[name]) for name in _ESTIMATE if value[name] not in (None, "")},
        }
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _rows(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for index, inner in enumerate(value):
            yield from _rows(inner, f"{path}[{index}]")
    elif value not in (None, "", []):
        yield {"field": path, "value": _text(value)}


def _text(value: Any) -> str:
    return "; ".join(str(part) for part in value) if isinstance(value, list) else str(value)


def from_rows(rows: Iterable[Mapping[str, Any]]) -> EconomicsInputs:
    """Return inputs from table rows.

    Raises:
        EconomicsError: a row has no usable field, a field comes twice, or the inputs cannot be right.

    """
    tree: dict[str, Any] = {}
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        cells = {key: text for key, cell in row.items() if (text := _cell(cell)) is not None}
        path = cells.pop("field", "")
        unknown = sorted(set(cells) - set(COLUMNS))
        if unknown:
            raise EconomicsError(
                f"row {number}: column {unknown[0]!r} is not read; there is {', '.join(COLUMNS)}",
                field=unknown[0],
            )
        if path in seen:
            raise EconomicsError(f"row {number}: {path} is given twice; keep one row", field=path)
        if path:
            seen.add(path)
            _put(tree, path, _leaf(path, cells), number)
    return validate_inputs(_lists(tree))


def _cell(cell: Any) -> str | None:
    if cell is None or cell != cell:
        return None
    text = str(cell).strip()
    if text.startswith("'") and text[1:2] in _FORMULA_START:
        text = text[1:]
    return text or None


def _leaf(path: str, cells: Mapping[str, str]) -> Any:
    if "value" in cells:
        return _split(cells["value"]) if path.endswith(".basis") else cells["value"]
    estimate: dict[str, Any] = dict(cells)
    if "basis" in estimate:
        estimate["basis"] = _split(estimate["basis"])
    return estimate


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _put(tree: dict[str, Any], path: str, leaf: Any, number: int) -> None:
    tokens = [match.group(0).strip("[]") for match in _TOKEN.finditer(path)]
    where = tree
    for token in tokens[:-1]:
        where = where.setdefault(token, {})
        if not isinstance(where, dict):
            raise EconomicsError(
                f"row {number}: {path} lies below a field that already has a value", field=path
            )
    if isinstance(where.get(tokens[-1]), dict) and isinstance(leaf, dict):
        where[tokens[-1]].update(leaf)
    else:
        where[tokens[-1]] = leaf


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [_lists(value[key]) for key in sorted(value, key=int)]
    return {key: _lists(inner) for key, inner in value.items()}


def to_csv(inputs: EconomicsInputs) -> str:
    """Return the table as CSV; text that would run as a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in to_rows(inputs):
        writer.writerow({key: _inert(text) for key, text in row.items()})
    return out.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_START) and not _NUMBER.fullmatch(text) else text


def from_csv(text: str) -> EconomicsInputs:
    """Return inputs from CSV with a header row."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("﻿")))
    if not reader.fieldnames or "field" not in reader.fieldnames:
        raise EconomicsError(f"the table has no column 'field'; it needs {', '.join(COLUMNS)}", field="field")
    return from_rows({str(key): cell for key, cell in row.items()} for row in reader)


def to_frame(inputs: EconomicsInputs) -> pd.DataFrame:
    """Return the table as a DataFrame of text."""
    import pandas as pd

    rows = [{name: row.get(name, "") for name in COLUMNS} for row in to_rows(inputs)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def from_frame(table: pd.DataFrame) -> EconomicsInputs:
    """Return inputs from a DataFrame with the columns of `to_frame`."""
    if "field" not in table.columns:
        raise EconomicsError(f"the table has no column 'field'; it needs {', '.join(COLUMNS)}", field="field")
    return from_rows({str(key): cell for key, cell in row.items()} for row in table.to_dict(orient="records"))
