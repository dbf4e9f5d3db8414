"""Options that several commands share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from porterlib.errors import InputError

if TYPE_CHECKING:
    from porterlib.workspace import Workspace

Handler = Callable[[argparse.Namespace], tuple[Any, int]]
Commands = Any


class UsageError(InputError):
    """Arguments that the command does not take."""

    code = "USAGE"


class Parser(argparse.ArgumentParser):
    """Raises what argparse would print and exit with, so that `--json` holds for wrong usage too."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the usage of the command.

        Raises:
            UsageError: always.

        """
        raise UsageError(f"{message}; {' '.join(self.format_usage().split())}")


def existing_workspace(path: Path) -> Workspace:
    """Open for writing a workspace that must exist already: a mistyped folder must not be made."""
    from porterlib.workspace import open_workspace

    open_workspace(path, "read")
    return open_workspace(path)


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
        with suppress(OSError):  # nobody reads stderr any more; that is no reason to stop the work
            print(f"[{time.monotonic() - started:6.1f} s] {line}", file=sys.stderr, flush=True)

    return show
