"""Every impossible input names its field, what is wrong and an example of what is right."""

import copy
from pathlib import Path
from typing import Any

import pytest

from porterlib.economics import calculate, load_inputs
from porterlib.economics.loading import validate_inputs
from porterlib.errors import EconomicsError

from .conftest import BASE, estimate


def changed(path: str, value: Any) -> dict[str, Any]:
    data = copy.deepcopy(BASE)
    where: Any = data
    *parents, last = path.split("/")
    for key in parents:
        where = where[int(key)] if key.isdigit() else where[key]
    where[last] = value
    return data


BAD = [
    (
        "lines/upfront_cost",
        estimate(55, 35, 20, "EUR m"),
        "lines.upfront_cost",
        "inverted",
        "low <= base <= high",
    ),
    (
        "lines/upfront_cost",
        estimate(20, 60, 55, "EUR m"),
        "lines.upfront_cost",
        "outside 20 to 55",
        "low: 20",
    ),
    ("lines/run_cost", estimate(8, 12, 18, "USD m/year"), "lines.run_cost", "currency USD", "EUR m/year"),
    ("lines/run_cost", estimate(8, 12, 18, "EUR m"), "lines.run_cost", "each year", "EUR m/year"),
    ("lines/upfront_cost", estimate(8, 12, 18, "EUR m/year"), "lines.upfront_cost", "one amount", "EUR m"),
    ("lines/run_cost", estimate(8, 12, 18, "bananas"), "lines.run_cost", "no money unit", "EUR m/year"),
    ("lines/start_month", estimate(7, 37, 40, "month"), "lines.start_month", "after the horizon", "lengthen"),
    ("lines/start_month", estimate(0, 7, 9, "month"), "lines.start_month", "before month 1", "base: 7"),
    ("lines/start_month", estimate("6.5", 7, 9, "month"), "lines.start_month", "whole month", "base: 7"),
    (
        "lines/realisation",
        estimate("0.5", "0.7", "1.2", "share"),
        "lines.realisation",
        "leaves 0 to 1",
        "0.55",
    ),
    ("lines/control_cost", estimate(-4, 7, 12, "EUR m/year"), "lines.control_cost", "negative", "example 12"),
    ("lines/run_cost", estimate(8, "twelve", 18, "EUR m/year"), "lines.run_cost.base", "text", "1.5"),
    ("lines/run_cost", estimate(8, "12,5", 18, "EUR m/year"), "lines.run_cost.base", "comma", "1.5"),
    ("lines/run_cost", estimate(8, "1,234,567", 18, "EUR m/year"), "lines.run_cost.base", "comma", "1.5"),
    ("lines/run_cost", estimate(8, "nan", 18, "EUR m/year"), "lines.run_cost.base", "finite", "1.5"),
    ("lines/run_cost", estimate(8, float("inf"), 18, "EUR m/year"), "lines.run_cost.base", "finite", "1.5"),
    ("lines/run_cost", estimate(8, True, 18, "EUR m/year"), "lines.run_cost.base", "not a number", "1.5"),
    ("lines/run_cost/basis", [], "lines.run_cost.basis", "at least 1", "[A-benefit-1]"),
    ("lines/run_cost/basis", ["somebody said so"], "lines.run_cost.basis[0]", "pattern", "[A-benefit-1]"),
    ("lines/run_cost/meaning", "min..max", "lines.run_cost.meaning", "min-max", "meaning: min-max"),
    ("lines/runcost", estimate(1, 2, 3, "EUR m/year"), "lines.runcost", "no field here", "spelling"),
    ("currency", "euro", "currency", "pattern", "currency: EUR"),
    ("horizon_years", 0, "horizon_years", "greater than or equal to 1", "horizon_years: 3"),
    ("horizon_years", "three", "horizon_years", "integer", "horizon_years: 3"),
    ("discount_rate", estimate("0.08", 10, 12, "share"), "discount_rate", "leaves 0 to 1", "0.55"),
    ("scenarios/1/kind", "best", "scenarios[1].kind", "no_action", "kind: targeted"),
    ("scenarios/1/name", "no action", "scenarios[1].name", "used twice", "own name"),
    ("scenarios/1/derives_from", "nobody", "scenarios[1].derives_from", "no earlier scenario", "no action"),
    ("prices", "real", "lines.inflation", "inflation is needed", "base: 0.02"),
    ("rate_basis", "real", "rate_basis", "cannot be discounted", "rate_basis: nominal"),
    (
        "correlations",
        [{"first": "run_cost", "second": "upfront_cost", "rho": 2}],
        "correlations[0].rho",
        "leaves -1",
        "0.3",
    ),
    (
        "correlations",
        [{"first": "run_cost", "second": "costs", "rho": 0}],
        "correlations[0].second",
        "no line",
        "run_cost",
    ),
]


