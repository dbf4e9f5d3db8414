"""Where calls are kept: in memory, or in the ledger, so that a resumed run repeats no finished call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from porterlib.contracts.model import ModelCall, ModelCost
from porterlib.ledger import Ledger
from porterlib.ledger.reader import LedgerReader

KIND = "model_call"
PERMISSION_KEY = "model_endpoint"


class CallStore(Protocol):
    """Keeps finished calls by the digest of their question."""

    def load(self) -> Iterable[ModelCall]:
        """Return the calls kept so far, oldest first."""
        ...

    def record(self, call: ModelCall) -> None:
        """Keep one call durably before its answer is used."""
        ...


class MemoryCalls:
    """Keeps calls for the life of the process; `recorder` is told of each."""

    def __init__(self, recorder: Callable[[ModelCall], None] | None = None) -> None:
        self._calls: dict[str, ModelCall] = {}
        self._recorder = recorder

    def load(self) -> Iterable[ModelCall]:
        """Return the calls, oldest first."""
        return tuple(self._calls.values())

    def record(self, call: ModelCall) -> None:
        """Keep one call."""
        self._calls[call.question] = call
        if self._recorder is not None:
            self._recorder(call)


class LedgerCalls:
    """Keeps calls as `model_call` records of one run."""

    def __init__(self, ledger: Ledger, run_id: str) -> None:
        self._ledger, self._run_id = ledger, run_id

    def load(self) -> Iterable[ModelCall]:
        """Return the run's calls, oldest first."""
        return stored_calls(self._ledger, self._run_id)

    def record(self, call: ModelCall) -> None:
        """Commit one call under the digest of its question."""
        self._ledger.append(self._run_id, "model_call", call.to_dict(), key=call.question)


def stored_calls(ledger: LedgerReader, run_id: str) -> tuple[ModelCall, ...]:
    """Return the model calls of a run, oldest first."""
    return tuple(ModelCall.model_validate(record.payload) for record in ledger.records(run_id, "model_call"))


def stored_cost(ledger: LedgerReader, run_id: str) -> ModelCost:
    """Return what a run's model calls cost."""
    return ModelCost.of(stored_calls(ledger, run_id), run_id=run_id)
