"""Chosen passages answer questions: they come from documents a reader graded relevant."""

from __future__ import annotations

import json
from pathlib import Path

from porterlib.acquisition import CorpusSearch
from porterlib.acquisition.index import PassageIndex
from porterlib.acquisition.search import source_of
from porterlib.contracts.evidence import EvidenceSnapshot

CHOSEN = 3
"""Passages chosen for a question."""


def test_chosen_passages_come_from_documents_graded_relevant(
    shared_dir: Path, real: EvidenceSnapshot
) -> None:
    """Measured: 42 of 45 passages (93 %); required: 80 %."""
    folder = shared_dir / "corpus" / "bank"
    slugs = {
        (entry["url"], entry["file"]): entry["slug"]
        for entry in json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    }
    search = CorpusSearch(folder)
    slug_of = {search.fetch(source_of(d)).text_sha256: slugs[d.url, d.file] for d in search.documents}
    index = PassageIndex([(item.title, item.passage) for item in real.evidence])
    chosen: list[bool] = []
    for query in json.loads((folder / "queries.json").read_text(encoding="utf-8")):
        found = [real.evidence[hit.row] for hit in index.search(query["query"])]
        serving = [item for item in found if query["force"] in item.forces][:CHOSEN]
        chosen += [slug_of[item.text_sha256] in query["grades"] for item in serving]
    assert len(chosen) == 45
    assert sum(chosen) / len(chosen) >= 0.9
