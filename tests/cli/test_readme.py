"""What README says works as written: the Python of the five verbs, and every command of its table."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import in_this_process

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(
    r"`(?:porterlib )?([a-z-]+(?: [^`]*)?)`", "\n".join(re.findall(r"^\| (.*?) \|", README, re.MULTILINE))
)


def test_the_five_verbs_run_as_printed(tmp_path: Path) -> None:
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert block is not None
    script = block.group(1).replace('"fixtures/', f'"{ROOT}/fixtures/')
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "achieved_draft Commit to" in done.stdout
    assert (tmp_path / "my-decision" / "ledger.db").stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def place(
    demo: tuple[Path, dict[str, Any], str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """Return a folder with a workspace `w` of one finished run, and what the table's placeholders stand for."""
    folder, (workspace, result, _) = tmp_path_factory.mktemp("readme"), demo
    shutil.copytree(workspace, folder / "w")
    return folder, {"RUN": result["run_id"], "SHA": result["fingerprint"]}


def test_the_table_names_commands() -> None:
    assert len(COMMANDS) >= 12


@pytest.mark.parametrize(
    "line", [c for c in COMMANDS if not c.startswith(("demo", "doctor", "model-server"))]
)
def test_each_command_of_the_table_runs(line: str, place: tuple[Path, dict[str, str]]) -> None:
    folder, known = place
    fixtures = ROOT / "fixtures"
    values = {
        "REQUEST.yaml": str(fixtures / "requests" / "bank_kyc.yaml"),
        "--corpus DIR": f"--corpus {fixtures / 'corpora' / 'bank_kyc'}",
        "FILE.yaml": str(fixtures / "economics" / "kyc_mixed.yaml"),
        "--workspace DIR": "--workspace w",
        "--request FILE": f"--request {fixtures / 'requests' / 'bank_kyc.yaml'}",
        "--to FILE": "--to bundle.zip",
        "--bundle FILE": "--bundle bundle.zip",
        "--role ROLE": "--role finance",
        "--reviewer NAME": "--reviewer Tester",
        "--out DIR": "--out copies",
        "SHA": known["SHA"],
        "RUN": known["RUN"],
        "QUERY": "'generative AI KYC banks'",
        "URL": "https://example.org/",
        "NAME": "decision_pipeline" if line.startswith("notebook") else "DecisionRequest",
        "HOST=IP": "example.org=93.184.215.14",
    }
    text = line.replace("[", "").replace("]", "")
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    args = shlex.split(text)
    if args[0] in ("runs", "show", "approve", "export") and "--workspace" not in args:
        args += ["--workspace", "w"]
    if args[0] == "verify" and "--bundle" in args:
        in_this_process("export", known["RUN"], "--to", "bundle.zip", "--workspace", "w", cwd=folder)
    done = in_this_process(*args, cwd=folder)
    expected = {"resume": 1, "approve": 1}.get(
        args[0], 0
    )  # the run has ended; three approvals are still missing
    if args[0] == "approve":
        assert done.returncode in (0, 1), done.stderr
    else:
        assert done.returncode == expected, done.stderr
    assert "Traceback" not in done.stderr
