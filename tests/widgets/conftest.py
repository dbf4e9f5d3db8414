from __future__ import annotations

import warnings

import pytest
from display.golden import golden_results  # type: ignore[import-not-found]

from porterlib.verbs.loading import RunResults

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import ipywidgets  # noqa: F401 - its import warns about its own parts on some versions


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> RunResults:
    """Return the golden run as it was loaded from its ledger."""
    return golden_results(tmp_path_factory.mktemp("golden") / "ws")
