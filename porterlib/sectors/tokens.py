"""Words of a sentence, and whether a word stands under a negation."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NEGATORS = frozenset(
    {"no", "not", "without", "never", "neither", "nor", "cannot", "lack", "lacks", "lacked"}
)
_FAILING = frozenset(
    {"fail", "fails", "failed", "failing", "unable", "unlikely", "hardly", "nothing", "none"}
)
# "not only" asserts what follows, and a clause that opens with one of these ends the reach of a negator.
_UNDOING = frozenset(
    {"only", "just", "merely", "simply", "necessarily", "limited", "least", "later", "doubt", "question"}
)
_CLAUSE = frozenset(
    {"and", "but", "however", "although", "though", "whereas", "yet", "instead", "because", "unless"}
)
REACH = 4
"""Words before a matched stem in which a negator counts."""
_NEAR = {"without": 2}  # governs its own noun only: "banks without an exit plan paid more"


def tokenise(sentence: str) -> tuple[str, ...]:
    """Return the lower-case words of `sentence`; hyphens separate, possessive endings go.

    >>> tokenise("The bank’s third-party providers don't price by use.")
    ('the', 'bank', 'third', 'party', 'providers', "don't", 'price', 'by', 'use')
    """
    text = sentence.casefold().replace("’", "'")
    words = _WORD.findall(text)
    if "'s" not in text:
        return tuple(words)
    return tuple(word[:-2] if word.endswith("'s") else word for word in words)


def negators(tokens: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the negating words of `tokens`."""
    return tuple(at for at, word in enumerate(tokens) if _negates(tokens, at, word))


def _negates(tokens: Sequence[str], at: int, word: str) -> bool:
    if word not in _NEGATORS and word not in _FAILING and not word.endswith("n't"):
        return False
    return not (at + 1 < len(tokens) and tokens[at + 1] in _UNDOING)


def negated(tokens: Sequence[str], position: int, *, own: frozenset[int] = frozenset()) -> bool:
    """Return whether an odd number of negators stands within `REACH` words before `position`.

    Two cancel out ("not come without new risk"), and a word that opens another clause ends the reach.

    Args:
        tokens: words as `tokenise` gives them.
        position: index of the word in question.
        own: positions that do not count, because a cue itself asks for the negating word there.

    >>> negated(tokenise("There is no evidence of lower prices"), 5)
    True
    >>> negated(tokenise("Not only prices fell"), 2)
    False

    """
    odd = False
    for at in range(position - 1, max(-1, position - 1 - REACH), -1):
        word = tokens[at]
        if word in _CLAUSE:
            break
        if at not in own and position - at <= _NEAR.get(word, REACH) and _negates(tokens, at, word):
            odd = not odd
    return odd
