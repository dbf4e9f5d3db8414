"""Writes artifacts: stored in the ledger by digest first, then written to disk from the stored bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from porterlib.contracts.ledger import Record, RunStatus
from porterlib.errors import InputError
from porterlib.ledger import Ledger, LedgerReader

BRIEF_NAME, SIDECAR_NAME, EVIDENCE_NAME = "board-brief.md", "audit-sidecar.json", "evidence.csv"
SHARED_SIDECAR = "audit-sidecar.shared.json"
"""Record of the sidecar's public form; it is exported, never written beside the local one."""
BLOCKED_REPORT = "blocked-report.md"
MARKDOWN, JSON, CSV = "text/markdown; charset=utf-8", "application/json", "text/csv; charset=utf-8"
Files = Mapping[str, tuple[str, str]]
"""Name to (media type, text)."""


def keep_artifacts(
    ledger: Ledger, run_id: str, folder: Path, files: Files, *, about: str, revision: int = 0
) -> dict[str, str]:
    """Record each file in the ledger and write it below `folder`; return name to path.

    Args:
        ledger: open for writing.
        run_id: run the artifacts belong to.
        folder: private folder of the run.
        files: name to (media type, text).
        about: fingerprint of the text, or the status a report is about.
        revision: 0 for what supervision ended with, then counting up with each later verdict.

    Repeating the call with equal text records nothing new and writes the same bytes.

    """
    return write_artifacts(
        ledger, folder, record_artifacts(ledger, run_id, files, about=about, revision=revision)
    )


def record_artifacts(
    ledger: Ledger, run_id: str, files: Files, *, about: str, revision: int = 0
) -> dict[str, str]:
    """Record each file in the ledger without writing it; return name to digest."""
    blobs: dict[str, str] = {}
    for name, (media_type, text) in files.items():
        blob = ledger.put_blob(text.encode(), media_type)
        payload: dict[str, str | int] = {"name": name, "blob": blob, "media_type": media_type, "about": about}
        # A later revision may return to an earlier text and must still be the latest record of its name.
        key = f"{name}:{blob}"
        if revision:
            payload, key = {**payload, "revision": revision}, f"{name}:r{revision}:{blob}"
        ledger.append(run_id, "artifact", payload, key=key)
        blobs[name] = blob
    return blobs


def write_artifacts(ledger: LedgerReader, folder: Path, blobs: Mapping[str, str]) -> dict[str, str]:
    """Write recorded contents below `folder` and return name to path; a file that is as recorded stays."""
    written: dict[str, str] = {}
    for name, blob in blobs.items():
        path = folder / name
        content = ledger.get_blob(blob)
        if not path.is_file() or path.read_bytes() != content:
            write_private(path, content)
        written[name] = str(path)
    return written


def latest_artifacts(records: Iterable[Record]) -> dict[str, Record]:
    """Return the last artifact record of each name, given a run's records in order."""
    return {record.payload["name"]: record for record in records if record.kind == "artifact"}


def recorded_files(records: Iterable[Record], status: RunStatus) -> dict[str, str]:
    """Return name to digest of the files that belong into the folder of a run of that status now."""
    names = latest_artifacts(records)
    for name in (SHARED_SIDECAR, *((BLOCKED_REPORT,) if status != "blocked" else ())):
        names.pop(name, None)
    return {name: record.payload["blob"] for name, record in names.items()}


def write_private(path: Path, content: bytes) -> None:
    """Replace a file in one step, readable by its owner alone.

    Raises:
        InputError: the folder is absent or may not be written to.

    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written: {error.strerror}; choose another place"
        ) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
