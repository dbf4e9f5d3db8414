"""A corpus folder is read as its manifest says, and what it may not say is refused by entry and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porterlib.acquisition import CorpusSearch
from porterlib.acquisition.manifest import list_corpus
from porterlib.contracts.search import SearchResult
from porterlib.egress import PublicQuery
from porterlib.errors import CorpusError

from .golden import public_query, read_manifest, write_manifest

TEXT = "Banks depend on a few cloud providers. Switching provider takes two years and costs millions of euro."


def folder_with(tmp_path: Path, entries: Any, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if entries is not None:
        (tmp_path / "manifest.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return tmp_path


def entry(**changes: Any) -> dict[str, Any]:
    base = {
        "url": "https://a.example/x",
        "file": "docs/a.txt",
        "title": "A",
        "publisher": "P",
        "source_class": "regulator",
        "published": "2025-01-31",
    }
    return {**base, **changes}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"file": None}, "entry 1, file: is missing"),
        ({"file": "../secret.txt"}, "entry 1, file: leads out of the corpus"),
        ({"file": "/etc/passwd"}, "entry 1, file: leads out"),
        ({"file": "docs\\a.txt"}, "entry 1, file: leads out"),
        ({"url": "javascript:alert(1)"}, "entry 1, url: is neither http"),
        ({"url": "https://a.example/\n=1"}, "entry 1, url: is not an address"),
        ({"url": 3}, "entry 1, url: is not an address"),
        ({"title": ["x"]}, "entry 1, title: is not text"),
        ({"published": "next year"}, "entry 1, published: is not a date"),
        ({"published": "2025-13"}, "entry 1, published: is not a date"),
        ({"source_class": "oracle"}, "entry 1, source_class: is not known"),
        ({"source_class": "user_assertion"}, "entry 1, source_class: 'user_assertion' cannot be declared"),
        ({"source_class": "internal_document"}, "'internal_document' cannot be declared"),
        ({"source_class": "calculator"}, "'calculator' cannot be declared"),
    ],
)
def test_a_wrong_entry_is_refused_by_number_and_field(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    folder = folder_with(tmp_path, [entry(**changes)], {"docs/a.txt": TEXT})
    with pytest.raises(CorpusError, match=says):
        list_corpus(folder)


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        ("{", "not valid JSON"),
        ("{}", "must be a list"),
        ("[1]", "entry 1: is not a mapping"),
        ("[]", "holds no"),
    ],
)
def test_a_broken_manifest_is_refused(tmp_path: Path, manifest: str, says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        list_corpus(folder_with(tmp_path, manifest, {"docs/a.txt": TEXT}))


def test_an_absent_or_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus folder"):
        list_corpus(tmp_path / "absent")
    with pytest.raises(CorpusError, match="no HTML, Markdown or text document"):
        list_corpus(tmp_path)


def test_a_listed_file_that_is_absent_is_a_gap_unless_all_are(tmp_path: Path) -> None:
    entries = [entry(), entry(file="docs/b.txt")]
    listing = list_corpus(folder_with(tmp_path, entries, {"docs/a.txt": TEXT}))
    assert [document.file for document in listing.documents] == ["docs/a.txt"]
    assert [gap.rule for gap in listing.gaps] == ["document_missing"]
    (tmp_path / "docs/a.txt").unlink()
    with pytest.raises(CorpusError, match="none of the files"):
        list_corpus(tmp_path)


def test_a_folder_without_manifest_gives_corpus_ids_and_no_class(tmp_path: Path) -> None:
    folder_with(
        tmp_path,
        None,
        {"a b.md": f"# A\n\n{TEXT}", "deep/c.txt": TEXT, "README.md": "x", "image.png": "x", "d.pdf": "%PDF"},
    )
    listing = list_corpus(tmp_path)
    assert [document.url for document in listing.documents] == ["corpus:a%20b.md", "corpus:deep/c.txt"]
    assert all(document.source_class is None for document in listing.documents)
    assert [(gap.rule, gap.note.partition(":")[0]) for gap in listing.gaps] == [("media_type", "d.pdf")]


def test_a_link_out_of_the_corpus_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(TEXT)
    folder = folder_with(tmp_path / "corpus", [entry(), entry(file="docs/link.txt")], {"docs/a.txt": TEXT})
    (folder / "docs/link.txt").symlink_to(secret)
    search = CorpusSearch(folder)
    assert [hit.file for hit in search.search(public_query("cloud providers switching")).hits] == [
        "docs/a.txt"
    ]
    assert [gap.rule for gap in search.gaps()] == ["file_symlink"]


def found(
    folder: Path, query: str = "cloud concentration switching cost model providers", limit: int = 50
) -> SearchResult:
    return CorpusSearch(folder).search(public_query(query), limit)


def test_hits_do_not_depend_on_the_order_of_the_manifest(corpus: Path) -> None:
    first = found(corpus)
    write_manifest(corpus, list(reversed(read_manifest(corpus))))
    assert found(corpus) == first
    assert len(first.hits) > 5


def test_a_copy_is_found_beside_its_original_and_takes_no_place_of_another(corpus: Path) -> None:
    first = found(corpus, limit=5)
    entries = read_manifest(corpus)
    row = next(row for row in entries if row["file"] == first.hits[0].file)
    (corpus / "docs/copy.html").write_bytes((corpus / row["file"]).read_bytes())
    write_manifest(corpus, [*entries, {**row, "file": "docs/copy.html"}])
    again = found(corpus, limit=5)
    assert [hit for hit in again.hits if hit.file != "docs/copy.html"] == list(first.hits)
    assert len(again.hits) == 6


def test_nothing_found_is_an_empty_result(corpus: Path) -> None:
    assert found(corpus, "zeppelin aerodynamics").status == "empty"


def test_a_query_must_have_passed_the_guard() -> None:
    with pytest.raises(TypeError, match="minted by the egress guard"):
        PublicQuery("x", "y", mint=None)
