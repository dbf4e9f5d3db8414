"""One undisturbed run of the golden case, to compare with; commits do not wait for the disk."""

from __future__ import annotations

import pytest

from porterlib.contracts.publication import Outcome
from porterlib.ledger import connection
from tests.robustness.golden import place_at, run_golden


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip what only a power cut can show."""
    real = connection.durable_settings
    monkeypatch.setattr(connection, "durable_settings", lambda version: (real(version)[0], "OFF"))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    outcome = run_golden(place_at(tmp_path_factory.mktemp("undisturbed") / "w"))
    assert outcome.status == "achieved_draft"
    return outcome
