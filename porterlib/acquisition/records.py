"""What acquisition writes to the ledger and reads back when a run is resumed.

Every step is committed under a key before its result is used, so a repeated step finds what it did the
first time. A query and its ordered hits are one commit; so are a page, its bytes and its text; so are
evidence, gaps and snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from porterlib.contracts.capture import CapturedPage
from porterlib.contracts.evidence import EvidenceItem, EvidenceSnapshot, Gap
from porterlib.contracts.plan import PlannedQuery
from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.hashing import canonical_json, sha256_hex, short_id
from porterlib.ledger import Entry, Ledger

SNAPSHOT_KEY = "snapshot"
QUERY_LEAVING = "query_leaving"


class RecordedHit(NamedTuple):
    """A hit as the ledger holds it."""

    source_id: str
    """Minted id under which its page may be fetched."""
    hit: SearchHit
    """The hit."""


class RecordedQuery(NamedTuple):
    """A query as the ledger holds it."""

    status: str
    """`executed` or `rejected`."""
    hits: tuple[RecordedHit, ...]
    """Its hits in order; none when it was rejected."""
    rule: str = ""
    """Egress rule that rejected it."""


class RecordedCapture(NamedTuple):
    """An attempt to fetch a source as the ledger holds it."""

    source_id: str
    """The source."""
    page: CapturedPage | None
    """The page, or None when it was refused."""
    rule: str = ""
    """Capture rule that refused it."""
    detail: str = ""
    """What the rule found, without page text."""


def source_id_of(hit: SearchHit) -> str:
    """Return the id minted for a hit: derived from its address and file, so that two runs agree."""
    return short_id("S", "source", {"url": hit.url, "file": hit.file or ""})


class RunRecords:
    """The acquisition records of one run."""

    def __init__(self, ledger: Ledger, run_id: str) -> None:
        self._ledger = ledger
        self._run_id = run_id

    def query(self, query: PlannedQuery) -> RecordedQuery | None:
        """Return what became of a planned query, or None when it was not yet tried."""
        found = self._ledger.find(self._run_id, "query", query.id)
        if found is None:
            return None
        if found.payload["status"] == "rejected":
            return RecordedQuery("rejected", (), found.payload["rule"])
        hits = self._ledger.find(self._run_id, "hit", query.id)
        rows = hits.payload["hits"] if hits is not None else ()
        return RecordedQuery("executed", tuple(_hit(row) for row in rows))

    def record_leaving(self, query: PlannedQuery, text: str) -> None:
        """Commit, before it is sent, that a query leaves the machine: answered or not, it has told what it tells."""
        payload = {"what": QUERY_LEAVING, "query_id": query.id, "force": query.force, "text": text}
        key = f"{QUERY_LEAVING}:{query.id}:{sha256_hex(text.encode())[:16]}"
        self._ledger.append(self._run_id, "step", payload, key=key)

    def left(self) -> tuple[str, ...]:
        """Return the queries that left the machine, in order, whatever became of them."""
        rows = (record.payload for record in self._ledger.records(self._run_id, "step"))
        return tuple(row["text"] for row in rows if row.get("what") == QUERY_LEAVING)

    def record_executed(
        self, query: PlannedQuery, sent: str, provider: str, result: SearchResult
    ) -> RecordedQuery:
        """Commit an executed query with its ordered hits."""
        hits = tuple(RecordedHit(source_id_of(hit), hit) for hit in result.hits)
        head = {
            **_query_head(query),
            "status": "executed",
            "text": sent,
            "provider": provider,
            "relaxed": result.relaxed,
            "result": result.status,
            "hits": len(hits),
        }
        rows = [
            {"rank": rank, "source_id": row.source_id, **row.hit.model_dump(mode="json")}
            for rank, row in enumerate(hits, 1)
        ]
        self._ledger.append_many(
            self._run_id,
            [Entry("query", head, query.id), Entry("hit", {"query_id": query.id, "hits": rows}, query.id)],
        )
        return RecordedQuery("executed", hits)

    def record_rejected(self, query: PlannedQuery, rule: str, digest: str) -> RecordedQuery:
        """Commit that the egress guard rejected a query: its keyed digest and the rule, never its words."""
        payload = {
            **_query_head(query),
            "status": "rejected",
            "rule": rule,
            "query_digest": digest,
        }
        self._ledger.append(self._run_id, "query", payload, key=query.id)
        return RecordedQuery("rejected", (), rule)

    def capture(self, source_id: str) -> RecordedCapture | None:
        """Return what became of an attempt to fetch a source, or None when it was not yet tried."""
        found = self._ledger.find(self._run_id, "capture", source_id)
        if found is None:
            return None
        payload = dict(found.payload)
        outcome = payload.pop("outcome")
        if outcome == "refused":
            return RecordedCapture(source_id, None, payload["rule"], payload["detail"])
        text = self._ledger.get_blob(payload["text_sha256"]).decode()
        return RecordedCapture(source_id, CapturedPage.model_validate({**payload, "text": text}))

    def together(self) -> AbstractContextManager[None]:
        """Return a block whose records are committed together."""
        return self._ledger.transaction()

    def record_page(self, page: CapturedPage) -> RecordedCapture:
        """Commit a page with its bytes and its text."""
        with self._ledger.transaction():
            self._ledger.put_blob(page.raw, page.media_type)
            self._ledger.put_blob(page.text.encode(), "text/plain")
            payload = {"outcome": "captured", **page.record()}
            self._ledger.append(self._run_id, "capture", payload, key=page.source_id)
        return RecordedCapture(page.source_id, page)

    def record_refusal(self, source_id: str, rule: str, detail: str) -> RecordedCapture:
        """Commit that a page was refused and why."""
        payload = {"outcome": "refused", "source_id": source_id, "rule": rule, "detail": detail}
        self._ledger.append(self._run_id, "capture", payload, key=source_id)
        return RecordedCapture(source_id, None, rule, detail)

    def record_gaps(self, gaps: Iterable[Gap]) -> None:
        """Commit gaps; the same gap again changes nothing."""
        self._ledger.append_many(self._run_id, _gap_entries(gaps))

    def snapshot(self) -> EvidenceSnapshot | None:
        """Return the frozen snapshot of the run, or None when there is none yet."""
        found = self._ledger.find(self._run_id, "snapshot", SNAPSHOT_KEY)
        if found is None:
            return None
        items = [record.payload for record in self._ledger.records(self._run_id, "evidence")]
        return EvidenceSnapshot.model_validate({**found.payload, "evidence": items})

    def record_snapshot(self, snapshot: EvidenceSnapshot) -> None:
        """Commit the evidence, the gaps and the snapshot that names them."""
        items = [Entry("evidence", _plain(item), item.id) for item in snapshot.evidence]
        head = _plain(snapshot, exclude={"evidence"})
        self._ledger.append_many(
            self._run_id, [*items, *_gap_entries(snapshot.gaps), Entry("snapshot", head, SNAPSHOT_KEY)]
        )


def _query_head(query: PlannedQuery) -> dict[str, Any]:
    return {
        "query_id": query.id,
        "force": query.force,
        "sequence": query.sequence,
        "hypothesis_id": query.hypothesis_id,
        "contrary": query.contrary,
    }


def _hit(row: Mapping[str, Any]) -> RecordedHit:
    fields = {name: value for name, value in row.items() if name not in {"rank", "source_id"}}
    return RecordedHit(row["source_id"], SearchHit.model_validate(fields))


def _plain(item: EvidenceItem | EvidenceSnapshot | Gap, exclude: set[str] | None = None) -> dict[str, Any]:
    return item.model_dump(mode="json", exclude=exclude)


def _gap_entries(gaps: Iterable[Gap]) -> list[Entry]:
    rows = {sha256_hex(canonical_json(_plain(gap))): gap for gap in gaps}
    return [Entry("gap", _plain(gap), key) for key, gap in rows.items()]
