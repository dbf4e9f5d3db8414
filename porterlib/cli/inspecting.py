"""`runs` and `show`: what the ledger holds, without taking the writer lease."""

from __future__ import annotations

import argparse
from typing import Any

from porterlib.cli.options import Commands, command, workspace_option


def add_commands(commands: Commands) -> None:
    """Add the reading commands."""
    runs = command(commands, "runs", _runs, "List the runs of a workspace, oldest first.")
    workspace_option(runs)
    show = command(commands, "show", _show, "Show one run: status, brief, attempts, approvals.")
    show.add_argument("run", metavar="RUN")
    workspace_option(show)


def _runs(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.workspace import open_workspace

    rows = open_workspace(args.workspace, "read").runs()
    return [row.model_dump(mode="json") for row in rows], 0


def _show(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.verbs.loading import load_run
    from porterlib.verbs.summary import summarise
    from porterlib.workspace import open_workspace

    place = open_workspace(args.workspace, "read")
    results = load_run(place, args.run)
    shown: dict[str, Any] = {"run_id": args.run, "status": results.status}
    if results.outcome is not None:
        shown |= summarise(results.outcome, args.workspace).to_dict()
        shown["status"] = results.status
        del shown["elapsed_s"]  # known to the command that ran it; the ledger holds when things happened
    row = next(row for row in place.runs() if row.run_id == args.run)
    shown |= row.model_dump(mode="json", include={"created_at", "changed_at"})
    shown.setdefault("reason", row.reason)
    if results.model_cost is not None:
        total = results.model_cost.total
        shown["model_cost"] = results.model_cost.to_dict() | {
            "decided_by_model": total.own_share,
            "from_cache": total.cached_share,
        }
    shown["gaps"] = [gap.to_dict() for gap in results.gaps]
    shown["review"] = results.review.to_dict() if results.review else None
    return shown, 0
