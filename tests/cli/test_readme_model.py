"""The commands of README's section on models work as written, on a server that answers like a capable model."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from porterlib.cli.main import main
from tests.analyst_local.scripted import scripted
from tests.doctor.test_diagnosis import enforcing

ROOT = Path(__file__).resolve().parents[2]
SECTION = (
    (ROOT / "README.md").read_text(encoding="utf-8").partition("## With a model")[2].partition("\n## ")[0]
)


def test_the_doctor_and_then_a_run_work_as_printed(tmp_path: Path) -> None:
    block = re.search(r"```sh\n(.*?)```", SECTION, re.DOTALL)
    assert block is not None
    lines = block.group(1).splitlines()
    assert [line.split()[1] for line in lines] == ["doctor", "run"]
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    with scripted(enforcing) as server:
        env = {**os.environ, "PORTERLIB_MODEL_URL": server.url, "XDG_CONFIG_HOME": str(tmp_path / "config")}
        said = []
        for line in lines:
            command = [sys.executable, "-m", *shlex.split(line)]
            done = subprocess.run(
                command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False
            )
            assert done.returncode == 0, done.stderr
            said.append(done.stdout)
    assert "usable: yes" in said[0]
    assert "achieved_draft" in said[1]
    assert list((tmp_path / "config" / "porterlib" / "model-profiles").glob("*.json"))
    assert (tmp_path / "kyc" / "ledger.db").exists()


@pytest.mark.parametrize("name", re.findall(r"PORTERLIB_(\w+)", SECTION))
def test_the_settings_that_are_named_exist(name: str) -> None:
    from porterlib.settings import Settings

    assert name.lower() in Settings.model_fields


def test_the_server_command_is_written_as_it_is_taken(tmp_path: Path) -> None:
    line = re.search(r"`porterlib (model-server [^`]+)`", SECTION)
    assert line is not None
    file = tmp_path / "FILE.gguf"
    file.write_bytes(b"no model")
    assert main(line.group(1).replace("FILE.gguf", str(file)).split()) == 2  # taken, and the file refused
