"""The public form of what a run recorded: texts that must stay local are replaced by digests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from porterlib.hashing import sha256_hex
from porterlib.rendering.redact import HIDDEN, redact

Sealed = Callable[[str], str]
"""Returns the keyed digest of a text; keyed because short texts could be guessed from a plain one."""


class Withheld(NamedTuple):
    """One text that the public form does not show."""

    at: str
    """JSON pointer to it."""
    text: str
    """The whole text that held something restricted."""


def withhold(value: Any, pattern: re.Pattern[str] | None) -> tuple[Any, list[Withheld]]:
    """Return JSON in which restricted parts of every text read `[withheld]`, and the texts that held them.

    >>> withhold({"a": ["x", "by Nightjar"]}, re.compile("Nightjar"))
    ({'a': ['x', 'by [withheld]']}, [Withheld(at='/a/1', text='by Nightjar')])
    """
    found: list[Withheld] = []
    if pattern is None:
        return value, found
    public = cache(partial(redact, pattern=pattern))  # names of fields and many values occur again and again
    return _walk(value, public, "", found), found


def shared_sidecar(
    sidecar: Mapping[str, Any], pattern: re.Pattern[str] | None, seal: Sealed
) -> dict[str, Any]:
    """Return the sidecar for other readers.

    Each internal fact keeps id, owner and confidentiality and the SHA-256 of its text. `withheld` names every
    other text that held a restricted term, with a keyed digest that the workspace's owner can confirm.
    """
    facts = [
        {
            **{name: fact[name] for name in fact if name != "text"},
            "text_sha256": sha256_hex(fact["text"].encode()),
        }
        for fact in sidecar["internal_facts"]
    ]
    shown, found = withhold({**sidecar, "internal_facts": facts}, pattern)
    return {**shown, "withheld": [{"at": entry.at, "hmac_sha256": seal(entry.text)} for entry in found]}


def json_text(value: Any) -> str:
    """Return JSON as people read it: sorted, one entry a line, equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _walk(value: Any, public: Callable[[str], str], at: str, found: list[Withheld]) -> Any:
    if isinstance(value, str):
        shown = public(value)
        if shown != value:
            found.append(Withheld(at, value))
        return shown
    if isinstance(value, list | tuple):
        return [_walk(entry, public, f"{at}/{number}", found) for number, entry in enumerate(value)]
    if isinstance(value, dict):
        return _walk_object(value, public, at, found)
    return value


def _walk_object(
    value: dict[str, Any], public: Callable[[str], str], at: str, found: list[Withheld]
) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name, entry in value.items():
        key = public(name)
        if key != name:
            key = f"{key} {len(shown) + 1}"  # two withheld names must not become one
            found.append(Withheld(f"{at}/{_escaped(key)}", name))
        shown[key] = _walk(entry, public, f"{at}/{_escaped(key)}", found)
    return shown


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


__all__ = ["HIDDEN", "Sealed", "Withheld", "json_text", "shared_sidecar", "withhold"]
