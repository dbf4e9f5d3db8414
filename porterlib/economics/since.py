"""What moved between two sets of inputs, in inputs and in net present value; and two-way tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from porterlib.contracts.economics import Economics, Spread
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.arithmetic import exact, stored
from porterlib.economics.evaluate import frame_of
from porterlib.economics.report import calculate, case_named
from porterlib.economics.sensitivity import TwoWay, two_way
from porterlib.economics.signing import InputMove, moved_inputs

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class NpvMove:
    """Net present value of one scenario before and after; None where it cannot be valued."""

    scenario: str
    before: Spread | None
    after: Spread | None
    base_moved_by: Decimal | None


@dataclass(frozen=True, slots=True)
class Moved:
    """Differences between signed and present inputs."""

    inputs: tuple[InputMove, ...]
    npv: tuple[NpvMove, ...]

    def to_pandas(
        self, table: Literal["inputs", "npv"] = "inputs", *, unit: Literal["k", "m", "bn"] | None = None
    ) -> pd.DataFrame:
        """Return the inputs that moved, or the base net present values before and after."""
        import pandas as pd

        from porterlib.contracts._economics_tables import Scale

        if table == "inputs":
            return pd.DataFrame([asdict(move) for move in self.inputs], columns=["path", "before", "after"])
        money = Scale(unit).money
        rows = [
            {
                "scenario": move.scenario,
                "before": money(move.before.base if move.before else None),
                "after": money(move.after.base if move.after else None),
                "moved_by": money(move.base_moved_by),
            }
            for move in self.npv
        ]
        return pd.DataFrame(rows)


def what_moved(before: EconomicsInputs, after: EconomicsInputs) -> Moved:
    """Return every input that differs and what that did to each scenario's net present value."""
    old, new = calculate(before), calculate(after)
    names = [entry.name for entry in old.scenarios]
    names += [entry.name for entry in new.scenarios if entry.name not in names]
    return Moved(moved_inputs(before, after), tuple(_npv_move(name, old, new) for name in names))


def _npv_move(name: str, old: Economics, new: Economics) -> NpvMove:
    before, after = _npv(old, name), _npv(new, name)
    moved = None
    if before is not None and after is not None:
        with exact():
            moved = stored(after.base - before.base)
    return NpvMove(name, before, after, moved)


def _npv(economics: Economics, name: str) -> Spread | None:
    return next((entry.npv for entry in economics.scenarios if entry.name == name), None)


def two_way_table(
    inputs: EconomicsInputs, row: str, column: str, *, scenario: str = "targeted", steps: int = 5
) -> TwoWay:
    """Return net present value over a grid of two inputs of a scenario, others at base."""
    with exact():
        return two_way(case_named(inputs, scenario), frame_of(inputs), row, column, steps=steps)
