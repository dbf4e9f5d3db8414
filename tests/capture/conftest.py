"""Shared material of the capture tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porterlib.contracts.capture import SourceRef


@pytest.fixture(scope="session")
def bank(shared_dir: Path) -> Path:
    """The folder of the real banking corpus."""
    return shared_dir / "corpus" / "bank"


@pytest.fixture(scope="session")
def bank_manifest(bank: Path) -> list[dict[str, Any]]:
    """Its manifest."""
    return json.loads((bank / "manifest.json").read_text())


@pytest.fixture(scope="session")
def source() -> Callable[..., SourceRef]:
    """Makes a source as the acquisition would mint it."""

    def make(
        file: str | None = None, url: str = "https://publisher.example/page", **fields: Any
    ) -> SourceRef:
        return SourceRef(source_id="S-1", url=url, file=file, **fields)

    return make
