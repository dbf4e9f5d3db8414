"""Everything here measures; it runs with `pytest -m benchmark tests/benchmarks`, alone on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, so that none runs among the others by accident."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.benchmark)
