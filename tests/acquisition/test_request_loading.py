"""A request file that cannot be used says which field, what is wrong and how to write it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porterlib.contracts.loading import load_request, parse_request
from porterlib.errors import RequestError

GOOD = "request:\n  question: Adopt?\n  sector: bank\n"


def write(tmp_path: Path, text: str, name: str = "request.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_request_loads_below_its_key_or_bare_from_yaml_or_json(tmp_path: Path) -> None:
    bare = "question: Adopt?\nsector: bank\n"
    as_json = json.dumps({"request": {"question": "Adopt?", "sector": "bank"}})
    loaded = {
        load_request(write(tmp_path, GOOD)),
        load_request(write(tmp_path, bare, "bare.yml")),
        load_request(write(tmp_path, as_json, "request.json")),
    }
    assert len(loaded) == 1


@pytest.mark.parametrize(
    ("text", "path", "write_so"),
    [
        (GOOD + "  horizont_months: 12\n", "request.horizont_months", "did you mean horizon_months?"),
        (
            GOOD + "  options:\n  - {name: A, kind: targeted}\n  - {name: B, kind: big}\n",
            "request.options[1].kind",
            "'maintain', 'wait'",
        ),
        (
            GOOD + "  options:\n  - {name: A, kind: wait, weeks: 3}\n",
            "request.options[0].weeks",
            "wait_months",
        ),
        (GOOD + "  horizon_months: three years\n", "request.horizon_months", "digits only"),
        (GOOD + "  horizon_months: 121\n", "request.horizon_months", "120"),
        (GOOD + "  geographies: France\n", "request.geographies", "after a dash"),
        (GOOD + "  evidence_cutoff: soon\n", "request.evidence_cutoff", "yyyy-mm-dd"),
        (GOOD + "  analysis_mode: swot\n", "request.analysis_mode", "'strategic_initiative'"),
        (GOOD + "  restricted_terms: ['  ']\n", "request.restricted_terms[0]", "in words"),
        (
            GOOD + "  internal_facts: [{owner: CFO, text: x}]\n",
            "request.internal_facts[0].confidentiality",
            "add it",
        ),
        ("request:\n  sector: bank\n", "request.question", "add it"),
        ("request: Adopt?\n", "request", "indented"),
        (GOOD + "economics: x\n", "economics", "below request:"),
    ],
)
def test_a_wrong_field_is_named_with_its_path_and_the_remedy(
    tmp_path: Path, text: str, path: str, write_so: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load_request(write(tmp_path, text))
    field = caught.value.data["fields"][0]
    assert field["path"] == path
    assert write_so in field["write"]
    assert path in caught.value.message


def test_every_wrong_field_is_listed_at_once(tmp_path: Path) -> None:
    text = GOOD + "  horizon_months: 0\n  colour: red\n  analysis_mode: swot\n"
    with pytest.raises(RequestError, match=r"and 2 more") as caught:
        load_request(write(tmp_path, text))
    assert {field["path"] for field in caught.value.data["fields"]} == {
        "request.horizon_months",
        "request.colour",
        "request.analysis_mode",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("request:\n  question: a\n  question: b\n", r"request\.yaml:3: 'question' is given twice"),
        ("request: &a\n  question: x\n  sector: *a\n", r":1: anchors and aliases"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors and aliases"),
        ("request: !!python/object/apply:os.system ['true']\n", "tags are not read"),
        ("request: !include other.yaml\n", "tags are not read"),
        ("request:\n  question: [\n", r"request\.yaml:\d+: not valid YAML"),
        ("request:\n\tquestion: x\n", "not valid YAML"),
        ("- a\n- b\n", "holds no fields"),
        ("", "holds no fields"),
        ("request:\n  evidence_cutoff: 2026-02-30\n", "date does not exist"),
        ("? [a, b]\n: c\n", "plain text"),
    ],
)
def test_a_broken_or_tricky_file_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(RequestError, match=says):
        load_request(write(tmp_path, text))


def test_json_with_a_key_twice_or_a_syntax_error_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="'sector' is given twice"):
        load_request(write(tmp_path, '{"sector": "bank", "sector": "x"}', "r.json"))
    with pytest.raises(RequestError, match=r"r\.json:2: not valid JSON"):
        load_request(write(tmp_path, '{\n"sector": }', "r.json"))


def test_an_absent_folder_or_binary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no file"):
        load_request(tmp_path / "absent.yaml")
    with pytest.raises(RequestError, match="no file"):
        load_request(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("question: caf\xe9".encode("latin-1"))
    with pytest.raises(RequestError, match="not UTF-8"):
        load_request(tmp_path / "latin.yaml")
    (tmp_path / "big.yaml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(RequestError, match="larger than"):
        load_request(tmp_path / "big.yaml")


def test_the_message_never_repeats_a_value_of_the_request() -> None:
    secret = "Project Nightjar"
    with pytest.raises(RequestError) as caught:
        parse_request(
            {"question": [secret], "sector": "bank", "internal_facts": [{"owner": secret, "x": secret}]}
        )
    assert secret not in json.dumps(caught.value.to_dict())
