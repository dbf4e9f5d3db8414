"""Tells a model-backed analyst from the rules, without loading what only a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from porterlib.analyst import Analyst, OfflineAnalyst

if TYPE_CHECKING:
    from collections.abc import Callable

    from porterlib.analyst.local import LocalAnalyst
    from porterlib.contracts.request import DecisionContract
    from porterlib.ledger import Ledger


def local_analyst(analyst: Analyst | None) -> LocalAnalyst | None:
    """Return `analyst` if it asks a chat model, else None."""
    if analyst is None or isinstance(analyst, OfflineAnalyst):
        return None
    from porterlib.analyst.local import LocalAnalyst

    return analyst if isinstance(analyst, LocalAnalyst) else None


def bound_analyst(
    analyst: Analyst | None,
    ledger: Ledger,
    contract: DecisionContract,
    progress: Callable[[str], None] | None,
) -> Analyst:
    """Return the analyst of this run; a local one keeps its calls in the run's ledger."""
    if local := local_analyst(analyst):
        return local.bind(ledger, contract.run_id, context=contract.question, progress=progress)
    return analyst or OfflineAnalyst()
