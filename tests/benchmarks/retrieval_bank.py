"""Retrieval on the judged questions of the real bank corpus, beside its rivals, in one run.

Prints nDCG@10 and recall@10 of documents for plain FTS5 BM25, for its obvious tuning and for the library's ranking,
the difference from the tuned rival with a bootstrap interval over the questions, a leave-one-out figure (each
question scored with the weights that are best on the other fourteen), and the share of the first passages that
stand in documents graded relevant.

    python tests/benchmarks/retrieval_bank.py
"""

from __future__ import annotations

import json
import math
import random
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from porterlib.acquisition import CorpusSearch, retrieval
from porterlib.acquisition.passages import cut_passages
from porterlib.acquisition.retrieval import PassageRanker, SourcePassage
from porterlib.contracts.capture import SourceRef
from porterlib.sectors import PackCues, load_pack

BANK = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "bank"
STOP = frozenset(
    """a an and are as at be by do does for from how if in is it its may must no not of on or out should so such that
    the their them then these they this to was what when where which who will with would can could over before into
    than more most""".split()
)
GRID = [
    (driver, shape)
    for driver in (0.4, 0.6, 0.8, 1.0)
    for shape in ((1.0, 0.3, 0.2), (1.0, 0.5, 0.5, 0.3, 0.3))
]


class Document(NamedTuple):
    slug: str
    title: str
    text: str
    passages: tuple[tuple[int, int], ...]


class Scores(NamedTuple):
    ndcg: list[float]
    recall: list[float]


def load(folder: Path = BANK) -> tuple[list[Document], list[dict[str, Any]]]:
    """Return the documents with their passages, and the judged questions."""
    slugs = {row["file"]: row["slug"] for row in json.loads((folder / "manifest.json").read_text())}
    search = CorpusSearch(folder)
    rows = []
    for document in search.documents:
        page = search.fetch(SourceRef(source_id=document.source_id, url=document.url, file=document.file))
        spans = tuple((p.start, p.end) for p in cut_passages(page.text, page.headings))
        rows.append(Document(slugs[document.file], document.title or page.title or "", page.text, spans))
    return rows, json.loads((folder / "queries.json").read_text())


def ndcg_at_10(ranked: Sequence[str], grades: dict[str, int]) -> float:
    gain = sum((2 ** grades.get(slug, 0) - 1) / math.log2(at + 2) for at, slug in enumerate(ranked[:10]))
    best = sorted(grades.values(), reverse=True)[:10]
    return gain / sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(best))


def scored(rankings: Sequence[Sequence[str]], questions: list[dict[str, Any]]) -> Scores:
    pairs = list(zip(rankings, (row["grades"] for row in questions), strict=True))
    recall = [sum(slug in grades for slug in ranked[:10]) / len(grades) for ranked, grades in pairs]
    return Scores([ndcg_at_10(ranked, grades) for ranked, grades in pairs], recall)


def pieces(text: str, size: int) -> list[str]:
    """Return `text` in pieces of at most `size` characters, cut between words."""
    rows, row = [], ""
    for word in re.findall(r"\S+\s*", text):
        if row and len(row) + len(word) > size:
            rows.append(row)
            row = ""
        row += word
    return [*rows, row] if row else rows


def fts5(documents: list[Document], questions: list[dict[str, Any]], *, tuned: bool) -> Scores:
    """Return the rival: FTS5 BM25 over passages, documents by their best one."""
    size, tokenizer = (400, "porter unicode61") if tuned else (1200, "unicode61")
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5(doc UNINDEXED, title, body, tokenize='{tokenizer}')")
    for row in documents:
        title = row.title if tuned else ""
        db.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(row.slug, title, p) for p in pieces(row.text, size)]
        )
    rankings = []
    for question in questions:
        words = [w for w in re.findall(r"\w+", question["query"].lower()) if not (tuned and w in STOP)]
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        best: dict[str, float] = {}
        for slug, value in db.execute("SELECT doc, bm25(t, 0, 2.0, 1.0) FROM t WHERE t MATCH ?", (match,)):
            best[slug] = max(best.get(slug, 0.0), -value)
        rankings.append(sorted(best, key=lambda slug: (-best[slug], slug)))
    return scored(rankings, questions)


