"""The benefit ladder: hours, capacity, redeployment, booked value; only the last rung enters the case."""

from __future__ import annotations

from decimal import Decimal

from porterlib.contracts.economics import LadderResult
from porterlib.contracts.economics_estimates import Estimate, plain
from porterlib.contracts.economics_inputs import BenefitLadder
from porterlib.economics.arithmetic import ZERO, exact
from porterlib.errors import EconomicsError


def climb(ladder: BenefitLadder, currency: str) -> LadderResult:
    """Return the rungs at base and the booked value as an estimate.

    Raises:
        EconomicsError: a source is booked twice, or booked lines use more hours than are redeployed.

    """
    _refuse_double_counting(ladder)
    with exact():
        saved = ladder.hours_saved.base
        released = saved * ladder.released_share.base
        redeployed = released * ladder.redeployed_share.base
        booked = sum((line.hours for line in ladder.booked), ZERO)
        if booked > redeployed:
            raise EconomicsError(
                f"benefit_ladder.booked: {booked} hours are booked, only {plain(redeployed)} redeployed"
                "; lower hours or show where more capacity is redeployed",
                field="benefit_ladder.booked",
            )
        return LadderResult(
            hours_saved=saved,
            hours_released=released,
            hours_redeployed=redeployed,
            hours_booked=booked,
            booked=_total(ladder, currency),
        )


def _refuse_double_counting(ladder: BenefitLadder) -> None:
    seen: dict[str, str] = {}
    for index, line in enumerate(ladder.booked):
        source = " ".join(line.source.casefold().split())
        if source in seen:
            where = f"benefit_ladder.booked[{index}].source"
            raise EconomicsError(
                f"{where}: {line.source!r} is already booked as {seen[source]!r}, so it would count twice; "
                "book a source once, or split it into separate sources",
                field=where,
            )
        seen[source] = line.name


def _total(ladder: BenefitLadder, currency: str) -> Estimate:
    ends = [line.amount.points() for line in ladder.booked]
    low, base, high = (sum((e[k] for e in ends), Decimal(0)) for k in range(3))
    owners = sorted({line.amount.owner for line in ladder.booked if line.amount.owner})
    approvals = {line.approval for line in ladder.booked if line.approval}
    return Estimate(
        low=low,
        base=base,
        high=high,
        unit=f"{currency}/year",
        basis=tuple(sorted({b for line in ladder.booked for b in line.amount.basis} | approvals)),
        owner=", ".join(owners) or None,
        note="sum of booked lines",
    )
