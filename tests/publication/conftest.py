"""Finished runs of the golden case, built once; each test works on a copy of the folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .golden import Finished, build, reopened


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return build(tmp_path_factory.mktemp("kyc") / "decision", "bank_kyc")


@pytest.fixture(scope="session")
def built_restricted(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return build(tmp_path_factory.mktemp("restricted") / "decision", "bank_kyc_restricted")


@pytest.fixture(scope="session")
def built_approved(built: Finished, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("approved") / "decision"
    shutil.copytree(built.place.path, folder)
    run = reopened(folder, built.outcome)
    run.approve_all()
    return run


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Finished], Finished]:
    """Copy a finished workspace, so that a test may change it."""

    def copied(run: Finished) -> Finished:
        folder = tmp_path / f"decision-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(run.place.path, folder)
        return reopened(folder, run.outcome, hour=15)

    return copied


@pytest.fixture
def run(copy: Callable[[Finished], Finished], built: Finished) -> Finished:
    """A draft that nobody has decided on."""
    return copy(built)


@pytest.fixture
def approved(copy: Callable[[Finished], Finished], built_approved: Finished) -> Finished:
    """A text that four people approved."""
    return copy(built_approved)
