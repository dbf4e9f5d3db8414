"""The analyst without a model: answers by the rules of `policy`, the same each time."""

from __future__ import annotations

from threading import Lock

from porterlib.analyst.base import (
    Choice,
    ChooseQuestion,
    Offer,
    RateQuestion,
    Rating,
    Sentence,
    WriteQuestion,
)
from porterlib.analyst.policy import POLICY_VERSION, judge_trend, rate_driver, rate_lens
from porterlib.contracts.analysis import AnalystStamp

ANALYST_VERSION = "offline-2"


class OfflineAnalyst:
    """Rules and extraction from pack and evidence; deterministic."""

    def __init__(self) -> None:
        self._asked = 0
        self._lock = Lock()

    @property
    def stamp(self) -> AnalystStamp:
        """Return kind and version; no answer ever stands in for another."""
        return AnalystStamp(kind="offline", version=f"{ANALYST_VERSION}+{POLICY_VERSION}", asked=self._asked)

    def _count(self) -> None:
        with self._lock:  # five forces ask at once
            self._asked += 1

    def choose(self, question: ChooseQuestion) -> Choice:
        """Choose by the offers' `rank` (higher first), ties by id; `trend` follows its own rule.

        A subject of rank 0 was not detected and is never chosen.
        """
        self._count()
        if question.purpose == "trend":
            trend, rule = judge_trend(question.offers[0].features)
            return Choice((trend,), rule)
        named = question.purpose == "topic"
        ranked = sorted((o for o in question.offers if not named or o.features.get("rank")), key=_by_rank)
        return Choice(
            tuple(offer.id for offer in ranked[: question.at_most]), f"choose.{question.purpose}_by_rank"
        )

    def rate(self, question: RateQuestion) -> Rating:
        """Rate by the driver rule or the rule of the lens named in the subject."""
        self._count()
        if question.purpose == "driver":
            answer = rate_driver(question.features)
        else:
            answer = rate_lens(question.subject.rpartition(":")[2], question.features)
        return Rating(answer.value, answer.rule, answer.note)

    def write(self, question: WriteQuestion) -> Sentence:
        """Return the sentence the rules composed."""
        self._count()
        return Sentence(question.draft, f"write.{question.purpose}")


def _by_rank(offer: Offer) -> tuple[float, str]:
    return (-offer.features.get("rank", 0.0), offer.id)
