"""Cost of a run against the size of its corpus: eight times the documents cost eight times the share they had."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUEST = ROOT / "fixtures" / "requests" / "bank_kyc.yaml"
CORPUS = ROOT / "fixtures" / "corpora" / "bank_kyc"
TOLERANCE = 1.4


def grown(folder: Path, copies: int) -> Path:
    """Write the golden corpus so many times, each copy in other words, so that none counts as a duplicate."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    rows = []
    for copy in range(copies):
        for row in json.loads((CORPUS / "manifest.json").read_text()):
            source, name = CORPUS / row["file"], f"{copy}-{Path(row['file']).name}"
            if not source.is_file():
                continue
            raw = source.read_bytes()
            (docs / name).write_bytes(raw.replace(b". ", f" in sample {copy}. ".encode()) if copy else raw)
            mark = "&" if "?" in row["url"] else "?"
            url = f"{row['url']}{mark}copy={copy}" if copy else row["url"]
            rows.append({**row, "file": f"docs/{name}", "url": url})
    (folder / "manifest.json").write_text(json.dumps(rows))
    return folder


def seconds(corpus: Path, workspace: Path) -> tuple[float, float]:
    """Return processor seconds and megabytes of one run in a process of its own."""
    command = [sys.executable, "-m", "porterlib", "run", str(REQUEST), "--corpus", str(corpus), "--workspace"]
    with subprocess.Popen(
        [*command, str(workspace), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    ) as child:
        assert child.stdout is not None
        answer = json.loads(child.stdout.read())
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert answer["status"] == "achieved_draft"
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


@pytest.mark.timeout(900)
def test_cost_grows_no_faster_than_the_corpus(tmp_path: Path, compiled: None) -> None:
    corpora = {copies: grown(tmp_path / f"x{copies}", copies) for copies in (1, 4, 8)}
    cost = {copies: seconds(corpus, tmp_path / f"w{copies}") for copies, corpus in corpora.items()}
    fixed, four, eight = (cost[copies][0] for copies in (1, 4, 8))
    expected = fixed + 7 * (four - fixed) / 3
    print(
        f"processor seconds at 1x, 4x, 8x: {fixed:.2f}, {four:.2f}, {eight:.2f}; linear would be {expected:.2f}"
    )
    print(f"megabytes at 8x: {cost[8][1]:.0f}")
    assert eight <= TOLERANCE * expected
    assert eight <= TOLERANCE * 8 * fixed
    assert cost[8][1] <= 600
