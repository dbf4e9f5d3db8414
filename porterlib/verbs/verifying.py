"""`verify`: the ledger re-hashed, then the files that people read compared with what it recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from porterlib.contracts.ledger import LedgerFinding, Record, RunStatus, VerifyReport
from porterlib.hashing import sha256_hex
from porterlib.ledger import Ledger, LedgerReader, verify
from porterlib.publication.artifacts import recorded_files

_WITH_TEXT: tuple[RunStatus, ...] = ("achieved_draft", "human_required", "publishable", "blocked")
_EXPORT = "porterlib export writes the recorded files again"
_HELD = "the ledger holds what was recorded"


def verify_workspace(path: Path, *, heads: Mapping[str, str] | None = None) -> VerifyReport:
    """Check a workspace without changing it: its ledger, then each run's files on disk.

    A file that no record knows is an error. One that is missing or holds an earlier revision is a warning,
    since a crash between record and file leaves it so. The files of a ledger that is itself bad are not
    compared: it could not say what they should hold.

    Args:
        path: workspace folder or ledger file.
        heads: heads saved from an earlier report (run id to hash).

    Raises:
        WorkspaceError: there is no such workspace.
        LedgerError: a writer holds the file for longer than can be waited for.

    """
    report = verify(path, heads=heads)
    if not report.ok:
        return report
    with Ledger.open(path, "read") as ledger:
        found = tuple(_compared(ledger))
    bad = [finding.place for finding in found if finding.severity == "error"]
    return report.model_copy(
        update={
            "ok": not bad,
            "first_bad": bad[0] if bad else None,
            "findings": report.findings + found,
        }
    )


def _compared(ledger: LedgerReader) -> Iterator[LedgerFinding]:
    for row in ledger.runs():
        records = ledger.records(row.run_id, "artifact")
        for name, blob in recorded_files(records, row.status).items():
            place = f"runs/{row.run_id}/{Path(name).name}"
            remedy = _EXPORT if row.status in _WITH_TEXT else _HELD
            yield from _differing(ledger.file.parent / place, place, blob, _revisions(records, name), remedy)


def _revisions(records: Iterable[Record], name: str) -> set[str]:
    return {record.payload["blob"] for record in records if record.payload["name"] == name}


def _differing(
    file: Path, place: str, blob: str, revisions: set[str], remedy: str
) -> Iterator[LedgerFinding]:
    if not file.exists():
        message = f"the file is not there; {remedy}"
        yield LedgerFinding(code="ARTIFACT_MISSING", severity="warning", place=place, message=message)
        return
    found = sha256_hex(file.read_bytes()) if file.is_file() and not file.is_symlink() else ""
    if found == blob:
        return
    if found in revisions:
        message = f"the file holds an earlier revision; {remedy}"
        yield LedgerFinding(code="ARTIFACT_STALE", severity="warning", place=place, message=message)
    else:
        message = f"the file is not what the ledger recorded; do not rely on it: {remedy}"
        yield LedgerFinding(code="ARTIFACT_CHANGED", place=place, message=message)
