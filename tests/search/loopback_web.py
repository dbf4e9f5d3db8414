"""The golden corpus as a small web on loopback: a search page, and the pages it leads to."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import porterlib.capture
from porterlib.acquisition import CorpusSearch
from porterlib.capture import WebCapture
from porterlib.capture.pinning import dial
from porterlib.search import Pacing, duckduckgo, engine

from .pages import results_page
from .server import PageServer, Reply, SearchServer, serving

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CORPUS = FIXTURES / "corpora" / "bank_kyc"
ECONOMICS = FIXTURES / "economics" / "kyc_mixed.yaml"


def plain(url: str) -> str:
    return url.replace("https://", "http://")


@pytest.fixture
def undated(tmp_path: Path) -> Path:
    """Return the golden request without its cutoff, which the present web could not honour."""
    request = yaml.safe_load((FIXTURES / "requests" / "bank_kyc.yaml").read_text())
    del request["request"]["evidence_cutoff"]
    path = tmp_path / "request.yaml"
    path.write_text(yaml.safe_dump(request))
    return path


class Web:
    """The golden corpus as a small web: a search page and the pages it leads to."""

    def __init__(self, stack: ExitStack) -> None:
        corpus = CorpusSearch(CORPUS)
        self.files = {plain(row.url): CORPUS / row.file for row in corpus.documents}
        self.reply: Reply | None = None

        def found(form: dict[str, str]) -> Reply:
            hits = corpus.search(SimpleNamespace(text=form["q"]), 8).hits  # type: ignore[arg-type]
            return self.reply or Reply(results_page([plain(hit.url) for hit in hits], form["q"]))

        self.search = stack.enter_context(serving(SearchServer(found)))
        self.pages = stack.enter_context(serving(PageServer(self.files)))


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """Put loopback in the place of the search page and of every address; all else is the product's."""
    real_engine = engine.Engine
    with ExitStack() as stack:
        made = Web(stack)
        resolver = SimpleNamespace(resolve=lambda host, timeout_s: ["127.0.0.1"])
        monkeypatch.setattr(
            engine, "Engine", lambda search_url, **more: real_engine(search_url=made.search.url, **more)
        )
        monkeypatch.setattr(duckduckgo, "Pacing", functools.partial(Pacing, gap_s=0.0, backoff_s=0.0))
        monkeypatch.setattr(
            porterlib.capture,
            "WebCapture",
            functools.partial(
                WebCapture,
                resolver=resolver,
                rule=lambda address: "ok",
                dialer=lambda address, port, timeout_s: dial(address, made.pages.port, timeout_s),
            ),
        )
        yield made
