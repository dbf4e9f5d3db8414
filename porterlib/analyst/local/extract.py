"""Takes the one JSON object out of a model's answer: thinking text and fences away, ambiguity refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis", "<|end|>"),
)
"""Marks by which open models set off their thinking, as their chat templates write them."""
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*\n?(.*?)```", re.DOTALL)
_DECODER_LIMIT = 24


class AnswerRejected(ValueError):  # noqa: N818 - an answer, not a fault of ours
    """An answer has no valid form; `code` goes into the record, the message back to the model."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def strip_thinking(text: str) -> tuple[str, int]:
    """Return the text without thinking, and how many characters were thinking.

    An opening mark that is never closed hides everything after it; a closing mark that was never opened hides
    everything before it (some chat templates write the opening mark into the prompt).

    >>> strip_thinking("<think>hm</think>{}")
    ('{}', 17)

    """
    kept = text
    for opening, closing in _PAIRS:
        kept = re.sub(
            f"{re.escape(opening)}.*?{re.escape(closing)}", "", kept, flags=re.DOTALL | re.IGNORECASE
        )
        lowered = kept.lower()
        if closing not in ("<|end|>",) and closing.lower() in lowered:
            kept = kept[lowered.rindex(closing.lower()) + len(closing) :]
        elif opening.lower() in lowered:
            kept = kept[: lowered.index(opening.lower())]
    return kept, len(text) - len(kept)


def extract_object(text: str, required: str) -> Mapping[str, Any]:
    """Return the single JSON object with the key `required`.

    Raises:
        AnswerRejected: there is no such object, it is cut off, or two of them differ.

    """
    plain, _ = strip_thinking(text)
    if not plain.strip():
        raise AnswerRejected("empty", "the answer is empty")
    found: list[Mapping[str, Any]] = []
    for part in [plain, *_FENCE.findall(plain)]:
        for value in _objects(part):
            if required in value and value not in found:
                found.append(value)
    if len(found) > 1:
        raise AnswerRejected("ambiguous", "the answer holds several JSON objects; give exactly one")
    if not found:
        cut = "{" in plain and plain.count("{") > plain.count("}")
        code = "cut_off" if cut else "not_json"
        raise AnswerRejected(code, f'the answer holds no complete JSON object with the key "{required}"')
    return found[0]


def _objects(text: str) -> list[Mapping[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    found: list[Mapping[str, Any]] = []
    at = text.find("{")
    for _ in range(_DECODER_LIMIT):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, Mapping):
            found.append(value)
        at = text.find("{", end)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is repeated")
    return value
