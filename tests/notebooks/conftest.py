"""Runs programs as a scheduler does: in a process of their own, in an empty folder, judged by exit code and files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
NOTEBOOKS = ROOT / "notebooks"
EXAMPLE = {
    "request": FIXTURES / "requests" / "bank_kyc.yaml",
    "corpus": FIXTURES / "corpora" / "bank_kyc_favourable",
    "economics": FIXTURES / "economics" / "kyc_strong.yaml",
}
Done = subprocess.CompletedProcess[str]
Tool = Callable[..., Done]


@pytest.fixture(scope="session")
def tool() -> Tool:
    """Return `tool(module, *arguments, cwd=)`, which runs a Python module and returns how it ended."""

    def call(module: str, *arguments: str | Path, cwd: Path) -> Done:
        own = {"IPYTHONDIR": str(cwd / ".ipython"), "XDG_CONFIG_HOME": str(cwd / ".config")}
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PORTERLIB_")
        } | own
        return subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            capture_output=True, text=True, cwd=cwd, env=environment, timeout=280, check=False,
        )  # fmt: skip

    return call


@pytest.fixture(scope="session")
def pipeline(tool: Tool) -> Tool:
    """Return `pipeline(out, *arguments, cwd=, notebook=)`, which runs the pipeline by papermill."""

    def call(out: Path, *arguments: str | Path, cwd: Path, notebook: Path | None = None) -> Done:
        source = notebook or NOTEBOOKS / "decision_pipeline.ipynb"
        return tool("papermill", "--no-progress-bar", source, out, *arguments, cwd=cwd)

    return call


def given(**parameters: object) -> list[str]:
    """Return parameters as papermill's command line takes them."""
    return [part for name, value in parameters.items() for part in ("-p", name, str(value))]
