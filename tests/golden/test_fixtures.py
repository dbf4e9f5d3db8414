"""The golden material is what it says: labelled synthetic, on reserved domains, complete and readable."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from porterlib.contracts.base import FORCES
from porterlib.contracts.request import DecisionRequest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CORPORA = sorted(path.parent for path in (FIXTURES / "corpora").glob("*/manifest.json"))
REQUESTS = sorted((FIXTURES / "requests").glob("*.yaml"))
GOLDEN = FIXTURES / "corpora" / "bank_kyc"
LABEL = "This page is synthetic test material"
DAMAGED = {"empty", "broken"}
PRIMARY = {"regulator", "legislation", "official_statistics", "academic", "audited_filing"}
RECOMMENDATIONS = {"proceed", "reversible_step", "wait", "stop", "missing_evidence"}
LONG_FORM = {"bank_kyc": 300}
"""Corpora whose pages have at least this many words; the smaller ones may be shorter."""


@cache
def entries(corpus: Path) -> list[dict[str, Any]]:
    return list(json.loads((corpus / "manifest.json").read_text(encoding="utf-8")))


@cache
def cases() -> list[dict[str, Any]]:
    return list(yaml.safe_load((FIXTURES / "golden" / "cases.yaml").read_text(encoding="utf-8"))["cases"])


def visible(corpus: Path, entry: dict[str, Any]) -> str:
    text = (corpus / entry["file"]).read_bytes().decode("utf-8", errors="replace")
    if not entry["file"].endswith(".html"):
        return text
    soup = BeautifulSoup(text, "lxml")
    for tag in soup(["script", "style", "template", "noscript", "head"]):
        tag.decompose()
    for tag in soup.select("[hidden]"):
        tag.decompose()
    return soup.get_text(" ")


def role(corpus: Path, name: str) -> list[dict[str, Any]]:
    return [entry for entry in entries(corpus) if entry.get("role") == name]


def everything() -> list[Any]:
    return [pytest.param(c, e, id=f"{c.name}-{Path(e['file']).stem}") for c in CORPORA for e in entries(c)]


@pytest.mark.parametrize(("corpus", "entry"), everything())
def test_a_page_is_labelled_dated_and_on_a_reserved_domain(corpus: Path, entry: dict[str, Any]) -> None:
    assert entry["synthetic"] is True
    assert (corpus / entry["file"]).is_file()
    host = urlsplit(entry["url"]).hostname or ""
    assert host.endswith((".example", ".example.com", ".example.org", ".example.net"))
    assert entry["published"] is None or date.fromisoformat(entry["published"]) >= date(2023, 1, 1)
    if entry.get("role") == "empty":
        assert LABEL in (corpus / entry["file"]).read_text(encoding="utf-8")
    else:
        assert LABEL in visible(corpus, entry)


@pytest.mark.parametrize(("corpus", "entry"), everything())
def test_a_page_has_a_readable_length_and_links_only_to_reserved_hosts(
    corpus: Path, entry: dict[str, Any]
) -> None:
    text = visible(corpus, entry)
    if entry.get("role") not in DAMAGED:
        assert LONG_FORM.get(corpus.name, 120) <= len(text.split()) <= 900
    raw = (corpus / entry["file"]).read_bytes().decode("utf-8", errors="replace")
    assert all(host.endswith(".example") for host in re.findall(r"https?://([^/\s\"<]+)", raw))


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_a_manifest_lists_every_file_once_and_no_url_twice(corpus: Path) -> None:
    files = [entry["file"] for entry in entries(corpus)]
    urls = [entry["url"] for entry in entries(corpus)]
    assert len(set(files)) == len(files)
    assert len(set(urls)) == len(urls)
    assert sorted(files) == sorted(f"docs/{path.name}" for path in (corpus / "docs").iterdir())


def test_the_golden_corpus_holds_every_trap_once() -> None:
    for name in ("strongest_contrary", "injection", "duplicate", "near_duplicate", "empty", "broken"):
        assert len(role(GOLDEN, name)) == 1, name
    for name in ("undated", "after_cutoff", "irrelevant"):
        assert len(role(GOLDEN, name)) == 1, name
    assert len(role(GOLDEN, "contradicts")) >= 6


def test_the_duplicate_is_exact_and_the_near_duplicate_is_not() -> None:
    (copy,) = role(GOLDEN, "duplicate")
    assert (GOLDEN / copy["file"]).read_bytes() == (GOLDEN / copy["duplicate_of"]).read_bytes()
    (near,), (first,) = role(GOLDEN, "near_duplicate"), role(GOLDEN, "near_duplicate_original")
    near_words, first_words = visible(GOLDEN, near).split(), visible(GOLDEN, first).split()
    shared = len(set(near_words) & set(first_words)) / len(set(near_words) | set(first_words))
    assert 0.75 < shared < 1


def test_dates_of_the_golden_corpus_fall_on_the_sides_they_should() -> None:
    (late,) = role(GOLDEN, "after_cutoff")
    assert late["published"] > "2026-06-30"
    (undated,) = role(GOLDEN, "undated")
    assert undated["published"] is None
    assert not re.search(r"\b20\d\d\b", visible(GOLDEN, undated))
    others = [entry for entry in entries(GOLDEN) if entry is not late and entry["published"]]
    assert all(entry["published"] <= "2026-06-30" for entry in others)


def test_the_broken_page_is_no_valid_text() -> None:
    (broken,) = role(GOLDEN, "broken")
    with pytest.raises(UnicodeDecodeError):
        (GOLDEN / broken["file"]).read_bytes().decode("utf-8")


@pytest.mark.parametrize("corpus", ["bank_kyc", "bank_kyc_favourable", "bank_cloud"])
@pytest.mark.parametrize("force", FORCES)
def test_each_force_has_independent_publishers(corpus: str, force: str) -> None:
    found = [entry for entry in entries(FIXTURES / "corpora" / corpus) if force in entry.get("forces", ())]
    assert len({entry["publisher"] for entry in found}) >= (4 if corpus == "bank_kyc" else 2)
    assert {entry["source_class"] for entry in found} & PRIMARY


def test_the_thin_corpus_has_no_page_on_substitutes() -> None:
    folder = FIXTURES / "corpora" / "bank_kyc_thin"
    assert not any("substitutes" in entry["forces"] for entry in entries(folder))
    words = " ".join(visible(folder, entry).casefold() for entry in entries(folder))
    for stem in ("substitut", "utilit", "wallet", "outsourc", "stablecoin", "managed", "registry"):
        assert stem not in words, stem


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_a_request_is_valid(path: Path) -> None:
    body = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert list(body) == ["request"]
    request = DecisionRequest.model_validate(body["request"])
    assert path.read_text(encoding="utf-8").startswith("# Synthetic request")
    public = request.public_context.casefold()
    assert not any(term.casefold() in public for term in request.restricted_terms)


def test_cases_name_files_that_exist_and_ids_that_are_unique() -> None:
    assert len({case["id"] for case in cases()}) == len(cases())
    for case in cases():
        assert (FIXTURES / case["request"]).is_file(), case["id"]
        assert (FIXTURES / case["corpus"] / "manifest.json").is_file(), case["id"]
        assert case["why"].strip()
        assert ("error" in case["expect"]) != ("status" in case["expect"]), case["id"]


def test_all_five_recommendations_occur_for_one_question() -> None:
    golden = [case for case in cases() if case["request"] == "requests/bank_kyc.yaml"]
    assert {case["expect"].get("recommendation") for case in golden} >= RECOMMENDATIONS


def test_contrary_pages_of_cases_stand_in_their_corpus() -> None:
    for case in cases():
        url = case["expect"].get("contrary_url")
        if url is not None:
            assert url in {entry["url"] for entry in entries(FIXTURES / case["corpus"])}, case["id"]


def test_identifiers_of_the_restricted_case_stand_in_its_request_only() -> None:
    (case,) = [case for case in cases() if case["id"] == "kyc-restricted"]
    text = (FIXTURES / case["request"]).read_text(encoding="utf-8")
    pages = " ".join(visible(FIXTURES / case["corpus"], e) for e in entries(FIXTURES / case["corpus"]))
    for needle in case["expect"]["never_in_queries"]:
        assert needle in text, needle
        assert needle not in pages, needle


def test_no_two_pages_of_the_golden_corpus_but_the_duplicate_are_the_same() -> None:
    digests = [hashlib.sha256((GOLDEN / entry["file"]).read_bytes()).hexdigest() for entry in entries(GOLDEN)]
    assert len(digests) - len(set(digests)) == 1
