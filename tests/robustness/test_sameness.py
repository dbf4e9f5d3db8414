"""Same request, documents and inputs give the same fingerprint, wherever, whenever and however they are run."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from porterlib.analysis import graph
from porterlib.contracts.publication import Outcome
from porterlib.ledger import verify
from tests.robustness.golden import CORPUS, ECONOMICS, REQUEST, ROOT, place_at, run_golden

START = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); from porterlib.cli.main import main; sys.exit(main())"
)
"""Program that runs the command of this checkout, wherever it is started."""


def run_elsewhere(
    start: str,
    workspace: Path,
    *,
    corpus: Path = CORPUS,
    flags: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run the golden request in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", start, "run", str(REQUEST), "--corpus", str(corpus), "--economics",
         str(ECONOMICS), "--workspace", str(workspace), "--json"],
        capture_output=True, check=False, cwd=workspace.parent, env=env, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def same(outcome: Outcome, other: Outcome) -> None:
    assert outcome.snapshot.snapshot_id == other.snapshot.snapshot_id
    assert outcome.fingerprint == other.fingerprint
    assert outcome.run_id != other.run_id


def test_on_another_day(tmp_path: Path, undisturbed: Outcome) -> None:
    day = datetime(2031, 2, 28, 23, 59, 58, tzinfo=UTC)
    same(run_golden(place_at(tmp_path / "w", day)), undisturbed)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/St_Johns"])
def test_in_another_time_zone(
    tmp_path: Path, undisturbed: Outcome, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        outcome = run_golden(place_at(tmp_path / "w"))
    time.tzset()
    same(outcome, undisturbed)


def test_from_another_folder_by_relative_paths_in_a_workspace_with_an_odd_name(
    tmp_path: Path, undisturbed: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CORPUS.parent)
    place = place_at(Path(os.path.relpath(tmp_path)) / "Ordner äöü 决策 #1 %20")
    same(run_golden(place, corpus=CORPUS.name), undisturbed)
    assert verify(place.path).ok


@pytest.mark.parametrize("arrange", [list.reverse, random.Random(7).shuffle], ids=["reversed", "shuffled"])
def test_with_the_manifest_in_another_order(
    tmp_path: Path, undisturbed: Outcome, arrange: Callable[[list[Any]], None]
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CORPUS, corpus)
    manifest = corpus / "manifest.json"
    rows = json.loads(manifest.read_text())
    arrange(rows)
    manifest.write_text(json.dumps(rows))
    same(run_golden(place_at(tmp_path / "w"), corpus=corpus), undisturbed)


@pytest.mark.parametrize("seed", [1, 2])
def test_whichever_force_is_assessed_first(
    tmp_path: Path, undisturbed: Outcome, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, assess, began = random.Random(seed), graph.assess_force, []

    def delayed(part: Any, *args: Any) -> Any:
        time.sleep(chance.uniform(0, 0.08))
        began.append(part.force)
        return assess(part, *args)

    monkeypatch.setattr(graph, "assess_force", delayed)
    same(run_golden(place_at(tmp_path / "w")), undisturbed)
    assert len(began) == 5


@pytest.mark.parametrize(
    ("flags", "surroundings"),
    [
        ([], {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu"}),
        ([], {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"}),
        (["-I", "-X", "dev", "-W", "ignore"], {}),
    ],
    ids=["hash seed and zone", "hash seed and language", "isolated"],
)
def test_in_another_process(
    tmp_path: Path, undisturbed: Outcome, flags: list[str], surroundings: dict[str, str]
) -> None:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))
    }
    result = run_elsewhere(START, tmp_path / "w", flags=flags, env={**kept, **surroundings})
    assert result["fingerprint"] == undisturbed.fingerprint
    assert result["snapshot_id"] == undisturbed.snapshot.snapshot_id


ADDING = """
import builtins, math
plain = builtins.sum
def adding(values, /, start=0):
    values = list(values)
    if not (type(start) in (int, float) and any(type(value) is float for value in values)):
        return plain(values, start)
    if {exactly}:
        return math.fsum([start, *values])
    for value in values:
        start += value
    return start
builtins.sum = adding
assert sum([0.1] * 10) == (1.0 if {exactly} else 0.9999999999999999)
"""


def test_whichever_way_python_adds_floats(tmp_path: Path, shared_dir: Path) -> None:
    """From 3.12 on `sum` makes up for rounding; before it added from left to right."""
    corpus, fingerprints = shared_dir / "corpus" / "bank", []
    for exactly in (False, True):
        start = ADDING.format(exactly=exactly) + START
        fingerprints.append(run_elsewhere(start, tmp_path / str(exactly), corpus=corpus)["fingerprint"])
    assert fingerprints[0] == fingerprints[1]


def test_other_economics_or_another_question_is_another_fingerprint(
    tmp_path: Path, undisturbed: Outcome
) -> None:
    outcome = run_golden(place_at(tmp_path / "w"), economics=None)
    assert outcome.fingerprint != undisturbed.fingerprint
    assert outcome.snapshot.snapshot_id == undisturbed.snapshot.snapshot_id
