"""A question finds the passages that answer it, also where they use other words."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from pathlib import Path
from types import ModuleType

import pytest

from porterlib.acquisition.index import PassageIndex
from porterlib.acquisition.retrieval import PassageRanker, SourcePassage, rank_passages
from porterlib.contracts.sector import SectorPack
from porterlib.sectors import PackCues

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmarks" / "retrieval_bank.py"
PASSAGES = [
    SourcePassage("garden", "Roses", "Prune climbing roses in March and feed the soil with compost."),
    SourcePassage(
        "cloud", "Cloud", "A small number of cloud service providers dominate the market for banks."
    ),
    SourcePassage(
        "cloud", "Cloud", "Exit plans were untested and migrating to another provider took two years."
    ),
    SourcePassage(
        "cards", "Cards", "Merchants litigate over interchange fees and steer customers to cheaper cards."
    ),
]


@pytest.fixture(scope="module")
def cues(pack: SectorPack) -> PackCues:
    return PackCues(pack)


def test_the_passage_that_answers_comes_first(cues: PackCues) -> None:
    ranked = rank_passages("How concentrated is the cloud market for banks?", PASSAGES, 2, cues=cues)
    assert ranked[0].place == 1
    assert len(ranked) == 2


def test_shared_drivers_find_a_passage_without_shared_words(cues: PackCues) -> None:
    ranked = rank_passages("Is there lock-in when a bank leaves its cloud vendor?", PASSAGES, 4, cues=cues)
    assert ranked[0].document == "cloud"
    assert "garden" not in {row.document for row in ranked}


def test_other_documents_change_no_score(cues: PackCues) -> None:
    question = "interchange fees of merchants"
    alone = rank_passages(question, PASSAGES[3:], 1, cues=cues)[0].score
    among = {row.document: row.score for row in rank_passages(question, PASSAGES, 4, cues=cues)}
    assert among["cards"] == alone


def test_a_question_without_words_finds_nothing(cues: PackCues) -> None:
    assert PassageRanker(PASSAGES, cues).passages("what of it?", 3) == ()


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("retrieval_bank", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["retrieval_bank"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.benchmark
def test_retrieval_beats_tuned_bm25_on_the_judged_questions(shared_dir: Path) -> None:
    bank = _benchmark()
    documents, questions = bank.load(shared_dir / "corpus" / "bank")
    ranker = bank.ranker_of(documents)
    tuned = bank.fts5(documents, questions, tuned=True)
    left_out = bank.leave_one_out(ranker, questions)
    assert bank.mean(left_out.ndcg) >= 0.84
    assert bank.mean(left_out.ndcg) > bank.mean(tuned.ndcg)
    assert bank.mean(left_out.recall) > bank.mean(tuned.recall)
    assert bank.relevant_share(ranker, questions, 3) >= 0.8
    assert bank.relevant_share(ranker, questions, 5) >= 0.8


def test_an_index_that_is_dropped_closes_its_database() -> None:
    index = PassageIndex([("Title", "A passage about switching providers.")])
    database = index._db
    assert index.search("switching providers")
    del index
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")
