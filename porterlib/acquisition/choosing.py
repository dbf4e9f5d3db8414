"""Asks an analyst which subjects, hypotheses and queries a plan takes up, among those the pack offers.

Three small choices; what is not chosen is not lost. Hypotheses keep their place in the plan and only come later
when queries are made, and queries against a hypothesis are never up for choice. An answer of none leaves the
order of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from porterlib.analyst import Analyst, ChooseQuestion, Offer
from porterlib.contracts.base import Force
from porterlib.contracts.sector import Hypothesis, SectorPack

MOST_TOPICS = 2
"""Subjects a plan is spread over where an analyst chooses."""


def choose_topics(detected: Sequence[str], pack: SectorPack, analyst: Analyst) -> tuple[str, ...]:
    """Return the subjects the decision is about, in the pack's order; the detected ones if none is chosen."""
    offers = tuple(
        Offer(name, pack.topic_queries.get(name) or name.replace("_", " "), {"rank": float(name in detected)})
        for name in pack.topics
    )
    chosen = analyst.choose(
        ChooseQuestion(
            purpose="topic",
            subject="decision",
            text="Which of these subjects is the decision about?",
            offers=offers,
            at_most=max(MOST_TOPICS, len(detected)),
        )
    ).ids
    return tuple(name for name in pack.topics if name in (chosen or detected))


def choose_hypotheses(
    force: Force, rows: Sequence[Hypothesis], analyst: Analyst, *, at_most: int
) -> list[Hypothesis]:
    """Return all rows, those that matter most for the decision first; given nearest first."""
    offers = tuple(
        Offer(row.id, row.statement, {"rank": float(len(rows) - at)}) for at, row in enumerate(rows)
    )
    chosen = analyst.choose(
        ChooseQuestion(
            purpose="hypothesis",
            subject=force,
            text=f"Which hypotheses on {_plain(force)} matter most for the decision?",
            offers=offers,
            at_most=at_most,
        )
    ).ids
    by_id = {row.id: row for row in rows}
    return [*(by_id[name] for name in chosen), *(row for row in rows if row.id not in chosen)]


def choose_queries(force: Force, texts: Sequence[str], analyst: Analyst, *, at_most: int) -> list[int]:
    """Return the places of the search queries to run first, best first."""
    offers = tuple(Offer(str(at), text, {"rank": float(len(texts) - at)}) for at, text in enumerate(texts))
    chosen = analyst.choose(
        ChooseQuestion(
            purpose="query",
            subject=force,
            text=f"Which searches will find most about {_plain(force)}?",
            offers=offers,
            at_most=at_most,
        )
    ).ids
    return [int(name) for name in chosen]


def _plain(force: Force) -> str:
    return force.replace("_", " ")
