"""What research workers write to the ledger and find again when a run is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from porterlib.acquisition.bundle import ResearchBundle
from porterlib.acquisition.records import RecordedQuery, RunRecords
from porterlib.contracts.base import Force
from porterlib.contracts.plan import PlannedQuery

RESEARCH_CALL = "research_model_call"
_WITHHELD = "(rejected, its words are not kept)"


class Search(NamedTuple):
    """A search of a worker as the ledger holds it."""

    query: PlannedQuery
    """What was asked."""
    answer: RecordedQuery
    """What became of it."""


class WorkerRecords(RunRecords):
    """The records of a run, with those of its workers."""

    def searches(self, force: Force) -> tuple[Search, ...]:
        """Return the recorded queries of a force in the order of their sequence."""
        rows = [record.payload for record in self._ledger.records(self._run_id, "query")]
        mine = sorted((row for row in rows if row["force"] == force), key=lambda row: row["sequence"])
        found: list[Search] = []
        for row in mine:
            query = _query(row)
            answer = self.query(query)
            if answer is not None:
                found.append(Search(query, answer))
        return tuple(found)

    def bundle(self, force: Force) -> ResearchBundle | None:
        """Return the bundle of a worker that is done, or None."""
        found = self._ledger.find(self._run_id, "checkpoint", _key(force))
        return None if found is None else ResearchBundle.model_validate(found.payload)

    def record_bundle(self, bundle: ResearchBundle) -> None:
        """Commit the outcome of a worker."""
        self._ledger.append(self._run_id, "checkpoint", bundle.to_dict(), key=_key(bundle.force))

    def record_model_call(self, call: Mapping[str, Any]) -> None:
        """Commit what one call of the model cost, without its words.

        A step of the run, not a `model_call`, which is one small question of the analysis.
        """
        self._ledger.append(self._run_id, "step", {"what": RESEARCH_CALL, **call})

    def model_calls(self) -> tuple[Mapping[str, Any], ...]:
        """Return what the calls of all workers cost, in order."""
        rows = (record.payload for record in self._ledger.records(self._run_id, "step"))
        return tuple(row for row in rows if row.get("what") == RESEARCH_CALL)


def _key(force: Force) -> str:
    return f"research-{force}"


def _query(row: Mapping[str, Any]) -> PlannedQuery:
    return PlannedQuery(
        id=row["query_id"],
        force=row["force"],
        sequence=row["sequence"],
        hypothesis_id=row["hypothesis_id"],
        text=row.get("text") or _WITHHELD,
        contrary=row["contrary"],
    )
