"""Asks which of the opposing claims contradict the strongest claim of a driver, and links what was chosen.

The links of the rules stay whatever an analyst answers: an answer can add dissent, never take it away.
"""

from __future__ import annotations

from porterlib.analysis.claims import LINKED, ClaimBook
from porterlib.analyst import Analyst, ChooseQuestion, Offer

OFFERED = 5
"""Opposing claims offered for one."""


def ask_stances(book: ClaimBook, analyst: Analyst) -> None:
    """Link the opposing claims that the analyst says contradict a driver's strongest claim.

    Asked only where more claims oppose it than the rules link.
    """
    for driver in sorted({driver for driver, _ in book.sides()}):
        raising, lowering = (book.of_driver(driver, side, usable=False) for side in ("raises", "lowers"))
        if not (raising and lowering):
            continue
        first = min(raising[0], lowering[0], key=book.order)
        against = lowering if first is raising[0] else raising
        if len(against) <= LINKED:
            continue
        choice = analyst.choose(
            ChooseQuestion(
                purpose="stance",
                subject=first.id,
                text=f"Which statements contradict this one: {first.text}",
                offers=tuple(
                    Offer(c.id, c.text, {"rank": float(-at)}) for at, c in enumerate(against[:OFFERED])
                ),
                at_most=LINKED,
            )
        )
        for name in choice.ids:
            book.contradict(first, book.clauses[name], f"link.{choice.rule}")
