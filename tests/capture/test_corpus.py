"""A corpus gives pages under the same limits as the web, and only regular files inside its folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from porterlib.capture import CaptureLimits, CorpusCapture
from porterlib.clock import FixedClock
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.errors import CaptureRefused, CorpusError
from porterlib.hashing import sha256_hex

Source = Callable[..., SourceRef]
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def refused(folder: Path, file: str | None, **limits: int) -> str:
    with pytest.raises(CaptureRefused) as caught:
        CorpusCapture(folder, limits=CaptureLimits(**limits)).fetch(
            SourceRef(source_id="S-1", url="https://p.example/", file=file)
        )
    return caught.value.rule


def test_a_document_becomes_a_page_with_its_hashes(tmp_path: Path, source: Source) -> None:
    raw = b"<title>T</title><p>Published: 5 October 2019</p><p>Banks test exits.</p>"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.html").write_bytes(raw)
    page = CorpusCapture(tmp_path, clock=FixedClock(NOON)).fetch(
        source("docs/a.html", declared_published="2001")
    )
    assert page.text == "Published: 5 October 2019\nBanks test exits."
    assert (page.raw_sha256, page.raw_length, page.text_sha256) == (
        sha256_hex(raw),
        len(raw),
        sha256_hex(page.text.encode()),
    )
    assert (page.title, page.published, page.published_basis) == ("T", "2019-10-05", "page")
    assert (page.status, page.retrieved_at, page.redirects, page.final_url) == (
        200,
        NOON,
        (),
        page.requested_url,
    )
    assert page.promotable


def test_declared_title_and_date_stand_in_and_say_so(tmp_path: Path, source: Source) -> None:
    (tmp_path / "a.txt").write_text("Body.")
    page = CorpusCapture(tmp_path).fetch(
        source("a.txt", declared_title="Given", declared_published="2020-05")
    )
    assert (page.title, page.published, page.published_basis) == ("Given", "2020-05", "declared")
    bare = CorpusCapture(tmp_path).fetch(source("a.txt"))
    assert (bare.published, bare.published_basis, [gap.rule for gap in bare.gaps]) == (
        None,
        "none",
        ["undated"],
    )


def test_a_page_survives_the_way_through_json_without_its_bytes(tmp_path: Path, source: Source) -> None:
    (tmp_path / "a.md").write_text("# Head\n\nText.")
    page = CorpusCapture(tmp_path).fetch(source("a.md"))
    again = CapturedPage.model_validate(page.model_dump(mode="json"))
    assert (again.text, again.raw_sha256, again.raw) == (page.text, page.raw_sha256, b"")
    assert "text" not in page.record()
    with pytest.raises(ValueError, match="text_sha256"):
        CapturedPage.model_validate({**page.model_dump(mode="json"), "text": "Changed."})


def test_every_way_out_of_the_folder_has_its_own_refusal(tmp_path: Path) -> None:
    folder, outside = tmp_path / "corpus", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "ok.txt").write_text("fine")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "inner.txt").symlink_to("ok.txt")
    (folder / "linked").symlink_to(outside)
    (folder / "folder.txt").mkdir()
    os.mkfifo(folder / "pipe.txt")
    assert refused(folder, "link.txt") == "file_symlink"
    assert refused(folder, "inner.txt") == "file_symlink"
    assert refused(folder, "linked/secret.txt") == "file_symlink"
    assert refused(folder, "folder.txt") == "file_not_regular"
    assert refused(folder, "pipe.txt") == "file_not_regular"
    assert refused(folder, "../outside/secret.txt") == "file_outside_corpus"
    assert refused(folder, str(outside / "secret.txt")) == "file_outside_corpus"
    assert refused(folder, "ok.txt\x00") == "file_outside_corpus"
    assert refused(folder, "ok.txt/more") == "file_missing"
    assert refused(folder, "absent.txt") == "file_missing"
    assert refused(folder, "a" * 300) == "file_unreadable"
    assert refused(folder, None) == "file_missing"
    assert refused(folder, "ok.txt", wire_bytes=3) == "body_too_large"


def test_an_unreadable_file_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("x")
    real = os.open

    def denied(path: object, *args: Any, **kwargs: Any) -> int:
        if path == "a.txt":  # the superuser may read every file, so its refusal is played here
            raise PermissionError(13, "denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", denied)
    assert refused(tmp_path, "a.txt") == "file_unreadable"


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"%PDF-1.4")
    assert refused(tmp_path, "a.html") == "media_pdf"


def test_a_folder_that_is_none_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not a folder"):
        CorpusCapture(tmp_path / "absent")
