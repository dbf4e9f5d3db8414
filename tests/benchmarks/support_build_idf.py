"""Rebuild `background_idf.tsv` from the labelled pair files; run as a script, or call `build` from a test.

Only running text is counted (article sentences and knowledge sentences), no claim and no label. The FEVER
pairs are left out, so that their measurement is untouched by the table.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections import Counter
from pathlib import Path

from porterlib.evaluation.support.words import scan

HEADER = """\
# Background rarity of English stems: ln((N + 1) / (n + 0.5)) over N sentences, n of which hold the stem.
# Counted from the evidence sentences of WiCE (ryokamoi/wice @ddeb6c1; text CC BY-SA and Common Crawl terms)
# and the knowledge sentences of BEGIN (google/BEGIN-dataset @6e65f0d; CC BY 4.0), development files only.
# The table holds counts, no text of either. Stems seen in fewer than two sentences are left out. A third
# column "C" marks stems that are mostly written with a capital inside a sentence.
"""


def sentences_of(folder: Path) -> set[str]:
    """Return the distinct sentences that are counted."""
    kept: set[str] = set()
    with (folder / "wice_claim_dev.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            kept.update(json.loads(line)["evidence"])
    with (folder / "begin_dev_wow.tsv").open(encoding="utf-8", newline="") as rows:
        kept.update(row["knowledge"] for row in csv.DictReader(rows, delimiter="\t"))
    return {sentence for sentence in kept if len(sentence.split()) >= 5}


def build(folder: Path) -> str:
    """Return the table's text for the pair files in `folder`."""
    seen: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    counted = sorted(sentences_of(folder))
    for sentence in counted:
        words = scan(sentence)
        seen.update(set(words.term))
        for position, term in enumerate(words.term):
            if position and term.isalpha():
                inside[term] += 1
                capital[term] += words.capital[position]
    total = len(counted)
    lines = [HEADER, f"# sentences\t{total}\n", f"# unseen\t{math.log((total + 1) / 1.5):.2f}\n"]
    for term in sorted(seen):
        if seen[term] < 2 or any(char.isdigit() for char in term) or len(term) > 24:
            continue
        flag = "\tC" if capital[term] * 2 > inside[term] else ""
        lines.append(f"{term}\t{math.log((total + 1) / (seen[term] + 0.5)):.2f}{flag}\n")
    return "".join(lines)


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.write_text(build(source), encoding="utf-8")
