"""Fetches the leads of a run in the order of the schedule and commits each outcome (rule 6.5)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from porterlib.acquisition.records import RecordedCapture, RunRecords
from porterlib.acquisition.scheduling import Candidate, CaptureSchedule
from porterlib.capture import PageSource
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.contracts.search import SearchHit
from porterlib.errors import CaptureRefused

_log = logging.getLogger(__name__)
_Fetched = CapturedPage | CaptureRefused


def capture_sources(
    schedule: CaptureSchedule,
    hits: Mapping[str, SearchHit],
    source: PageSource,
    records: RunRecords,
    *,
    workers: int,
    commit_every: int = 1,
    on_progress: Callable[[str], None] | None = None,
) -> list[RecordedCapture]:
    """Return the outcome of every attempt, in the order of attempts.

    Up to `workers` pages are fetched at once. Which ones is decided before their outcomes are known, and
    outcomes are recorded in that order, so timing changes nothing. Pages the ledger holds are kept. Of a
    corpus, whose pages cost nothing to read again, several are committed together.
    """
    done: list[RecordedCapture] = []
    with ThreadPoolExecutor(max_workers=workers) as pool:

        def fetch_all(ids: list[str]) -> dict[str, _Fetched]:
            pages = pool.map(lambda fresh: _fetch(source, source_of(fresh, hits[fresh])), ids)
            return dict(zip(ids, pages, strict=True))

        more = True
        while more:
            with records.together():
                for _ in range(commit_every):
                    batch = _batch(schedule, workers)
                    more = bool(batch)
                    if not more:
                        break
                    if on_progress:
                        on_progress(f"reading page {len(done) + 1}")
                    done += _captured(batch, schedule, records, fetch_all)
    return done


def _captured(
    batch: list[Candidate],
    schedule: CaptureSchedule,
    records: RunRecords,
    fetch_all: Callable[[list[str]], dict[str, _Fetched]],
) -> list[RecordedCapture]:
    known = {row.source_id: records.capture(row.source_id) for row in batch}
    fetched = fetch_all([source_id for source_id, row in known.items() if row is None])
    done = []
    for candidate in batch:
        outcome = known[candidate.source_id] or _record(records, candidate, fetched[candidate.source_id])
        schedule.record(candidate.source_id, captured=outcome.page is not None)
        done.append(outcome)
    return done


def source_of(source_id: str, hit: SearchHit) -> SourceRef:
    """Return the source by which a recorded hit is fetched."""
    return SourceRef(
        source_id=source_id,
        url=hit.url,
        file=hit.file,
        declared_title=hit.title or None,
        declared_published=hit.published,
    )


def _batch(schedule: CaptureSchedule, size: int) -> list[Candidate]:
    batch: list[Candidate] = []
    while len(batch) < size and (candidate := schedule.next()) is not None:
        batch.append(candidate)
    return batch


def _fetch(source: PageSource, ref: SourceRef) -> _Fetched:
    try:
        return source.fetch(ref)
    except CaptureRefused as refusal:
        return refusal


def _record(records: RunRecords, candidate: Candidate, fetched: _Fetched) -> RecordedCapture:
    if isinstance(fetched, CapturedPage):
        return records.record_page(fetched)
    _log.info("source %s refused by rule %s", candidate.source_id, fetched.rule)
    return records.record_refusal(candidate.source_id, fetched.rule, str(fetched))
