"""Tells a model-backed analyst from the rules, without loading what only a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from porterlib.analyst import Analyst, OfflineAnalyst

if TYPE_CHECKING:
    from porterlib.analyst.local import LocalAnalyst


def local_analyst(analyst: Analyst | None) -> LocalAnalyst | None:
    """Return `analyst` if it asks a chat model, else None."""
    if analyst is None or isinstance(analyst, OfflineAnalyst):
        return None
    from porterlib.analyst.local import LocalAnalyst

    return analyst if isinstance(analyst, LocalAnalyst) else None
