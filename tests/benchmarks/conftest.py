"""Everything here measures; it runs with `pytest -m benchmark tests/benchmarks`, alone on the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "porterlib"


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the library's modules, as an installation does, also where tests are told to write no bytecode."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(PACKAGE)], check=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, so that none runs among the others by accident."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.benchmark)
