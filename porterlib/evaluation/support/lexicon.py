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
    """Words that deny what follows."""
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


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the word lists."""
    plain: dict[str, set[str]] = {"negation": set(), "failing": set()}
    direction: dict[str, int] = {}
    opposite: dict[str, set[tuple[str, int]]] = {}
    exclusive: dict[str, set[str]] = {}
    implied_by: dict[str, set[str]] = {}
    named: set[str] = set()
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, group, words = line.split("\t")
        if kind in plain:
            plain[kind].update(_stems(words))
        elif kind in {"up", "down"}:
            direction.update(dict.fromkeys(_stems(words), 1 if kind == "up" else -1))
        elif kind in {"synonym", "kind"}:
            members = _stems(words)
            for word in members if kind == "synonym" else [stem(group)]:
                implied_by.setdefault(word, set()).update(set(members) - {word})
        elif kind.startswith("exclusive"):
            for word in _stems(words):
                exclusive.setdefault(word, set()).add(group)
            if kind == "exclusive_name":
                named.update(_stems(words))
        else:
            for side, half in enumerate(words.split("|")):
                for word in _stems(half):
                    opposite.setdefault(word, set()).add((group, side))
    return Lexicon(
        frozenset(plain["negation"]),
        frozenset(plain["failing"]),
        direction,
        {word: frozenset(pairs) for word, pairs in opposite.items()},
        {word: frozenset(groups) for word, groups in exclusive.items()},
        {word: frozenset(others) for word, others in implied_by.items()},
        frozenset(named),
        frozenset({*direction, *opposite, *exclusive}),
    )
