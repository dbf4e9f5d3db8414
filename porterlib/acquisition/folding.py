"""Finds pages that repeat one another, so that one text counts once (identical or nearly so).

Texts are compared by runs of eight words. Only runs that begin at a word whose checksum falls into one of
four classes are kept: that depends on the words alone, so equal passages keep equal runs wherever they stand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple
from zlib import crc32

from porterlib.acquisition.filing import FiledPage

SAME_FROM = 0.9
"""Share of a page's runs another page must hold for the two to be one."""
_RUN = 8
_CLASSES = 4
_HOLDERS = 20  # a run that so many different pages share is a footer, and tells no two of them apart
_WORD = re.compile(r"\w+")


class Fold(NamedTuple):
    """A page that repeats another."""

    folded: FiledPage
    """The page that counts no more."""
    kept: FiledPage
    """The page that stands for it."""


def fold_duplicates(pages: Sequence[FiledPage]) -> tuple[list[FiledPage], list[Fold]]:
    """Return the pages that count, in order of standing, and those that repeat one of them.

    Of two nearly equal pages the one of higher authority stands, then the one on a recognised host, the
    earlier published, the smaller address. A page held in a longer one is folded unless it outranks that.
    """
    ordered = sorted(pages, key=_standing)
    runs = {page.source_id: _runs(page.page.text) for page in ordered}
    kept: list[FiledPage] = []
    folds: list[Fold] = []
    holders: dict[int, list[FiledPage]] = {}
    texts: dict[str, FiledPage] = {}
    for page in ordered:
        twin = texts.get(page.page.text_sha256) or _twin(page, runs, holders)
        if twin is not None:
            folds.append(Fold(page, twin))
            continue
        kept.append(page)
        texts[page.page.text_sha256] = page
        for run in runs[page.source_id]:
            row = holders.setdefault(run, [])
            if len(row) < _HOLDERS:
                row.append(page)
    return kept, folds


def _standing(page: FiledPage) -> tuple[float, bool, str, str, str]:
    return (-page.authority, not page.recognised, page.page.published or "9999", page.url, page.source_id)


def _twin(
    page: FiledPage, runs: dict[str, frozenset[int]], holders: dict[int, list[FiledPage]]
) -> FiledPage | None:
    own = runs[page.source_id]
    shared: Counter[str] = Counter()
    by_id: dict[str, FiledPage] = {}
    for run in own:
        for other in holders.get(run, ()):
            shared[other.source_id] += 1
            by_id[other.source_id] = other
    source_id, count = min(shared.items(), key=lambda row: (-row[1], row[0]), default=("", 0))
    return by_id[source_id] if shared and count >= SAME_FROM * len(own) else None


def _runs(text: str) -> frozenset[int]:
    words = [word.encode() for word in _WORD.findall(text.casefold())]
    joined = b" ".join(words)
    if len(words) < _RUN:
        return frozenset((crc32(joined),)) if words else frozenset()
    chosen = {word for word in set(words) if crc32(word) % _CLASSES == 0}
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))  # of each word in `joined`
    return frozenset(
        crc32(joined[starts[at] : starts[at + _RUN] - 1])
        for at in range(len(words) - _RUN + 1)
        if words[at] in chosen
    )