def ranker_of(documents: list[Document]) -> PassageRanker:
    rows = [SourcePassage(row.slug, row.title, row.text[a:b]) for row in documents for a, b in row.passages]
    return PassageRanker(rows, PackCues(load_pack("bank")))


def ours(ranker: PassageRanker, questions: list[dict[str, Any]]) -> Scores:
    return scored([ranker.documents(row["query"], 10) for row in questions], questions)


def remembered(score: Callable[[Any, dict[str, float]], float]) -> Callable[[Any, dict[str, float]], float]:
    """Return `score`, worked out once for each passage and question."""
    held: dict[tuple[int, tuple[str, ...]], float] = {}

    def asked(row: Any, weights: dict[str, float]) -> float:
        pair = id(row), tuple(weights)  # the ranker keeps its rows, and a word has one weight
        if pair not in held:
            held[pair] = score(row, weights)
        return held[pair]

    return asked


def leave_one_out(ranker: PassageRanker, questions: list[dict[str, Any]]) -> Scores:
    """Return each question's figures under the weights that are best on the others."""
    kept, words = (retrieval.DRIVER_WEIGHT, retrieval.PASSAGE_WEIGHTS), retrieval._bm25
    tried = []
    try:
        retrieval._bm25 = remembered(
            words
        )  # the weights that are tried leave the score of the words as it is
        for driver, shape in GRID:
            retrieval.DRIVER_WEIGHT, retrieval.PASSAGE_WEIGHTS = driver, shape  # type: ignore[assignment]
            tried.append(ours(ranker, questions))
    finally:
        retrieval.DRIVER_WEIGHT, retrieval.PASSAGE_WEIGHTS = kept
        retrieval._bm25 = words
    best = [max(tried, key=lambda row: sum(row.ndcg) - row.ndcg[at]) for at in range(len(questions))]
    return Scores(
        [row.ndcg[at] for at, row in enumerate(best)], [row.recall[at] for at, row in enumerate(best)]
    )


def interval(values: Sequence[float], *, draws: int = 4000) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over questions (seed fixed)."""
    source = random.Random(11)
    means = sorted(sum(source.choices(values, k=len(values))) / len(values) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def relevant_share(ranker: PassageRanker, questions: list[dict[str, Any]], k: int) -> float:
    """Return the share of the first `k` passages that stand in documents graded relevant."""
    hits = [row.document in q["grades"] for q in questions for row in ranker.passages(q["query"], k)]
    return sum(hits) / len(hits)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    documents, questions = load()
    ranker = ranker_of(documents)
    tuned = fts5(documents, questions, tuned=True)
    left_out = leave_one_out(ranker, questions)
    table = {
        "FTS5 BM25, plain": fts5(documents, questions, tuned=False),
        "FTS5 BM25, tuned": tuned,
        "porterlib": ours(ranker, questions),
        "porterlib, leave one out": left_out,
    }
    lines = [f"{'':26}{'nDCG@10':>9}{'95 %':>16}{'recall@10':>11}"]
    for name, row in table.items():
        low, high = interval(row.ndcg)
        lines.append(
            f"{name:26}{mean(row.ndcg):9.3f}{f'{low:.3f} to {high:.3f}':>16}{mean(row.recall):11.3f}"
        )
    low, high = interval([a - b for a, b in zip(left_out.ndcg, tuned.ndcg, strict=True)])
    lines.append(f"leave one out above tuned rival: {low:+.3f} to {high:+.3f}")
    shares = {k: relevant_share(ranker, questions, k) for k in (3, 5)}
    lines.append(
        ", ".join(f"first {k} passages in relevant documents: {share:.1%}" for k, share in shares.items())
    )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
