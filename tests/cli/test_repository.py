"""The repository holds what it says it holds: its top level is a list, and nothing generated or secret is in it."""

from __future__ import annotations

import subprocess
from pathlib import PurePosixPath

import pytest

from tests.cli.calling import ROOT

TOP_LEVEL = {
    "pyproject.toml", "uv.lock", "porterlib", "notebooks", "tests", "sector_packs", "fixtures", "README.md",
}  # fmt: skip
GENERATED = {".db", ".db-journal", ".key", ".lock", ".pyc", ".zip", ".log"}


@pytest.fixture(scope="module")
def tracked() -> list[PurePosixPath]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("this is no checkout of the repository")
    return [PurePosixPath(name) for name in done.stdout.decode().split("\0") if name]


def test_the_top_level_is_the_list(tracked: list[PurePosixPath]) -> None:
    found = {path.parts[0] for path in tracked}
    assert {name for name in found if not name.startswith(".")} == TOP_LEVEL


def test_nothing_generated_or_secret_is_tracked(tracked: list[PurePosixPath]) -> None:
    assert [path for path in tracked if path.suffix in GENERATED and path.name != "uv.lock"] == []
    assert [path for path in tracked if {"runs", "knowledge"} & set(path.parts[:-1])] == []
