"""A rerun repeats no query; what is kept is private, whole and without the words of the query."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from porterlib.clock import FixedClock
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import SearchUnavailableError, WorkspaceError
from porterlib.search import DuckDuckGoSearch, SearchCache

from .conftest import Serve, query
from .pages import UNKNOWN, empty_page, results_page
from .server import Reply

Make = Callable[..., DuckDuckGoSearch]
NOW = datetime(2026, 7, 1, tzinfo=UTC)
URLS = [f"https://host{n}.example/page" for n in range(1, 11)]
RESULT = SearchResult(hits=(SearchHit(url="https://a.example/"),))


def test_a_rerun_sends_nothing(serve: Serve, provider: Make, tmp_path: Path) -> None:
    server = serve(Reply(results_page(URLS)))
    first = provider(server, cache=SearchCache(tmp_path)).search(query())
    again = provider(server, cache=SearchCache(tmp_path))
    assert again.search(query()) == first
    assert len(again.search(query(), 10).hits) == 10
    assert len(server.forms) == 1


def test_a_verified_empty_and_a_relaxed_answer_are_kept_too(
    serve: Serve, provider: Make, tmp_path: Path
) -> None:
    server = serve(Reply(empty_page()), Reply(results_page(URLS[:1])), Reply(empty_page()))
    search = provider(server, cache=SearchCache(tmp_path), timelimit="y")
    assert search.search(query()).relaxed
    assert search.search(query()).relaxed
    assert len(server.forms) == 2
    unfiltered = provider(server, cache=SearchCache(tmp_path))
    assert unfiltered.search(query()).status == "empty"
    assert unfiltered.search(query()).status == "empty"
    assert len(server.forms) == 3


def test_a_failure_is_not_kept(serve: Serve, provider: Make, tmp_path: Path) -> None:
    server = serve(Reply(UNKNOWN), Reply(results_page(URLS)))
    search = provider(server, cache=SearchCache(tmp_path))
    with pytest.raises(SearchUnavailableError):
        search.search(query())
    assert list(tmp_path.iterdir()) == []
    assert search.search(query()).status == "ok"


def test_region_filter_and_words_are_kept_apart(serve: Serve, provider: Make, tmp_path: Path) -> None:
    server = serve(Reply(results_page(URLS)))
    cache = SearchCache(tmp_path)
    provider(server, cache=cache).search(query())
    provider(server, cache=cache, region="uk-en").search(query())
    provider(server, cache=cache, timelimit="m").search(query())
    provider(server, cache=cache).search(query("Cloud concentration banks"))
    assert len(server.forms) == 4


def test_files_are_private_and_name_no_word(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "search"
    SearchCache(folder).put("duckduckgo", "telling words", {}, RESULT)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "telling" not in file.read_text() + file.name


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"schema_version": 2}', b"\xff\xfe", b"x" * 2_000_000],
    ids=["empty", "cut", "other", "newer", "binary", "huge"],
)
def test_a_spoilt_file_is_as_good_as_none_and_replaced(tmp_path: Path, content: bytes) -> None:
    cache = SearchCache(tmp_path)
    cache.put("p", "t", {}, RESULT)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert cache.get("p", "t", {}) is None
    cache.put("p", "t", {}, RESULT)
    assert cache.get("p", "t", {}) == RESULT


def test_an_answer_to_another_query_is_not_taken(tmp_path: Path) -> None:
    cache = SearchCache(tmp_path)
    cache.put("p", "one", {}, RESULT)
    (one,) = tmp_path.iterdir()
    cache.put("p", "two", {}, SearchResult(status="empty"))
    (two,) = set(tmp_path.iterdir()) - {one}
    two.write_bytes(one.read_bytes())
    assert cache.get("p", "two", {}) is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    cache = SearchCache(tmp_path / "c")
    cache.put("p", "t", {}, RESULT)
    (file,) = (tmp_path / "c").iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert cache.get("p", "t", {}) is None


def test_answers_age(tmp_path: Path) -> None:
    SearchCache(tmp_path, clock=FixedClock(NOW)).put("p", "t", {}, RESULT)
    assert SearchCache(tmp_path, clock=FixedClock(NOW + timedelta(days=30))).get("p", "t", {}) == RESULT
    assert SearchCache(tmp_path, clock=FixedClock(NOW + timedelta(days=31))).get("p", "t", {}) is None
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["answered_at"] == "2026-07-01T00:00:00Z"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="search cache"):
        SearchCache(tmp_path / "file" / "cache").put("p", "t", {}, RESULT)
