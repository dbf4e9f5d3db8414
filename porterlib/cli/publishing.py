"""`approve`, `export` and `verify`: decisions on one exact text, bundles, and checks of both."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from porterlib.cli.options import Commands, command, existing_workspace, workspace_option
from porterlib.contracts.publication import REVIEW_ROLES
from porterlib.errors import InputError

Answer = tuple[dict[str, Any], int]
"""JSON object and exit code."""


def add_commands(commands: Commands) -> None:
    """Add the commands that concern the finished text."""
    _add_approve(commands)
    _add_export(commands)
    _add_verify(commands)


def approve_command(args: argparse.Namespace) -> Answer:
    """Record a decision; exit 1 when the run stays blocked although it was approved."""
    from porterlib.verbs.approving import approve

    review = approve(
        args.run,
        role=args.role,
        reviewer=args.reviewer,
        decision="reject" if args.reject else "approve",
        comment=args.comment,
        fingerprint=args.fingerprint,
        workspace=existing_workspace(args.workspace),
        allow_same_person=args.allow_same_person,
    )
    return review.to_dict(), int(review.status == "blocked" and not args.reject)


def export_command(args: argparse.Namespace) -> Answer:
    """Write the bundle of a run and check it before it is handed over."""
    from porterlib.publication.bundle_check import verify_bundle
    from porterlib.verbs.exporting import export_bundle

    path = export_bundle(args.run, args.to, workspace=existing_workspace(args.workspace))
    report = verify_bundle(path)
    shown = report.to_dict()
    named = (
        "ok",
        "run_id",
        "fingerprint",
        "snapshot_id",
        "label",
        "head",
        "first_bad",
        "not_checked",
        "limits",
    )
    return {"bundle": str(path), **{name: shown[name] for name in named}}, int(not report.ok)


def verify_command(args: argparse.Namespace) -> Answer:
    """Check a workspace or a bundle; exit 1 when something was found."""
    heads = _heads(args.heads) if args.heads else {}
    if args.bundle:
        from porterlib.publication.bundle_check import verify_bundle

        bundle = verify_bundle(args.bundle, heads=heads)
        return bundle.to_dict(), int(not bundle.ok)
    from porterlib.verbs.verifying import verify_workspace

    report = verify_workspace(args.workspace, heads=heads)
    return report.to_dict(), int(not report.ok)


def _add_approve(commands: Commands) -> None:
    parser = command(
        commands,
        "approve",
        approve_command,
        "Record one reviewer's decision on the exact text that was read. Reviewer identity is self-declared.",
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--role", required=True, help=f"one of {', '.join(REVIEW_ROLES)}")
    parser.add_argument("--reviewer", required=True, metavar="NAME", help="person who decides")
    parser.add_argument("--fingerprint", required=True, metavar="SHA256", help="text that was read")
    parser.add_argument("--reject", action="store_true", help="reject the text, which blocks it")
    parser.add_argument("--comment", default="", metavar="TEXT", help="why; kept in the workspace only")
    parser.add_argument(
        "--allow-same-person",
        action="store_true",
        help="policy: one person may hold several roles (recorded)",
    )
    workspace_option(parser)


def _add_export(commands: Commands) -> None:
    parser = command(
        commands,
        "export",
        export_command,
        "Write a bundle that others can check offline. Internal facts leave as digests, restricted terms not at all.",
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--to", required=True, type=Path, metavar="FILE", help="file to write, or a folder")
    workspace_option(parser)


def _add_verify(commands: Commands) -> None:
    parser = command(
        commands,
        "verify",
        verify_command,
        "Re-hash a workspace, or check a bundle offline, and print the heads to be kept elsewhere.",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--workspace", type=Path, metavar="DIR", help="decision folder")
    source.add_argument("--bundle", type=Path, metavar="FILE", help="export bundle")
    parser.add_argument(
        "--heads",
        type=Path,
        metavar="FILE",
        help="heads kept elsewhere: JSON of run id to hash, or an earlier report",
    )


def _heads(path: Path) -> dict[str, str]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"heads {str(path)!r} cannot be read as JSON; save the 'heads' of an earlier verify there",
            field="heads",
        ) from error
    heads = value.get("heads", value) if isinstance(value, dict) else None
    if not isinstance(heads, dict) or not all(isinstance(entry, str) for entry in heads.values()):
        raise InputError(
            f'heads {str(path)!r} is not an object of run id to hash, e.g. {{"run-1": "<hash>"}}',
            field="heads",
        )
    return heads
