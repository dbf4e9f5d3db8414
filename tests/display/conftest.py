from __future__ import annotations

import pytest

from porterlib.verbs.loading import RunResults

from .golden import golden_results


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> RunResults:
    """Return the golden run as it was loaded from its ledger."""
    return golden_results(tmp_path_factory.mktemp("golden") / "ws")
