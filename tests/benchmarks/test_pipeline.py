"""Import, demo and the whole real corpus, each against importing deepagents in the same run; and memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUEST = ROOT / "fixtures" / "requests" / "bank_kyc.yaml"
MEGABYTE = 1024


DEMO_RATIO, REAL_RATIO = 3.0, 5.5
"""Processor time that a whole run may take, in imports of deepagents: measured 2.4 to 2.6 and 4.5 to 4.8."""


class Cost(NamedTuple):
    """What a child took."""

    seconds: float
    elapsed: float
    megabytes: float
    output: str


def child(*args: str, folder: Path) -> Cost:
    """Run Python with `args` and return its processor time, the largest memory of any child so far, and stdout."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, cwd=folder, timeout=240, check=False
    )
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
    assert done.returncode == 0, done.stderr
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(seconds, elapsed, after.ru_maxrss / MEGABYTE, done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pipeline")


def best(folder: Path, *args: str) -> float:
    return min(child(*args, folder=folder).seconds for _ in range(4))


@pytest.fixture(scope="module")
def rival(folder: Path, compiled: None) -> float:
    """Return the processor time of importing deepagents."""
    return best(folder, "-c", "import deepagents")


def test_importing_the_library_costs_a_tenth_of_importing_deepagents(folder: Path, rival: float) -> None:
    bare, ours = best(folder, "-c", "pass"), best(folder, "-c", "import porterlib")
    print(f"import porterlib {1000 * (ours - bare):.0f} ms, import deepagents {1000 * (rival - bare):.0f} ms")
    assert ours - bare <= 0.15
    assert (ours - bare) / (rival - bare) < 0.1


def test_the_demo_costs_little_more_than_its_imports(folder: Path, rival: float) -> None:
    cost = min(
        child("-m", "porterlib", "demo", "--workspace", f"demo{turn}", "--json", folder=folder)
        for turn in range(2)
    )
    told(cost, "demo", rival)
    assert cost.seconds <= DEMO_RATIO * rival
    assert cost.megabytes <= 600


def test_the_real_corpus_costs_twice_the_demo(folder: Path, rival: float, shared_dir: Path) -> None:
    corpus = str(shared_dir / "corpus" / "bank")
    args = ("-m", "porterlib", "run", str(REQUEST), "--corpus", corpus, "--json", "--workspace")
    cost = child(*args, "real", folder=folder)
    told(cost, "real corpus", rival)
    assert cost.seconds <= REAL_RATIO * rival
    assert cost.megabytes <= 600


def told(cost: Cost, name: str, rival: float) -> None:
    print(
        f"{name}: {cost.elapsed:.1f} s, {cost.seconds:.1f} s of the processor, {cost.seconds / rival:.2f} "
        f"imports of deepagents ({rival:.2f} s), {cost.megabytes:.0f} MB"
    )
    assert json.loads(cost.output)["status"] == "achieved_draft"
