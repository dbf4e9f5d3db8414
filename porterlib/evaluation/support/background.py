"""The fixed table of how rare English words are, shipped as data and read once.

A table that is part of the release keeps comparisons independent of the corpus at hand: an irrelevant
document added to a run changes no weight. `background_idf.tsv` names its provenance and licence in its
header.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).with_name("background_idf.tsv")


@lru_cache(maxsize=1)
def table() -> tuple[dict[str, float], float, frozenset[str]]:
    """Return idf by stem, the idf of an unseen stem, and the stems mostly written with a capital."""
    weights: dict[str, float] = {}
    names: set[str] = set()
    unseen = 0.0
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            if line.startswith("# unseen\t"):
                unseen = float(line.split("\t")[1])
            continue
        term, weight, *flag = line.split("\t")
        weights[term] = float(weight)
        if flag:
            names.add(term)
    return weights, unseen, frozenset(names)


@lru_cache(maxsize=65536)
def stem_idf(term: str) -> float:
    """Return the background idf of a stem; unseen stems count as rare as those seen once."""
    weights, unseen, _ = table()
    return weights.get(term, unseen)


def is_ordinary(term: str) -> bool:
    """Return whether the stem is known and usually written in lower case, so a capital says little."""
    weights, _, names = table()
    return term in weights and term not in names
