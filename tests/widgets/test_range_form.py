"""The range form keeps exact decimals, refuses beside the field, and alters nothing by itself."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics import calculate, inputs_sha256, load_inputs
from porterlib.errors import EconomicsError, LeaseError
from porterlib.widgets import inputs_yaml, range_form
from porterlib.widgets.range_form import RangeForm

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "economics"
BENEFIT = ("lines", "gross_benefit")


@pytest.fixture
def inputs() -> EconomicsInputs:
    return load_inputs(FIXTURES / "kyc_mixed.yaml")


def _type(form: RangeForm, path: tuple[str, ...], **values: str) -> None:
    for name, value in values.items():
        form.row(*path).fields[name].value = value


def _clicked(form: RangeForm, label: str) -> None:
    found = [w for w in _walk(form.ui) if getattr(w, "description", "") == label and hasattr(w, "click")]
    found[0].click()


def _walk(widget: object) -> list[object]:
    return [widget, *(inner for child in getattr(widget, "children", ()) for inner in _walk(child))]


@pytest.mark.parametrize(
    "typed", ["1,5", "1e400", "NaN", "inf", "-inf", "15 m", "1.5.", "", "٣", "1_000", "0x10", "½"]
)
def test_what_is_no_finite_number_is_refused_beside_its_field_and_stays_as_typed(
    inputs: EconomicsInputs, typed: str
) -> None:
    form = range_form(inputs)
    _type(form, BENEFIT, base=typed)
    _clicked(form, "Apply and preview")
    assert form.row(*BENEFIT).fields["base"].value == typed
    assert "base:" in form.row(*BENEFIT).error.value
    assert form.applied is None
    assert form.economics is None
    assert "ECONOMICS_INVALID" in form.message.value


def test_digits_are_kept_to_the_last(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    _type(form, BENEFIT, base="90.000000000000000001")
    form.apply()
    assert form.applied is not None
    assert form.applied.lines.gross_benefit is not None
    assert form.applied.lines.gross_benefit.base == Decimal("90.000000000000000001")


def test_unchanged_fields_give_the_very_same_inputs(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    form.apply()
    assert form.applied == inputs
    assert "No value differs" in form.difference.value


def test_the_preview_shows_what_the_calculator_gives(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    _type(form, BENEFIT, low="50", base="100", high="150")
    form.apply()
    assert form.applied is not None
    assert form.economics == calculate(form.applied)
    data = form.preview.outputs
    assert len(data) == 2
    assert "application/vnd.vegalite.v5+json" in data[0]["data"]
    base = form.economics.scenario("targeted").npv
    assert base is not None
    assert f"{base.base / 10**6:.1f}" in data[0]["data"]["text/plain"]
    assert "lines.gross_benefit.base: 90 → 100" in form.difference.value


def test_an_inverted_range_is_refused_with_a_way_out(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    _type(form, BENEFIT, low="200")
    with pytest.raises(EconomicsError):
        form.apply()
    assert "low &lt;= base &lt;= high" in form.row(*BENEFIT).error.value


def test_a_basis_is_needed_and_a_missing_owner_stays_missing(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    _type(form, BENEFIT, owner=" ", basis="")
    with pytest.raises(EconomicsError):
        form.apply()
    assert "A-benefit-1" in form.row(*BENEFIT).error.value
    _type(form, BENEFIT, basis="A-benefit-2, E-12")
    form.apply()
    assert form.applied is not None
    assert form.applied.lines.gross_benefit is not None
    assert form.applied.lines.gross_benefit.owner is None
    assert form.applied.lines.gross_benefit.basis == ("A-benefit-2", "E-12")


def test_a_removed_line_becomes_a_request_and_never_a_zero(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    _type(form, ("lines", "run_cost"), low="", base="", high="")
    form.apply()
    assert form.applied is not None
    assert form.applied.lines.run_cost is None
    assert form.economics is not None
    assert "lines.run_cost" in [entry.field for entry in form.economics.missing_inputs]


def test_a_scenario_is_edited_apart_from_the_shared_lines(inputs: EconomicsInputs) -> None:
    form = range_form(inputs)
    changed = next(part for part in form.rows() if part.single)
    changed.fields[changed.single].value = "1.75"
    form.apply()
    assert form.applied is not None
    assert form.applied.lines == inputs.lines
    scenario = form.applied.scenarios[int(changed.path[1])]
    change = scenario.changes[changed.path[3]]  # type: ignore[index]
    assert Decimal("1.75") in (change.factor, change.add)


def test_nothing_is_saved_before_it_was_applied(inputs: EconomicsInputs, tmp_path: Path) -> None:
    saved: list[str] = []
    form = range_form(inputs, path=tmp_path / "in.yaml", on_save=lambda _, text: saved.append(text))
    _type(form, BENEFIT, base="95")
    with pytest.raises(EconomicsError, match="apply the fields first"):
        form.save()
    form.apply()
    _type(form, BENEFIT, base="96")
    assert "Changed and not applied" in form.saved_state.value
    with pytest.raises(EconomicsError, match="apply the fields first"):
        form.save()
    assert saved == []
    assert not (tmp_path / "in.yaml").exists()


def test_saved_yaml_reads_back_to_the_same_inputs(inputs: EconomicsInputs, tmp_path: Path) -> None:
    target = tmp_path / "in.yaml"
    handed: list[EconomicsInputs] = []
    form = range_form(inputs, path=target, on_save=lambda made, _: handed.append(made))
    _type(form, BENEFIT, base="95.10")
    form.apply()
    assert "Saved to in.yaml" in form.save()
    again = load_inputs(target)
    assert inputs_sha256(again) == inputs_sha256(handed[0])
    assert target.stat().st_mode & 0o777 == 0o600
    assert "base: 95.1\n" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["bank", "insurance", "quant", "kyc_mixed"])
def test_every_example_survives_yaml(name: str) -> None:
    given = load_inputs(FIXTURES / f"{name}.yaml")
    assert inputs_yaml(given).startswith("economics:")


def test_a_changed_set_loses_the_signature_and_an_unchanged_one_keeps_it(inputs: EconomicsInputs) -> None:
    from datetime import UTC, datetime

    from porterlib.economics import sign

    signed = sign(inputs, owner="B. Finance", at=datetime(2026, 1, 1, tzinfo=UTC))
    form = range_form(signed)
    form.apply()
    assert form.applied == signed
    _type(form, BENEFIT, base="95")
    form.apply()
    assert form.applied is not None
    assert form.applied.sign_off is None


def test_a_failing_callback_is_said_with_its_code(inputs: EconomicsInputs) -> None:
    def refuse(*_: object) -> None:
        raise LeaseError("another writer holds the workspace <b>now</b>")

    form = range_form(inputs, on_save=refuse)
    form.apply()
    _clicked(form, "Save")
    assert "WRITER_BUSY: another writer holds the workspace &lt;b&gt;now&lt;/b&gt;" in form.message.value

    def crash(*_: object) -> None:
        raise RuntimeError("disk gone")

    other = range_form(inputs, on_save=crash)
    other.apply()
    _clicked(other, "Save")
    assert "RuntimeError: disk gone" in other.message.value
