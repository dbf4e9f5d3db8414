"""Calls a command in this process: for answers and exit codes, where the promise is not about a process."""

from __future__ import annotations

import io
import os
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from porterlib.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def in_this_process(*args: str | os.PathLike[str], cwd: Path = ROOT) -> Done:
    """Run a command as `python -m porterlib` would in `cwd`."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = main([str(arg) for arg in args])
    return Done(code, out.getvalue(), err.getvalue())
