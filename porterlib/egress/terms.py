"""Restricted terms as keyed hashes: queries are searched for them without the terms in the clear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from porterlib.egress.confusables import fold_lowered, letters_for_digits
from porterlib.egress.key import fast_digest
from porterlib.egress.views import View, compacted
from porterlib.egress.words import is_content, words

_INSIDE_WORD = 6
"""Letters from which a term also counts inside a longer word; shorter ones occur there by chance."""

_ACROSS_WORDS = 9
"""Letters from which it counts even across the words of a text whose separators say nothing."""


@dataclass(frozen=True)
class TermHashes:
    """Hashes of restricted terms, by the length of the term without separators."""

    by_length: dict[int, frozenset[bytes]]

    def __repr__(self) -> str:
        return f"TermHashes({sum(map(len, self.by_length.values()))} terms)"


def hash_terms(terms: Iterable[str], key: bytes) -> TermHashes:
    """Return the hashes of `terms`; each is compared without case, separators, marks and look-alikes."""
    found: dict[int, set[bytes]] = {}
    for term in terms:
        readings = (*map("".join, map(words, (term, fold_lowered(term)))), compacted(term).casefold())
        for compact in set(readings):
            if compact:
                found.setdefault(len(compact), set()).add(fast_digest(key, compact))
    return TermHashes({length: frozenset(hashes) for length, hashes in found.items()})


def hash_term_words(
    terms: Iterable[str], approved: Iterable[str], key: bytes
) -> tuple[frozenset[bytes], ...]:
    """Return, for each term of several telling words, the hashes of these.

    A word that an approved text holds tells nothing: a name made of such words is spelled by every other query.
    """
    public = {word for text in approved for word in words(text)}
    telling = ({word for word in words(term) if is_content(word)} - public for term in terms)
    return tuple(frozenset(fast_digest(key, word) for word in own) for own in telling if len(own) > 1)


def has_term(view: View, terms: TermHashes, key: bytes) -> bool:
    """Tell whether a view holds a restricted term, spelled with other letters or separators or not."""
    if not terms.by_length:
        return False
    for text in {view.text, *letters_for_digits(view.text)}:
        own, parted = words(text), words(text, camel=True)
        candidates = {*_spans(own, terms), *_inside(own, terms)}
        if parted != own:
            candidates.update(_spans(parted, terms))
        for candidate in candidates:
            if fast_digest(key, candidate) in terms.by_length[len(candidate)]:
                return True
    return False


def _spans(parts: list[str], terms: TermHashes) -> Iterator[str]:
    """Yield what neighbouring words spell together, where some term has that length."""
    longest = max(terms.by_length)
    for start in range(len(parts)):
        spelled = ""
        for part in parts[start:]:
            spelled += part
            if len(spelled) > longest:
                break
            if len(spelled) in terms.by_length:
                yield spelled


def _inside(parts: list[str], terms: TermHashes) -> Iterator[str]:
    """Yield every piece of a word that has the length of a longer term, and of all words run together."""
    together = "".join(parts)
    for length in terms.by_length:
        runs = [*parts, together] if length >= _ACROSS_WORDS else parts if length >= _INSIDE_WORD else []
        for run in runs:
            yield from (run[start : start + length] for start in range(len(run) - length + 1))
