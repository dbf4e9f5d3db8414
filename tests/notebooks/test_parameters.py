"""Parameters of the pipeline are refused by name when unknown, missing, of another type, or secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from porterlib.errors import InputError
from porterlib.verbs.parameters import assigned_parameters, check_names, check_parameters

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CHECK = "parameters = scheduling.check_parameters()"
DEFAULTS: dict[str, Any] = {
    "workspace": "w",
    "request": "fixtures/requests/bank_kyc.yaml",
    "corpus": "fixtures/corpora/bank_kyc",
    "economics": "fixtures/economics/kyc_mixed.yaml",
    "target": "draft",
    "max_attempts": 3,
    "analyst": "offline",
    "model_url": "http://127.0.0.1:8000/v1",
    "model_name": None,
    "summary": None,
}


def lines(values: dict[str, Any]) -> str:
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())


def check(drop: tuple[str, ...] = (), **injected: Any) -> Any:
    declared = {name: value for name, value in DEFAULTS.items() if name not in drop}
    cells = [
        "",
        lines(declared),
        "# Parameters\n" + lines(injected),
        "from porterlib.verbs import scheduling\n" + CHECK,
    ]
    return check_parameters(declared | injected, cells=cells if injected else [cells[1], cells[3]])


def refused(**given: Any) -> tuple[str, set[str]]:
    with pytest.raises(InputError) as caught:
        check(**given)
    return caught.value.message, {entry["path"] for entry in caught.value.data["fields"]}


def test_the_defaults_are_the_example_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parameters = check()
    assert Path(parameters.request).samefile(FIXTURES / "requests" / "bank_kyc.yaml")
    assert Path(parameters.corpus).samefile(FIXTURES / "corpora" / "bank_kyc")


@pytest.mark.parametrize(
    "name", ["max_attempt", "_hidden", "pl", "In", "scheduling", "__name__", "get_ipython"]
)
def test_an_unknown_parameter_is_named_whatever_it_is_called(name: str) -> None:
    message, fields = refused(**{name: 1})
    assert fields == {name}
    assert "is no parameter; there are workspace, request" in message


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("max_attempts", "3", "'3' is of type str: input should be a valid integer"),
        ("max_attempts", True, "True is of type bool"),
        ("max_attempts", 2.0, "2.0 is of type float"),
        ("max_attempts", 0, "greater than or equal to 1"),
        ("max_attempts", 11, "less than or equal to 10"),
        ("workspace", 2026, "2026 is of type int: input should be a valid string"),
        ("target", "final", "'draft' or 'publishable'"),
        ("analyst", "gpt", "'offline' or 'local'"),
        ("summary", 1, "1 is of type int"),
    ],
)
def test_a_parameter_of_another_type_or_range_is_named_with_its_value(
    name: str, value: Any, says: str
) -> None:
    message, fields = refused(**{name: value})
    assert fields == {name}
    assert says in message


@pytest.mark.parametrize("name", list(DEFAULTS))
def test_a_parameter_that_the_notebook_lacks_is_missing(name: str) -> None:
    message, fields = refused(drop=(name,))
    assert fields == {name}
    assert f"{name}: is missing" in message


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("name", ["workspace", "target", "analyst", "max_attempts"])
def test_a_parameter_without_a_value_is_missing(name: str, value: Any) -> None:
    assert refused(**{name: value})[0].startswith(f"{name}: is missing")


def test_every_problem_is_reported_at_once() -> None:
    assert refused(nosuch=1, max_attempts="many", workspace=None)[1] == {
        "nosuch",
        "max_attempts",
        "workspace",
    }


def test_ones_own_request_is_never_researched_in_the_example_corpus() -> None:
    message, fields = refused(request=str(FIXTURES / "requests" / "bank_cloud.yaml"))
    assert fields == {"corpus"}
    assert "request and corpus are given together" in message
    assert refused(economics=str(FIXTURES / "economics" / "bank.yaml"))[1] == {"request", "corpus"}


def test_ones_own_request_and_corpus_run_without_the_figures_of_the_example() -> None:
    own = {
        "request": str(FIXTURES / "requests" / "bank_cloud.yaml"),
        "corpus": str(FIXTURES / "corpora" / "bank_cloud"),
    }
    assert check(**own).economics is None


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    message, fields = refused(request=str(tmp_path / "none.yaml"), corpus=str(tmp_path))
    assert fields == {"request"}
    assert "none.yaml' does not exist" in message


@pytest.mark.parametrize(
    "name", ["api_key", "OPENAI_API_KEY", "hf_token", "password", "client_secret", "auth"]
)
def test_a_secret_by_name_is_refused_without_its_value(name: str) -> None:
    message, fields = refused(**{name: "hunter2-hunter2"})
    assert fields == {name}
    assert "hunter2" not in message
    assert "PORTERLIB_MODEL_KEY" in message
    with pytest.raises(InputError, match=name):
        check_names([name])


@pytest.mark.parametrize(
    "value",
    [
        "http://user:hunter2@127.0.0.1/v1",
        "http://127.0.0.1/v1?api_key=hunter2",
        "http://127.0.0.1/v1#hunter2",
        "sk-hunter2hunter2hunter2",
    ],
)
def test_a_secret_inside_an_address_is_refused_without_its_value(value: str) -> None:
    message, fields = refused(model_url=value)
    assert fields == {"model_url"}
    assert "hunter2" not in message


def test_a_notebook_explored_by_hand_may_check_again() -> None:
    cells = [lines(DEFAULTS), CHECK, "mine = 1", "workspace = 'w'", CHECK]
    assert check_parameters(DEFAULTS | {"mine": 1}, cells=cells).workspace == "w"


def test_names_are_found_by_their_assignment_alone() -> None:
    declared = frozenset(DEFAULTS)
    assert assigned_parameters([], declared) == ((), ())
    assert assigned_parameters(["x = = 1", lines(DEFAULTS), "a = b = 1\nprint(workspace)"], declared)[1] == (
        "a",
        "b",
    )
    assert assigned_parameters([lines(DEFAULTS), "workspace = 'x'\n", CHECK, "later = 1"], declared)[1] == (
        "workspace",
    )
