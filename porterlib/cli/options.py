"""Options that several commands share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Handler = Callable[[argparse.Namespace], tuple[Any, int]]
Commands = Any


def command(commands: Commands, name: str, handler: Handler, text: str) -> argparse.ArgumentParser:
    """Add a command with `--json` and return its parser."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.set_defaults(handler=handler)
    return parser


def workspace_option(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add `--workspace DIR`."""
    parser.add_argument(
        "--workspace",
        type=Path,
        required=required,
        metavar="DIR",
        help="decision folder with ledger and runs",
    )


def progress_printer() -> Callable[[str], None]:
    """Return a function that prints progress lines with elapsed time on stderr."""
    started = time.monotonic()

    def show(line: str) -> None:
        print(f"[{time.monotonic() - started:6.1f} s] {line}", file=sys.stderr, flush=True)

    return show
