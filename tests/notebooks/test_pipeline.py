"""The scheduled notebook: the command line's run and artifacts, a summary to read, and a non-zero end otherwise."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest

from tests.analyst_local.scripted import MODEL, scripted
from tests.cli.calling import in_this_process
from tests.doctor.test_diagnosis import enforcing

from .conftest import EXAMPLE, FIXTURES, NOTEBOOKS, Done, Tool, given

SCRAP = "application/scrapbook.scrap.json+json"


class Scheduled(NamedTuple):
    done: Done
    folder: Path
    executed: Path
    summary: dict[str, Any]


@pytest.fixture(scope="module")
def scheduled(pipeline: Tool, tmp_path_factory: pytest.TempPathFactory) -> Scheduled:
    folder = tmp_path_factory.mktemp("scheduled")
    executed = folder / "executed.ipynb"
    more = given(**EXAMPLE, workspace="w", summary="summary.json")
    done = pipeline(executed, *more, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return Scheduled(done, folder, executed, json.loads((folder / "summary.json").read_text()))


@pytest.fixture(scope="module")
def by_command(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("command")
    files = (EXAMPLE["request"], "--corpus", EXAMPLE["corpus"], "--economics", EXAMPLE["economics"])
    done = in_this_process("run", *files, "--workspace", "w", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_fingerprint_and_artifacts_are_those_of_the_command_line(
    scheduled: Scheduled, by_command: dict[str, Any]
) -> None:
    same = ("status", "fingerprint", "snapshot_id", "recommendation", "claims", "quotes", "publishers")
    assert {name: scheduled.summary[name] for name in same} == {name: by_command[name] for name in same}
    assert set(scheduled.summary["artifacts"]) == set(by_command["artifacts"])
    for name in ("board-brief.md", "evidence.csv"):
        ours, theirs = (Path(found["artifacts"][name]) for found in (scheduled.summary, by_command))
        assert len(ours.read_bytes()) == len(theirs.read_bytes()) > 1000


def test_progress_reaches_the_log_of_the_scheduler(scheduled: Scheduled) -> None:
    logged = nbformat.read(scheduled.executed, as_version=4)
    text = "".join(o.text for c in logged.cells for o in c.get("outputs", ()) if o.output_type == "stream")
    assert re.search(r"\[ +\d+\.\d s\] attempt 1 of at most 3", text)


def test_the_summary_stands_in_file_run_folder_ledger_and_notebook(scheduled: Scheduled) -> None:
    summary = scheduled.summary
    in_folder = Path(summary["workspace"]) / "runs" / summary["run_id"] / "summary.json"
    assert json.loads(in_folder.read_text()) == summary
    notebook = nbformat.read(scheduled.executed, as_version=4)
    scraps = [
        o.data[SCRAP] for c in notebook.cells for o in c.get("outputs", ()) if SCRAP in o.get("data", {})
    ]
    assert [scrap["data"] for scrap in scraps] == [summary]
    assert scraps[0]["name"] == "summary"
    assert summary["ok"] is True
    shown = json.loads(
        in_this_process("show", summary["run_id"], "--workspace", "w", "--json", cwd=scheduled.folder).stdout
    )
    assert shown["fingerprint"] == summary["fingerprint"]


class _References(HTMLParser):
    """Collects what a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: set[str] = set()
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found.get("content") or ""
        names = (
            "src",
            "srcset",
            "href",
            "data",
            "action",
            "poster",
            "background",
            "formaction",
            "xlink:href",
        )
        self.loaded += [str(found[name]) for name in names if found.get(name)]


def test_the_report_loads_nothing_and_is_an_artifact_of_the_run(scheduled: Scheduled) -> None:
    done = in_this_process("notebook", "--report", "executed.ipynb", "--json", cwd=scheduled.folder)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    page = Path(answer["report"]).read_text()
    seen = _References()
    seen.feed(page)
    assert all(re.match(r"data:|#", link) for link in seen.loaded), seen.loaded
    assert not seen.tags & {"script", "link", "iframe", "object", "embed", "base", "form"}
    assert seen.policy.startswith("default-src 'none'")
    assert not re.search(r"@import|url\(\s*[\"']?(?!data:|#)", page)
    assert "Options compared" in page
    assert 'alt="Heatmap of the five forces' in page
    assert "No description has been provided" not in page
    assert page.count("data:image/png;base64,") >= 3
    assert "searching for" not in page
    kept = Path(scheduled.summary["workspace"]) / "runs" / scheduled.summary["run_id"] / "report.html"
    assert kept.read_text() == page
    assert kept.stat().st_mode & 0o777 == 0o600
    verified = in_this_process("verify", "--workspace", "w", "--json", cwd=scheduled.folder)
    assert json.loads(verified.stdout)["ok"] is True


