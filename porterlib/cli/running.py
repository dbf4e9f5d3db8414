"""`demo`, `run`, `resume` and `calculate`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porterlib.cli.options import (
    Commands,
    command,
    existing_workspace,
    progress_printer,
    workspace_option,
)

if TYPE_CHECKING:
    from porterlib.analyst import Analyst
    from porterlib.contracts.publication import Outcome


def add_commands(commands: Commands) -> None:
    """Add the commands that start or continue a run."""
    demo = command(commands, "demo", _demo, "Run the golden case on synthetic documents, without a model.")
    workspace_option(demo)
    run = command(commands, "run", _run, "Run one decision from request to draft brief.")
    run.add_argument("request", type=Path, metavar="REQUEST.yaml")
    run.add_argument("--corpus", type=Path, metavar="DIR", help="folder of documents")
    run.add_argument("--search", choices=("corpus", "duckduckgo", "urls"), help="where evidence comes from")
    run.add_argument(
        "--urls", type=Path, metavar="FILE", help="addresses to read, one a line, or JSON by force"
    )
    run.add_argument("--economics", type=Path, metavar="FILE.yaml", help="finance inputs")
    run.add_argument("--target", choices=("draft", "publishable"), default="draft")
    run.add_argument("--max-attempts", type=int, default=3, metavar="N", help="1 to 10")
    run.add_argument("--analyst", choices=("offline", "local"), help="rules alone, or a model server")
    run.add_argument("--model-url", metavar="URL", help="base address of the server, for --analyst local")
    run.add_argument("--model", metavar="ID", help="model id; the server's first if absent")
    workspace_option(run)
    resume = command(commands, "resume", _resume, "Continue an interrupted or cancelled run.")
    resume.add_argument("run", metavar="RUN")
    workspace_option(resume)
    calculate = command(
        commands, "calculate", _calculate, "Calculate the economics of a finance inputs file."
    )
    calculate.add_argument("file", type=Path, nargs="?", metavar="FILE.yaml")
    calculate.add_argument("--example", metavar="SECTOR", help="print a documented example file instead")


def _demo(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.resources import bundled

    fixtures = bundled("fixtures")
    return _start(
        request=fixtures / "requests" / "bank_kyc.yaml",
        find={"corpus": fixtures / "corpora" / "bank_kyc"},
        economics=fixtures / "economics" / "kyc_mixed.yaml",
        workspace=args.workspace,
    )


def _run(args: argparse.Namespace) -> tuple[Any, int]:
    return _start(
        request=args.request,
        find={"name": args.search, "corpus": args.corpus, "urls": args.urls},
        economics=args.economics,
        workspace=args.workspace,
        target=args.target,
        max_attempts=args.max_attempts,
        connect=lambda show: _analyst(args, show),
    )


def _start(
    *,
    request: Path,
    find: Mapping[str, Any],
    economics: Path | None,
    workspace: Path,
    connect: Callable[[Callable[[str], None]], Any] | None = None,
    **more: Any,
) -> tuple[Any, int]:
    show = progress_printer()
    show("starting")  # a first sign before the libraries are loaded
    from porterlib.verbs.running import run
    from porterlib.verbs.sources import open_search
    from porterlib.workspace import open_workspace

    place = open_workspace(workspace)
    search = open_search(
        find.get("name"), place, corpus=find.get("corpus"), urls=find.get("urls"), progress=show
    )
    if connect is not None:
        more["analyst"] = connect(show)
    outcome = run(request, search=search, economics=economics, workspace=place, progress=show, **more)
    return _ended(outcome, workspace)


def _analyst(args: argparse.Namespace, show: Callable[[str], None]) -> Analyst | None:
    """Return the analyst the options or settings name; None stands for the rules."""
    from porterlib.settings import Settings

    settings = Settings()
    if (args.analyst or settings.analyst) != "local":
        return None
    from porterlib.doctor import connect

    return connect(
        args.model_url or settings.model_url,
        model=args.model or settings.model_name,
        key=settings.model_key,
        allow_remote=settings.allow_remote_model,
        show=show,
    )


def _resume(args: argparse.Namespace) -> tuple[Any, int]:
    show = progress_printer()
    show("starting")
    from porterlib.verbs.running import resume

    outcome = resume(args.run, workspace=existing_workspace(args.workspace), progress=show)
    return _ended(outcome, args.workspace)


def _ended(outcome: Outcome, workspace: Path) -> tuple[dict[str, Any], int]:
    from porterlib.verbs.summary import summarise

    result = summarise(outcome, workspace)
    return result.to_dict(), 0 if result.ok else 1


def _calculate(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.economics import calculate_report, example_inputs
    from porterlib.errors import InputError

    if args.example:
        return example_inputs(args.example), 0
    if args.file is None:
        raise InputError("calculate needs FILE.yaml, or --example SECTOR to print one to start from")
    return calculate_report(args.file), 0
