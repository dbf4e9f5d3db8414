"""Passages are chosen by what they say about a driver; pages are filed by policy and folded when they repeat."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.acquisition.filing import FiledPage, file_page, refusal_rule
from porterlib.acquisition.folding import fold_duplicates
from porterlib.acquisition.passages import cut_passages
from porterlib.acquisition.promotion import Promoter, evidence_id
from porterlib.contracts.capture import CapturedPage, PageFlag
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.search import SearchHit
from porterlib.contracts.sector import SectorPack
from porterlib.hashing import sha256_hex

TELLING = (
    "The market for cloud services to banks is concentrated in a small number of cloud service providers, "
    "which limits the bargaining power of institutions in contract negotiations with providers."
)
PLAIN = "The museum opens at nine and closes at five, and the café serves soup and cake to its visitors."


@pytest.fixture(scope="module")
def promoter(pack: SectorPack) -> Promoter:
    return Promoter(pack, ["cloud"])


def captured(text: str, **more: Any) -> CapturedPage:
    fields: dict[str, Any] = {
        "source_id": f"S-{sha256_hex(text.encode())[:8]}",
        "requested_url": "https://a.example/x",
        "final_url": "https://a.example/x",
        "status": 200,
        "media_type": "text/plain",
        "charset": "utf-8",
        "retrieved_at": datetime(2026, 1, 2, tzinfo=UTC),
        "raw_sha256": sha256_hex(text.encode()),
        "raw_length": len(text.encode()),
        "text_sha256": sha256_hex(text.encode()),
        "text": text,
        "extractor": "test/1",
    }
    return CapturedPage(**{**fields, **more})


def chosen(promoter: Promoter, text: str) -> list[str]:
    return [text[row.passage.start : row.passage.end] for row in promoter.choose(text, cut_passages(text))]


def test_a_passage_deep_in_a_page_is_chosen_and_its_head_is_not(promoter: Promoter) -> None:
    head = "\n".join(f"{PLAIN} Day {n}." for n in range(12))
    found = chosen(promoter, f"{head}\n{TELLING}\n{head}")
    assert len(found) == 1
    assert TELLING in found[0]
    assert "suppliers" in promoter.choose(TELLING, cut_passages(TELLING))[0].forces


def test_a_page_that_says_nothing_about_a_driver_yields_nothing(promoter: Promoter) -> None:
    assert chosen(promoter, PLAIN * 20) == []


def test_a_page_gives_at_most_a_few_passages_a_force(promoter: Promoter) -> None:
    text = "\n".join(f"{TELLING} {PLAIN * 4} Section {n}." for n in range(20))
    rows = promoter.choose(text, cut_passages(text))
    limit = promoter.policy.passages_a_force
    assert sum("suppliers" in row.forces for row in rows) <= limit
    assert len(rows) <= 5 * limit + promoter.policy.outcomes_a_page


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([PLAIN, TELLING]), max_size=8))
def test_every_choice_is_a_passage_of_the_text_in_order(blocks: list[str]) -> None:
    from porterlib.sectors import load_pack

    text = "\n".join(block * 5 for block in blocks)
    passages = cut_passages(text)
    rows = Promoter(load_pack("bank"), ["cloud"]).choose(text, passages)
    assert [row.passage for row in rows] == sorted(row.passage for row in rows)
    assert {row.passage for row in rows} <= set(passages)


def test_ids_depend_on_text_and_span(promoter: Promoter) -> None:
    digest = "a" * 64
    assert evidence_id(digest, 0, 10) == evidence_id(digest, 0, 10)
    assert len({evidence_id(digest, 0, 10), evidence_id(digest, 1, 10), evidence_id("b" * 64, 0, 10)}) == 3


@pytest.mark.parametrize(
    ("published", "rule"),
    [
        ("2026-07-01", "after_cutoff"),
        ("2026-07", "after_cutoff"),
        ("2027", "after_cutoff"),
        ("2026-06-30", None),
        ("2026-06", None),
        ("2026", None),
        (None, None),
    ],
)
def test_a_page_counts_unless_its_whole_period_lies_after_the_cutoff(
    published: str | None, rule: str | None
) -> None:
    assert refusal_rule(captured(TELLING, published=published), date(2026, 6, 30)) == rule


def test_empty_and_instructing_pages_do_not_count() -> None:
    assert refusal_rule(captured(" "), None) == "text_empty"
    flagged = captured(TELLING, flags=(PageFlag(rule="instruction_override", start=0, end=3),))
    assert refusal_rule(flagged, None) == "instructions_in_page"


def filed(contract: DecisionContract, pack: SectorPack, text: str = TELLING, **hit: Any) -> FiledPage:
    fields: dict[str, Any] = {"url": "https://a.example/x", "file": "a.txt", **hit}
    source = f"S-{fields['file']}"
    return file_page(captured(text, source_id=source), SearchHit(**fields), contract, pack)


def test_a_declared_class_is_kept_and_an_unknown_host_is_a_vendor(
    contract: DecisionContract, pack: SectorPack
) -> None:
    declared = filed(contract, pack, source_class="regulator", publisher="Authority")
    unknown = filed(contract, pack)
    assert (declared.source_class, declared.declared, declared.authority) == ("regulator", True, 1.0)
    assert (unknown.source_class, unknown.declared, unknown.authority) == ("vendor", False, 0.45)
    assert unknown.publisher_key == "a.example"


def test_publishers_on_a_carrier_of_filings_stay_apart(contract: DecisionContract, pack: SectorPack) -> None:
    base = "https://www.sec.gov/Archives/edgar/data/1/"
    keys = {filed(contract, pack, url=f"{base}{n}", publisher=f"Company {n}").publisher_key for n in range(2)}
    assert keys == {"company 0", "company 1"}


def test_offices_of_one_owner_are_one_publisher(contract: DecisionContract, pack: SectorPack) -> None:
    base = "https://home.treasury.gov/news/press-releases/"
    keys = {
        filed(contract, pack, url=f"{base}jy{n}", publisher=name).publisher_key
        for n, name in enumerate(("US Treasury", "Treasury Department"))
    }
    assert len(keys) == 1


LONG = " ".join(
    f"Clause {n} says that provider {n * 7} must keep record {n * 13} for {n + 3} years." for n in range(60)
)


def test_near_equal_pages_fold_into_the_one_of_higher_standing(
    contract: DecisionContract, pack: SectorPack
) -> None:
    original = filed(contract, pack, LONG, file="o.txt", source_class="regulator", url="https://z.example/o")
    mirror = filed(contract, pack, LONG + " Reprinted.", file="m.txt", url="https://a.example/m")
    excerpt = filed(contract, pack, LONG[: len(LONG) // 2], file="e.txt", url="https://b.example/e")
    other = filed(contract, pack, LONG.replace("years", "months").replace("record", "file"), file="x.txt")
    kept, folds = fold_duplicates([mirror, excerpt, other, original])
    assert [page.source_id for page in kept] == ["S-o.txt", "S-x.txt"]
    assert {(fold.folded.source_id, fold.kept.source_id) for fold in folds} == {
        ("S-m.txt", "S-o.txt"),
        ("S-e.txt", "S-o.txt"),
    }


def test_an_original_of_higher_standing_is_not_lost_in_a_page_that_quotes_it(
    contract: DecisionContract, pack: SectorPack
) -> None:
    quoted = filed(contract, pack, LONG[: len(LONG) // 3], file="q.txt", source_class="legislation")
    commentary = filed(contract, pack, LONG, file="c.txt")
    kept, folds = fold_duplicates([commentary, quoted])
    assert len(kept) == 2
    assert folds == []


@settings(deadline=None, max_examples=30)
@given(st.permutations(["1", "2", "3", "4"]))
def test_folding_does_not_depend_on_order(order: list[str]) -> None:
    from porterlib.acquisition import frame_request
    from porterlib.contracts.loading import load_request
    from porterlib.sectors import load_pack

    from .golden import FIXTURES

    pack = load_pack("bank")
    contract = frame_request(
        load_request(FIXTURES / "requests" / "bank_kyc.yaml"), pack, run_id="r", request_sha256="0" * 64
    )
    texts = {"1": LONG, "2": LONG + " End.", "3": PLAIN * 9, "4": PLAIN * 9}
    pages = [filed(contract, pack, texts[name], file=name, url=f"https://{name}.example/") for name in order]
    kept, folds = fold_duplicates(pages)
    assert [page.source_id for page in kept] == ["S-1", "S-3"]
    assert len(folds) == 2
