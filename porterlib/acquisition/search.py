"""The seam to search providers, and the one that searches a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from porterlib.acquisition.index import PassageIndex
from porterlib.acquisition.manifest import CorpusDocument, list_corpus
from porterlib.acquisition.passages import Passage, cut_passages
from porterlib.capture import CaptureLimits, CorpusCapture
from porterlib.clock import Clock
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.contracts.evidence import Gap
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import CaptureRefused
from porterlib.hashing import digest
from porterlib.search.base import WEB_HITS, QueryText, SearchProvider

__all__ = ["CORPUS_HITS", "WEB_HITS", "CorpusSearch", "SearchProvider", "source_of"]

CORPUS_HITS = 50
"""Documents a query on a folder may lead to."""
_SNIPPET = 160


class CorpusSearch:
    """Searches the documents of a folder, and hands out their pages.

    Every document is read and extracted once, by the capture that also serves the run; so it is a search
    provider and a page source in one. Documents with the same text are indexed once and found together.
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
        self._missing: tuple[Gap, ...] = listing.gaps
        self._by_file = {(row.file, row.url): row for row in listing.documents}
        self._capture = CorpusCapture(folder, clock=clock, limits=limits)
        self._pages: dict[str, CapturedPage | CaptureRefused] = {}
        self._on_progress = on_progress
        self._indexed: _Indexed | None = None

    @cached_property
    def sha256(self) -> str:
        """Digest of what the manifest says of each document and of the bytes a run would read of it."""
        rows = []
        for number, document in enumerate(self.documents, 1):
            self._say_reading(number)
            try:
                read = self._page(document).raw_sha256
            except CaptureRefused as refusal:
                read = refusal.rule
            rows.append([document.model_dump(mode="json"), read])
        return digest("corpus", rows)

    def search(self, query: QueryText, limit: int = CORPUS_HITS) -> SearchResult:
        """Return the documents whose best passage matches best, ties by source id.

        The limit counts texts: all documents of one text are returned together.
        """
        indexed = self._index()
        best: dict[str, tuple[float, Passage]] = {}
        for hit in indexed.passages.search(query.text):
            text, passage = indexed.owners[hit.row]
            best.setdefault(text, (hit.score, passage))
        ranked = sorted(best, key=lambda text: (-best[text][0], indexed.documents[text][0].source_id))[:limit]
        hits = tuple(
            self._hit(document, best[text][1]) for text in ranked for document in indexed.documents[text]
        )
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
        same = page.source_id == source.source_id
        return page if same else page.model_copy(update={"source_id": source.source_id})

    def gaps(self) -> tuple[Gap, ...]:
        """Return the documents that no query can find: missing, unreadable, or without text."""
        rows = list(self._missing)
        for document in self.documents:
            try:
                if not self._page(document).text.strip():
                    rows.append(_gap(document, "text_empty", "the page shows no text"))
            except CaptureRefused as refusal:
                rows.append(_gap(document, refusal.rule, refusal.message))
        return tuple(rows)

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

    def _index(self) -> _Indexed:
        if self._indexed is None:
            documents: dict[str, list[CorpusDocument]] = {}
            owners: list[tuple[str, Passage]] = []
            rows: list[tuple[str, str]] = []
            for document, page in self._readable():
                same = documents.setdefault(page.text_sha256, [])
                same.append(document)
                if len(same) > 1:
                    continue
                for passage in cut_passages(page.text, page.headings):
                    owners.append((page.text_sha256, passage))
                    title = document.title or page.title or ""
                    rows.append((title, page.text[passage.start : passage.end]))
            self._indexed = _Indexed(PassageIndex(rows), owners, documents)
        return self._indexed

    def _readable(self) -> Iterator[tuple[CorpusDocument, CapturedPage]]:
        for number, document in enumerate(self.documents, 1):
            self._say_reading(number)
            try:
                yield document, self._page(document)
            except CaptureRefused:
                continue  # a gap, see `gaps`

    def _say_reading(self, number: int) -> None:
        document = self.documents[number - 1]
        if self._on_progress and document.source_id not in self._pages:
            self._on_progress(f"reading document {number} of {len(self.documents)}")

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


class _Indexed(NamedTuple):
    passages: PassageIndex
    owners: list[tuple[str, Passage]]
    """Digest of the text each row stands in, and its span."""
    documents: dict[str, list[CorpusDocument]]
    """Digest of a text to the documents that have it."""


def _gap(document: CorpusDocument, rule: str, note: str) -> Gap:
    return Gap(rule=rule, subject=document.source_id, note=f"{document.file}: {note}")


def source_of(document: CorpusDocument) -> SourceRef:
    """Return the source by which capture fetches a document."""
    return SourceRef(
        source_id=document.source_id,
        url=document.url,
        file=document.file,
        declared_title=document.title or None,
        declared_published=document.published,
    )
