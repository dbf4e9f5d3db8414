"""The digest that approvals bind to: one exact text with everything it rests on (rule 13.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.publication import Versions
from porterlib.hashing import digest

DROPPED = frozenset({"run_id", "retrieved_at", "recorded_at", "signed_at", "elapsed_s"})
"""Fields left out wherever they occur: which run it was and when things happened change no text."""


def brief_fingerprint(
    candidate: Candidate,
    snapshot_ids: str | Iterable[str],
    economics: Economics | None,
    versions: Versions,
) -> str:
    """Return SHA-256 over candidate, snapshot ids, economics and versions, without run ids and times.

    Two runs of one request over the same evidence and inputs with the same versions agree on it, on any
    machine and day; any change of a word, figure, id, rating or version changes it.

    Args:
        candidate: the exact text with its claims, links, options and challenge.
        snapshot_ids: id of the evidence snapshot, and of the knowledge snapshot where one was read; their
            order does not matter.
        economics: calculations the text rests on; the signature's owner counts, its time does not.
        versions: versions of evaluator, pack, calculator, prompts and analyst.

    """
    ids = [snapshot_ids] if isinstance(snapshot_ids, str) else sorted(snapshot_ids)
    content = {
        "candidate": candidate.model_dump(mode="json"),
        "snapshots": ids,
        "economics": None if economics is None else economics.model_dump(mode="json"),
        "versions": versions.model_dump(mode="json"),
    }
    return digest("brief", _without(content))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items() if key not in DROPPED}
    if isinstance(value, list):
        return [_without(item) for item in value]
    return value
