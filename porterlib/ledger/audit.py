"""The reading part of a verification: rows are taken as hostile, and every disagreement becomes a finding."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from porterlib.contracts.ledger import LedgerFinding, LedgerFindingCode, Record
from porterlib.hashing import sha256_hex
from porterlib.ledger.chain import SELECT_RECORDS, Seen, check_chain, observe, parse_row, time_text
from porterlib.ledger.projections import Replay, ReplayError

MAX_FINDINGS = 200
_BATCH = 64
_RUN_COLUMNS = (
    "ordinal",
    "run_id",
    "request_sha256",
    "created_at",
    "status",
    "reason",
    "changed_at",
    "head_seq",
    "head_hash",
)


@dataclass
class RunAudit:
    """One run as its row says it is, and as its records say."""

    row: dict[str, Any]
    replay: Replay
    seen: list[Seen] = field(default_factory=list)
    readable: bool = True


@dataclass
class Audit:
    """Everything read so far, and what was wrong with it."""

    findings: list[LedgerFinding] = field(default_factory=list)
    runs: dict[str, RunAudit] = field(default_factory=dict)
    records: int = 0
    blobs: int = 0
    references: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Digest to (media type, place of the first record that names it)."""

    def add(self, code: LedgerFindingCode, place: str, message: str, *, warning: bool = False) -> None:
        """Add a finding, up to a limit that hostile content cannot exceed."""
        if len(self.findings) == MAX_FINDINGS:
            code, place, message = (
                "MORE_FINDINGS",
                "file",
                f"more than {MAX_FINDINGS} findings; the rest is left out",
            )
        if len(self.findings) <= MAX_FINDINGS:
            severity = "warning" if warning and code != "MORE_FINDINGS" else "error"
            self.findings.append(
                LedgerFinding(code=code, severity=severity, place=place[:400], message=message[:1000])
            )

    def heads(self) -> dict[str, str]:
        """Return the hash of each run's last record, as read."""
        return {run_id: run.seen[-1].hash for run_id, run in self.runs.items() if run.seen}

    def read_runs(self, connection: sqlite3.Connection) -> None:
        """Read the runs; their ordinals must run from 1 without gaps, else a run was deleted."""
        expected = 1
        for values in connection.execute("SELECT * FROM runs ORDER BY ordinal").fetchall():
            row = dict(zip(_RUN_COLUMNS, map(_plain, values), strict=True))
            run_id = str(row["run_id"])
            if row["ordinal"] != expected:
                self.add("RUN_MISSING", f"runs/{expected}", f"run number {expected} is missing")
            expected = row["ordinal"] + 1 if isinstance(row["ordinal"], int) else expected + 1
            self.runs[run_id] = RunAudit(row, Replay(run_id))

    def read_records(self, connection: sqlite3.Connection) -> None:
        """Re-hash and replay all records, then compare each run with what its row says."""
        order = (
            "LEFT JOIN (SELECT run_id, ordinal FROM runs) USING (run_id) "
            "ORDER BY ordinal IS NULL, ordinal, run_id, seq"
        )
        cursor = connection.execute(SELECT_RECORDS + order)
        current: str | None = None
        while rows := cursor.fetchmany(_BATCH):
            for values in rows:
                row = tuple(map(_plain, values))
                run_id = str(row[0])
                if run_id != current:
                    self._close_run(current)
                    current = run_id
                self._take(run_id, row)
        self._close_run(current)
        for run_id, run in self.runs.items():
            if not run.seen:
                self._close_run(run_id)

    def _take(self, run_id: str, row: tuple[Any, ...]) -> None:
        self.records += 1
        place = f"{row[0]}/{row[1]}/{row[2]}"
        run = self.runs.get(run_id)
        if run is None:
            self.add("RUN_UNKNOWN", place, f"record belongs to run {run_id!r}, which is not in the ledger")
            return
        try:
            record = parse_row(row)
        except ValueError:
            self.add("RECORD_MALFORMED", place, "record is not in the one form that a ledger writes")
            run.readable = False
            seq = row[1] if isinstance(row[1], int) else len(run.seen) + 1
            run.seen.append(Seen(place, seq, str(row[7]), str(row[8]), intact=True))
            return
        run.seen.append(observe(record))
        for name, media_type in record.blobs.items():
            self.references.setdefault(name, (media_type, place))
        self._replay(run, record)

    def _replay(self, run: RunAudit, record: Record) -> None:
        try:
            run.replay.apply(record)
        except ReplayError as error:
            self.add("TRANSITION_ILLEGAL", record.place, str(error))

    def _close_run(self, run_id: str | None) -> None:
        run = self.runs.get(run_id) if run_id is not None else None
        if run is None or run_id is None:
            return
        count = run.row["head_seq"]
        head = (count if isinstance(count, int) else 0, str(run.row["head_hash"]))
        broken = check_chain(run_id, run.seen, head=head)
        for finding in broken:
            self.add(finding.code, finding.place, finding.message)
        run.readable = run.readable and not broken
        if run.readable:
            self._compare_run(run_id, run)

    def _compare_run(self, run_id: str, run: RunAudit) -> None:
        """Compare a run's row with the replay, but only where its chain is whole: one change is told once."""
        replay = run.replay
        expected = {
            "ordinal": replay.ordinal,
            "request_sha256": replay.request_sha256,
            "created_at": time_text(replay.created_at) if replay.created_at else None,
            "status": replay.status,
            "reason": replay.reason,
            "changed_at": time_text(replay.changed_at) if replay.changed_at else None,
        }
        for name, value in expected.items():
            if run.row[name] != value:
                message = f"stored {name} is {run.row[name]!r}, the records say {value!r}"
                self.add("PROJECTION_WRONG", f"{run_id}/projection/{name}", message)

    def compare_goals(self, connection: sqlite3.Connection) -> None:
        """Compare the stored goals with the latest goal records."""
        rows = connection.execute("SELECT run_id, goal_id, status, seq FROM goals").fetchall()
        stored = {
            (str(run_id), str(goal)): rest for run_id, goal, *rest in (map(_plain, row) for row in rows)
        }
        whole = {run_id for run_id, run in self.runs.items() if run.readable}
        derived = {
            (run_id, goal): list(state)
            for run_id in whole
            for goal, state in self.runs[run_id].replay.goals.items()
        }
        for name in sorted(stored.keys() | derived.keys(), key=str):
            if stored.get(name) != derived.get(name) and (
                name in derived or name[0] not in self.runs or name[0] in whole
            ):
                place = f"{name[0]}/projection/goal/{name[1]}"
                message = f"stored goal is {stored.get(name)}, the records say {derived.get(name)}"
                self.add("PROJECTION_WRONG", place, message)

    def read_blobs(self, connection: sqlite3.Connection) -> None:
        """Re-hash the contents one by one and compare them with the references in the records."""
        missing = dict(self.references)
        for (row_id,) in connection.execute("SELECT id FROM blobs ORDER BY id").fetchall():
            query = "SELECT digest, media_type, content FROM blobs WHERE id = ?"
            for values in connection.execute(query, (row_id,)).fetchall():
                self._check_blob(str(_plain(values[0])), str(_plain(values[1])), values[2], missing)
        for name, (_, place) in missing.items():
            self.add("BLOB_MISSING", place, f"content {name} that the record names is missing")

    def _check_blob(
        self, name: str, media_type: str, content: object, missing: dict[str, tuple[str, str]]
    ) -> None:
        self.blobs += 1
        reference = missing.pop(name, None)
        place = reference[1] if reference else f"blob/{name}"
        if not isinstance(content, bytes) or sha256_hex(content) != name:
            self.add("BLOB_CHANGED", place, f"content {name} does not match its digest")
        elif reference is None:
            message = f"no record names content {name}; a crash before its record leaves one, or it was added"
            self.add("BLOB_UNREFERENCED", place, message, warning=True)
        elif reference[0] != media_type:
            self.add(
                "BLOB_CHANGED",
                place,
                f"content {name} is stored as {media_type!r}, the record says {reference[0]!r}",
            )

    def compare_heads(self, heads: dict[str, str]) -> None:
        """Look for each head saved elsewhere among the run's records: it must still be there."""
        for run_id, head in heads.items():
            run = self.runs.get(run_id)
            if run is None:
                self.add(
                    "RUN_MISSING", f"{run_id}/1/missing", f"run {run_id!r} of the saved heads is missing"
                )
            elif all(link.hash != head for link in run.seen):
                place = f"{run_id}/{len(run.seen) + 1}/missing"
                message = "no record has the saved hash: the run was cut off or rewritten since it was saved"
                self.add("SAVED_HEAD_ABSENT", place, message)


def _plain(value: object) -> object:
    """Return a column as text where it is text; damaged text keeps a visible escape and so never matches."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
