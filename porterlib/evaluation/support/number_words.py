"""Numbers written as words: "twelve", "twenty-one", "two hundred and fifty", "two-thirds", "a dozen"."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from porterlib.evaluation.support.wordlists import split_rows, word_list
from porterlib.evaluation.support.words import Words

_ONES = word_list("small_number")
SMALL = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * number for number, word in enumerate(word_list("tens"), start=2)
}
SCALE = {word: int(factor) for factor, *words in split_rows("scale") for word in words}
_ORDINAL_WORDS = word_list("ordinal")
ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS, start=1)}
_PARTS = {word: int(divisor) for divisor, *words in split_rows("part") for word in words}
_PRONOUN_BEFORE = frozenset(word_list("before_pronoun_one"))
_PRONOUN_AFTER = frozenset(word_list("after_pronoun_one"))
_STARTS = frozenset({*SMALL, *SCALE, *ORDINALS, "half"})


def _is_pronoun(words: Words, at: int) -> bool:
    """Return whether "one" at `at` stands for a person or thing rather than a count."""
    before = words.surface[at - 1] if at else ""
    after = words.surface[at + 1] if at + 1 < len(words) else "of"
    return before in _PRONOUN_BEFORE or after in _PRONOUN_AFTER


def _cardinal(surface: tuple[str, ...], at: int) -> tuple[int, int]:
    """Return the value of the number words from `at` on and the position after them."""
    total = current = 0
    position = at
    while position < len(surface):
        word = surface[position]
        following = surface[position + 1] if position + 1 < len(surface) else ""
        if word in SMALL and (current % 100 == 0 or (20 <= current % 100 < 100 and SMALL[word] < 10)):
            current += SMALL[word]
        elif word in SCALE and (position > at):
            if SCALE[word] <= 100:
                current = max(current, 1) * SCALE[word]
            else:
                total, current = total + max(current, 1) * SCALE[word], 0
        elif not (
            word == "and"
            and surface[position - 1] in {"hundred", "thousand", "million"}
            and following in SMALL
        ):
            break
        position += 1
    return total + current, position


def word_numbers(words: Words) -> Iterator[tuple[Decimal, str, int, int]]:
    """Yield `(value, kind, first, after)` for every number in words; kind is "", "ordinal" or "share"."""
    surface = words.surface
    if _STARTS.isdisjoint(surface):
        return
    at = 0
    while at < len(surface):
        word = surface[at]
        if word in SMALL:
            value, after = _cardinal(surface, at)
            if after < len(surface) and surface[after] in _PARTS and after == at + 1 and value:
                yield Decimal(value) / _PARTS[surface[after]], "share", at, after + 1
                after += 1
            elif word != "one" or after > at + 1 or not _is_pronoun(words, at):
                yield Decimal(value), "", at, after
            at = after
            continue
        if word in ORDINALS:
            yield Decimal(ORDINALS[word]), "ordinal", at, at + 1
        elif word == "half" and (at == 0 or surface[at - 1] not in {"first", "second", "other"}):
            yield Decimal("0.5"), "share", at, at + 1
        elif word in SCALE and at and surface[at - 1] in {"a", "an"} and not word.endswith("s"):
            yield Decimal(SCALE[word]), "", at, at + 1
        at += 1
