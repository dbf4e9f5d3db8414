"""Views of many things at once: the runs of a workspace, and what a model cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from porterlib.contracts.base import Contract
from porterlib.contracts.ledger import RunRow
from porterlib.display.blocks import Built, Cell, Facts, Value, grid
from porterlib.display.text import hidden_now
from porterlib.display.view import View
from porterlib.display.words import STATUSES, spoken

_SUMMED = ("calls", "tokens", "second", "cached", "stood_in")
_RUNS_SHOWN = 50
_CALLS_SHOWN = 100


def run_library(runs: Iterable[RunRow]) -> View:
    """Return the runs of a workspace, newest first: `run_library(workspace.runs())`."""
    rows = sorted(runs, key=lambda row: -row.ordinal)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.status] = counts.get(row.status, 0) + 1
    table = grid(
        ("No.", "Run", "Status", "Reason", "Opened", "Changed", "Records"),
        rows,
        lambda row: (
            row.ordinal,
            Cell(row.run_id, mono=True),
            Cell(*STATUSES[row.status]),
            row.reason or "—",
            f"{row.created_at:%Y-%m-%d %H:%M} UTC",
            f"{row.changed_at:%Y-%m-%d %H:%M} UTC",
            row.records,
        ),
        limit=_RUNS_SHOWN,
        numeric=(0, 6),
        narrow=(5,),
    )
    summary = (
        ", ".join(f"{count} {STATUSES[status][0]}" for status, count in sorted(counts.items())) or "none"
    )
    built = Built(
        f"Runs: {len(rows)}",
        [Facts([("By status", summary)]), table],
        lambda: (row.model_dump() for row in rows),
        columns=tuple(RunRow.model_fields),
    )
    return View(built, hidden_now())


def model_cost(calls: Iterable[Mapping[str, Any] | Contract]) -> View:
    """Return what a model cost: one row a call or stage, and totals of every count, token and second column.

    Args:
        calls: rows with the same fields, in order, such as stage, calls, prompt_tokens, cached_tokens, seconds.

    """
    rows = [entry.to_dict() if isinstance(entry, Contract) else dict(entry) for entry in calls]
    head = list(dict.fromkeys(name for row in rows for name in row))
    summed = [name for name in head if any(part in name for part in _SUMMED) and _numeric(rows, name)]
    totals = [(f"Total {spoken(name)}", _amount(sum(row.get(name) or 0 for row in rows))) for name in summed]
    table = grid(
        [spoken(name) for name in head] or ["Model calls"],
        rows,
        lambda row: [_shown(row.get(name)) for name in head],
        limit=_CALLS_SHOWN,
        numeric=[i for i, name in enumerate(head) if _numeric(rows, name)],
    )
    title = f"Model calls: {len(rows)}" if rows else "Model calls: none; the offline analyst answered"
    return View(Built(title, [Facts(totals), table], lambda: rows, columns=head), hidden_now())


def _numeric(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    values = [row.get(name) for row in rows if row.get(name) is not None]
    return bool(values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _amount(value: float) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _shown(value: Any) -> Value:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _amount(value)
    return "—" if value is None else str(value)
