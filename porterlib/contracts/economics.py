"""What the calculator returns: figures with formula, basis and owner, never a bare number.

`worst`, `base` and `best` are values that were searched for, each with the corner it came from. An absent
value is `None` beside a request that says what is missing; zero always means zero.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from porterlib.contracts.base import Contract, Sha256, Text, Versioned
from porterlib.contracts.economics_estimates import Estimate, Number
from porterlib.contracts.economics_inputs import EconomicsInputs, OptionKind, ScenarioKind, SignOff
from porterlib.contracts.economics_parts import (
    BreakdownRow,
    Calculation,
    ChangeMade,
    Corner,
    CostOfDelay,
    DelayComponent,
    DominantAssumption,
    Driver,
    Explanation,
    LadderResult,
    MissingInput,
    PaybackMonth,
    Paybacks,
    Setting,
    Spread,
    YearRow,
)
from porterlib.errors import EconomicsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BreakdownRow",
    "Calculation",
    "ChangeMade",
    "Corner",
    "CostOfDelay",
    "DelayComponent",
    "DominantAssumption",
    "Driver",
    "Economics",
    "EconomicsInputs",
    "Estimate",
    "Explanation",
    "LadderResult",
    "MissingInput",
    "PaybackMonth",
    "Paybacks",
    "ScenarioEconomics",
    "Setting",
    "SignOff",
    "Spread",
    "YearRow",
]


_OWN_KIND = {"no_action": "no_action", "wait": "delayed", "targeted": "targeted", "scaled": "scaled"}
Table = Literal[
    "scenarios", "years", "drivers", "corners", "changes", "cash", "delay", "ladder", "missing", "figures"
]


class ScenarioEconomics(Contract):
    """The economics of one scenario."""

    name: Text
    """Scenario name."""
    kind: ScenarioKind
    """Which named scenario it is."""
    option: OptionKind
    """The option it values or stresses."""
    changes: tuple[ChangeMade, ...]
    """What differs from the shared lines."""
    npv: Spread | None
    """Net present value; None when an input is missing."""
    incremental_npv: Spread | None
    """Net present value above no action, shared drivers moved together."""
    roi: Spread | None
    """(realised benefits - costs) / costs, undiscounted; None when costs are zero somewhere in the range."""
    roi_present_value: Number | None
    """The same ratio on present values, base case."""
    payback_month: Paybacks | None = None
    """First month in which cumulative cash is not negative, at each corner."""
    discounted_payback_month: Paybacks | None = None
    """The same on discounted cash."""
    payback_recrosses: bool = False
    """True when base cumulative cash is negative again after payback."""
    break_even_year: int | Literal["never"] | None = None
    """First year whose cumulative present value is not negative, base case."""
    irr: tuple[Number, ...] = ()
    """Every real internal rate of return above -100 %, base case; empty when there is none."""
    trough: Number | None = None
    """Deepest cumulative cash of the base case (month by month), zero or negative."""
    trough_month: int | None = None
    """Month of that trough."""
    cash_curve: tuple[Number, ...] = ()
    """Cumulative cash of the base case at month 0, 1, 2, … (the J-curve)."""
    equivalent_annual_value: Number | None = None
    """Base net present value as a level yearly amount over the horizon."""
    profitability_index: Number | None = None
    """Present value of all later cash over upfront cost, base case."""
    years: tuple[YearRow, ...] = ()
    """Year table of the base case."""
    corners: tuple[Corner, ...] = ()
    """Where worst, base and best come from."""
    drivers: tuple[Driver, ...] = ()
    """Inputs by swing, largest first (the tornado)."""
    missing: tuple[str, ...] = ()
    """Inputs that keep this scenario from being valued."""
    basis: tuple[str, ...]
    """Ids all its figures rest on."""
    owners: tuple[str, ...]
    """Who answers for its inputs."""
    warnings: tuple[str, ...] = ()
    """What a reader must know."""
    formula: Text
    """Formula of the net present value."""
    convention: Text
    """Timing, period, prices and rate convention."""

    @property
    def range_sign(self) -> Literal["gain", "mixed", "loss", "unknown"]:
        """Whether the whole range of the net present value is above zero, below it, or neither."""
        if self.npv is None:
            return "unknown"
        if self.npv.best < 0:
            return "loss"
        return "gain" if self.npv.worst > 0 else "mixed"


class Economics(Versioned):
    """The result of one calculation."""

    run_id: Text | None = None
    """Run it belongs to; absent for inputs that were calculated by themselves."""
    title: Text
    """What was costed."""
    synthetic: bool
    """True when the inputs are made up."""
    currency: Text
    """Currency of every amount."""
    scenarios: tuple[ScenarioEconomics, ...]
    """One entry a scenario, in the order of the inputs."""
    cost_of_delay: CostOfDelay | None
    """What waiting costs, when asked for."""
    benefit_ladder: LadderResult | None
    """Where the gross benefit comes from, when given."""
    calculations: tuple[Calculation, ...]
    """Every figure that may be cited."""
    missing_inputs: tuple[MissingInput, ...]
    """What has to be supplied first."""
    dominant_assumption: DominantAssumption | None
    """The input that moves the main scenario most."""
    optimism_bias: str | None
    """The uplift that was applied, labelled, or None."""
    signed: SignOff | None
    """The signature, when it covers exactly these inputs."""
    inputs_sha256: Sha256
    """Digest of the inputs without signature."""
    calculator_version: Text
    """Version of the rules."""
    warnings: tuple[str, ...]
    """What a reader must know about the whole."""

    def scenario(self, name: str) -> ScenarioEconomics:
        """Return the scenario called `name`, or the first of that kind."""
        for wanted in ("name", "kind"):
            for entry in self.scenarios:
                if getattr(entry, wanted) == name:
                    return entry
        known = ", ".join(repr(entry.name) for entry in self.scenarios) or "none"
        raise EconomicsError(f"no scenario {name!r}; there is {known}", field="scenario")

    def for_option(self, option: OptionKind) -> tuple[ScenarioEconomics, ...]:
        """Return the scenarios that value or stress `option`."""
        return tuple(entry for entry in self.scenarios if entry.option == option)

    def calculation(self, calculation_id: str) -> Calculation:
        """Return the figure with that id."""
        for entry in self.calculations:
            if entry.id == calculation_id:
                return entry
        raise EconomicsError(f"no calculation {calculation_id!r} in these economics", field="calculation")

    def figure(self, name: str, scenario: str | None = None) -> Calculation:
        """Return the figure called `name` (such as `npv.base`) of `scenario` (None: of the whole)."""
        for entry in self.calculations:
            if entry.name == name and entry.scenario == scenario:
                return entry
        raise EconomicsError(f"no figure {name!r} for scenario {scenario!r}", field="figure")

    def explain(self, figure: str = "npv", *, scenario: str = "targeted") -> Explanation:
        """Return the steps that lead to a base figure (`npv` or `roi`) of a scenario."""
        from porterlib.contracts._economics_trace import explain

        return explain(self.scenario(scenario), figure)

    def to_pandas(
        self, table: Table = "scenarios", *, unit: Literal["k", "m", "bn"] | None = None
    ) -> pd.DataFrame:
        """Return one tidy table; amounts stay exact, or are rounded for reading in `unit`."""
        from porterlib.contracts._economics_tables import frame

        return frame(self, table, unit)

    def main_scenario(self, option: OptionKind) -> ScenarioEconomics | None:
        """Return the scenario that values `option` itself, not one that stresses it; None when there is none."""
        entries = self.for_option(option)
        own = [entry for entry in entries if entry.kind == _OWN_KIND.get(option)]
        return next(iter(own or entries), None)

    def base_npv(self, option: OptionKind) -> Decimal | None:
        """Return the base net present value of `option`, if known."""
        entry = self.main_scenario(option)
        return None if entry is None or entry.npv is None else entry.npv.base
