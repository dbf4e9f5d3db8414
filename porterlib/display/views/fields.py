"""Any contract, field by field: what is shown of a part that has no view of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from porterlib.display.blocks import Built, Facts

_SHOWN = 30


def fields(part: Any) -> Built:
    """Return the fields of a contract in the order of its definition."""
    names = list(type(part).model_fields)
    values = [(name, _value(getattr(part, name, None))) for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        values.append(("…", f"{len(names) - _SHOWN} more fields; .to_dict() holds all of them"))

    def rows() -> Iterable[dict[str, Any]]:
        return [part.to_dict()]

    return Built(type(part).__name__, [Facts(values)], rows)


def _value(value: object) -> object:
    """Return one value for reading: parts and long lists by their number, not in full."""
    if value is None or value == "":
        return "—"
    if hasattr(type(value), "model_fields"):
        return f"({type(value).__name__})"
    if isinstance(value, dict):
        return f"{len(value)} entries: {', '.join(map(str, list(value)[:6]))}" if value else "—"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return "—"
        if all(isinstance(entry, str) for entry in value) and len(value) <= 8:
            return ", ".join(value)
        return f"{len(value)} entries"
    return value
