"""Entities are found by name; a name with a capital only as it is written."""

from __future__ import annotations

import pytest

from porterlib.contracts.sector import SectorPack
from porterlib.sectors import EntityIndex, load_pack


@pytest.fixture(scope="module")
def pack() -> SectorPack:
    return load_pack("bank")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Visa and Mastercard settled with merchants.", {"card network", "merchant"}),
        ("A visa was refused, and she was not amused.", set()),
        ("Three CSPs host most workloads.", {"hyperscale cloud provider"}),
        ("Fintechs grow faster than community banks.", {"fintech firm", "community or regional bank"}),
        ("The RTP network grew; the escort did not.", {"instant payment operator"}),
        ("Googled terms and applesauce name nobody.", set()),
        ("Microsoft Azure raised prices.", {"hyperscale cloud provider", "Microsoft"}),
        ("", set()),
    ],
)
def test_entities_are_found_as_they_are_written(pack: SectorPack, text: str, expected: set[str]) -> None:
    assert {entity.entity for entity in EntityIndex(pack).named(text)} == expected


def test_every_entity_of_the_pack_is_found_by_each_of_its_names(pack: SectorPack) -> None:
    index = EntityIndex(pack)
    for entity in pack.entities:
        for name in entity.names:
            assert entity in index.named(f"In 2025 {name} changed its terms."), name
