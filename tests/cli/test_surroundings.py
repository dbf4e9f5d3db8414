"""Files, folders, disks and pipes that do not play along: each has its own error, exit code and no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porterlib.cli.main import main
from porterlib.ledger import connection

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
REQUEST = FIXTURES / "requests" / "bank_kyc.yaml"
CORPUS = FIXTURES / "corpora" / "bank_kyc"
ECONOMICS = FIXTURES / "economics" / "kyc_mixed.yaml"
ROOT_USER = os.geteuid() == 0


def call(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, dict[str, Any]]:
    """Run a command with `--json`; stdout must hold exactly one object, stderr no traceback."""
    code = main([*map(str, args), "--json"])
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    answer = json.loads(printed.out)
    assert isinstance(answer, dict)
    if code:
        assert answer["ok"] is False
        assert answer["error"]["message"] == answer["message"]
        assert answer["message"] in printed.err
    return code, answer


def run(capsys: pytest.CaptureFixture[str], workspace: Path, **changed: Path) -> tuple[int, dict[str, Any]]:
    given = {"request": REQUEST, "corpus": CORPUS, "economics": ECONOMICS, **changed}
    return call(
        capsys, "run", given["request"], "--corpus", given["corpus"], "--economics", given["economics"],
        "--workspace", workspace,
    )  # fmt: skip


def bomb(path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    path.write_text("\n".join(rows))


REQUESTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "absent": (lambda _: None, "no file"),
    "folder": (lambda path: path.mkdir(), "no file"),
    "binary": (lambda path: path.write_bytes(bytes(range(256)) * 8), "UTF-8"),
    "empty": (lambda path: path.write_text(""), "holds no fields"),
    "50 MB": (lambda path: path.write_bytes(b"question: " + b"x" * 50_000_000), "larger than"),
    "alias bomb": (bomb, "anchors and aliases"),
    "nesting bomb": (lambda path: path.write_text("a: " + "[" * 200_000), "nest"),
    "brace bomb": (lambda path: path.write_text("{a: " * 100_000), "nest"),
    "object tag": (lambda path: path.write_text("a: !!python/object/apply:os.system [id]"), "tags"),
    "endless string": (lambda path: path.write_text('question: "never closed\n' * 50), "not valid YAML"),
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_request_that_is_no_request(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    make, says = REQUESTS[kind]
    request = tmp_path / "request.yaml"
    make(request)
    code, answer = run(capsys, tmp_path / "w", request=request)
    assert (code, answer["code"]) == (2, "REQUEST_INVALID")
    assert says in answer["message"]
    assert len(answer["message"]) < 400


@pytest.mark.parametrize("kind", ["absent", "folder", "binary", "alias bomb", "nesting bomb"])
def test_finance_inputs_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    economics = tmp_path / "inputs.yaml"
    REQUESTS[kind][0](economics)
    code, answer = run(capsys, tmp_path / "w", economics=economics)
    assert (code, answer["code"]) == (2, "ECONOMICS_INVALID")


@pytest.mark.parametrize("kind", ["absent", "file", "empty folder"])
def test_a_corpus_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    corpus = tmp_path / "corpus"
    if kind == "file":
        corpus.write_text("not a folder")
    elif kind == "empty folder":
        corpus.mkdir()
    code, answer = run(capsys, tmp_path / "w", corpus=corpus)
    assert (code, answer["code"]) == (2, "CORPUS_INVALID")


def test_a_bad_input_leaves_no_run_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, tmp_path / "w", economics=tmp_path / "absent.yaml")
    assert main(["runs", "--workspace", str(tmp_path / "w"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_workspace_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "w"
    place.write_text("mine")
    code, answer = run(capsys, place)
    assert (code, answer["code"]) == (2, "WORKSPACE_INVALID")
    assert place.read_text() == "mine"
    code, answer = call(capsys, "verify", "--workspace", place)
    assert (code, answer["code"]) == (2, "WORKSPACE_INVALID")


@pytest.mark.parametrize("place", ["/proc/porterlib", "/dev/null/porterlib", "/sys/porterlib"])
def test_a_workspace_where_nothing_can_be_written(capsys: pytest.CaptureFixture[str], place: str) -> None:
    code, answer = run(capsys, Path(place))
    assert (code, answer["code"]) == (2, "WORKSPACE_INVALID")


def test_a_read_only_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parent = tmp_path / "locked"
    parent.mkdir(mode=0o500)
    code, answer = run(capsys, parent / "w")
    if not ROOT_USER:  # nothing is closed to root
        assert (code, answer["code"]) == (2, "WORKSPACE_INVALID")
    parent.chmod(0o700)


def test_a_full_disk_is_said_and_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, connect = tmp_path / "w", connection.connect_writer

    def small(file: Path) -> Any:
        opened = connect(file)
        opened.execute("PRAGMA max_page_count = 120")
        return opened

    with monkeypatch.context() as patch:
        patch.setattr(connection, "connect_writer", small)
        code, answer = run(capsys, place)
    assert (code, answer["code"]) == (1, "LEDGER_ERROR")
    assert "full" in answer["message"]
    assert call(capsys, "verify", "--workspace", place)[0] == 0
    main(["runs", "--workspace", str(place), "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    code, answer = call(capsys, "resume", row["run_id"], "--workspace", place)
    assert (code, answer["status"]) == (0, "achieved_draft")


def test_a_disk_that_fills_while_an_artifact_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device", "board-brief.md")

    place = tmp_path / "w"
    with monkeypatch.context() as patch:
        patch.setattr("porterlib.publication.artifacts.os.fsync", full)
        code, answer = run(capsys, place)
    assert (code, answer["code"]) == (1, "SYSTEM_REFUSED")
    assert "No space left" in answer["message"]
    main(["runs", "--workspace", str(place), "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    code, answer = call(capsys, "resume", row["run_id"], "--workspace", place)
    assert (code, answer["status"]) == (0, "achieved_draft")
    assert all(Path(path).is_file() for path in answer["artifacts"].values())


@pytest.mark.parametrize(
    "args",
    [
        ["run"],
        ["run", "x.yaml"],
        ["nonsense"],
        ["resume", "--workspace"],
        ["run", "x", "--max-attempts", "many"],
    ],
)
def test_wrong_usage_names_the_usage_in_one_object(
    capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    code = main([*args, "--json"])
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    assert (code, answer["code"], answer["ok"]) == (2, "USAGE", False)
    assert "usage: porterlib" in printed.err


def test_without_json_stdout_stays_empty_on_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "absent.yaml", "--corpus", str(CORPUS), "--workspace", "/proc/none"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith("porterlib: WORKSPACE_INVALID: ")


@pytest.mark.parametrize("args", [["schema", "Outcome", "--json"], ["schema", "Outcome"]])
def test_a_reader_that_goes_away_gets_no_traceback(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "porterlib", *args],
            stdout=gone, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False, timeout=60,
        )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 1


def test_progress_nobody_reads_does_not_stop_the_work(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "porterlib", "demo", "--workspace", str(tmp_path / "w"), "--json"],
            stdout=subprocess.PIPE, stderr=gone, text=True, cwd=ROOT, check=False, timeout=240,
        )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "achieved_draft"
