"""A folder without manifest runs: class and publisher by rule where files lie by host, one unknown source where not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from porterlib.contracts.publication import Outcome
from porterlib.verbs.running import run
from porterlib.workspace import open_workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def by_host(corpus: Path, folder: Path) -> Path:
    """Keep each document in folders named after host and path of its address, as programs that copy sites do."""
    for entry in json.loads((corpus / "manifest.json").read_text(encoding="utf-8")):
        parts = urlsplit(entry["url"])
        place = folder / str(parts.hostname) / parts.path.strip("/")
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(corpus / entry["file"], place)
    return folder


def flat(corpus: Path, folder: Path) -> Path:
    shutil.copytree(corpus / "docs", folder)
    return folder


def run_on(make: Callable[[Path, Path], Path], corpus: Path, tmp_path: Path) -> Outcome:
    return run(
        FIXTURES / "requests" / "bank_kyc.yaml",
        corpus=make(corpus, tmp_path / "kept"),
        economics=FIXTURES / "economics" / "kyc_mixed.yaml",
        workspace=open_workspace(tmp_path / "w"),
    )


def test_files_kept_by_host_are_classed_by_the_source_policy_and_reach_a_draft(
    shared_dir: Path, tmp_path: Path
) -> None:
    outcome = run_on(by_host, shared_dir / "corpus" / "bank", tmp_path)
    assert outcome.status == "achieved_draft"
    items = outcome.snapshot.evidence
    assert all(item.url.startswith("corpus:") and item.class_basis == "policy" for item in items)
    regulators = {item.publisher for item in items if item.source_class == "regulator"}
    assert {"US Department of the Treasury", "National Institute of Standards and Technology"} <= regulators
    assert len({item.publisher_key for item in items}) >= 4
    assert outcome.candidate is not None
    assert all(force.score is not None for force in outcome.candidate.forces)


def test_files_of_unnamed_publishers_are_one_unknown_source_and_the_report_says_what_to_do(
    tmp_path: Path,
) -> None:
    outcome = run_on(flat, FIXTURES / "corpora" / "bank_kyc", tmp_path)
    assert outcome.status == "blocked"
    assert {(item.publisher, item.source_class) for item in outcome.snapshot.evidence} == {
        ("local document", "vendor")
    }
    assert outcome.candidate is not None
    assert outcome.candidate.recommendation.kind == "missing_evidence"
    report = Path(outcome.artifacts["blocked-report.md"]).read_text(encoding="utf-8")
    assert "name no publisher and count together as one unknown vendor" in report
    assert "list them in manifest.json with url, publisher and source_class" in report.replace("\\_", "_")
