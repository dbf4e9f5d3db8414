"""Options under four lenses and reversibility, side by side and never summed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.options import LENSES as ALL_LENSES
from porterlib.contracts.options import LensRating, OptionAssessment
from porterlib.display.blocks import Block, Built, Cell, Fold, Grid, Listed, Para, grid
from porterlib.display.parts import part
from porterlib.display.style import Tone
from porterlib.display.words import LENSES, NOT_ASSESSED, RATING_WORDS, spoken

_TONES: dict[int, Tone] = {1: "bad", 2: "warn", 3: "quiet", 4: "easing", 5: "good"}


def lens_cell(rating: LensRating) -> Cell:
    """Return a rating from 1 to 5, five best, with its word."""
    if rating.rating is None:
        return Cell(NOT_ASSESSED, hatched=True)
    return Cell(f"{rating.rating} {RATING_WORDS[rating.rating]}", _TONES[rating.rating])


def option_table(candidate: Candidate) -> Grid:
    """Return one row an option, the recommended one named."""
    chosen = candidate.recommendation.option_id
    return grid(
        ("Option", *LENSES.values(), "Months to learning"),
        candidate.options,
        lambda option: (
            Cell(
                option.name + (" (recommended)" if option.option_id == chosen else ""),
                bold=option.option_id == chosen,
            ),
            *(lens_cell(option.lens(lens)) for lens in ALL_LENSES),
            option.months_to_learning,
        ),
        numeric=(6,),
    )


def options(result: Any) -> Built:
    """Return the comparison, then the reason of each rating and the stop conditions."""
    candidate = part(result, Candidate)
    blocks: list[Block] = [
        Para("5 is best. The lenses stay apart: no sum, no weight, no ranking.", small=True),
        option_table(candidate),
    ]
    blocks += [Fold(option.name, list(_reasons(option))) for option in candidate.options]
    return Built("Options compared", blocks, lambda: _rows(candidate))


def _reasons(option: OptionAssessment) -> Iterator[Block]:
    yield grid(
        ("Lens", "Rating", "Why", "Rests on"),
        option.ratings,
        lambda r: (LENSES[r.lens], lens_cell(r), r.note, ", ".join(r.basis[:6]) or "—"),
    )
    yield Listed("Stop when", option.stop_conditions)
    yield Listed("Go faster when", option.acceleration_conditions)


def _rows(candidate: Candidate) -> Iterator[dict[str, Any]]:
    for option in candidate.options:
        for rating in option.ratings:
            yield {
                "option_id": option.option_id,
                "option": option.name,
                "kind": option.kind,
                "lens": rating.lens,
                "rating": rating.rating,
                "why": rating.note,
                "rule": spoken(rating.rule),
                "basis": ", ".join(rating.basis),
                "recommended": option.option_id == candidate.recommendation.option_id,
            }
