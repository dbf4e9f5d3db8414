"""Questions and answers of the analyst seam."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

from porterlib.contracts.analysis import AnalystStamp

ChoosePurpose = Literal[
    "topic", "hypothesis", "query", "stance", "lead_claim", "trend", "contrary", "analogy", "objection"
]
RatePurpose = Literal["driver", "lens"]
SENTENCE_LIMIT = 240
"""Longest sentence an analyst may write, in characters."""


@dataclass(frozen=True)
class Offer:
    """Something that may be chosen, or a fact that may be used."""

    id: str
    text: str
    features: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Named figures the rules compare; a model sees the text alone."""


@dataclass(frozen=True)
class ChooseQuestion:
    """Choose at most `at_most` of the offered ids, best first; none is an answer."""

    purpose: ChoosePurpose
    subject: str
    text: str
    offers: tuple[Offer, ...]
    at_most: int = 1


@dataclass(frozen=True)
class RateQuestion:
    """Rate 1 to 5 on anchors, or answer "not assessed"."""

    purpose: RatePurpose
    subject: str
    text: str
    anchors: Mapping[int, str]
    offers: tuple[Offer, ...]
    features: Mapping[str, float]


@dataclass(frozen=True)
class WriteQuestion:
    """Write one sentence of at most `SENTENCE_LIMIT` characters from the parts and nothing else."""

    purpose: str
    subject: str
    text: str
    parts: tuple[Offer, ...]
    draft: str
    """The sentence the rules compose from the parts."""


@dataclass(frozen=True)
class Choice:
    """Chosen ids, best first, and the rule or model that chose them."""

    ids: tuple[str, ...]
    rule: str
    note: str = ""
    stood_in: bool = False


@dataclass(frozen=True)
class Rating:
    """A rating from 1 to 5, or None for "not assessed"."""

    value: int | None
    rule: str
    note: str = ""
    stood_in: bool = False


@dataclass(frozen=True)
class Sentence:
    """One sentence and who wrote it."""

    text: str
    rule: str
    stood_in: bool = False


class Analyst(Protocol):
    """Answers small questions; never assembles a contract."""

    @property
    def stamp(self) -> AnalystStamp:
        """Return who answers, with counts of questions and stand-ins so far."""
        ...

    def choose(self, question: ChooseQuestion) -> Choice:
        """Return offered ids only."""
        ...

    def rate(self, question: RateQuestion) -> Rating:
        """Return a rating on the question's anchors."""
        ...

    def write(self, question: WriteQuestion) -> Sentence:
        """Return one sentence that says no more than its parts."""
        ...
