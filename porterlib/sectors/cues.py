"""Compiles a pack's cues and finds them in sentences.

What enters: cues in the language of `porterlib.contracts.sector`, and words from `tokenise`. What leaves:
hits with their span and whether they stand under a negation. All cues of an index share one table of word
patterns, so a sentence is scanned once however many drivers a pack has.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from porterlib.errors import PackError
from porterlib.sectors.tokens import negated, tokenise

WINDOW = 25
"""Words within which all stems of a cue must stand."""
_FUNCTION_WORDS = frozenset(("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "or", "the"))

_Phrase = tuple[int, ...]  # pattern ids of words that follow one another
_Spans = list[tuple[int, int]]
Places = Mapping[int, list[int]]
"""Word pattern to the positions at which it occurs."""


class CueHit(NamedTuple):
    """A cue met by a sentence."""

    cue: str
    """The cue as the pack writes it."""
    start: int
    """Index of the first word of the matched window."""
    end: int
    """Index after its last word."""
    negated: bool
    """True when a negator stands close before one of the matched words."""


class _Cue(NamedTuple):
    text: str
    stems: tuple[tuple[_Phrase, ...], ...]
    forbidden: tuple[tuple[_Phrase, ...], ...]
    window: int
    needs: tuple[frozenset[int], ...]  # first words, one set a stem: most cues fail on these alone


class WordPatterns:
    """Words and stems that cues ask for, numbered; several indexes may share one table and its scan."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._by_length: dict[int, dict[str, int]] = {}  # stems, by their length
        self._matched: dict[str, tuple[int, ...]] = {}

    def number(self, word: str) -> int:
        """Return the number of a word, or of a stem that ends in `*`."""
        at = self._numbers.setdefault(word, len(self._numbers))
        if word.endswith("*"):
            self._by_length.setdefault(len(word) - 1, {})[word[:-1]] = at
        self._matched.clear()
        return at

    def names(self) -> dict[int, str]:
        """Return number to word."""
        return {at: text for text, at in self._numbers.items()}

    def __contains__(self, word: str) -> bool:
        return word in self._numbers

    def places(self, tokens: Sequence[str]) -> Places:
        """Return where each word and stem occurs in `tokens`."""
        places: dict[int, list[int]] = {}
        matched = self._matched
        for at, token in enumerate(tokens):
            patterns = matched.get(token)
            if patterns is None:
                patterns = matched[token] = self._patterns_of(token)
            for pattern in patterns:
                if pattern in places:
                    places[pattern].append(at)
                else:
                    places[pattern] = [at]
        return places

    def _patterns_of(self, token: str) -> tuple[int, ...]:
        found = [self._numbers[token]] if token in self._numbers else []
        found += [stems[token[:n]] for n, stems in sorted(self._by_length.items()) if token[:n] in stems]
        return tuple(found)


class CueIndex:
    """Named groups of cues, compiled together.

    >>> index = CueIndex({"raises": ["few|limited provider*"], "lowers": ["multi_cloud"]})
    >>> index.hits(tokenise("A limited number of providers dominate."))["raises"][0].cue
    'few|limited provider*'
    """

    def __init__(self, groups: Mapping[str, Iterable[str]], *, patterns: WordPatterns | None = None) -> None:
        self._patterns = patterns if patterns is not None else WordPatterns()
        self._groups = {name: tuple(self._compile(cue) for cue in cues) for name, cues in groups.items()}
        self._by_need = self._needs()

    def hits(
        self, sentence: str | Sequence[str], *, within: Container[str] | None = None
    ) -> dict[str, tuple[CueHit, ...]]:
        """Return the hits of each group that has any (of those in `within`), cues in the pack's order."""
        tokens = tokenise(sentence) if isinstance(sentence, str) else sentence
        return self.hits_at(self._patterns.places(tokens), tokens, within=within)

    def hits_at(
        self, places: Places, tokens: Sequence[str], *, within: Container[str] | None = None
    ) -> dict[str, tuple[CueHit, ...]]:
        """Return the hits as `hits` does, of tokens whose places are known from the shared patterns."""
        needed, absent = self._by_need, places.keys().isdisjoint
        found: dict[str, list[tuple[int, CueHit]]] = {}
        for pattern in [pattern for pattern in places if pattern in needed]:
            for name, order, cue in needed[pattern]:
                if (within is None or name in within) and not any(map(absent, cue.needs)):
                    hit = _match(cue, places, tokens)
                    if hit is not None:
                        found.setdefault(name, []).append((order, hit))
        return {name: _in_order(rows) for name, rows in found.items()}

    def _needs(self) -> dict[int, tuple[tuple[str, int, _Cue], ...]]:
        # A cue is tried only when a word of its most selective stem (fewest alternatives, longest) occurs.
        needs: dict[int, list[tuple[str, int, _Cue]]] = {}
        names = self._patterns.names()
        for name, cues in self._groups.items():
            for order, cue in enumerate(cues):
                stem = min(
                    cue.stems, key=lambda s: (len(s), -max(len(names[p]) for phrase in s for p in phrase))
                )
                for pattern in {max(phrase, key=lambda p: len(names[p])) for phrase in stem}:
                    needs.setdefault(pattern, []).append((name, order, cue))
        return {pattern: tuple(rows) for pattern, rows in needs.items()}

    def _compile(self, cue: str) -> _Cue:
        stems: list[tuple[_Phrase, ...]] = []
        forbidden: list[tuple[_Phrase, ...]] = []
        window = WINDOW
        for part in cue.split():
            if part.startswith("@"):
                window = _window(part, cue)
            elif part.startswith("~"):
                forbidden.append(self._alternatives(part[1:], cue))
            else:
                stems.append(self._alternatives(part, cue))
        if not stems:
            raise PackError(f"cue {cue!r} asks for no word; give at least one stem that must occur")
        needs = tuple(frozenset(phrase[0] for phrase in stem) for stem in stems)
        return _Cue(cue, tuple(stems), tuple(forbidden), window, needs)

    def _alternatives(self, part: str, cue: str) -> tuple[_Phrase, ...]:
        return tuple(self._phrase(alternative, cue) for alternative in part.split("|"))

    def _phrase(self, text: str, cue: str) -> _Phrase:
        words = text.split("_")
        for word in words:
            if word not in self._patterns:
                _check_word(word, cue)
        return tuple(self._patterns.number(word) for word in words)


