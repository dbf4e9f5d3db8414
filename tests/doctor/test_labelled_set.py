"""The labelled set is what it says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from porterlib.doctor import load_items
from porterlib.doctor.intervals import wilson
from porterlib.doctor.qualifying import prompt_of
from porterlib.errors import InputError


def test_every_item_makes_a_prompt_in_which_its_right_answer_can_be_expressed() -> None:
    items = load_items()
    assert len({item.id for item in items}) == len(items) == 40
    for item in items:
        prompt = prompt_of(item)
        schema = prompt.schema_for(prompt.statements)["properties"][prompt.key]
        if item.kind == "write":
            assert prompt.parse(item.draft.partition("“")[0], prompt.statements) == item.draft
            continue
        for right in item.right:
            shown = right
            if item.kind == "choose" and right != "none":
                shown = "abcdefgh"[int(right) - 1]
            assert shown in schema["enum"]


def test_positions_of_right_answers_are_spread_so_that_a_fixed_letter_gains_nothing() -> None:
    chosen = [item.right[0] for item in load_items() if item.kind == "choose"]
    assert max(chosen.count(position) for position in set(chosen)) <= 5


@pytest.mark.parametrize(
    ("right", "items", "expected"),
    [(0, 10, (0.0, 0.2775)), (5, 10, (0.2366, 0.7634)), (10, 10, (0.7225, 1.0)), (81, 263, (0.2553, 0.3662))],
)
def test_the_interval_equals_published_values(right: int, items: int, expected: tuple[float, float]) -> None:
    # The last row is the worked example of Newcombe (1998), Statistics in Medicine 17, 857-872.
    assert wilson(right, items) == pytest.approx(expected, abs=5e-5)


def test_a_broken_set_is_refused_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "mine.yaml"
    broken.write_text("items:\n- id: x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml"):
        load_items(broken)
