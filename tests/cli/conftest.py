"""The demo, run once as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """Return workspace, printed object and progress; who writes into the workspace copies it first."""
    workspace = tmp_path_factory.mktemp("demo") / "w"
    done = subprocess.run(
        [sys.executable, "-m", "porterlib", "demo", "--workspace", str(workspace), "--json"],
        capture_output=True, text=True, cwd=ROOT, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return workspace, json.loads(done.stdout), done.stderr
