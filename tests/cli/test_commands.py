"""The commands as a user types them: one JSON object on stdout, progress on stderr, stable exit codes.

The demo has a process of its own; the other commands are called in this one, where imports cost nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import in_this_process

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
REQUEST = FIXTURES / "requests" / "bank_kyc.yaml"
CORPUS = FIXTURES / "corpora" / "bank_kyc"
ECONOMICS = FIXTURES / "economics" / "kyc_mixed.yaml"


def test_demo_prints_one_object_with_every_promised_key(demo: tuple[Path, dict[str, Any], str]) -> None:
    _, result, progress = demo
    promised = {
        "run_id", "status", "recommendation", "fingerprint", "snapshot_id", "attempts", "evidence", "claims",
        "quotes", "publishers", "artifacts", "elapsed_s",
    }  # fmt: skip
    assert promised <= set(result)
    assert result["status"] == "achieved_draft"
    assert result["recommendation"] == "reversible_step"
    assert result["publishers"] >= 4
    assert len(result["fingerprint"]) == len(result["snapshot_id"]) == 64
    assert "starting" in progress.splitlines()[0]


def test_artifacts_exist_are_private_and_the_sidecar_resolves_every_quote(
    demo: tuple[Path, dict[str, Any], str],
) -> None:
    _, result, _ = demo
    paths = {name: Path(path) for name, path in result["artifacts"].items()}
    assert {"board-brief.md", "audit-sidecar.json", "evidence.csv"} <= set(paths)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in paths.values())
    sidecar = json.loads(paths["audit-sidecar.json"].read_text())
    passages = {item["id"]: item for item in sidecar["evidence"]}
    claims = {claim["id"] for claim in sidecar["claims"]}
    assert sidecar["fingerprint"] == result["fingerprint"]
    assert len(sidecar["links"]) == result["quotes"] > 0
    for link in sidecar["links"]:
        item = passages[link["evidence_id"]]
        assert item["passage"][link["start"] : link["end"]] == link["quote"]
        assert item["end"] - item["start"] == len(item["passage"])
        assert link["claim_id"] in claims
        assert {"retrieved", "verbatim", "agrees", "lexical"} <= set(link)


def test_runs_lists_oldest_first_while_show_and_verify_read(demo: tuple[Path, dict[str, Any], str]) -> None:
    workspace, result, _ = demo
    runs = json.loads(in_this_process("runs", "--workspace", workspace, "--json").stdout)
    assert [(run["run_id"], run["status"]) for run in runs] == [(result["run_id"], "achieved_draft")]
    shown = json.loads(in_this_process("show", result["run_id"], "--workspace", workspace, "--json").stdout)
    assert shown["fingerprint"] == result["fingerprint"]
    verified = in_this_process("verify", "--workspace", workspace, "--json")
    report = json.loads(verified.stdout)
    assert verified.returncode == 0
    assert report["ok"] is True
    assert report["first_bad"] is None
    assert set(report["heads"]) == {result["run_id"]}


def test_show_gives_times_of_the_ledger_and_no_duration_it_does_not_know(
    demo: tuple[Path, dict[str, Any], str],
) -> None:
    workspace, answer, _ = demo
    shown = json.loads(in_this_process("show", answer["run_id"], "--workspace", workspace, "--json").stdout)
    (row,) = json.loads(in_this_process("runs", "--workspace", workspace, "--json").stdout)
    assert "elapsed_s" not in shown
    assert (shown["created_at"], shown["changed_at"]) == (row["created_at"], row["changed_at"])


def test_the_same_inputs_give_the_same_fingerprint_in_another_workspace(
    demo: tuple[Path, dict[str, Any], str], tmp_path: Path
) -> None:
    _, first, _ = demo
    again = in_this_process(
        "run", REQUEST, "--corpus", CORPUS, "--economics", ECONOMICS, "--workspace", tmp_path / "w", "--json"
    )
    second = json.loads(again.stdout)
    assert second["fingerprint"] == first["fingerprint"]
    assert second["snapshot_id"] == first["snapshot_id"]
    assert second["run_id"] != first["run_id"]


def _request(tmp_path: Path, old: str, new: str) -> Path:
    text = REQUEST.read_text()
    assert old in text
    path = tmp_path / "request.yaml"
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        ("sector: bank", "sector: bakery", "PACK_INVALID", "bakery"),
        ("horizon_months:", "horizon_month:", "REQUEST_INVALID", "horizon_month"),
        ("horizon_months: ", "horizon_months: 9", "REQUEST_INVALID", "horizon_months"),
        ("market_boundary:", "business_line: x\n  geographies: [EU]\n  _m:", "REQUEST_INVALID", "request"),
    ],
)
def test_a_bad_request_names_the_field_and_exits_2(
    tmp_path: Path, old: str, new: str, code: str, says: str
) -> None:
    request = _request(tmp_path, old, new)
    done = in_this_process("run", request, "--corpus", CORPUS, "--workspace", tmp_path / "w", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, code)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_boundary_comes_back_as_questions(tmp_path: Path) -> None:
    request = FIXTURES / "requests" / "bank_kyc_unbounded.yaml"
    done = in_this_process("run", request, "--corpus", CORPUS, "--workspace", tmp_path / "w", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, "DECISION_SCOPE")
    assert answer["questions"]


def test_an_empty_corpus_a_foreign_folder_and_an_unknown_run_each_have_their_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = in_this_process("run", REQUEST, "--corpus", empty, "--workspace", tmp_path / "w", "--json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "CORPUS_INVALID")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    done = in_this_process("runs", "--workspace", foreign, "--json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "WORKSPACE_INVALID")
    assert (foreign / "notes.txt").read_text() == "mine"


def test_an_unknown_run_and_a_wrong_fingerprint_exit_2(demo: tuple[Path, dict[str, Any], str]) -> None:
    workspace, result, _ = demo
    done = in_this_process("show", "run-none", "--workspace", workspace, "--json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "RUN_UNKNOWN")
    done = in_this_process(
        "approve", result["run_id"], "--role", "finance", "--reviewer", "A", "--fingerprint", "0" * 64,
        "--workspace", workspace, "--json",
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "FINGERPRINT_MISMATCH")


def test_an_inverted_range_names_the_field(tmp_path: Path) -> None:
    text = ECONOMICS.read_text()
    path = tmp_path / "inputs.yaml"
    path.write_text(text.replace("low: 35", "low: 95", 1))
    assert path.read_text() != text
    done = in_this_process("calculate", path, "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, "ECONOMICS_INVALID")
    assert "gross_benefit" in answer["message"]


def test_schema_prints_json_schema_and_names_the_contracts() -> None:
    printed = in_this_process("schema", "DecisionRequest", "--json").stdout
    assert in_this_process("schema", "DecisionRequest").stdout == printed
    schema = json.loads(printed)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["question"]["description"]
    assert in_this_process("schema", "NoSuchThing").returncode == 2


def test_check_query_tells_a_public_query_from_one_with_an_identifier() -> None:
    good = in_this_process("check-query", "--request", REQUEST, "--json", "--", "generative AI KYC banks")
    assert (good.returncode, json.loads(good.stdout)) == (0, {"allowed": True, "rule": "ok"})
    bad = in_this_process("check-query", "--request", REQUEST, "--json", "--", "KYC DE89370400440532013000")
    verdict = json.loads(bad.stdout)
    assert (bad.returncode, verdict["allowed"]) == (1, False)
    assert "DE89" not in bad.stdout + bad.stderr
