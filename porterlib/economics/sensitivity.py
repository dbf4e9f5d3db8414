"""Which assumption dominates: tornado, switching values, two-way tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from porterlib.contracts.economics import Driver
from porterlib.contracts.economics_estimates import plain_text
from porterlib.economics.arithmetic import ZERO, NumberLike, exact, number, stored
from porterlib.economics.cashflows import Frame, net_present_value, schedule, timing_offset
from porterlib.economics.roots import period_roots
from porterlib.economics.scenarios import OUTER, RATE, Case, Variable
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["in range", "outside range", "none in range", "insensitive"]


def tornado(case: Case, frame: Frame) -> tuple[Driver, ...]:
    """Return one entry an input, one at a time at both ends, largest swing first; ties by name."""
    drivers = [_driver(case, frame, variable) for variable in case.variables().values()]
    with exact():
        total = sum((d.swing * d.swing for d in drivers), ZERO)
        shares = [stored(d.swing * d.swing / total) if total else ZERO for d in drivers]
    ranked = [d.model_copy(update={"variance_share": s}) for d, s in zip(drivers, shares, strict=True)]
    return tuple(sorted(ranked, key=lambda d: (-d.swing, d.line)))


def _npv(case: Case, frame: Frame, name: str, value: Decimal) -> Decimal:
    return net_present_value(case.values({name: value}), frame)


def _driver(case: Case, frame: Frame, variable: Variable) -> Driver:
    at_low, at_high = (_npv(case, frame, variable.name, variable.at(end)) for end in ("low", "high"))
    value, status = switching_value(case, frame, variable)
    return Driver(
        line=variable.name,
        low_input=variable.low,
        high_input=variable.high,
        npv_at_low=at_low,
        npv_at_high=at_high,
        swing=stored(abs(at_high - at_low)),
        flips_sign=(at_low < 0) != (at_high < 0),
        switching_value=value,
        switching=status,
        variance_share=ZERO,
        owner=variable.estimate.owner,
        basis=variable.estimate.basis,
    )


def switching_value(case: Case, frame: Frame, variable: Variable) -> tuple[Decimal | None, Status]:
    """Return the value of one input at which the base net present value is zero, and where it lies.

    Lines are affine in the value, so two evaluations give the exact answer; timing is searched month by
    month (first month of the other sign), the rate through all internal rates of return.
    """
    line = next(name for name, bound in case.bounds.items() if bound.variable.name == variable.name)
    if line in OUTER:
        return _month_switch(case, frame, variable)
    if line in {RATE, "inflation"}:
        return _rate_switch(case, frame, variable, line)
    return _affine_switch(case, frame, variable)


def _affine_switch(case: Case, frame: Frame, variable: Variable) -> tuple[Decimal | None, Status]:
    with exact():
        at_base = _npv(case, frame, variable.name, variable.base)
        slope = _npv(case, frame, variable.name, variable.base + 1) - at_base
        if slope == 0:
            return None, "insensitive"
        return _placed(stored(variable.base - at_base / slope), variable)


def _placed(value: Decimal, variable: Variable) -> tuple[Decimal, Status]:
    return value, "in range" if variable.low <= value <= variable.high else "outside range"


def _month_switch(case: Case, frame: Frame, variable: Variable) -> tuple[Decimal | None, Status]:
    months = [Decimal(m) for m in range(1 if variable.low >= 1 else 0, frame.years * 12 + 1)]
    values = [_npv(case, frame, variable.name, month) for month in months]
    if len(set(values)) == 1:
        return None, "insensitive"
    turn = next((k for k in range(1, len(values)) if (values[k] < 0) != (values[0] < 0)), None)
    return (None, "none in range") if turn is None else _placed(months[turn], variable)


def _rate_switch(case: Case, frame: Frame, variable: Variable, line: str) -> tuple[Decimal | None, Status]:
    values = case.values()
    with exact():
        flows = [row.net for row in schedule(values, frame)]
        if not any(flows[1:]):
            return None, "insensitive"
        yearly = [root * frame.per_year for root in period_roots(flows, timing_offset(frame))]
        if "inflation" in values:
            known = values["inflation" if line == RATE else RATE]
            yearly = [
                (1 + r) * (1 + known) - 1 if line == RATE else (1 + known) / (1 + r) - 1
                for r in yearly
                if r > -1
            ]
        if not yearly:
            return None, "none in range"
        nearest = min(yearly, key=lambda root: (abs(root - variable.base), root))
    return _placed(stored(nearest), variable)


def zero_multipliers(case: Case) -> tuple[str, ...]:
    """Name the inputs that show no effect only because what they multiply is zero at base."""
    values = case.values()
    pairs = (
        ("gross_benefit", "realisation"),
        ("realisation", "gross_benefit"),
        ("start_month", "gross_benefit"),
    )
    return tuple(
        f"{line} shows no effect because {other} is zero at base; give {other} a base above zero to see it"
        for line, other in pairs
        if all(name in case.bounds and case.bounds[name].variable.ranged for name in (line, other))
        and values[other] == 0
    )


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Net present value over a grid of two inputs; `npv[i][j]` belongs to rows[i] and columns[j]."""

    row_line: str
    column_line: str
    rows: tuple[Decimal, ...]
    columns: tuple[Decimal, ...]
    npv: tuple[tuple[Decimal, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain JSON values, amounts as exact text."""
        return {
            "row_line": self.row_line,
            "column_line": self.column_line,
            "rows": [plain_text(value) for value in self.rows],
            "columns": [plain_text(value) for value in self.columns],
            "npv": [[plain_text(value) for value in row] for row in self.npv],
        }

    def to_pandas(self, *, unit: Literal["k", "m", "bn"] | None = None) -> pd.DataFrame:
        """Return the grid, rows and columns labelled with the input values; exact, or rounded in `unit`."""
        import pandas as pd

        from porterlib.contracts._economics_tables import Scale

        scale = Scale(unit)
        rows = pd.Index([scale.of_line(self.row_line, v) for v in self.rows], name=self.row_line)
        columns = pd.Index([scale.of_line(self.column_line, v) for v in self.columns], name=self.column_line)
        return pd.DataFrame([[scale.money(v) for v in row] for row in self.npv], index=rows, columns=columns)


def two_way(case: Case, frame: Frame, row: str, column: str, *, steps: int = 5) -> TwoWay:
    """Return the table of two inputs over their ranges, in `steps` even steps each, others at base."""
    variables = case.variables()
    for name in (row, column):
        if name not in variables:
            raise EconomicsError(f"no input {name!r}; there is {', '.join(sorted(variables))}", field=name)
    if row == column or steps < 2:
        raise EconomicsError("a two-way table needs two different inputs and at least 2 steps", field="steps")
    rows, columns = _steps(variables[row], steps), _steps(variables[column], steps)
    grid = tuple(
        tuple(net_present_value(case.values({row: r, column: c}), frame) for c in columns) for r in rows
    )
    return TwoWay(row, column, rows, columns, grid)


def _steps(variable: Variable, steps: int) -> tuple[Decimal, ...]:
    with exact():
        values = [variable.low + (variable.high - variable.low) * k / (steps - 1) for k in range(steps)]
    whole = variable.estimate.unit == "month"
    return tuple(value.to_integral_value() if whole else stored(value) for value in values)


def break_even(values: Iterable[NumberLike]) -> int | Literal["never"]:
    """Return the first index at which a cumulative series is not negative."""
    return next((k for k, value in enumerate(values) if number(value, f"values[{k}]") >= 0), "never")
