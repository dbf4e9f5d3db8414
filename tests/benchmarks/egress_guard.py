"""Recall of the egress guard on identifiers and its false alarms on harmless queries.

Run: `python tests/benchmarks/egress_guard.py PATH_OF_SHARED_MATERIAL`. Prints, for each type of identifier
in the synthetic PII set, how many of its occurrences (each in its own sentence, other identifiers masked)
are blocked, which sentences with context words are not, and the false alarms on the harmless queries beside
the guard's tests: those the guard was tuned on, and those written afterwards.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from porterlib.egress import EgressGuard, Sealed, make_policy

HARMLESS = Path(__file__).resolve().parents[1] / "egress" / "data"
TYPES = ("CREDIT_CARD", "IBAN_CODE", "US_SSN", "EMAIL_ADDRESS", "PHONE_NUMBER", "US_DRIVER_LICENSE")


def guard() -> EgressGuard:
    """A guard without a request, so that only identifiers, credentials and labels can block."""
    return EgressGuard(make_policy(key=b"\x07" * 32, question=Sealed("")))


def occurrences(file: Path) -> list[tuple[str, str, str]]:
    """Return type, value and sentence of every identifier, with the other identifiers of the text masked."""
    found = []
    for item in json.loads(file.read_text(encoding="utf-8")):
        for span in item["spans"]:
            if span["entity_type"] not in TYPES:
                continue
            text = item["full_text"]
            for other in sorted(item["spans"], key=lambda other: -other["start_position"]):
                if other is not span and other["end_position"] <= len(text):
                    text = text[: other["start_position"]] + "someone" + text[other["end_position"] :]
            at = text.find(span["entity_value"])
            sentence = " ".join(text[max(0, at - 60) : at + len(span["entity_value"]) + 40].split())
            if at >= 0:
                found.append((span["entity_type"], span["entity_value"], sentence))
    return found


def context_sentences(file: Path) -> list[tuple[str, str]]:
    """Return type and sentence of the set with context words."""
    lines = [
        line for line in file.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"
    ]
    return list(zip(lines[::2], lines[1::2], strict=False))


def harmless() -> list[str]:
    """Return the harmless queries: those the guard was tuned on and those it was not."""
    return [
        line
        for file in sorted(HARMLESS.glob("harmless*.txt"))
        for line in file.read_text().splitlines()
        if line
    ]


def recall(shared: Path) -> dict[str, tuple[int, int]]:
    """Return blocked and all occurrences for each type of the synthetic set."""
    checker, blocked, total = guard(), Counter[str](), Counter[str]()
    for kind, _, sentence in occurrences(shared / "data/security/pii/synth_dataset_v2_first900.json"):
        total[kind] += 1
        blocked[kind] += not checker.check(sentence).allowed
    return {kind: (blocked[kind], total[kind]) for kind in TYPES}


def main(shared: Path) -> None:
    """Print the figures."""
    for kind, (blocked, total) in recall(shared).items():
        print(f"{kind:20} {blocked:4}/{total:<4} {blocked / total:.3f}")
    checker = guard()
    for kind, sentence in context_sentences(shared / "data/security/pii/context_sentences_tests.txt"):
        if checker.check(sentence).allowed:
            print(f"context, not blocked: {kind}: {sentence}")
    queries, started = harmless(), time.perf_counter()
    alarms = [(query, verdict.rule) for query in queries if not (verdict := checker.check(query)).allowed]
    seconds = time.perf_counter() - started
    print(
        f"false alarms {len(alarms)}/{len(queries)}, {1000 * seconds / len(queries):.1f} ms a query", alarms
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
