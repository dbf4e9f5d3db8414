"""What a scheduled notebook calls: parameters checked, one run, a summary to read, a non-zero end when blocked.

Names a scheduler injects enter; a run in the ledger, its artifacts and a summary leave. Refused are parameters that
the pipeline does not know, that are missing or of another type, and secrets, which an executed notebook would keep.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.publication import Outcome
from porterlib.display.progress import progress
from porterlib.errors import PorterError
from porterlib.publication.artifacts import JSON, keep_artifacts, write_private
from porterlib.verbs.parameters import PipelineParameters, check_parameters
from porterlib.verbs.running import run
from porterlib.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from porterlib.analyst import Analyst

__all__ = [
    "SUMMARY_NAME",
    "PipelineParameters",
    "RunNotAchieved",
    "RunSummary",
    "check_parameters",
    "record_summary",
    "require_success",
    "run_pipeline",
    "summarise",
    "value_views",
]

SUMMARY_NAME = "summary.json"
SCRAP = "application/scrapbook.scrap.json+json"
"""Media type under which tools that read executed notebooks find recorded values."""
ACHIEVED = frozenset({"achieved_draft", "publishable"})


class RunNotAchieved(PorterError):  # noqa: N818 - the status it reports
    """A scheduled run ended without a valid draft; `data` carries run id, status and reason."""

    code = "RUN_NOT_ACHIEVED"


class RunSummary(Contract):
    """What a scheduler needs of a run; it stands in the executed notebook, in the run's folder and in the ledger."""

    run_id: Text
    """The run."""
    workspace: Text
    """Folder of its ledger."""
    ok: bool
    """Whether there is a draft that passed every check."""
    status: Text
    """Status the run ended with."""
    reason: str = ""
    """Why, if it did not succeed."""
    recommendation: str | None = None
    """Kind of recommendation, absent without a text."""
    fingerprint: str | None = None
    """Digest of the exact text, absent without one."""
    snapshot_id: Text
    """Digest of the evidence."""
    attempts: int = Field(0, ge=0)
    """Attempts made."""
    open_criteria: tuple[str, ...] = ()
    """Criteria that did not pass."""
    missing_forces: tuple[str, ...] = ()
    """Forces without evidence, when that ended the run."""
    evidence: int = Field(0, ge=0)
    """Passages in the snapshot."""
    claims: int = Field(0, ge=0)
    """Claims in the text."""
    quotes: int = Field(0, ge=0)
    """Links from claims to passages."""
    publishers: int = Field(0, ge=0)
    """Independent publishers."""
    analyst: Text
    """Kind, version and model of the analyst."""
    artifacts: dict[str, str] = Field(default_factory=dict)
    """Artifact name to path."""
    elapsed_s: float = Field(0.0, ge=0)
    """Seconds the run took."""

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a notebook shows, with the values in a form that programs read from its output."""
        bundle, metadata = super()._repr_mimebundle_(**options)
        scrap = {"name": "summary", "data": self.to_dict(), "encoder": "json", "version": 1}
        return {**bundle, SCRAP: scrap}, {**metadata, "scrapbook": {"name": "summary", "data": True}}


def run_pipeline(parameters: PipelineParameters) -> Outcome:
    """Run one decision from request to draft, as the command line does, and show progress.

    Raises:
        InputError: a file or the model's address cannot be used.
        PorterError: the model server cannot be used; the message says what to do.

    """
    place = open_workspace(parameters.workspace)
    with progress() as say:
        return run(
            parameters.request,
            corpus=parameters.corpus,
            economics=parameters.economics,
            target=parameters.target,
            max_attempts=parameters.max_attempts,
            workspace=place,
            analyst=_analyst(parameters, place, say),
            progress=say,
        )


def summarise(outcome: Outcome, workspace: str | Path) -> RunSummary:
    """Return the summary of an outcome; nothing is written."""
    candidate, snapshot, report = outcome.candidate, outcome.snapshot, outcome.report
    failed = report.evaluations if report is not None else ()
    return RunSummary(
        run_id=outcome.run_id,
        workspace=str(Path(workspace).expanduser().resolve()),
        ok=outcome.status in ACHIEVED,
        status=outcome.status,
        reason=outcome.reason,
        recommendation=candidate.recommendation.kind if candidate else None,
        fingerprint=outcome.fingerprint,
        snapshot_id=snapshot.snapshot_id,
        attempts=len(outcome.state.attempts) if outcome.state else 0,
        open_criteria=tuple(e.criterion_id for e in failed if e.outcome != "pass"),
        missing_forces=tuple(outcome.insufficient.forces) if outcome.insufficient else (),
        evidence=len(snapshot.evidence),
        claims=len(candidate.claims) if candidate else 0,
        quotes=len(candidate.links) if candidate else 0,
        publishers=len({item.publisher_key for item in snapshot.evidence}),
        analyst=outcome.versions.analyst,
        artifacts=dict(outcome.artifacts),
        elapsed_s=outcome.elapsed_s,
    )


def record_summary(outcome: Outcome, parameters: PipelineParameters) -> RunSummary:
    """Record the summary as `summary.json` of the run, write it where a scheduler looks, and return it.

    Raises:
        InputError: the file named by `summary` cannot be written.

    """
    place = open_workspace(parameters.workspace)
    summary = summarise(outcome, place.path)
    text = json.dumps(summary.to_dict(), ensure_ascii=False, indent=1) + "\n"
    about = outcome.fingerprint or outcome.status
    with place.writing() as ledger:
        folder = place.run_folder(outcome.run_id)
        keep_artifacts(ledger, outcome.run_id, folder, {SUMMARY_NAME: (JSON, text)}, about=about)
    if parameters.summary is not None:
        write_private(Path(parameters.summary).expanduser(), text.encode())
    return summary


def require_success(summary: RunSummary) -> None:
    """Return when there is a valid draft; otherwise end the notebook, and with it the scheduler's job, in an error.

    Raises:
        RunNotAchieved: the run is blocked, lacks evidence or waits for people; the message says why.

    """
    if summary.ok:
        return
    why = [summary.reason] if summary.reason else []
    why += [f"open criteria {', '.join(summary.open_criteria)}"] if summary.open_criteria else []
    why += [f"no evidence on {', '.join(summary.missing_forces)}"] if summary.missing_forces else []
    reports = [path for name, path in summary.artifacts.items() if name.endswith(".md")]
    raise RunNotAchieved(
        f"run {summary.run_id} is {summary.status}: {'; '.join(why) or 'no reason recorded'}; "
        f"read {', '.join(reports) or summary.workspace}",
        run_id=summary.run_id,
        status=summary.status,
        reason=summary.reason,
    )


def value_views(outcome: Outcome) -> tuple[str, ...]:
    """Return the names of the views of an outcome's economics; none for a run without figures."""
    return ("missing", "ranges", "tornado") if outcome.economics is not None else ()


def _analyst(parameters: PipelineParameters, place: Workspace, say: Callable[[str], None]) -> Analyst | None:
    """Return the analyst the parameters name; None stands for the rules. Its key comes from the environment."""
    if parameters.analyst == "offline":
        return None
    from porterlib.doctor import connect

    return connect(
        parameters.model_url,
        model=parameters.model_name or place.settings.model_name,
        key=place.settings.model_key,
        allow_remote=place.settings.allow_remote_model,
        show=say,
    )
