"""A signature covers exact inputs, tables carry them unchanged, ladder and uplift stay honest."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from porterlib.economics import (
    EconomicsInputs,
    calculate,
    calculate_report,
    example_inputs,
    from_csv,
    from_frame,
    inputs_sha256,
    load_inputs,
    sign,
    to_csv,
    to_frame,
    what_moved,
)
from porterlib.economics.loading import validate_inputs
from porterlib.economics.tables import from_rows, to_rows
from porterlib.errors import EconomicsError

from .conftest import estimate

Make = Callable[..., EconomicsInputs]
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "economics"
WHEN = dt.datetime(2026, 1, 31, 9, tzinfo=dt.UTC)


def test_a_signature_covers_these_inputs_only(make: Make) -> None:
    inputs = make()
    assert calculate(inputs).signed is None
    assert "no finance owner has signed" in " ".join(calculate(inputs).warnings)
    signed = sign(inputs, owner="A. Finance", at=WHEN)
    result = calculate(signed)
    assert result.signed is not None
    assert result.signed.owner == "A. Finance"
    assert result.inputs_sha256 == calculate(inputs).inputs_sha256
    moved = signed.model_copy(update={"horizon_years": 4})
    assert calculate(moved).signed is None
    assert "changed after A. Finance signed" in " ".join(calculate(moved).warnings)


def test_a_signature_survives_the_file(make: Make) -> None:
    signed = sign(make(), owner="A. Finance", at=WHEN)
    assert validate_inputs(signed.to_dict()) == signed
    assert calculate(from_csv(to_csv(signed))).signed is not None


def test_equal_numbers_hash_alike_however_they_are_written(make: Make) -> None:
    one = make(lines={"run_cost": estimate("8", "12.0", "1.8e1", "EUR m/year")})
    two = make(lines={"run_cost": estimate("8.00", 12, "18", "EUR m/year")})
    assert inputs_sha256(one) == inputs_sha256(two)


@pytest.mark.parametrize(("owner", "at"), [("  ", WHEN), ("CFO", dt.datetime(2026, 1, 31))])
def test_a_signature_needs_a_name_and_an_aware_time(make: Make, owner: str, at: dt.datetime) -> None:
    with pytest.raises(EconomicsError):
        sign(make(), owner=owner, at=at)


def test_what_moved_names_inputs_and_npv(make: Make) -> None:
    before = make()
    after = make(lines={"run_cost": estimate(8, 13, 18, "EUR m/year")})
    moved = what_moved(before, after)
    assert [(m.path, m.before, m.after) for m in moved.inputs] == [("lines.run_cost.base", "12", "13")]
    shift = next(m for m in moved.npv if m.scenario == "targeted").base_moved_by
    assert shift is not None
    assert round(shift, 2) == Decimal("-2486851.99")  # a million a year for three years at 10 %
    assert what_moved(before, before).inputs == ()


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.yaml")), ids=lambda path: path.stem)
def test_tables_carry_every_fixture_unchanged(path: Path) -> None:
    inputs = load_inputs(path)
    assert from_csv(to_csv(inputs)) == inputs
    assert from_frame(to_frame(inputs)) == inputs
    assert from_rows(to_rows(inputs)) == inputs
    assert validate_inputs(inputs.to_dict()) == inputs


def test_csv_file_is_read_by_its_name(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "inputs.csv"
    file.write_text(to_csv(make()), encoding="utf-8")
    assert load_inputs(file) == make()


def test_text_that_a_spreadsheet_would_run_is_inert_and_comes_back(make: Make) -> None:
    hostile = make(
        title="=HYPERLINK(1)", lines={"run_cost": {**estimate(8, 12, 18, "EUR m/year"), "owner": "@cmd"}}
    )
    text = to_csv(hostile)
    assert ",=" not in text
    assert ",@" not in text
    assert from_csv(text) == hostile


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("path,value\ntitle,a\n", "no column 'field'"),
        ("field,value,colour\ntitle,a,red\n", "'colour' is not read"),
        ("field,value\ntitle,a\ntitle,b\n", "given twice"),
        ("field,value\ntitle,a\ntitle.sub,b\n", "already has a value"),
        ('field,value,low\nlines.run_cost,,"1,5"\n', r"lines\.run_cost"),
    ],
)
def test_bad_tables(text: str, problem: str) -> None:
    with pytest.raises(EconomicsError, match=problem):
        from_csv(text)


def test_a_frame_without_field_column_is_refused() -> None:
    import pandas as pd

    with pytest.raises(EconomicsError, match="no column 'field'"):
        from_frame(pd.DataFrame({"value": ["a"]}))


def ladder(**changes: Any) -> dict[str, Any]:
    booked = {
        "name": "contractors released",
        "kind": "spend_removed",
        "source": "screening team",
        "hours": 9000,
    }
    second = {
        "name": "fewer losses",
        "kind": "loss_avoided",
        "source": "fraud losses",
        "approval": "A-method-1",
    }
    return {
        "hours_saved": estimate(20000, 40000, 60000, "hours/year"),
        "released_share": estimate("0.4", "0.5", "0.6", "share"),
        "redeployed_share": estimate("0.4", "0.5", "0.6", "share"),
        "booked": [
            {**booked, "amount": estimate(2, 3, 4, "EUR m/year"), **changes},
            {**second, "amount": estimate(1, 2, 3, "EUR m/year")},
        ],
    }


def test_only_booked_value_enters(make: Make) -> None:
    result = calculate(make(lines={"gross_benefit": None}, benefit_ladder=ladder()))
    rungs = result.benefit_ladder
    assert rungs is not None
    assert (rungs.hours_saved, rungs.hours_released, rungs.hours_redeployed) == (40000, 20000, 10000)
    assert rungs.hours_booked == 9000
    assert rungs.booked.base == 5_000_000
    assert "A-method-1" in rungs.booked.basis
    direct = make(lines={"gross_benefit": estimate(3, 5, 7, "EUR m/year")})
    assert result.scenario("targeted").npv == calculate(direct).scenario("targeted").npv


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": "Fraud  losses"}, "would count twice"),
        ({"hours": 10001}, "only 10000 redeployed"),
        ({"kind": "approved_option"}, "approval id"),
        ({"hours": -1}, "negative"),
    ],
)
def test_double_counting_is_refused(make: Make, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(EconomicsError, match=problem):
        calculate(make(lines={"gross_benefit": None}, benefit_ladder=ladder(**changes)))


def test_ladder_beside_a_gross_benefit_is_refused(make: Make) -> None:
    with pytest.raises(EconomicsError, match="count twice"):
        make(benefit_ladder=ladder())


def bias(project_class: str = "equipment_and_development", level: str = "upper") -> dict[str, Any]:
    return {
        "project_class": project_class,
        "level": level,
        "because": "early estimate",
        "basis": ["A-bias-1"],
    }


def test_uplift_is_labelled_and_applied_once(make: Make) -> None:
    plain, lifted = calculate(make()), calculate(make(optimism_bias=bias()))
    assert lifted.optimism_bias is not None
    assert "Mott MacDonald 2002" in lifted.optimism_bias
    assert lifted.optimism_bias in lifted.warnings
    a, b = plain.scenario("targeted").years[0], lifted.scenario("targeted").years[0]
    assert b.upfront_cost == a.upfront_cost * 3
    assert lifted.scenario("no_action").npv == plain.scenario("no_action").npv


def test_uplifts_are_never_stacked(make: Make) -> None:
    padded = {"upfront_cost": estimate(20, 35, 55, "EUR m", includes_contingency=True)}
    with pytest.raises(EconomicsError, match="never stacked") as caught:
        calculate(make(lines=padded, optimism_bias=bias()))
    assert caught.value.data["field"] == "lines.upfront_cost"
    with pytest.raises(EconomicsError, match="not in the table"):
        calculate(make(optimism_bias=bias("software")))


def test_base_realisation_of_100_percent_is_warned_about(make: Make) -> None:
    sure = calculate(make(lines={"realisation": estimate("0.9", 1, 1, "share")}))
    assert any("realisation is 100 %" in text for text in sure.scenario("targeted").warnings)
    assert not any("100 %" in text for text in calculate(make()).scenario("targeted").warnings)


def test_zero_base_multiplier_is_flagged(make: Make) -> None:
    entry = calculate(make(lines={"gross_benefit": estimate(0, 0, 90, "EUR m/year")})).scenario("targeted")
    assert any("realisation shows no effect because gross_benefit is zero" in text for text in entry.warnings)
    assert next(d for d in entry.drivers if d.line == "realisation").switching == "insensitive"


def test_switching_value_turns_the_sign(make: Make) -> None:
    inputs = make()
    for driver in calculate(inputs).scenario("targeted").drivers:
        if driver.line in {"discount_rate", "start_month"} or driver.switching_value is None:
            continue
        line = getattr(inputs.lines, driver.line)
        at = driver.switching_value / line.scale()
        low, high = min(line.low, at), max(line.high, at)
        moved = {driver.line: estimate(low, at, high, line.unit)}
        spread = calculate(make(lines=moved)).scenario("targeted").npv if at >= 0 else None
        assert spread is None or abs(spread.base) < Decimal("1e-12")


def test_figures_have_stable_ids_and_formulas() -> None:
    one, two = (calculate(load_inputs(FIXTURES / "kyc_mixed.yaml")) for _ in range(2))
    assert one == two
    assert len({figure.id for figure in one.calculations}) == len(one.calculations)
    npv = one.figure("npv.base", "targeted")
    assert one.calculation(npv.id) is npv
    assert npv.display == "EUR 10.9m (EUR 10,888,429.75)"
    assert npv.value.startswith("10888429.752066115702479338")
    for figure in one.calculations:
        assert figure.formula
        assert figure.basis
        assert figure.owners
    with pytest.raises(EconomicsError, match="no calculation"):
        one.calculation("X-000000000000")
    with pytest.raises(EconomicsError, match="no figure"):
        one.figure("npv.base", "nobody")


def test_explanation_leads_to_the_figure() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_mixed.yaml"))
    trace = economics.explain("npv", scenario="targeted")
    assert trace.rows[-1].amount == "10,888,429.75"
    assert [row.label for row in trace.rows] == [
        "time zero",
        "year 1",
        "year 2",
        "year 3",
        "net present value",
    ]
    assert "24,750,000.00 benefit" in str(trace)
    assert economics.explain("roi").rows[-1].amount == "0.225248"
    with pytest.raises(EconomicsError, match="no trace"):
        economics.explain("irr")
    gaps = calculate(load_inputs(FIXTURES / "kyc_missing.yaml"))
    with pytest.raises(EconomicsError, match="supply gross_benefit"):
        gaps.explain("npv")


def test_report_is_plain_json() -> None:
    import json

    report = calculate_report(FIXTURES / "kyc_mixed.yaml")
    assert json.loads(json.dumps(report)) == report
    targeted = next(entry for entry in report["scenarios"] if entry["name"] == "targeted")
    assert targeted["npv"]["base"] == "10888429.75206611570247933884"
    assert report["simulation"]["seed"] == 20260101
    grid = report["two_way"]
    assert (grid["row_line"], grid["column_line"]) == ("gross_benefit", "realisation")
    # At base realisation and low benefit the grid must say what the tornado says of that end.
    assert grid["npv"][0][grid["columns"].index("0.55")] == targeted["drivers"][0]["npv_at_low"]
    assert calculate_report(FIXTURES / "kyc_missing.yaml")["simulation"] is None


@pytest.mark.parametrize("sector", ["bank", "quant", "insurance"])
def test_documented_example_is_complete_and_synthetic(sector: str) -> None:
    text = example_inputs(sector)
    economics = calculate(load_inputs(text))
    assert economics.synthetic
    assert "SYNTHETIC" in text.splitlines()[0]
    assert economics.missing_inputs == ()
    assert {entry.kind for entry in economics.scenarios} >= {
        "no_action", "delayed", "targeted", "scaled", "control_shock", "vendor_shock",
        "competitor_acceleration", "upside",
    }  # fmt: skip


def test_unknown_example_lists_the_known_ones() -> None:
    with pytest.raises(EconomicsError, match="bank"):
        example_inputs("retail")


def test_tables_for_people_keep_exact_amounts() -> None:
    economics = calculate(load_inputs(FIXTURES / "kyc_mixed.yaml"))
    frame = economics.to_pandas()
    assert frame.loc[frame["scenario"] == "targeted", "npv_base"].item() == Decimal(
        "10888429.75206611570247933884"
    )
    assert set(economics.to_pandas("years")["year"]) == {0, 1, 2, 3}
    assert "swing" in economics.to_pandas("drivers")
    assert len(economics.to_pandas("figures")) == len(economics.calculations)
    rounded = economics.to_pandas("scenarios", unit="m")
    assert rounded.loc[rounded["scenario"] == "targeted", "npv_base"].item() == Decimal("10.9")
    assert list(economics.to_pandas("delay", unit="m")["base"]) == [16, 8, 5, 9, -8, 30]
    assert len(economics.to_pandas("cash")) == 8 * 37
    assert len(economics.to_pandas("corners")) == 8 * 3
    assert economics.to_pandas("missing").empty
    drivers = economics.to_pandas("drivers", unit="m").set_index(["scenario", "line"])
    assert drivers.loc[("targeted", "gross_benefit"), "high_input"] == 150
    assert drivers.loc[("targeted", "realisation"), "high_input"] == Decimal("0.75")
    with pytest.raises(EconomicsError, match="no table"):
        economics.to_pandas("charts")  # type: ignore[arg-type]
    with pytest.raises(EconomicsError, match="unit"):
        economics.to_pandas(unit="lakh")  # type: ignore[arg-type]


def test_no_scenarios_and_no_horizon_are_requests() -> None:
    economics = calculate(validate_inputs({"title": "t", "currency": "EUR"}))
    fields = {request.field for request in economics.missing_inputs}
    assert {"scenarios", "horizon_years", "discount_rate", "lines.upfront_cost"} <= fields
    assert economics.scenarios == ()


def test_missing_no_action_is_requested_and_no_increment_is_made_up(make: Make) -> None:
    only = [{"name": "targeted", "kind": "targeted", "option": "targeted"}]
    economics = calculate(make(scenarios=only))
    assert [request.field for request in economics.missing_inputs] == ["scenarios"]
    assert economics.scenario("targeted").incremental_npv is None
