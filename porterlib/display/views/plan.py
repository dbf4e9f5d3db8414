"""The research plan: what will be asked, and what would prove each hypothesis wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.plan import ResearchPlan
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Listed, grid
from porterlib.display.words import FORCES, spoken


def plan(research: ResearchPlan) -> Built:
    """Return hypotheses and queries by force, contrary ones marked."""
    contrary = sum(query.contrary for query in research.queries)
    facts: list[tuple[str, object]] = [
        ("Run", research.run_id),
        ("Fingerprint", Cell(research.sha256, mono=True)),
        ("Topics", ", ".join(map(spoken, research.topics)) or "—"),
        ("Queries", f"{len(research.queries)}, {contrary} of them look for contrary evidence"),
    ]
    queries = grid(
        ("Force", "No.", "Query", "Looks for", "Tests"),
        research.queries,
        lambda query: (
            FORCES[query.force],
            query.sequence,
            query.text,
            Cell("contrary evidence", "warn") if query.contrary else "evidence",
            query.hypothesis_id,
        ),
        caption="Queries, to be checked once more before they leave",
        numeric=(1,),
        narrow=(4,),
    )
    hypotheses = grid(
        ("Id", "Force", "Hypothesis", "Falsified if"),
        research.hypotheses,
        lambda entry: (entry.id, FORCES[entry.force], entry.statement, entry.falsifier),
    )
    blocks: list[Block] = [
        Facts(facts),
        queries,
        Fold(f"{len(research.hypotheses)} hypotheses with what would falsify them", [hypotheses]),
        Fold(
            "Sources looked for, and the outline",
            [Listed("Sources, best first", research.source_universe), Listed("Outline", research.outline)],
        ),
    ]
    return Built("Research plan", blocks, lambda: _rows(research))


def _rows(research: ResearchPlan) -> Iterator[dict[str, Any]]:
    for query in research.queries:
        yield {"run_id": research.run_id, **query.to_dict()}
