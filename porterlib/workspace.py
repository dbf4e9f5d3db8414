"""A decision folder: ledger, runs, knowledge; one writer at a time, any number of readers.

Opening takes nothing: the writer lease is taken by a writing verb and released when it returns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from porterlib.clock import Clock, IdSource, RandomIds, SystemClock
from porterlib.contracts.ledger import UNFINISHED, RunRow
from porterlib.egress import workspace_key
from porterlib.errors import LedgerError, WorkspaceError
from porterlib.ledger import Ledger
from porterlib.settings import Settings

if TYPE_CHECKING:
    from porterlib.verbs.loading import RunResults

_opened: list[Workspace] = []
_CUT_SHORT = re.compile(r"\..+\.[a-z0-9_]{8}")
"""Name of a file whose writing was cut short: written beside its target, then moved."""


class Workspace:
    """One decision folder; `run(run_id)` gives every result of a run, also after a restart."""

    def __init__(
        self,
        path: Path,
        mode: Literal["write", "read"],
        *,
        corpus: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        self.path = path
        self.mode = mode
        self.corpus = corpus
        self.settings = settings or Settings()
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds(self.clock)

    def __repr__(self) -> str:
        """Name the folder; a repr never reads the ledger."""
        return f"Workspace({str(self.path)!r}, mode={self.mode!r})"

    @contextmanager
    def writing(self) -> Iterator[Ledger]:
        """Hold the writer lease for one verb; an interrupt cancels the run it was working on.

        Raises:
            LedgerError: the workspace was opened for reading.
            LeaseError: another writer did not finish in time.

        """
        if self.mode != "write":
            raise LedgerError(
                f"{str(self.path)!r} is open for reading; open it with mode='write' for this verb"
            )
        with Ledger.open(
            self.path, "write", clock=self.clock, lease_wait_s=self.settings.lease_wait_s
        ) as ledger:
            self._write_reports(ledger)
            try:
                yield ledger
            except KeyboardInterrupt as interrupt:
                for run_id in ledger.touched_runs():
                    cancel_run(ledger, run_id, interrupt)
                raise

    def _write_reports(self, ledger: Ledger) -> None:
        """Write what the ledger recorded of runs that were just closed as interrupted, their reports among it."""
        if not ledger.recovered:
            return
        from porterlib.publication.artifacts import recorded_files, write_artifacts

        for run_id in ledger.recovered:
            files = recorded_files(ledger.records(run_id, "artifact"), ledger.status(run_id))
            write_artifacts(ledger, self.run_folder(run_id), files)

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        """Open the ledger for one read."""
        with Ledger.open(self.path, "read", clock=self.clock) as ledger:
            yield ledger

    def runs(self) -> tuple[RunRow, ...]:
        """Return all runs, oldest first."""
        with self.reading() as ledger:
            return ledger.runs()

    def run(self, run_id: str) -> RunResults:
        """Return every result of a run from the ledger, hash-verified; works after a restart.

        Raises:
            UnknownRunError: no such run.

        """
        from porterlib.verbs.loading import load_run

        return load_run(self, run_id)

    def run_folder(self, run_id: str) -> Path:
        """Return the folder of a run's artifacts, made with mode 0700; call it with the lease held.

        What a crash left half written there is removed: its whole text is in the ledger.
        """
        folder = self.path / "runs" / run_id
        _private_folder(folder.parent)
        _private_folder(folder)
        for path in folder.glob(".*"):
            if _CUT_SHORT.fullmatch(path.name) and path.is_file():
                path.unlink(missing_ok=True)
        return folder

    def egress_key(self) -> bytes:
        """Return the workspace's random key for comparing restricted terms; made on first use, mode 0600."""
        return workspace_key(self.path)


def open_workspace(
    path: str | os.PathLike[str],
    mode: Literal["write", "read"] = "write",
    *,
    corpus: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    ids: IdSource | None = None,
) -> Workspace:
    """Open a decision folder, or make it when it is opened for writing and does not exist or is empty.

    Args:
        path: the folder; `ledger.db`, `runs/` and `knowledge/` live in it, readable by their owner alone.
        mode: `write` allows writing verbs; `read` never changes anything.
        corpus: folder of documents that `acquire` searches when it is given no provider.
        settings: defaults from the environment when absent.
        clock: source of times.
        ids: source of run ids.

    Raises:
        WorkspaceError: the folder holds something else, or there is nothing to read.
        SchemaVersionError: a newer version of the library wrote it.

    """
    folder = Path(path).expanduser().resolve()
    if mode not in ("read", "write"):
        raise WorkspaceError(f"mode {mode!r} is not known; use 'read' or 'write'")
    corpus_folder = Path(corpus).expanduser().resolve() if corpus is not None else None
    workspace = Workspace(folder, mode, corpus=corpus_folder, settings=settings, clock=clock, ids=ids)
    if mode == "read":
        with workspace.reading():
            pass
    else:
        if not _is_ready(workspace):
            with workspace.writing():  # makes the ledger, brings it up to date, or says why it cannot
                pass
        _private_folder(folder / "runs")
        _private_folder(folder / "knowledge")
    _opened.append(workspace)
    return workspace


def current_workspace(workspace: Workspace | None = None) -> Workspace:
    """Return the given workspace, or the one opened last in this process.

    Raises:
        WorkspaceError: none was given and none is open.

    """
    if workspace is not None:
        return workspace
    if not _opened:
        raise WorkspaceError(
            "no workspace is open; call open_workspace('my-decision') first or pass workspace="
        )
    return _opened[-1]


def cancel_run(ledger: Ledger, run_id: str, interrupt: KeyboardInterrupt) -> None:
    """Mark an unfinished run as cancelled; the reason is what the interrupt carries, by default `user`."""
    if ledger.status(run_id) in UNFINISHED:
        ledger.set_status(run_id, "cancelled", str(interrupt) or "user")


def _is_ready(workspace: Workspace) -> bool:
    try:
        with workspace.reading():
            return True
    except (WorkspaceError, LedgerError):
        return False


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_mode & 0o777 != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise WorkspaceError(f"{str(folder)!r} cannot be made a private folder: {error.strerror}") from error
