"""The rules by which statements are ordered: which leads a section, which speaks most strongly against.

As in `policy`, nothing here sees text. A statement arrives as named figures and leaves with one number that
orders it among its like; the number means nothing by itself and is never shown as a score.
"""

from __future__ import annotations

from collections.abc import Mapping

COMFORTABLE = 20
"""Words up to which a statement fits into a sentence of the brief."""
ON_SUBJECT = 0.5
"""Relevance from which a statement is about the decision's own subject."""


def lead_rank(features: Mapping[str, float]) -> float:
    """Return how well a statement leads a section: relevance first, then strength, then how it reads.

    Features: `cues` met, `on_topic` 0 to 1, `strength` of its source, `figure`, `named`, `sector` (1 named, a
    half by its passage, 0 not), `dependent` on what stood before, `possible` only, `quotable`, `words`.
    """
    return round(
        min(features["cues"], 3)
        + 4.0 * features["on_topic"]
        + 2.0 * features["strength"]
        + 0.9 * features["figure"]
        + 0.4 * features["named"]
        - 3.0 * (1 - features["sector"])
        - 2.5 * features["dependent"]
        - 0.8 * features["possible"]
        - 4.0 * (1 - features["quotable"])
        - 0.1 * max(0.0, features["words"] - COMFORTABLE),
        6,
    )


_REPORTED, _TOLD, _POSSIBLE = 75.0, 65.0, 50.0
_DEPENDENCE, _BARRIER = 24.0, 8.0
_OFF_PRODUCT, _OFF_TOPIC = 12.0, 8.0


def contrary_rank(features: Mapping[str, float]) -> float:
    """Return how strongly a statement speaks against the recommendation.

    An outcome on the decision's own topic counts most: reported with a figure, then without, then said to be
    possible. It counts more where it names the decision's product. Structural arguments follow, a dependence
    always before a mere barrier, and on the topic before off it; how another course fared is no more than such an argument.
    Only among equals do strength of source and wording decide.

    Features: `outcome`, `figure`, `possible`, `dependence`, `on_topic`, `product` (1 named, a half by what
    stands before, 0 not), `strength`, `rank` as `lead_rank` gives it.
    """
    on_topic = features["on_topic"] >= ON_SUBJECT
    if features["outcome"] and on_topic:
        told = _REPORTED if features["figure"] else _TOLD
        tier = (_POSSIBLE if features["possible"] else told) - _OFF_PRODUCT * (1 - features["product"])
    else:
        tier = _DEPENDENCE if features["dependence"] else _BARRIER
        tier -= 0.0 if on_topic else _OFF_TOPIC
    return round(tier + 3.0 * features["strength"] + 0.3 * features["rank"], 6)