@pytest.mark.parametrize(("path", "value", "field", "problem", "example"), BAD)
def test_bad_input(path: str, value: Any, field: str, problem: str, example: str) -> None:
    with pytest.raises(EconomicsError) as caught:
        validate_inputs(changed(path, value))
    assert caught.value.data["field"] == field
    assert field in str(caught.value)
    assert problem in str(caught.value)
    assert example in str(caught.value)


def change(line: str, **how: Any) -> list[dict[str, Any]]:
    entry = {"because": "test", "basis": ["A-test-3"], **how}
    return [{"name": "s", "kind": "scaled", "option": "scaled", "changes": {line: entry}}]


@pytest.mark.parametrize(
    ("line", "how", "problem"),
    [
        ("realisation", {"factor": 2}, "leaves 0 to 1"),
        ("upfront_cost", {"add": -30}, "negative"),
        ("start_month", {"add": 30}, "after the horizon"),
        ("start_month", {"factor": "1.5"}, "not whole"),
        ("tax_rate", {"factor": 2}, "hold no tax_rate"),
        ("delay_months", {"to": {"base": 36, "unit": "month"}}, "start after the horizon"),
    ],
)
def test_changes_that_lead_nowhere(line: str, how: dict[str, Any], problem: str) -> None:
    data = changed("scenarios", change(line, **how))
    with pytest.raises(EconomicsError, match=problem) as caught:
        calculate(validate_inputs(data))
    assert caught.value.data["field"] == f"scenarios[0].changes.{line}"


@pytest.mark.parametrize("how", [{}, {"factor": 2, "add": 1}, {"factor": -1}])
def test_a_change_has_one_way(how: dict[str, Any]) -> None:
    with pytest.raises(EconomicsError, match=r"scenarios\[0\]\.changes\.run_cost"):
        validate_inputs(changed("scenarios", change("run_cost", **how)))


def test_every_wrong_field_is_listed_at_once() -> None:
    data = changed("lines/run_cost", estimate(8, "12,5", 18, "EUR m/year"))
    data["currency"] = "euro"
    with pytest.raises(EconomicsError) as caught:
        validate_inputs(data)
    assert {entry["path"] for entry in caught.value.data["fields"]} == {"lines.run_cost.base", "currency"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("title: a\ntitle: b\n", "given twice"),
        ("title: [\n", "not valid YAML"),
        ('{"title": "a", "title": "b"}', "given twice"),
        ('{"title": }', "not valid JSON"),
        ("- 1\n- 2\n", "holds no finance inputs"),
        ("a: &x {b: 1}\nc: *x\n", "aliases"),
        ("a: !!python/object/apply:os.system ['true']\n", "not valid YAML"),
    ],
)
def test_unreadable_text(text: str, problem: str) -> None:
    with pytest.raises(EconomicsError, match=problem):
        load_inputs(text)


def test_file_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(EconomicsError, match=r"missing\.yaml"):
        load_inputs(tmp_path / "missing.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EconomicsError, match="UTF-8"):
        load_inputs(tmp_path / "binary.yaml")


def test_numbers_keep_every_digit() -> None:
    line = "{base: 0.1000000000000000055, unit: EUR m/year, basis: [A-1]}"
    text = f"title: t\ncurrency: EUR\nlines: {{run_cost: {line}}}\n"
    inputs = load_inputs(text)
    assert inputs.lines.run_cost is not None
    assert str(inputs.lines.run_cost.base) == "0.1000000000000000055"
