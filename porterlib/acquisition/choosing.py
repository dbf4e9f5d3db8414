"""Asks an analyst which subjects, hypotheses and queries a plan takes up, among those the pack offers.

Three small choices; what is not chosen is not lost. Hypotheses keep their place in the plan and only come later
when queries are made, and queries against a hypothesis are never up for choice. An answer of none leaves the
order of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

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
    text = f"Which hypotheses on {_plain(force)} matter most for the decision?"
    by_id = {row.id: row for row in rows}
    statements = {row.id: row.statement for row in rows}
    chosen = _chosen("hypothesis", force, text, statements, analyst, at_most)
    return [*(by_id[name] for name in chosen), *(row for row in rows if row.id not in chosen)]


def choose_queries(force: Force, texts: Sequence[str], analyst: Analyst, *, at_most: int) -> list[int]:
    """Return the places of the search queries to run first, best first."""
    text = f"Which searches will find most about {_plain(force)}?"
    places = {str(at): query for at, query in enumerate(texts)}
    return [int(name) for name in _chosen("query", force, text, places, analyst, at_most)]


def _chosen(
    purpose: Literal["hypothesis", "query"],
    force: Force,
    text: str,
    offered: Mapping[str, str],
    analyst: Analyst,
    at_most: int,
) -> tuple[str, ...]:
    """Return the ids chosen among texts that the rules put in order, best first."""
    ranks = range(len(offered), 0, -1)
    offers = tuple(
        Offer(name, words, {"rank": float(rank)})
        for rank, (name, words) in zip(ranks, offered.items(), strict=True)
    )
    question = ChooseQuestion(purpose=purpose, subject=force, text=text, offers=offers, at_most=at_most)
    return analyst.choose(question).ids


def _plain(force: Force) -> str:
    return force.replace("_", " ")
