"""`notebook`: copies notebooks out of the installation, runs them headless, and turns executed ones into reports."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from porterlib.cli.options import Commands, command, progress_printer


def add_commands(commands: Commands) -> None:
    """Add the command for notebooks."""
    parser = command(
        commands, "notebook", _notebook, "List the shipped notebooks, copy one, or run one without a browser."
    )
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder to write to; this one if absent")
    parser.add_argument("--run", action="store_true", help="execute it into --out instead of copying it")
    parser.add_argument(
        "-p", dest="parameters", action="append", default=[], metavar="NAME=VALUE", help="parameter of --run"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE.ipynb", help="write an executed notebook as HTML and record it"
    )


def _notebook(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.errors import InputError
    from porterlib.verbs import executing

    parameters = dict(_parameter(text) for text in args.parameters)
    if parameters and not args.run:
        raise InputError("-p sets a parameter of a run; add --run, or edit the copied notebook")
    if args.report:
        if args.name or args.run:
            raise InputError("--report takes an executed notebook; leave NAME and --run out")
        return executing.record_report(args.report, args.out), 0
    if args.name is None:
        if args.run or args.out:
            raise InputError(f"which notebook? There are {', '.join(executing.notebook_names())}")
        return {"notebooks": list(executing.notebook_names())}, 0
    out = args.out or Path()
    if args.run:
        progress_printer()(f"starting {args.name}")
        return executing.execute_notebook(args.name, parameters, out), 0
    return {"notebook": str(executing.copy_notebook(args.name, out))}, 0


def _parameter(text: str) -> tuple[str, Any]:
    """Return name and value; the value is read as YAML, so that 3 is a number and null is None."""
    import yaml

    from porterlib.errors import InputError

    name, separator, value = text.partition("=")
    if not separator or not name.strip().isidentifier():
        raise InputError("-p is not NAME=VALUE; write e.g. -p max_attempts=3")
    try:
        return name.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise InputError(
            f"-p {name}: the value cannot be read; quote it, e.g. -p '{name}=\"text\"'"
        ) from error
