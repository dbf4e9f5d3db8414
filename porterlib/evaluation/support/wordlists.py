"""Closed word lists that ship as data: function words, abbreviations, number words, irregular forms."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).with_name("wordlists.tsv")


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, words = line.split("\t")
            lists.setdefault(name, []).append(words)
    return lists


def word_rows(name: str) -> tuple[str, ...]:
    """Return the rows of the list `name`, each as written."""
    return tuple(_lists()[name])


def word_list(name: str) -> tuple[str, ...]:
    """Return the words of the list `name` in order."""
    return tuple(word for row in word_rows(name) for word in row.split())


def split_rows(name: str) -> tuple[list[str], ...]:
    """Return the rows of the list `name`, each split into its words."""
    return tuple(row.split() for row in word_rows(name))
