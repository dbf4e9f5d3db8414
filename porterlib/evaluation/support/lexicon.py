"""The screen's closed word lists, read once from `lexicon.tsv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from porterlib.evaluation.support.morphology import stem

_FILE = Path(__file__).with_name("lexicon.tsv")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists by stem."""

    negation: frozenset[str]
    """Words that deny what follows, folded but not stemmed."""
    failing: frozenset[str]
    """Words that deny by meaning."""
    direction: dict[str, int]
    """+1 for words of increase, -1 for words of decrease."""
    opposite: dict[str, frozenset[tuple[str, int]]]
    """For each word the pairs of opposites it belongs to, with its side."""
    exclusive: dict[str, frozenset[str]]
    """For each word the groups of which usually one member holds."""
    implied_by: dict[str, frozenset[str]]
    """For each word the words that say the same or name a kind of it ("musician" is implied by "drummer")."""
    named: frozenset[str]
    """Words of the groups that are names, so that a capital is no sign of a title."""
    excludable: frozenset[str]
    """All words that have a direction, an opposite or alternatives."""


def _stems(words: str) -> list[str]:
    return [stem(word) for word in words.split()]


def _rows() -> list[tuple[str, str, str]]:
    """Return `(kind, group, words)` of every row of the file."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return [
        (kind, group, words) for kind, group, words in (x.split("\t") for x in lines if not x.startswith("#"))
    ]


def _opposites() -> dict[str, frozenset[tuple[str, int]]]:
    found: dict[str, set[tuple[str, int]]] = {}
    for kind, group, words in _rows():
        for side, half in enumerate(words.split("|") if kind == "opposite" else ()):
            for word in _stems(half):
                found.setdefault(word, set()).add((group, side))
    return {word: frozenset(pairs) for word, pairs in found.items()}


def _implications() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, group, words in _rows():
        if kind in {"synonym", "kind"}:
            members = _stems(words)
            for word in members if kind == "synonym" else [stem(group)]:
                found.setdefault(word, set()).update(set(members) - {word})
    return {word: frozenset(others) for word, others in found.items()}


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, group, words in _rows():
        for word in _stems(words) if kind.startswith("exclusive") else ():
            found.setdefault(word, set()).add(group)
    return {word: frozenset(groups) for word, groups in found.items()}


def _words_of(wanted: str) -> list[str]:
    return [word for kind, _, words in _rows() if kind == wanted for word in words.split()]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the word lists."""
    rises, falls = (map(stem, _words_of(kind)) for kind in ("up", "down"))
    direction = dict.fromkeys(rises, 1) | dict.fromkeys(falls, -1)
    opposite, exclusive = _opposites(), _groups()
    return Lexicon(
        negation=frozenset(_words_of("negation")),
        failing=frozenset(map(stem, _words_of("failing"))),
        direction=direction,
        opposite=opposite,
        exclusive=exclusive,
        implied_by=_implications(),
        named=frozenset(map(stem, _words_of("exclusive_name"))),
        excludable=frozenset({*direction, *opposite, *exclusive}),
    )
