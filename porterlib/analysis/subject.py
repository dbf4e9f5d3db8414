"""What the decision is about, in words: by it a clause is on the subject or merely nearby."""

from __future__ import annotations

from porterlib.contracts.evidence import EvidenceItem
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack
from porterlib.evaluation.support import idf
from porterlib.sectors import CueSet, tokenise

_SECTOR = tuple(
    """
    bank financ payment credit lend loan deposit insur fintech card merchant custod securit supervis
    regulat kyc aml diligence cloud outsourc complian fund capital
    """.split()
)
_ORDINARY = frozenset(
    """
    bank banking financial service services customer customers client clients product market global
    group the and for with from over under into retail commercial corporate institution institutions
    business
    """.split()
)


class Subject:
    """Vocabulary of the decision's topics and of its product."""

    def __init__(self, contract: DecisionContract, pack: SectorPack, topics: tuple[str, ...]) -> None:
        terms = [term for topic in topics for term in pack.topic_terms.get(topic, ())]
        self._topic = CueSet(terms) if terms else None
        words = tokenise(f"{contract.boundary.product} {contract.boundary.business_line}")
        self._product = frozenset(
            word[:6] for word in words if len(word) > 3 and word not in _ORDINARY and idf(word) > 3
        )

    def in_sector(self, tokens: tuple[str, ...]) -> bool:
        """Return whether a sentence speaks of the sector or of the decision's topics at all."""
        return any(word.startswith(_SECTOR) for word in tokens) or (
            self._topic is not None and bool(self._topic.matches(tokens))
        )

    def relevance(self, tokens: tuple[str, ...], item: EvidenceItem) -> float:
        """Return 0 (nearby) to 1 (names topic and product), with applicability as a small share."""
        topic = 0.5 if self._topic is not None and self._topic.matches(tokens) else 0.0
        product = 0.35 if any(word[:6] in self._product for word in tokens) else 0.0
        return round(topic + product + 0.15 * item.applicability, 6)