def test_a_run_without_enough_evidence_ends_the_job_with_its_reason(pipeline: Tool, tmp_path: Path) -> None:
    files = {"request": EXAMPLE["request"], "corpus": FIXTURES / "corpora" / "bank_kyc_thin"}
    out = tmp_path / "out.ipynb"
    done = pipeline(out, *given(**files, workspace="w", summary="summary.json"), cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(
        r"RunNotAchieved: run run-\S+ is insufficient_evidence: forces_without_evidence", done.stderr
    )
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert (summary["ok"], summary["status"]) == (False, "insufficient_evidence")
    assert summary["missing_forces"]
    assert "insufficient-evidence.md" in summary["artifacts"]


def test_a_run_that_waits_for_people_ends_the_command_with_exit_1_and_keeps_its_report(
    tool: Tool, tmp_path: Path
) -> None:
    names = {"workspace": "w", "request": EXAMPLE["request"], "corpus": FIXTURES / "corpora" / "bank_kyc_gap"}
    parameters = [part for name, value in names.items() for part in ("-p", f"{name}={value}")]
    more = (*parameters, "-p", "target=publishable", "--out", "out", "--json")
    done = tool("porterlib", "notebook", "decision_pipeline", "--run", *more, cwd=tmp_path)
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["code"] == "RUN_NOT_ACHIEVED"
    assert "human_required" in answer["message"]
    assert answer["summary"]["status"] == "human_required"
    assert "human_required" in (tmp_path / "out" / "report.html").read_text()
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["ok"] is False


def test_bad_parameters_end_the_job_by_name_before_anything_is_opened(pipeline: Tool, tmp_path: Path) -> None:
    more = [*given(nosuch=1, max_attempts="many", workspace="w"), "-y", "target: null"]
    done = pipeline(tmp_path / "out.ipynb", *more, cwd=tmp_path)
    assert done.returncode == 1
    for said in (
        "InputError",
        "nosuch: is no parameter",
        "max_attempts: 'many' is of type str",
        "target: is missing",
    ):
        assert said in done.stderr
    assert not (tmp_path / "w").exists()


def test_the_command_refuses_unknown_and_secret_parameters_without_keeping_their_values(
    tmp_path: Path,
) -> None:
    more = ("-p", "nosuch=1", "-p", "api_key=hunter2", "--out", "out", "--json")
    done = in_this_process("notebook", "decision_pipeline", "--run", *more, cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, "INPUT_INVALID")
    assert {entry["path"] for entry in answer["fields"]} == {"nosuch", "api_key"}
    assert "hunter2" not in done.stdout + done.stderr
    assert not (tmp_path / "out").exists()


def test_a_model_server_that_is_not_there_ends_the_job_with_what_to_do(
    pipeline: Tool, tmp_path: Path
) -> None:
    more = given(**EXAMPLE, workspace="w", analyst="local", model_url="http://127.0.0.1:9/v1")
    done = pipeline(tmp_path / "out.ipynb", *more, cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"ModelServerError: .*start the server, or correct the URL", done.stderr)


def test_a_model_server_answers_in_the_place_of_rules(pipeline: Tool, tmp_path: Path) -> None:
    files = {"request": EXAMPLE["request"], "corpus": FIXTURES / "corpora" / "bank_kyc_gap"}
    with scripted(enforcing) as server:
        more = given(**files, workspace="w", analyst="local", model_url=server.url, summary="summary.json")
        done = pipeline(tmp_path / "out.ipynb", *more, cwd=tmp_path)
        asked = len(server.requests)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert asked > 20
    assert summary["analyst"].startswith("local ")
    assert summary["analyst"].endswith(MODEL)
    assert done.returncode == (0 if summary["ok"] else 1)


def test_a_kernel_that_is_not_installed_ends_the_job_by_name(pipeline: Tool, tmp_path: Path) -> None:
    done = pipeline(tmp_path / "out.ipynb", "-k", "no-such-kernel", cwd=tmp_path)
    assert done.returncode != 0
    assert "no-such-kernel" in done.stderr


KILL = "import os, porterlib.verbs.running as r\nr.supervise = lambda *_, **__: os.kill(os.getpid(), 9)"


def test_a_kernel_that_dies_ends_the_job_and_resume_reaches_the_same_text(
    pipeline: Tool, tmp_path: Path, by_command: dict[str, Any]
) -> None:
    notebook = nbformat.read(NOTEBOOKS / "decision_pipeline.ipynb", as_version=4)
    place = next(i for i, cell in enumerate(notebook.cells) if "run_pipeline(" in cell.source)
    notebook.cells.insert(place, nbformat.v4.new_code_cell(KILL))
    nbformat.write(notebook, tmp_path / "dying.ipynb")
    out = tmp_path / "out.ipynb"
    done = pipeline(out, *given(**EXAMPLE, workspace="w"), cwd=tmp_path, notebook=tmp_path / "dying.ipynb")
    assert done.returncode != 0
    assert "DeadKernelError" in done.stderr
    assert out.exists()
    runs = json.loads(in_this_process("runs", "--workspace", "w", "--json", cwd=tmp_path).stdout)
    assert len(runs) == 1
    resumed = in_this_process("resume", runs[0]["run_id"], "--workspace", "w", "--json", cwd=tmp_path)
    assert json.loads(resumed.stdout)["fingerprint"] == by_command["fingerprint"]


def test_notebooks_are_listed_copied_and_never_overwritten(tmp_path: Path) -> None:
    listed = json.loads(in_this_process("notebook", "--json", cwd=tmp_path).stdout)["notebooks"]
    assert set(listed) == {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    copied = in_this_process("notebook", "run-library", "--out", "mine", "--json", cwd=tmp_path)
    target = tmp_path / "mine" / "run_library.ipynb"
    assert json.loads(copied.stdout) == {"notebook": "mine/run_library.ipynb"}
    assert target.read_bytes() == (NOTEBOOKS / "run_library.ipynb").read_bytes()
    target.write_text("edited")
    again = in_this_process("notebook", "run_library", "--out", "mine", cwd=tmp_path)
    assert (again.returncode, target.read_text()) == (2, "edited")
    assert "is not overwritten" in again.stderr
    unknown = in_this_process("notebook", "no_such", cwd=tmp_path)
    assert unknown.returncode == 2
    assert "decision_pipeline" in unknown.stderr
