"""Decides from the calls of a run whether its model is qualified (shares of stand-ins)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum

from porterlib.contracts.model import STAGES, ModelCall, ModelCost, Stage

STAGE_SHARE, RUN_SHARE = 0.30, 0.20
"""Largest shares of a stage's and of a run's questions that rules may answer in place of the model."""
SPLIT: dict[Stage, float] = {"plan": 0.12, "assess": 0.62, "options": 0.14, "brief": 0.12}
"""Parts of a run's questions, and of its time with the model, that each stage may use."""
BLOCK_REASON = "model_not_qualified"


def unqualified(calls: Iterable[ModelCall]) -> tuple[str, ...]:
    """Return why a model is not qualified, in plain sentences; empty when it is.

    Questions that were never put to the model (nothing to read, call budget spent) count on neither side.
    """
    held = tuple(calls)
    cost = ModelCost.of(held)
    checked = [(entry, STAGE_SHARE) for entry in cost.stages] + [(cost.total, RUN_SHARE)]
    return tuple(
        f"{_place(entry.stage)}: rules answered {entry.stood_in} of {entry.put_to_model} questions "
        f"({entry.stand_in_share:.0%}, at most {limit:.0%}; {_causes(held, entry.stage)})"
        for entry, limit in checked
        if entry.stand_in_share > limit
    )


def time_until(stage: Stage) -> float:
    """Return the share of a run's time that may be spent when a stage ends; what earlier stages saved counts.

    >>> round(time_until("assess"), 2), time_until("brief")
    (0.74, 1.0)

    """
    return round(fsum(SPLIT[each] for each in STAGES[: STAGES.index(stage) + 1]), 6)


def _place(stage: str) -> str:
    return "whole run" if stage == "all" else f"stage {stage}"


def _causes(calls: tuple[ModelCall, ...], stage: str) -> str:
    causes = Counter(
        call.reason for call in calls if call.answered_by == "stand_in" and stage in ("all", call.stage)
    )
    return ", ".join(
        f"{cause} ×{count}" for cause, count in sorted(causes.items(), key=lambda c: (-c[1], c[0]))
    )
