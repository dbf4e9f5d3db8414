"""From the values of the lines to cash flows, year tables and headline figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Literal

from porterlib.contracts.economics import YearRow
from porterlib.economics.arithmetic import ONE, ZERO, exact, horner, stored
from porterlib.economics.discounting import shift

Values = Mapping[str, Decimal]
"""Line name (and `discount_rate`) to value in single units; optional lines default to zero."""

PER_YEAR: Mapping[str, int] = {"annual": 1, "quarterly": 4, "monthly": 12}
NPV_FORMULA = (
    "npv = -upfront + sum over periods of (gross benefit x realisation from the start month pro rata"
    " - run cost - control cost - expected loss - tax + working capital + terminal value)"
    " / (1 + periodic rate)^period"
)
ROI_FORMULA = (
    "roi = (realised benefits - costs) / costs, undiscounted; costs = upfront + run + control + expected loss"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What does not vary within one case: horizon, period length, timing."""

    years: int
    per_year: int = 1
    timing: Literal["end", "mid", "begin"] = "end"

    @property
    def months(self) -> int:
        """Months in one period."""
        return 12 // self.per_year

    @property
    def periods(self) -> int:
        """Periods in the horizon."""
        return self.years * self.per_year

    def monthly(self) -> Frame:
        """Return the same horizon in months, as paybacks need it."""
        return Frame(self.years, 12, self.timing)


@dataclass(frozen=True, slots=True)
class Period:
    """Amounts of one period in single units; costs positive."""

    upfront_cost: Decimal = ZERO
    gross_benefit: Decimal = ZERO
    realised_benefit: Decimal = ZERO
    run_cost: Decimal = ZERO
    control_cost: Decimal = ZERO
    expected_loss: Decimal = ZERO
    tax: Decimal = ZERO
    working_capital: Decimal = ZERO
    terminal_value: Decimal = ZERO

    @property
    def costs(self) -> Decimal:
        """One-off and yearly costs."""
        return self.upfront_cost + self.run_cost + self.control_cost + self.expected_loss

    @property
    def net(self) -> Decimal:
        """Cash of the period."""
        return self.realised_benefit - self.costs - self.tax + self.working_capital + self.terminal_value


_AMOUNTS = tuple(field.name for field in fields(Period))


def active_months(frame: Frame, period: int, first_month: int) -> int:
    """Return how many months of `period` (from 1) lie at or after `first_month` (from 1)."""
    end = period * frame.months
    return max(0, min(frame.months, end - first_month + 1))


def start_period(frame: Frame, delay_months: int) -> int:
    """Return the period in whose flow a one-off amount after `delay_months` falls; 0 is time zero."""
    return -(-delay_months // frame.months)


def schedule(values: Values, frame: Frame) -> tuple[Period, ...]:
    """Return the amounts at time zero and of each period (call inside `exact()`).

    Yearly amounts fall pro rata by month. Costs run from the month after the delay; benefits from the start
    month counted from there. Tax is paid on profit after upfront cost spread evenly over the active months,
    and a loss is relieved in its period. Working capital returns in the last period.
    """
    delay = int(values.get("delay_months", ZERO))
    begins = start_period(frame, delay)
    active_total = max(frame.years * 12 - delay, 1)
    first_benefit = delay + int(values.get("start_month", ONE))
    rows = []
    for period in range(frame.periods + 1):
        active = active_months(frame, period, delay + 1) if period else 0
        earning = active_months(frame, period, first_benefit) if period else 0
        rows.append(_period(values, period == begins, period == frame.periods, active, active_total, earning))
    return tuple(rows)


def _period(values: Values, starts: bool, ends: bool, active: int, active_total: int, earning: int) -> Period:
    upfront, capital = values["upfront_cost"], values.get("working_capital", ZERO)
    gross = values["gross_benefit"] * earning / 12
    realised = gross * values.get("realisation", ZERO)
    run, control, loss = (
        values[name] * active / 12 for name in ("run_cost", "control_cost", "expected_loss")
    )
    profit = realised - run - control - loss - upfront * active / active_total
    return Period(
        upfront_cost=upfront if starts else ZERO,
        gross_benefit=gross,
        realised_benefit=realised,
        run_cost=run,
        control_cost=control,
        expected_loss=loss,
        tax=profit * values.get("tax_rate", ZERO),
        working_capital=(capital if ends else ZERO) - (capital if starts else ZERO),
        terminal_value=values.get("terminal_value", ZERO) if ends else ZERO,
    )


def yearly_rate(values: Values) -> Decimal:
    """Return the rate that fits the amounts: real when inflation is given, else as stated."""
    inflation = values.get("inflation")
    rate = values["discount_rate"]
    return rate if inflation is None else (1 + rate) / (1 + inflation) - 1


def periodic_growth(values: Values, frame: Frame) -> Decimal:
    """Return 1 + yearly rate / periods a year."""
    return ONE + yearly_rate(values) / frame.per_year


def value_of(flows: tuple[Decimal, ...], growth: Decimal, frame: Frame) -> Decimal:
    """Return the net present value of time-zero cash and period flows (call inside `exact()`)."""
    timing = {"begin": "start"}.get(frame.timing, frame.timing)
    return flows[0] + horner(flows[1:], growth) * shift(growth, timing)


def timing_offset(frame: Frame) -> Decimal:
    """Return by how many periods flows fall before the end of their period."""
    return {"end": ZERO, "mid": Decimal("0.5"), "begin": ONE}[frame.timing]


def net_present_value(values: Values, frame: Frame) -> Decimal:
    """Return the headline net present value, at 28 digits."""
    with exact():
        flows = tuple(row.net for row in schedule(values, frame))
        return stored(value_of(flows, periodic_growth(values, frame), frame))


def return_on_investment(
    rows: tuple[Period, ...], weights: tuple[Decimal, ...] | None = None
) -> Decimal | None:
    """Return (realised benefits - costs) / costs, None at zero cost; `weights` are discount factors."""
    weights = weights or (ONE,) * len(rows)
    benefits = sum((row.realised_benefit * w for row, w in zip(rows, weights, strict=True)), ZERO)
    costs = sum((row.costs * w for row, w in zip(rows, weights, strict=True)), ZERO)
    return None if costs == 0 else stored((benefits - costs) / costs)


def discount_factors(values: Values, frame: Frame) -> tuple[Decimal, ...]:
    """Return the factor of time zero and of each period (call inside `exact()`)."""
    growth = periodic_growth(values, frame)
    factor = shift(growth, {"begin": "start"}.get(frame.timing, frame.timing))
    result = [ONE]
    for _ in range(frame.periods):
        factor /= growth
        result.append(factor)
    return tuple(result)


def year_table(values: Values, frame: Frame) -> tuple[YearRow, ...]:
    """Return one row for time zero and one a year, whose last cumulative present value is the NPV."""
    with exact():
        rows, factors = schedule(values, frame), discount_factors(values, frame)
        table, cash, worth = [], ZERO, ZERO
        for year in range(frame.years + 1):
            span = range((year - 1) * frame.per_year + 1, year * frame.per_year + 1) if year else range(1)
            sums = {name: sum((getattr(rows[k], name) for k in span), ZERO) for name in _AMOUNTS}
            net = sum((rows[k].net for k in span), ZERO)
            present = sum((rows[k].net * factors[k] for k in span), ZERO)
            cash, worth = cash + net, worth + present
            figures = {
                **sums,
                "net": net,
                "present_value": present,
                "cumulative": cash,
                "cumulative_present_value": worth,
            }
            table.append(YearRow(year=year, **{name: stored(value) for name, value in figures.items()}))
        return tuple(table)
