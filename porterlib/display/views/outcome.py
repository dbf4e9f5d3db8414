"""An outcome at a glance: what is recommended, how sure, at what price, and what still stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.publication import Outcome
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Listed, Para
from porterlib.display.views.attempts import report
from porterlib.display.views.economics import money_blocks
from porterlib.display.views.forces import force_rows, force_table
from porterlib.display.views.insufficient import insufficient
from porterlib.display.views.options import option_table
from porterlib.display.words import GATES, KINDS, STATUSES, spoken


def outcome(ended: Outcome) -> Built:
    """Return status, recommendation, five forces, options, ranges and verdict."""
    word, tone = STATUSES[ended.status]
    facts: list[tuple[str, object]] = [
        ("Run", ended.run_id),
        ("Status", Cell(word, tone)),
        (
            "Evidence",
            f"{len(ended.snapshot.evidence)} passages of {ended.snapshot.documents_captured} documents",
        ),
    ]
    if ended.reason and ended.reason != ended.status:
        facts.append(("Because", spoken(ended.reason)))
    if ended.fingerprint:
        facts.append(("Text", Cell(ended.fingerprint, mono=True)))
    blocks: list[Block] = [Facts(facts)]
    if ended.insufficient is not None:
        blocks += insufficient(ended.insufficient).blocks
    if ended.candidate is not None:
        blocks += decision_blocks(ended.candidate, ended.economics)
    if ended.report is not None:
        blocks.append(Fold(f"Verdict: {ended.report.summary}", report(ended.report).blocks[1:]))
    blocks.append(Listed("Files", [f"{name}: {path}" for name, path in ended.artifacts.items()]))
    title = f"Outcome: {word}"
    return Built(
        title, blocks, lambda: _rows(ended.candidate), columns=("force", "score", "trend", "horizon")
    )


def candidate(made: Candidate) -> Built:
    """Return what one attempt concluded."""
    facts: list[tuple[str, object]] = [
        ("Claims", f"{len(made.claims)}, {sum(c.material for c in made.claims)} carry the decision"),
        ("Analyst", f"{made.analyst.kind} {made.analyst.version} {made.analyst.model}".strip()),
        (
            "Questions",
            f"{made.analyst.asked} asked, {made.analyst.stood_in} answered by rule in the model's place",
        ),
    ]
    blocks: list[Block] = [*decision_blocks(made, None), Facts(facts)]
    return Built("Candidate", blocks, lambda: force_rows(made))


def decision_blocks(made: Candidate, money: Economics | None) -> Iterator[Block]:
    """Yield recommendation, confidence, forces, options and ranges."""
    kind = made.recommendation.kind
    yield Para(f"{KINDS[kind]}: {made.recommendation.sentence.text}", bold=True)
    yield Facts(
        [
            ("Confidence", made.brief.confidence_point.text),
            ("Decided by", GATES.get(made.recommendation.rule, made.recommendation.rule)),
        ]
    )
    yield force_table(made)
    yield option_table(made)
    if money is not None:
        yield from money_blocks(money)
    gates = [
        f"{GATES.get(r.rule, r.rule)}: {spoken(r.outcome)} ({r.note})" for r in made.recommendation.because
    ]
    yield Fold("Every gate that was looked at", [Listed("", gates)])


def _rows(made: Candidate | None) -> Iterator[dict[str, Any]]:
    if made is not None:
        yield from force_rows(made)
