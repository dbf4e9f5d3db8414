"""Executes a notebook headless and keeps it as one HTML file that loads nothing from anywhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from porterlib.errors import InputError, PorterError, RunNotAchieved, UnknownRunError
from porterlib.publication.artifacts import keep_artifacts, write_private
from porterlib.resources import bundled
from porterlib.verbs.parameters import check_names
from porterlib.verbs.scheduling import SUMMARY_NAME
from porterlib.verbs.summary import SCRAP
from porterlib.workspace import open_workspace

REPORT_NAME = "report.html"
PIPELINE = "decision_pipeline"
_HTML = "text/html; charset=utf-8"
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:\">"
)
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.S | re.I)
_HEAD = re.compile(r"<head\b[^>]*>", re.I)


def notebook_names() -> tuple[str, ...]:
    """Return the names of the notebooks that ship with the library."""
    return tuple(sorted(path.stem for path in bundled("notebooks").glob("*.ipynb")))


def notebook_path(name: str) -> Path:
    """Return where a shipped notebook lies.

    Raises:
        InputError: there is none of that name; the message lists them.

    """
    wanted = name.removesuffix(".ipynb").replace("-", "_")
    if wanted not in notebook_names():
        raise InputError(f"there is no notebook {name!r}; there are {', '.join(notebook_names())}")
    return bundled("notebooks") / f"{wanted}.ipynb"


def copy_notebook(name: str, out: Path) -> Path:
    """Copy a shipped notebook into a folder, which is made if need be, and return its path.

    Raises:
        InputError: no such notebook, a file of that name is there already, or the folder cannot be written to.

    """
    source = notebook_path(name)
    target = out.expanduser() / source.name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            stream.write(source.read_bytes())
    except FileExistsError as error:
        raise InputError(
            f"{str(target)!r} exists and is not overwritten; choose another folder with --out"
        ) from error
    except OSError as error:
        raise InputError(
            f"{str(target)!r} cannot be written: {error.strerror}; choose another folder with --out"
        ) from error
    return target


def execute_notebook(name: str, parameters: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Execute a shipped notebook into `out`; the executed notebook and its HTML are kept also when it fails.

    What the notebook writes on stderr, its progress among it, appears on stderr at once.

    Args:
        name: a shipped notebook.
        parameters: values to inject.
        out: folder for the executed notebook, `report.html` and, for the pipeline, `summary.json`.

    Raises:
        InputError: a parameter is refused, or a file cannot be used.
        RunNotAchieved: the run is blocked or lacks evidence.
        PorterError: a cell failed otherwise, or the kernel died.

    """
    source, folder = notebook_path(name), out.expanduser().resolve()
    given = dict(parameters)
    if source.stem == PIPELINE:
        check_names(list(given))
        given.setdefault("summary", str(folder / SUMMARY_NAME))
    folder.mkdir(parents=True, exist_ok=True)
    executed = folder / source.name
    failure = _execute(source, executed, given)
    if executed.exists():
        executed.chmod(0o600)
    report = record_report(executed) if executed.exists() else {}
    if failure is not None:
        failure.data |= report
        raise failure
    return report


def record_report(executed: Path, out: Path | None = None) -> dict[str, Any]:
    """Write an executed notebook as `report.html` and record it as an artifact of the run it names, if any.

    Args:
        executed: notebook with outputs.
        out: folder for the HTML file; that of the notebook if absent.

    Returns:
        Paths of notebook and report, and the summary recorded in the notebook.

    Raises:
        InputError: the file is no notebook, or `out` cannot be written to.

    """
    executed = executed.expanduser().resolve()
    text = html_report(executed)
    target = (out or executed.parent).expanduser().resolve() / REPORT_NAME
    write_private(target, text.encode())
    summary = recorded_summary(executed)
    if summary is not None:
        _keep(text, summary)
    return {"notebook": str(executed), "report": str(target), "summary": summary}


def html_report(executed: Path) -> str:
    """Return an executed notebook as one HTML page without scripts and without anything loaded from elsewhere."""
    from nbconvert import HTMLExporter

    blank = {"require_js_url": "", "mathjax_url": "", "widget_renderer_url": "", "jquery_url": ""}
    exporter = HTMLExporter(template_name="lab", mermaid_js_url="", **blank)  # type: ignore[no-untyped-call]
    page, _ = exporter.from_notebook_node(_readable(_read(executed)))
    return _HEAD.sub(lambda found: found.group() + _POLICY, _SCRIPT.sub("", page), count=1)


def _readable(notebook: Any) -> Any:
    """Return the notebook for a reader: of a progress log its last line, and each chart with its description."""
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        logs = [entry for entry in outputs if entry.output_type == "stream" and entry.name == "stderr"]
        for entry in logs[-1:]:
            entry.name, entry.text = "stdout", "\n".join(entry.text.rstrip().splitlines()[-1:])
        for entry in outputs:
            _describe(entry)
        if logs:
            cell.outputs = [entry for entry in outputs if not any(entry is log for log in logs[:-1])]
    return notebook


def _describe(output: Any) -> None:
    """Put a chart's description into its image; the exporter's template would drop it."""
    alt = output.get("metadata", {}).get("image/png", {}).get("alt")
    if alt and "image/png" in output.get("data", {}):
        source = escape("data:image/png;base64," + output.data["image/png"].replace("\n", ""))
        output.data = {"text/html": f'<img alt="{escape(alt)}" style="max-width:100%" src="{source}">'}


def recorded_summary(executed: Path) -> dict[str, Any] | None:
    """Return the summary that a pipeline recorded in its executed notebook, or None."""
    for cell in _read(executed).cells:
        for output in cell.get("outputs", ()):
            scrap = output.get("data", {}).get(SCRAP)
            if scrap and scrap.get("name") == "summary":
                return dict(scrap["data"])
    return None


def _keep(text: str, summary: Mapping[str, Any]) -> None:
    place, run_id = open_workspace(summary["workspace"]), summary["run_id"]
    if all(row.run_id != run_id for row in place.runs()):
        raise UnknownRunError(f"workspace {str(place.path)!r} holds no run {run_id!r}", run_id=run_id)
    about = summary["fingerprint"] or summary["status"]
    with place.writing() as ledger:
        keep_artifacts(ledger, run_id, place.run_folder(run_id), {REPORT_NAME: (_HTML, text)}, about=about)


def _read(path: Path) -> Any:
    import nbformat

    try:
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, nbformat.reader.NotJSONError) as error:
        raise InputError(
            f"{str(path)!r} cannot be read as a notebook; name an executed .ipynb file"
        ) from error


def _execute(source: Path, executed: Path, parameters: Mapping[str, Any]) -> PorterError | None:
    """Return what went wrong, as an error of the library, or None."""
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    try:
        papermill.execute_notebook(
            str(source), str(executed), dict(parameters), progress_bar=False, stderr_file=sys.stderr
        )
    except PapermillExecutionError as error:
        return _failure(error.ename, error.evalue)
    except DeadKernelError:
        return PorterError(
            f"the kernel of {source.stem} died; what was committed is kept, continue with: porterlib resume RUN"
        )
    return None


def _failure(name: str, message: str) -> PorterError:
    kinds: list[type[PorterError]] = [RunNotAchieved, InputError, *InputError.__subclasses__()]
    for kind in kinds:
        if kind.__name__ == name and kind.__init__ is PorterError.__init__:
            return kind(message)
    return InputError(message) if name == "DecisionScopeError" else PorterError(f"{name}: {message}")
