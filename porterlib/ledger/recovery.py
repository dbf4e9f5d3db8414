"""Closing what a crashed writer left: the run fails as interrupted, with a report of how far it had come."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from porterlib.contracts.ledger import UNFINISHED, Record, RunRow
from porterlib.hashing import canonical_json
from porterlib.ledger.projections import INTERRUPTED

if TYPE_CHECKING:
    from porterlib.ledger.store import Ledger

REPORT_NAME = "interruption-report.json"


def recover(ledger: Ledger) -> tuple[str, ...]:
    """Close every unfinished run that the last writer did not put down and return their ids.

    Runs at rest between two verbs are left alone. Open attempts stay open: resuming repeats them under their
    own keys.
    """
    closed = []
    for run_id in ledger.touched_runs():
        with ledger.transaction():
            run = ledger.run(run_id)
            if run.status in UNFINISHED:
                _close(ledger, run)
                closed.append(run_id)
            ledger._put_down(run_id)
    return tuple(closed)


def _close(ledger: Ledger, run: RunRow) -> None:
    report = canonical_json(interruption_report(run, ledger.records(run.run_id)))
    blob = ledger.put_blob(report, "application/json")
    ledger.append(
        run.run_id,
        "artifact",
        {"name": REPORT_NAME, "type": "interruption_report", "blob": blob, "media_type": "application/json"},
    )
    ledger.set_status(run.run_id, "failed", INTERRUPTED)


def interruption_report(run: RunRow, records: tuple[Record, ...]) -> dict[str, Any]:
    """Return what was committed before the interruption, from the records alone."""
    started = [_attempt(record) for record in records if record.kind == "attempt_started"]
    finished = {_attempt(record) for record in records if record.kind == "attempt_finished"}
    return {
        "run_id": run.run_id,
        "status": run.status,
        "reason": INTERRUPTED,
        "last_record": records[-1].place,
        "head": records[-1].hash,
        "records": dict(sorted(Counter(record.kind for record in records).items())),
        "open_attempts": [attempt for attempt in started if attempt not in finished],
        "next": "resume the run: committed steps are kept and not repeated",
    }


def _attempt(record: Record) -> str:
    return record.key or record.place
