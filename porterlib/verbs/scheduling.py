"""What a scheduled notebook calls: parameters checked, one run, a summary to read, a non-zero end when blocked.

Names a scheduler injects enter; a run in the ledger, its artifacts and a summary leave. Refused are parameters that
the pipeline does not know, that are missing or of another type, and secrets, which an executed notebook would keep.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from porterlib.contracts.publication import Outcome
from porterlib.display.progress import progress
from porterlib.errors import RunNotAchieved
from porterlib.publication.artifacts import JSON, keep_artifacts, write_private
from porterlib.verbs.parameters import PipelineParameters, check_parameters
from porterlib.verbs.running import run
from porterlib.verbs.summary import RunSummary, summarise
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
