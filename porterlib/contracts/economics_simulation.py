"""What a simulation returns: a distribution with its seed, kept apart from the headline figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from porterlib.contracts.base import Contract, Score01, Sha256, Text, Versioned

if TYPE_CHECKING:
    import pandas as pd

Amount = Annotated[float, Field(allow_inf_nan=False)]


class Percentile(Contract):
    """A percentile of the simulated net present value."""

    percent: Annotated[float, Field(gt=0, lt=100)]
    """Share of draws below, in percent."""
    value: Amount
    """Net present value at that percentile, in single units."""
    standard_error: Annotated[float, Field(ge=0)]
    """Sampling error of the value."""


class UncertaintyShare(Contract):
    """How much of the spread goes with one input."""

    line: Text
    """Input name."""
    rank_correlation: Annotated[float, Field(ge=-1.0000001, le=1.0000001)]
    """Rank correlation of the input with the net present value."""
    share: Score01
    """Squared rank correlation as a share of their sum."""


class Simulation(Versioned):
    """A seeded simulation of one scenario; it never enters a fingerprint."""

    scenario: Text
    """Scenario that was simulated."""
    currency: Text
    """Currency of every amount."""
    draws: int
    """Number of draws."""
    seed: int
    """Seed of the generator."""
    generator: Text
    """Generator and library version that give these exact draws."""
    inputs_sha256: Sha256
    """Digest of the inputs that were simulated."""
    mean: Amount
    """Mean net present value."""
    standard_deviation: Annotated[float, Field(ge=0)]
    """Standard deviation of the net present value."""
    mean_standard_error: Annotated[float, Field(ge=0)]
    """Sampling error of the mean."""
    percentiles: tuple[Percentile, ...]
    """P1, P5, P10, P25, P50, P75, P90, P95, P99."""
    probability_of_loss: Score01
    """Share of draws with a negative net present value."""
    probability_standard_error: Score01
    """Sampling error of that share."""
    expected_shortfall: Amount
    """Mean net present value of the worst draws."""
    shortfall_tail: Score01 = 0.05
    """Share of draws that count as the worst."""
    drivers: tuple[UncertaintyShare, ...]
    """Inputs by share, largest first."""
    correlation: Literal["independent", "rank correlations (Iman-Conover)"]
    """How inputs move together."""
    worst_corner_percentile: Score01
    """Share of draws below the worst corner."""
    best_corner_percentile: Score01
    """Share of draws below the best corner."""
    caution: Text
    """What the distribution does not say."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the percentiles with their sampling errors."""
        import pandas as pd

        return pd.DataFrame([entry.model_dump() for entry in self.percentiles])
