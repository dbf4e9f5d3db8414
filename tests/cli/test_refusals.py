"""What cannot be used is refused before a run or a folder is made, in lines a person can read."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from porterlib.contracts.loading import load_request
from porterlib.economics.loading import validate_inputs
from porterlib.errors import EconomicsError, InputError, RequestError
from porterlib.verbs.running import run
from porterlib.verbs.supervising import supervise
from porterlib.workspace import open_workspace
from tests.cli.calling import ROOT, in_this_process

REQUEST = ROOT / "fixtures" / "requests" / "bank_kyc.yaml"
CORPUS = ROOT / "fixtures" / "corpora" / "bank_kyc"


def request_with(tmp_path: Path, **changes: Any) -> Path:
    fields = yaml.safe_load(REQUEST.read_text(encoding="utf-8"))["request"]
    file = tmp_path / "request.yaml"
    file.write_text(yaml.safe_dump({"request": {**fields, **changes}}), encoding="utf-8")
    return file


@pytest.mark.parametrize("wrong", ["0", "11", "-3"])
def test_attempts_outside_one_to_ten_open_no_run(tmp_path: Path, wrong: str) -> None:
    place = tmp_path / "w"
    done = in_this_process(
        "run", REQUEST, "--corpus", CORPUS, f"--max-attempts={wrong}", "--workspace", place, "--json"
    )
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"], answer["field"]) == (2, "INPUT_INVALID", "max_attempts")
    assert "from 1 to 10" in answer["message"]
    assert json.loads(in_this_process("runs", "--workspace", place, "--json").stdout) == []


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": True}, "max_attempts"),
        ({"max_budget_units": 101}, "max_budget_units"),
        ({"stall_limit": 1}, "stall_limit"),
        ({"target": "final"}, "target"),
    ],
)
def test_each_limit_of_supervision_is_refused_by_name(limits: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as refused:
        supervise(None, None, **limits)  # type: ignore[arg-type]
    assert refused.value.data["field"] == field


def test_an_unknown_target_opens_no_run(tmp_path: Path) -> None:
    place = open_workspace(tmp_path / "w")
    with pytest.raises(InputError, match="write draft or publishable"):
        run(REQUEST, corpus=CORPUS, target="final", workspace=place)  # type: ignore[arg-type]
    assert place.runs() == ()


@pytest.mark.parametrize(
    "command",
    [
        ("resume", "run-1"),
        ("show", "run-1"),
        ("runs",),
        ("export", "run-1", "--to", "x.zip"),
        ("approve", "run-1", "--role", "risk", "--reviewer", "A", "--fingerprint", "0" * 64),
        ("verify",),
    ],
)
def test_a_mistyped_workspace_is_refused_and_not_made(tmp_path: Path, command: tuple[str, ...]) -> None:
    place = tmp_path / "my-decison"
    done = in_this_process(*command, "--workspace", place, cwd=tmp_path)
    assert done.returncode == 2
    assert "WORKSPACE_INVALID" in done.stderr
    assert list(tmp_path.iterdir()) == []


def looks_like_python(line: str) -> bool:
    found = re.search(r"[\[{].*[\]}]", line)
    try:
        return found is not None and isinstance(ast.literal_eval(found[0]), dict | list)
    except (ValueError, SyntaxError):
        return False


def test_wrong_fields_are_lines_of_path_problem_and_remedy(tmp_path: Path) -> None:
    file = request_with(tmp_path, horizon_months=999, colour="red")
    done = in_this_process("run", file, "--corpus", CORPUS, "--workspace", tmp_path / "w")
    lines = done.stderr.splitlines()
    assert not any(map(looks_like_python, lines))
    listed = [line for line in lines if line.startswith("  - ")]
    assert any(line.startswith("  - request.horizon_months: ") for line in listed)
    assert any(line.startswith("  - request.colour: is not a field; ") for line in listed)


@pytest.mark.parametrize("truth", [True, False])
def test_a_truth_value_is_no_number(tmp_path: Path, truth: bool) -> None:
    """YAML reads `yes` as true, which counts as 1 in Python: an answer would be altered without a word."""
    with pytest.raises(RequestError, match="horizon_months is not a whole number"):
        load_request(request_with(tmp_path, horizon_months=truth))
    inputs = yaml.safe_load((ROOT / "fixtures" / "economics" / "kyc_mixed.yaml").read_text(encoding="utf-8"))
    with pytest.raises(EconomicsError, match="horizon_years"):
        validate_inputs({**inputs, "horizon_years": truth})
    with pytest.raises(EconomicsError, match=r"cost_of_delay\.months"):
        validate_inputs({**inputs, "cost_of_delay": {**inputs["cost_of_delay"], "months": truth}})


def test_a_single_wrong_field_is_told_once(tmp_path: Path) -> None:
    file = request_with(tmp_path, horizon_months=999)
    done = in_this_process("run", file, "--corpus", CORPUS, "--workspace", tmp_path / "w")
    assert done.stderr.count("horizon_months") == 1


def test_wrong_finance_inputs_are_lines_too(tmp_path: Path) -> None:
    file = tmp_path / "economics.yaml"
    file.write_text("currency: 3\ncolour: red\n", encoding="utf-8")
    done = in_this_process("calculate", file)
    assert done.returncode == 2
    assert not any(map(looks_like_python, done.stderr.splitlines()))
    assert done.stderr.count("colour") == 1


BLANKS = ("", " ", "\u200b", "\u3164 ", "\u2060\u00a0", "…")


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize(
    ("changes", "path"),
    [
        (lambda blank: {"question": blank}, "request.question"),
        (lambda blank: {"geographies": ["EU", blank]}, "request.geographies[1]"),
        (lambda blank: {"restricted_terms": [blank]}, "request.restricted_terms[0]"),
        (lambda blank: {"success_measures": [blank]}, "request.success_measures[0]"),
        (
            lambda blank: {"internal_facts": [{"owner": "A", "confidentiality": "internal", "text": blank}]},
            "request.internal_facts[0].text",
        ),
        (
            lambda blank: {"internal_facts": [{"owner": blank, "confidentiality": "internal", "text": "A"}]},
            "request.internal_facts[0].owner",
        ),
        (lambda blank: {"options": [{"name": blank, "kind": "wait"}]}, "request.options[0].name"),
    ],
)
def test_a_blank_answer_is_refused_with_its_path(tmp_path: Path, blank: str, changes: Any, path: str) -> None:
    file = request_with(tmp_path, **changes(blank))
    done = in_this_process("run", file, "--corpus", CORPUS, "--workspace", tmp_path / "w", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, "REQUEST_INVALID")
    (field,) = [row for row in answer["fields"] if row["path"] == path]
    assert field["problem"] in ("is empty", "is blank")
    assert not (tmp_path / "w" / "runs").exists() or not list((tmp_path / "w" / "runs").iterdir())


@pytest.mark.parametrize("blank", ["\u200b", "\u3164", "…"])
@pytest.mark.parametrize("field", ["market_boundary", "product", "current_course", "organisation_name"])
def test_an_invisible_answer_to_a_free_field_is_refused(tmp_path: Path, field: str, blank: str) -> None:
    file = request_with(tmp_path, **{field: blank})
    done = in_this_process("run", file, "--corpus", CORPUS, "--workspace", tmp_path / "w", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (2, "REQUEST_INVALID")
    assert f"request.{field} is blank" in answer["message"]
