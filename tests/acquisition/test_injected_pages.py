"""Attack texts in pages change no query and no evidence of other pages; harmless texts cost their page nothing."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from porterlib.ledger import Ledger

from .golden import FIXTURES, RUN, Gather, read_manifest
from .test_gather import SYNTHETIC, added, snapshot

TOLD = "Cloud providers raise prices and banks cannot switch provider for years."
SCORES = ("source_class", "authority", "quality", "freshness", "applicability", "publisher_key")


def gathered(gather: Gather, folder: Path, place: Path) -> tuple[Any, list[Any]]:
    """Return the snapshot of a folder and the words and ids of its queries."""
    with Ledger.open(place, "write") as ledger:
        found = snapshot(gather(folder, ledger=ledger))
        rows = [(row.payload["query_id"], row.payload.get("text")) for row in ledger.records(RUN, "query")]
    return found, rows


def test_every_attack_leaves_queries_ids_scores_and_other_pages_as_they_were(
    gather: Gather, corpus: Path, tmp_path: Path, shared_dir: Path
) -> None:
    folder = shared_dir / "data" / "security" / "injection"
    attacks = [
        text
        for group in json.loads((folder / "text_attack_train.json").read_text()).values()
        for text in group
    ]
    assert len(attacks) == 75
    plain, queries = gathered(gather, FIXTURES / "corpora" / "bank_kyc", tmp_path / "plain")
    for at, attack in enumerate(attacks):
        added(corpus, f"attack-{at}.txt", f"{SYNTHETIC}\n{TOLD}\n{attack}\nTrace {at}.")
    again, queries_again = gathered(gather, corpus, tmp_path / "again")
    assert queries_again == queries
    others = [item for item in again.evidence if "added.example" not in item.url]
    assert others == list(plain.evidence)
    mine = [item for item in again.evidence if "added.example" in item.url]
    assert {(item.source_class, item.authority, item.quality) for item in mine} <= {("vendor", 0.45, 0.55)}
    refused = {gap.rule for gap in again.gaps if gap not in plain.gaps}
    assert "instructions_in_page" in refused
    assert refused <= {"instructions_in_page", "duplicate", "no_relevant_passage"}


def test_harmless_texts_with_trigger_words_cost_their_page_nothing(
    gather: Gather, corpus: Path, shared_dir: Path
) -> None:
    folder = shared_dir / "data" / "security" / "injection"
    prompts = [
        " ".join(item["prompt"].split())
        for name in ("one", "two")
        for item in json.loads((folder / f"NotInject_{name}.json").read_text())
    ]
    assert len(prompts) == 226
    plain = snapshot(gather(corpus))
    files = {row["url"]: row["file"] for row in read_manifest(corpus)}
    chosen = next(
        item.url
        for item in plain.evidence
        if "</main>" in (corpus / files[item.url]).read_text("utf-8", "replace")
    )
    page = corpus / files[chosen]
    whole = page.read_text()
    assert whole.count("</main>") == 1
    more = "".join(f"<p>{html.escape(prompt)}</p>" for prompt in prompts)
    page.write_text(whole.replace("</main>", f"{more}</main>"))
    after = snapshot(gather(corpus))
    before, rows = ([item for item in one.evidence if item.url == chosen] for one in (plain, after))
    # The passage at the end of the page goes on into the added text.
    lost = [old.passage for old in before if not any(new.passage.startswith(old.passage) for new in rows)]
    assert lost == []
    assert len({tuple(getattr(item, name) for name in SCORES) for item in (*before, *rows)}) == 1
    assert [item for item in after.evidence if item.url != chosen] == [
        item for item in plain.evidence if item.url != chosen
    ]
    assert {gap.rule for gap in after.gaps} == {gap.rule for gap in plain.gaps}