class CueSet:
    """One list of cues.

    >>> CueSet(["switch* cost*", "lock_in"]).matches("Costs of switching remain high.")
    ('switch* cost*',)
    """

    def __init__(self, cues: Iterable[str]) -> None:
        self._index = CueIndex({"": cues})

    def hits(self, sentence: str | Sequence[str]) -> tuple[CueHit, ...]:
        """Return the hits in `sentence`, negated ones included."""
        return self._index.hits(sentence).get("", ())

    def matches(self, sentence: str | Sequence[str]) -> tuple[str, ...]:
        """Return the cues met by `sentence`, negated or not."""
        return tuple(hit.cue for hit in self.hits(sentence))


def _check_word(word: str, cue: str) -> None:
    bare = word.removesuffix("*")
    if tokenise(bare) != (bare,) or (word.endswith("*") and len(bare) < 2):
        raise PackError(f"cue {cue!r}: {word!r} is not a lower-case word or stem")


def _window(part: str, cue: str) -> int:
    if not part[1:].isdigit() or not 1 <= int(part[1:]) <= WINDOW:
        raise PackError(f"cue {cue!r}: {part!r} must be @1 to @{WINDOW}, the words the stems may span")
    return int(part[1:])


def _in_order(rows: list[tuple[int, CueHit]]) -> tuple[CueHit, ...]:
    unique = dict(rows)  # a cue with alternatives may have been tried, and met, more than once
    return tuple(unique[order] for order in sorted(unique))


def _spans(stem: tuple[_Phrase, ...], places: Places) -> _Spans:
    spans: _Spans = []
    for phrase in stem:
        starts = places.get(phrase[0])
        if starts is None:
            continue
        if len(phrase) == 1:
            spans += [(at, at + 1) for at in starts]
        else:
            rest = [places.get(pattern, ()) for pattern in phrase[1:]]
            spans += [
                (at, at + len(phrase)) for at in starts if all(at + n in row for n, row in enumerate(rest, 1))
            ]
    return spans


def _match(cue: _Cue, places: Places, tokens: Sequence[str]) -> CueHit | None:
    stems: list[_Spans] = []
    for stem in cue.stems:
        spans = _spans(stem, places)
        if not spans:
            return None
        stems.append(spans)
    if cue.forbidden and any(_spans(stem, places) for stem in cue.forbidden):
        return None
    best = _tightest(stems)
    start, end = min(span[0] for span in best), max(span[1] for span in best)
    if end - start > cue.window:
        return None
    return CueHit(cue.text, start, end, _under_negation(best, tokens))


def _tightest(stems: list[_Spans]) -> list[tuple[int, int]]:
    """Return one span a stem such that together they stand closest, leftmost first."""
    if len(stems) == 1:
        return [min(sorted(stems[0]), key=lambda span: span[1] - span[0])]
    best: list[tuple[int, int]] = []
    width = 10**9
    for anchor in sorted(span for spans in stems for span in spans):
        chosen = [min((s for s in spans if s[0] >= anchor[0]), default=None) for spans in stems]
        if any(span is None for span in chosen):
            break
        picked = [span for span in chosen if span is not None]
        reach = max(span[1] for span in picked) - anchor[0]
        if reach < width:
            best, width = picked, reach
    return best


def _under_negation(spans: Sequence[tuple[int, int]], tokens: Sequence[str]) -> bool:
    own = frozenset(at for start, end in spans for at in range(start, end))
    content = (
        start for start, end in spans if any(tokens[at] not in _FUNCTION_WORDS for at in range(start, end))
    )
    return any(negated(tokens, start, own=own) for start in content)
