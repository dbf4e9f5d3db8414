"""What the decision is about, in words: by it a clause is on the subject or merely nearby."""

from __future__ import annotations

import re
from dataclasses import dataclass

from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.support import idf
from porterlib.sectors import CueSet, tokenise

TOPIC, TOPIC_NEAR = 0.5, 0.3
PRODUCT, PRODUCT_NEAR = 0.35, 0.2
APPLICABLE = 0.15
"""Shares of relevance: topic and product named in the sentence, or only before it; applicability."""
_ORDINARY = frozenset(
    """
    bank banking financial service services customer customers client clients product market due risk
    global group the and for with from over under into retail commercial corporate institution institutions
    business management process processes system systems reporting industry sector markets worldwide all
    everything
    """.split()
)
_RARE = 7.0  # background idf from which one word names a product by itself
_STEM = 8
_SECTOR_STEM = 6


@dataclass(frozen=True)
class Setting:
    """What a clause may take for granted: topic and product named before it, the sector anywhere near it."""

    topic: bool
    product: bool
    sector: bool


class Subject:
    """Vocabulary of the decision's topics, of its product and of its sector."""

    def __init__(self, contract: DecisionContract, pack: SectorPack, topics: tuple[str, ...]) -> None:
        cues = [cue for topic in topics for cue in pack.topics.get(topic, ())]
        self._topic = CueSet(cues) if cues else None
        boundary = contract.boundary
        # The boundary opens with the product in full: "Customer due diligence (KYC) investigations for …".
        named = re.split(r" (?:for|in|to|under|across|of) |,", boundary.statement, maxsplit=1)[0]
        words = [w for w in tokenise(f"{boundary.product} {named}") if len(w) > 2 and w not in _ORDINARY]
        self._rare = frozenset(word[:_STEM] for word in words if idf(word) >= _RARE)
        self._product = frozenset(word[:_STEM] for word in words if idf(word) > 3)
        sector = tokenise(f"{' '.join(pack.not_a_boundary)} {boundary.customer}")
        self._sector = tuple({_sector_stem(w) for w in sector if len(w) > 3 and w not in _ORDINARY - _NAMES})

    def topic(self, tokens: tuple[str, ...]) -> bool:
        """Return whether the words name one of the decision's topics."""
        return self._topic is not None and bool(self._topic.matches(tokens))

    def product(self, tokens: tuple[str, ...]) -> bool:
        """Return whether the words name the product: one rare word of it, or two of its words."""
        stems = {word[:_STEM] for word in tokens}
        return not self._rare.isdisjoint(stems) or len(self._product & stems) > 1

    def sector(self, tokens: tuple[str, ...]) -> bool:
        """Return whether the words name the sector, its customers or the product."""
        return any(word.startswith(self._sector) for word in tokens) or self.product(tokens)

    def opening(self, title: str, passage: str) -> Setting | None:
        """Return what a passage starts with, from its document's title; None when it is about something else."""
        tokens, named = tokenise(passage), tokenise(title)
        sector = self.sector(tokens)
        if not (sector or self.topic(tokens)):
            return None
        return Setting(self.topic(named), self.product(named), sector)

    def after(self, setting: Setting, sentence: str) -> Setting:
        """Return what the sentences after this one may take for granted."""
        if setting.topic and setting.product:
            return setting
        tokens = tokenise(sentence)
        return Setting(
            setting.topic or self.topic(tokens), setting.product or self.product(tokens), setting.sector
        )

    def relevance(self, tokens: tuple[str, ...], setting: Setting, applicability: float) -> float:
        """Return 0 (nearby) to 1 (the sentence itself names topic and product)."""
        topic = TOPIC if self.topic(tokens) else TOPIC_NEAR if setting.topic else 0.0
        product = PRODUCT if self.product(tokens) else PRODUCT_NEAR if setting.product else 0.0
        return round(topic + product + APPLICABLE * applicability, 6)


_NAMES = frozenset(("bank", "banking", "financial"))


def _sector_stem(word: str) -> str:
    """Return the start that the forms of a sector's name share: `banking` and `banks` meet in `bank`."""
    return re.sub(r"(?:ing|ial|ials|e|s)$", "", word)[:_SECTOR_STEM]
