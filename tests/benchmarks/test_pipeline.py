"""Import, demo and the whole real corpus: processor time and memory of a child, after one warm-up."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUEST = ROOT / "fixtures" / "requests" / "bank_kyc.yaml"
MEGABYTE = 1024


class Cost(NamedTuple):
    """What a child took."""

    seconds: float
    megabytes: float
    output: str


def child(*args: str, folder: Path) -> Cost:
    """Run Python with `args` and return its processor time, the largest memory of any child so far, and stdout."""
    # A user's machine keeps compiled modules; some machines that run tests are told not to.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(folder / "pycache")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, cwd=folder, env=env, timeout=240, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(seconds, after.ru_maxrss / MEGABYTE, done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pipeline")


def test_importing_the_library_costs_a_tenth_of_importing_deepagents(folder: Path) -> None:
    def best(code: str) -> float:
        return min(child("-c", code, folder=folder).seconds for _ in range(4))

    best("import deepagents")
    bare, ours, rival = best("pass"), best("import porterlib"), best("import deepagents")
    print(f"import porterlib {1000 * (ours - bare):.0f} ms, import deepagents {1000 * (rival - bare):.0f} ms")
    assert ours - bare <= 0.15
    assert (ours - bare) / (rival - bare) < 0.1


def test_the_demo_stays_within_seconds_and_memory(folder: Path) -> None:
    child("-m", "porterlib", "demo", "--workspace", "warm", "--json", folder=folder)
    cost = child("-m", "porterlib", "demo", "--workspace", "demo", "--json", folder=folder)
    print(f"demo {cost.seconds:.1f} s of the processor, {cost.megabytes:.0f} MB")
    assert json.loads(cost.output)["status"] == "achieved_draft"
    assert cost.seconds <= 2 * 5  # five seconds on two cores
    assert cost.megabytes <= 600


def test_the_real_corpus_stays_within_seconds_and_memory(folder: Path, shared_dir: Path) -> None:
    corpus = str(shared_dir / "corpus" / "bank")
    args = ("-m", "porterlib", "run", str(REQUEST), "--corpus", corpus, "--json", "--workspace")
    cost = child(*args, "real", folder=folder)
    print(f"real corpus {cost.seconds:.1f} s of the processor, {cost.megabytes:.0f} MB")
    assert json.loads(cost.output)["status"] == "achieved_draft"
    assert cost.seconds <= 2 * 10  # ten seconds on two cores
    assert cost.megabytes <= 600
