"""Every committed notebook runs from top to bottom in an empty folder, offline."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import NOTEBOOKS, Tool

NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_runs_without_an_error(name: str, tool: Tool, tmp_path: Path) -> None:
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = tool("pytest", "--nbval-lax", "-q", "-p", "no:cacheprovider", f"{name}.ipynb", cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "failed" not in done.stdout
