"""Everything one run recorded, at a glance; text of its parts only where it may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Para
from porterlib.display.views.approvals import approvals
from porterlib.display.views.insufficient import insufficient
from porterlib.display.views.outcome import decision_blocks
from porterlib.display.words import STATUSES, spoken

_PARTS = ("contract", "plan", "snapshot", "economics", "outcome", "review")


def run(results: Any) -> Built:
    """Return status, what the run holds, its decision and approvals, and the views there are.

    In plain text only ids, numbers and states appear: a `repr` may end in a log.
    """
    word, tone = STATUSES[results.status]
    held = [name for name in _PARTS if getattr(results, name) is not None]
    facts: list[tuple[str, object]] = [
        ("Status", Cell(word, tone)),
        ("Holds", ", ".join(held) or "nothing yet"),
        ("Queries", f"{len(results.queries)}, {len(results.gaps)} gaps"),
        ("Attempts", len(results.attempts)),
        ("Records", results.records),
        ("Head", Cell(results.head, mono=True)),
        ("Files", ", ".join(results.artifacts) or "—"),
    ]
    if results.reason and results.reason != results.status:
        facts.insert(1, ("Reason", spoken(results.reason)))
    blocks: list[Block] = [Facts(facts)]
    blocks += [Fold(title, inner, open=True, plain=False) for title, inner in _parts(results)]
    named = (
        "heatmap, evidence, claims, options, ranges, tornado, cash, delay, timeline, trace, approvals, cost"
    )
    blocks.append(Para(f"More by .show(name): {named}.", small=True))
    return Built(f"Run {results.run_id}: {word}", blocks, lambda: _rows(results))


def _parts(results: Any) -> Iterator[tuple[str, list[Block]]]:
    if results.insufficient is not None:
        yield "Not enough evidence", list(insufficient(results.insufficient).blocks)
    outcome = results.outcome
    if outcome is not None and outcome.candidate is not None:
        yield "Decision", list(decision_blocks(outcome.candidate, outcome.economics))
    if results.review is not None:
        yield "Approvals", list(approvals(results.review).blocks)


def _rows(results: Any) -> Iterator[dict[str, Any]]:
    yield {
        "run_id": results.run_id,
        "status": results.status,
        "reason": results.reason,
        "queries": len(results.queries),
        "gaps": len(results.gaps),
        "evidence": len(results.snapshot.evidence) if results.snapshot else 0,
        "attempts": len(results.attempts),
        "records": results.records,
        "head": results.head,
    }
