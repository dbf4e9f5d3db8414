"""The economics contracts: schema, immutability, round trips, defaults, documented examples."""

import doctest
import importlib
import pkgutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

import porterlib.economics
from porterlib.contracts.economics import Economics, ScenarioEconomics
from porterlib.contracts.economics_inputs import EconomicsInputs, ScenarioInputs
from porterlib.economics import calculate, format_money, load_inputs, npv
from porterlib.errors import EconomicsError

Make = Callable[..., EconomicsInputs]
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "economics"
MODULES = sorted(module.name for module in pkgutil.iter_modules(porterlib.economics.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_documented_examples_hold(name: str) -> None:
    module = importlib.import_module(f"porterlib.economics.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("model", [EconomicsInputs, Economics])
def test_schema_describes_every_field(model: type[EconomicsInputs] | type[Economics]) -> None:
    schema = model.model_json_schema()
    definitions = [schema, *schema["$defs"].values()]
    for definition in definitions:
        for name, field in definition.get("properties", {}).items():
            assert field.get("description"), (definition["title"], name)


def test_result_survives_json_and_stays_frozen() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_mixed.yaml"))
    assert Economics.model_validate(economics.to_dict()) == economics
    assert Economics.model_validate_json(economics.model_dump_json()) == economics
    with pytest.raises(ValidationError):
        economics.title = "other"  # type: ignore[misc]


def test_money_is_text_without_exponent() -> None:
    targeted = calculate(load_inputs(FIXTURES / "kyc_mixed.yaml")).scenario("targeted").to_dict()
    assert targeted["years"][0]["upfront_cost"] == "35000000"
    assert targeted["npv"]["worst"] == "-124604620.5860255447032306536"


def test_usual_option_of_each_kind() -> None:
    kinds = {"no_action": "no_action", "delayed": "wait", "targeted": "targeted", "vendor_shock": "targeted"}
    for kind, option in kinds.items():
        assert ScenarioInputs.model_validate({"name": "s", "kind": kind}).option == option


def test_main_scenario_of_an_option_is_not_a_shock(make: Make) -> None:
    shock = {"name": "first", "kind": "vendor_shock"}
    own = {"name": "second", "kind": "targeted"}
    economics = calculate(make(scenarios=[shock, own]))
    main = economics.main_scenario("targeted")
    assert main is not None
    assert main.name == "second"
    assert economics.main_scenario("scaled") is None
    assert economics.base_npv("scaled") is None
    assert main.npv is not None
    assert economics.base_npv("targeted") == main.npv.base
    assert [entry.name for entry in economics.for_option("targeted")] == ["first", "second"]


@pytest.mark.parametrize(
    ("name", "sign"), [("strong", "gain"), ("mixed", "mixed"), ("negative", "loss"), ("missing", "unknown")]
)
def test_range_sign(name: str, sign: str) -> None:
    entry: ScenarioEconomics = calculate(load_inputs(FIXTURES / f"kyc_{name}.yaml")).scenario("targeted")
    assert entry.range_sign == sign


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("10888429.7520661", "m", "EUR 10.9m (EUR 10,888,429.75)"),
        ("-124604620.586", "m", "EUR -124.6m (EUR -124,604,620.59)"),
        ("0", "m", "EUR 0.0m (EUR 0.00)"),
        ("-0.001", "m", "EUR 0.0m (EUR 0.00)"),
        ("1234567890", "bn", "EUR 1.2bn (EUR 1,234,567,890.00)"),
        ("950", "k", "EUR 1.0k (EUR 950.00)"),
        ("12.345", "", "EUR 12.3 (EUR 12.34)"),
    ],
)
def test_money_is_rounded_for_reading_with_the_exact_amount_beside(value: str, unit: str, text: str) -> None:
    assert format_money(Decimal(value), "EUR", unit) == text  # type: ignore[arg-type]


def test_unknown_money_unit_is_refused() -> None:
    with pytest.raises(EconomicsError, match="'lakh' is unknown"):
        format_money(Decimal(1), "EUR", "lakh")  # type: ignore[arg-type]


def test_extreme_rates_have_an_answer() -> None:
    assert npv("-0.9999", [0] * 400 + [1]) > 0
    assert npv("1000000", [1] * 400) > 1


def test_a_calculation_reads_no_context_of_the_caller() -> None:
    from decimal import localcontext

    inputs = load_inputs(FIXTURES / "kyc_mixed.yaml")
    right = calculate(inputs)
    with localcontext() as context:
        context.prec = 5
        assert calculate(inputs) == right
