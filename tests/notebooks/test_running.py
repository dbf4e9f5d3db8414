"""Every committed notebook runs from top to bottom in an empty folder, offline."""

from __future__ import annotations

import shutil
from pathlib import Path

from .conftest import NOTEBOOKS, Tool


def test_every_notebook_runs_without_an_error(tool: Tool, tmp_path: Path) -> None:
    """One process for all, a kernel and a folder for each: cells run in the folder of their notebook."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    names = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    for name in names:
        (tmp_path / name).mkdir()
        shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path / name)
    places = [f"{name}/{name}.ipynb" for name in names]
    done = tool("pytest", "--nbval-lax", "-v", "-p", "no:cacheprovider", *places, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "failed" not in done.stdout
    assert all(f"{name}/{name}::ipynb::Cell 0 PASSED" in done.stdout for name in names)
