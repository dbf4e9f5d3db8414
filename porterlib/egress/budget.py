"""What the queries of one run tell together.

Each query may be harmless while all of them spell out an intent. So a run counts the telling words of the
question, of each internal fact and of each restricted term (words of meaning that the approved public context
does not hold) over all its queries. Of one fact at most `FACT_WORDS` may be told: subject, verb, object and
figure make a statement, three of them do not; of a fact that has no more, all but one. Of a restricted term in
several telling words never all. Of the question at most `QUESTION_WORDS`: it is asked in public words anyway,
and half of a usual question of 15 to 20 words of meaning still leaves its purpose open. `QUERIES` is five
queries a force, one contrary query and one relaxed retry each, twice over for a resumed run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from porterlib.egress.guard import EgressGuard
from porterlib.egress.key import fast_digest
from porterlib.egress.overlap import SealedText
from porterlib.egress.types import EgressVerdict, PublicQuery, mint_public_query
from porterlib.egress.views import views
from porterlib.egress.words import words
from porterlib.errors import EgressViolation

QUERIES = 70
QUESTION_WORDS = 8
FACT_WORDS = 3


class _Told(NamedTuple):
    """Hashes of the telling words that left: of the question, of each fact, of each restricted term."""

    question: frozenset[bytes]
    facts: list[frozenset[bytes]]
    terms: list[frozenset[bytes]]


class EgressBudget:
    """The guard of a whole run: every query is checked alone and together with those before it."""

    def __init__(self, guard: EgressGuard, *, spent: Iterable[str] = ()) -> None:
        """Start a run's budget; `spent` are queries that already left, when a run is resumed."""
        self._guard = guard
        self._question: frozenset[bytes] = frozenset()
        self._facts: list[frozenset[bytes]] = [frozenset() for _ in guard.policy.facts]
        self._terms: list[frozenset[bytes]] = [frozenset() for _ in guard.policy.term_words]
        self._sent: set[str] = set()
        for query in spent:
            self._record(query, guard.check(query).query_digest)

    @property
    def remaining_queries(self) -> int:
        """Distinct queries the run may still send."""
        return QUERIES - len(self._sent)

    def check(self, query: object) -> EgressVerdict:
        """Return whether `query` may leave now; asking costs nothing, a repeated query tells nothing."""
        verdict = self._guard.check(query)
        if not verdict.allowed or verdict.query_digest in self._sent or not isinstance(query, str):
            return verdict
        rule = self._rule(query)
        return (
            verdict
            if rule is None
            else EgressVerdict(allowed=False, rule=rule, query_digest=verdict.query_digest)
        )

    def mint(self, query: str) -> PublicQuery:
        """Return `query` as one that may be sent, and count what it tells.

        Raises:
            EgressViolation: a rule of the guard or `budget_queries`, `budget_question`,
                `budget_internal_fact`, `budget_restricted_term`.

        """
        verdict = self.check(query)
        if not verdict.allowed:
            raise EgressViolation(verdict.rule)
        self._record(query, verdict.query_digest)
        return mint_public_query(query, verdict.query_digest)

    def _rule(self, query: str) -> str | None:
        if self.remaining_queries <= 0:
            return "budget_queries"
        policy, told = self._guard.policy, self._after(query)
        if any(map(frozenset.issuperset, told.terms, policy.term_words)):
            return "budget_restricted_term"
        if len(told.question) > QUESTION_WORDS:
            return "budget_question"
        pairs = zip(told.facts, policy.facts, strict=True)
        return "budget_internal_fact" if any(len(own) > _most(fact) for own, fact in pairs) else None

    def _record(self, query: str, digest: str) -> None:
        self._question, self._facts, self._terms = self._after(query)
        self._sent.add(digest)

    def _after(self, query: str) -> _Told:
        policy = self._guard.policy
        spoken = {word for view in views(query) for word in words(view.text)}
        hashes = {fast_digest(policy.key, word) for word in spoken}
        return _Told(
            self._question | (hashes & policy.question.words),
            [told | (hashes & fact.words) for told, fact in zip(self._facts, policy.facts, strict=True)],
            [told | (hashes & term) for told, term in zip(self._terms, policy.term_words, strict=True)],
        )


def _most(fact: SealedText) -> int:
    """Return how many telling words of a fact may leave: of a short one all but one, never none."""
    return min(FACT_WORDS, max(1, len(fact.words) - 1))
