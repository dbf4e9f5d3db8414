"""A second writer is told who writes since when; readers go on; a crash of the first leaves the way free."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from porterlib.cli.main import main
from porterlib.errors import LeaseError
from tests.robustness.golden import ROOT, place_at, run_golden

_HOLD = """
import sys
from pathlib import Path
from porterlib.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]), "write")
run = ledger.runs()[0].run_id
ledger.append(run, "step", {"busy": True})
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    place = place_at(tmp_path_factory.mktemp("shared") / "w")
    return place.path, run_golden(place).run_id


@pytest.fixture
def writer(workspace: tuple[Path, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(workspace[0])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield child
        child.kill()


def call(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, dict[str, object], str]:
    code = main([*map(str, args), "--json"])
    printed = capsys.readouterr()
    return code, json.loads(printed.out), printed.err


def test_the_second_writer_is_refused_while_readers_go_on(
    workspace: tuple[Path, str],
    writer: subprocess.Popen[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, run_id = workspace
    monkeypatch.setenv("PORTERLIB_LEASE_WAIT_S", "0.2")
    code, answer, told = call(capsys, "demo", "--workspace", folder)
    assert (code, answer["code"]) == (1, LeaseError.code)
    holder = answer["holder"]
    assert isinstance(holder, dict)
    assert holder["pid"] == writer.pid
    assert f"process {writer.pid}" in told
    assert f"since {holder['since']}" in told
    for command in (["runs"], ["show", run_id], ["verify"]):
        code, answer, told = call(capsys, *command, "--workspace", folder)
        assert (code, told) == (0, "")


def test_after_a_crash_of_the_first_the_next_writer_goes_on(
    workspace: tuple[Path, str],
    writer: subprocess.Popen[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, run_id = workspace
    writer.kill()
    writer.wait()
    monkeypatch.setenv("PORTERLIB_LEASE_WAIT_S", "0.2")
    code, _, _ = call(capsys, "verify", "--workspace", folder)
    assert code == 0
    code, answer, _ = call(capsys, "resume", run_id, "--workspace", folder)
    assert (code, answer["code"]) == (1, "TRANSITION_REFUSED")  # the lease was free; the run is finished
