"""What a reader of a scenario must know before trusting its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from porterlib.contracts.economics import Driver
from porterlib.economics.roots import is_total_loss
from porterlib.economics.scenarios import Case
from porterlib.economics.sensitivity import zero_multipliers


def cautions(case: Case, figures: Mapping[str, Any], drivers: Sequence[Driver]) -> tuple[str, ...]:
    """Return the warnings of one scenario, in a fixed order.

    Args:
        case: the resolved scenario.
        figures: fields of its result, as far as they are known.
        drivers: its tornado.

    """
    flips = ", ".join(driver.line for driver in drivers if driver.flips_sign)
    turned = (f"on its own turns gain into loss within its range: {flips}",) if flips else ()
    return (*zero_multipliers(case), *_about_inputs(case), *_about_results(figures), *turned)


def _about_inputs(case: Case) -> Iterator[str]:
    values = case.values()
    if values["gross_benefit"] > 0 and values.get("realisation") == 1:
        yield "base realisation is 100 %: every promised benefit is assumed to be booked; ask its owner why"
    if any(bound.variable.estimate.meaning == "p10-p90" for bound in case.bounds.values()):
        yield (
            "some ranges are P10 to P90: worst and best put all of them there at once, far rarer "
            "than one in ten, and values beyond them are possible"
        )


def _about_results(figures: Mapping[str, Any]) -> Iterator[str]:
    if any(corner.interior_rate for corner in figures["corners"]):
        yield "an extreme lies inside the discount rate's range: value does not just fall with the rate"
    if len(figures["irr"]) > 1:
        yield "there are several internal rates of return; judge by net present value"
    if any(is_total_loss(rate) for rate in figures["irr"]):
        yield "an internal rate of return is a total loss"
    if figures["payback_recrosses"]:
        yield "cumulative cash is negative again after payback"
    if figures["roi"] is None:
        yield "return on investment is undefined where costs are zero"
