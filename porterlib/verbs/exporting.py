"""`export`: the bundle of a run, for people who do not have the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from porterlib.contracts.publication import Outcome
from porterlib.errors import LedgerError
from porterlib.publication import approvals
from porterlib.publication.artifacts import (
    BLOCKED_REPORT,
    BRIEF_NAME,
    EVIDENCE_NAME,
    SHARED_SIDECAR,
    SIDECAR_NAME,
    latest_artifacts,
    record_artifacts,
    write_artifacts,
    write_private,
)
from porterlib.publication.bundle import build_bundle
from porterlib.publication.texts import hidden_in
from porterlib.rendering.redact import redact
from porterlib.verbs.approving import files_of, settle
from porterlib.verbs.loading import RunResults
from porterlib.verbs.reviewed import ReviewedRun
from porterlib.workspace import Workspace, current_workspace

_PUBLIC = {BRIEF_NAME: BRIEF_NAME, EVIDENCE_NAME: EVIDENCE_NAME, SHARED_SIDECAR: SIDECAR_NAME}
"""Artifact record to file of the bundle."""


def export_bundle(
    run: Outcome | RunResults | str, to: str | os.PathLike[str], *, workspace: Workspace | None = None
) -> Path:
    """Write the export bundle of a run and return its path; the same state gives the same bytes.

    Internal facts leave as digests and restricted terms as `[withheld]`; reviewers are not named. Where the
    files on record are about another fingerprint than the current one (a version changed), a revision of them
    is recorded first, so that no bundle carries approvals of another text.

    Args:
        run: an outcome, loaded results, or the id of a run.
        to: file to write, or a folder in which `<run id>.zip` is written; it is replaced if it exists.
        workspace: where the run lives; the one opened last if absent.

    Raises:
        InputError: the run has no text to export, or the place cannot be written to.
        LedgerError: something has to be recorded first and the workspace is open for reading.
        IntegrityError: the run's chain is not whole.

    """
    place = current_workspace(workspace)
    run_id = run if isinstance(run, str) else run.run_id
    with place.reading() as ledger:
        stored = ReviewedRun(place, ledger, run_id)
        stored.check_chain()
        content = _bundle(stored) if _is_recorded(stored) else None
        if place.mode == "write" and content is not None:
            write_artifacts(
                ledger, place.run_folder(run_id), stored.files
            )  # a crash may have left older files
    if content is None:
        content = _recorded_bundle(place, run_id)
    target = Path(to).expanduser()
    target = target / f"{run_id}.zip" if target.is_dir() else target
    write_private(target, content)
    return target


def _is_recorded(stored: ReviewedRun) -> bool:
    """Return whether brief, table and public sidecar are on record for the current text and verdict."""
    return not _needs_verdict(stored) and all(
        (record := latest_artifacts(stored.records).get(name)) is not None
        and record.payload["about"] == stored.fingerprint
        for name in _PUBLIC
    )


def _needs_verdict(stored: ReviewedRun) -> bool:
    if stored.bound != stored.fingerprint:
        return True
    if not stored.verdicts:
        return bool(stored.decisions)
    last = stored.verdicts[-1]
    return (last["fingerprint"], last["label"]) != (stored.fingerprint, stored.label)


def _recorded_bundle(place: Workspace, run_id: str) -> bytes:
    """Record what is missing or out of date, then return the bundle."""
    if place.mode != "write":
        raise LedgerError(
            f"run {run_id!r} must record its public files before it can be exported; "
            "open the workspace with mode='write'"
        )
    with place.writing() as ledger:
        stored = ReviewedRun(place, ledger, run_id)
        with ledger.transaction():
            if _needs_verdict(stored):
                settle(stored)
            else:
                shared = {SHARED_SIDECAR: files_of(stored)[SHARED_SIDECAR]}
                record_artifacts(
                    ledger, run_id, shared, about=stored.fingerprint, revision=len(stored.verdicts)
                )
        stored = stored.refreshed()
        write_artifacts(ledger, place.run_folder(run_id), stored.files)
        stored.check_chain()
        return _bundle(stored)


def _bundle(stored: ReviewedRun) -> bytes:
    records = latest_artifacts(stored.records)
    files = {name: stored.ledger.get_blob(records[kept].payload["blob"]) for kept, name in _PUBLIC.items()}
    blocked = records.get(BLOCKED_REPORT)
    if stored.row.status == "blocked" and blocked and blocked.payload["about"] == stored.fingerprint:
        files[BLOCKED_REPORT] = stored.ledger.get_blob(blocked.payload["blob"])
    hidden = hidden_in(stored.request) if stored.request else None
    states = approvals.role_states(stored.decisions, stored.fingerprint)
    return build_bundle(
        stored.outcome,
        label=redact(stored.label, hidden),
        roles={entry.role: entry.state for entry in states},
        files=files,
        records=stored.records,
        hidden=hidden,
    )
