"""A pack that does not validate is refused with the place of the error."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from porterlib.contracts.base import FORCES
from porterlib.errors import PackError
from porterlib.resources import bundled
from porterlib.sectors import list_packs, load_pack


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """Return a folder with an editable copy of the bank pack."""
    shutil.copytree(bundled("sector_packs") / "bank", tmp_path / "bank")
    return tmp_path


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _line(path: Path, fragment: str) -> int:
    return next(
        n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if fragment in line
    )


def test_the_bank_pack_ships_and_loads() -> None:
    assert "bank" in list_packs()
    pack = load_pack("bank")
    assert tuple(part.force for part in pack.forces) == FORCES
    assert load_pack("bank") == pack


@pytest.mark.parametrize("name", ["retail", "", "../bank", "bank/"])
def test_an_unknown_sector_lists_what_there_is(name: str) -> None:
    with pytest.raises(PackError, match="bank") as caught:
        load_pack(name)
    assert caught.value.exit_code == 2
    assert "bank" in caught.value.data["available"]


def test_a_wrong_value_names_file_line_and_field(packs: Path) -> None:
    path = packs / "bank" / "forces" / "suppliers.yaml"
    _edit(path, "weight: 0.18", "weight: 3")
    with pytest.raises(PackError) as caught:
        load_pack("bank", packs)
    line = _line(path, "weight: 3")
    assert f"bank/forces/suppliers.yaml:{line} drivers[1].weight" in caught.value.message


def test_an_unknown_field_names_its_place(packs: Path) -> None:
    _edit(packs / "bank" / "options.yaml", "learning_months: 12", "learning_month: 12")
    with pytest.raises(PackError, match=r"bank/options\.yaml:\d+ options\[0\]"):
        load_pack("bank", packs)


def test_broken_yaml_gives_the_line(packs: Path) -> None:
    _edit(packs / "bank" / "controls.yaml", "controls:\n", "controls: [\n")
    with pytest.raises(PackError, match=r"bank/controls\.yaml:\d+: not valid YAML"):
        load_pack("bank", packs)


def test_a_key_given_twice_is_refused(packs: Path) -> None:
    path = packs / "bank" / "pack.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "title: again\n", encoding="utf-8")
    with pytest.raises(PackError, match=r"pack\.yaml:\d+: 'title' is given twice"):
        load_pack("bank", packs)


def test_a_field_in_two_files_is_refused(packs: Path) -> None:
    (packs / "bank" / "more.yaml").write_text("title: again\n", encoding="utf-8")
    with pytest.raises(PackError, match=r"'title' stands in more\.yaml too"):
        load_pack("bank", packs)


def test_a_missing_force_is_named(packs: Path) -> None:
    (packs / "bank" / "forces" / "buyers.yaml").unlink()
    with pytest.raises(PackError, match=r"forces/buyers\.yaml is missing"):
        load_pack("bank", packs)


def test_an_unknown_driver_in_a_hypothesis_is_named(packs: Path) -> None:
    _edit(
        packs / "bank" / "forces" / "rivalry.yaml",
        "driver_ids: [rivalry.ai_adoption]",
        "driver_ids: [rivalry.nil]",
    )
    with pytest.raises(PackError, match=r"rivalry\.nil"):
        load_pack("bank", packs)


def test_a_malformed_cue_is_named(packs: Path) -> None:
    _edit(packs / "bank" / "forces" / "rivalry.yaml", "- regulatory fragment*", "- Regulatory fragment*")
    with pytest.raises(PackError, match="Regulatory"):
        load_pack("bank", packs)


def test_a_file_that_is_not_text_is_refused(packs: Path) -> None:
    (packs / "bank" / "metrics.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PackError, match=r"bank/metrics\.yaml"):
        load_pack("bank", packs)


def test_a_pack_must_be_called_as_its_folder(packs: Path) -> None:
    (packs / "bank").rename(packs / "bench")
    with pytest.raises(PackError, match="make them equal"):
        load_pack("bench", packs)


def test_an_edited_pack_is_read_again(packs: Path) -> None:
    assert load_pack("bank", packs) is load_pack("bank", packs)
    _edit(packs / "bank" / "pack.yaml", 'version: "1.0.0"', 'version: "1.0.1-edited"')
    assert load_pack("bank", packs).version == "1.0.1-edited"
