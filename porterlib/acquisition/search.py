"""The seam to search providers, and the one that searches a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from porterlib.acquisition.index import PassageIndex
from porterlib.acquisition.manifest import CorpusDocument, list_corpus
from porterlib.acquisition.passages import Passage, cut_passages
from porterlib.capture import CaptureLimits, CorpusCapture
from porterlib.clock import Clock
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.contracts.evidence import Gap
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import CaptureRefused

CORPUS_HITS = 50
"""Documents a query on a folder may lead to."""
WEB_HITS = 8
"""Results a query on the web may lead to."""
_SNIPPET = 160


class QueryText(Protocol):
    """A query that passed the egress guard."""

    @property
    def text(self) -> str:
        """The words that may leave the machine."""
        ...


class SearchProvider(Protocol):
    """Finds leads for a query that passed the egress guard."""

    @property
    def name(self) -> str:
        """Stable name, recorded with every query."""
        ...

    @property
    def live(self) -> bool:
        """Whether it searches the present web, which cannot honour a cutoff in the past."""
        ...

    def search(self, query: QueryText, limit: int) -> SearchResult:
        """Return at most `limit` hits, best first.

        Raises:
            SearchUnavailableError: the provider gave no usable answer; never an empty result instead.

        """
        ...


class CorpusSearch:
    """Searches the documents of a folder, and hands out their pages.

    Every document is read and extracted once, by the capture that also serves the run; so it is a search provider
    and a page source in one. Documents with the same text are one document for search.
    """

    name = "corpus"
    live = False

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock | None = None,
        limits: CaptureLimits | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> None:
        listing = list_corpus(folder)
        self.folder = folder
        self.documents: tuple[CorpusDocument, ...] = listing.documents
        self.gaps: tuple[Gap, ...] = listing.gaps
        self._by_file = {(row.file, row.url): row for row in listing.documents}
        self._capture = CorpusCapture(folder, clock=clock, limits=limits)
        self._pages: dict[str, CapturedPage | CaptureRefused] = {}
        self._on_progress = on_progress
        self._index: tuple[PassageIndex, list[tuple[CorpusDocument, Passage]]] | None = None

    def search(self, query: QueryText, limit: int = CORPUS_HITS) -> SearchResult:
        """Return the documents whose best passage matches best, ties by source id."""
        index, owners = self._indexed()
        best: dict[str, tuple[float, CorpusDocument, Passage]] = {}
        for hit in index.search(query.text):
            document, passage = owners[hit.row]
            best.setdefault(document.source_id, (hit.score, document, passage))
        ranked = sorted(best.values(), key=lambda row: (-row[0], row[1].source_id))[:limit]
        hits = tuple(self._hit(document, passage) for _, document, passage in ranked)
        return SearchResult(hits=hits, status="ok" if hits else "empty")

    def fetch(self, source: SourceRef) -> CapturedPage:
        """Return the page of a document under the source id it was asked for.

        Raises:
            CaptureRefused: the file may not be read or kept.

        """
        document = self._by_file.get((source.file or "", source.url))
        if document is None:
            raise CaptureRefused("source_unknown", "the corpus has no such document")
        page = self._page(document)
        return (
            page
            if page.source_id == source.source_id
            else page.model_copy(update={"source_id": source.source_id})
        )

    def _page(self, document: CorpusDocument) -> CapturedPage:
        kept = self._pages.get(document.source_id)
        if kept is None:
            try:
                kept = self._capture.fetch(source_of(document))
            except CaptureRefused as refusal:
                kept = refusal
            self._pages[document.source_id] = kept
        if isinstance(kept, CaptureRefused):
            raise kept
        return kept

    def _indexed(self) -> tuple[PassageIndex, list[tuple[CorpusDocument, Passage]]]:
        if self._index is None:
            owners: list[tuple[CorpusDocument, Passage]] = []
            rows: list[tuple[str, str]] = []
            for number, (document, page) in enumerate(self._readable(), 1):
                if self._on_progress:
                    self._on_progress(f"reading document {number} of {len(self.documents)}")
                title = document.title or page.title or ""
                for passage in cut_passages(page.text, page.headings):
                    owners.append((document, passage))
                    rows.append((title, page.text[passage.start : passage.end]))
            self._index = (PassageIndex(rows), owners)
        return self._index

    def _readable(self) -> list[tuple[CorpusDocument, CapturedPage]]:
        """Return the documents that can be read; one of several with the same text stands for all of them."""
        rows: list[tuple[CorpusDocument, CapturedPage]] = []
        for document in self.documents:
            try:
                rows.append((document, self._page(document)))
            except CaptureRefused:
                continue  # recorded as a gap when the run tries to capture it
        return rows

    def _hit(self, document: CorpusDocument, passage: Passage) -> SearchHit:
        text = self._page(document).text
        return SearchHit(
            url=document.url,
            title=document.title,
            snippet=" ".join(text[passage.start : passage.end].split())[:_SNIPPET],
            file=document.file,
            publisher=document.publisher,
            source_class=document.source_class,
            published=document.published,
        )


def source_of(document: CorpusDocument) -> SourceRef:
    """Return the source by which capture fetches a document."""
    return SourceRef(
        source_id=document.source_id,
        url=document.url,
        file=document.file,
        declared_title=document.title or None,
        declared_published=document.published,
    )
