"""The guard of everything that leaves as a query: a pure policy over hashes, and the budget of a run.

Blocked are queries that are empty, longer than 240 characters or hold control characters; that hold a
restricted term, an identifier, a credential or a confidentiality label in any view; that repeat the question
or an internal fact; or that, with the queries before them, tell too much of one. An error inside the guard
blocks too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from porterlib.egress.identifiers import find_identifier
from porterlib.egress.key import fast_digest, keyed_digest
from porterlib.egress.overlap import FACT_RUN, QUESTION_RUN, SealedText, figures, repeats, seal
from porterlib.egress.secrets import find_secret
from porterlib.egress.terms import TermHashes, has_term, hash_term_words, hash_terms
from porterlib.egress.types import EgressVerdict, PublicQuery, Sealed, mint_public_query, unseal
from porterlib.egress.views import View, views
from porterlib.egress.words import words
from porterlib.errors import EgressViolation

LONGEST_QUERY = 240
"""Characters of a query; a longer one is more likely a pasted text than a search."""
_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2}){3}|(?:%[0-9a-fA-F]{2}.?){5}")
_CONTROL_CATEGORIES = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
_STEERING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


@dataclass(frozen=True, repr=False)
class EgressPolicy:
    """What may not leave in one decision, held as keyed hashes only."""

    key: bytes
    """Key of the workspace."""
    terms: TermHashes
    """Restricted terms and the organisation's name."""
    question: SealedText
    """The exact question."""
    facts: tuple[SealedText, ...]
    """Internal facts, in the order of the request."""
    term_words: tuple[frozenset[bytes], ...] = ()
    """Telling words of each restricted term that has several."""

    def __repr__(self) -> str:
        return f"EgressPolicy({self.terms!r}, {len(self.facts)} internal facts)"


def make_policy(
    *,
    key: bytes,
    question: Sealed,
    internal_facts: Iterable[Sealed] = (),
    restricted_terms: Iterable[str] = (),
    approved: Iterable[str] = (),
) -> EgressPolicy:
    """Return the policy of a decision.

    Args:
        key: the workspace's key, see `workspace_key`.
        question: the exact question.
        internal_facts: facts that stay.
        restricted_terms: words that may occur in no query, the organisation's name among them.
        approved: texts from which queries may be built: market boundary, product, geographies, public context
            and
            the vocabulary of the sector pack. What they share with question and facts is no overlap.

    """
    public, restricted = tuple(approved), tuple(restricted_terms)
    return EgressPolicy(
        key=key,
        terms=hash_terms(restricted, key),
        question=seal(unseal(question), run=QUESTION_RUN, approved=public, key=key),
        facts=tuple(seal(unseal(fact), run=FACT_RUN, approved=public, key=key) for fact in internal_facts),
        term_words=hash_term_words(restricted, public, key),
    )


class EgressGuard:
    """Checks queries against one policy; a query that passes becomes a `PublicQuery`."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._policy = policy
        self._judged: tuple[str, str] = ("", "")  # the query judged last and its rule: minting asks again

    def __repr__(self) -> str:
        return f"EgressGuard({self._policy!r})"

    @property
    def policy(self) -> EgressPolicy:
        """The policy this guard holds to."""
        return self._policy

    def check(self, query: object) -> EgressVerdict:
        """Return whether `query` may leave; never raises, an error inside blocks as `guard_error`."""
        digest = keyed_digest(self._policy.key, "query", query if isinstance(query, str) else "")
        try:
            rule = self._judged[1] if query and query == self._judged[0] else self._rule(query)
        except Exception:  # noqa: BLE001 - whatever goes wrong here must block, and its text must not be shown
            rule = "guard_error"
        if isinstance(query, str):
            self._judged = (query, rule)
        return EgressVerdict(allowed=rule == "ok", rule=rule, query_digest=digest)

    def mint(self, query: str) -> PublicQuery:
        """Return `query` as one that may be sent.

        Raises:
            EgressViolation: a rule blocks it; the error names the rule and nothing else.

        """
        verdict = self.check(query)
        if not verdict.allowed:
            raise EgressViolation(verdict.rule)
        return mint_public_query(query, verdict.query_digest)

    def _rule(self, query: object) -> str:
        if not isinstance(query, str):
            return "guard_error"
        if rule := _shape_rule(query):
            return rule
        readings = views(query)
        for view in readings:
            if has_term(view, self._policy.terms, self._policy.key):
                return "restricted_term"
        found = [rule for view in readings if (rule := find_secret(view) or find_identifier(view))]
        if found:
            return found[0]
        if rule := self._overlap_rule(readings):
            return rule
        return "encoded_text" if _ESCAPES.search(query) else "ok"

    def _overlap_rule(self, readings: tuple[View, ...]) -> str | None:
        policy = self._policy
        for view in readings:
            if view.compact:
                continue
            spoken = words(view.text)
            if repeats(spoken, policy.question, policy.key):
                return "question_overlap"
            if any(repeats(spoken, fact, policy.key) for fact in policy.facts):
                return "internal_fact_overlap"
            told = {fast_digest(policy.key, digits) for digits in figures(view.text)}
            if any(told & fact.figures for fact in policy.facts):
                return "internal_figure"
        return None


def _shape_rule(query: str) -> str | None:
    if not query.strip():
        return "empty"
    if _STEERING.search(query) or any(unicodedata.category(char) in _CONTROL_CATEGORIES for char in query):
        return "control_characters"
    return "too_long" if len(query) > LONGEST_QUERY else None
