"""The searches of one worker: in order, within its limit, each committed before its result is used.

A model may ask for several searches at once, which then run in threads of their own. They are queued in the
order in which the model named them, and whichever thread comes first runs all those before its own; so
sequence, egress budget and ledger are the same however the threads are scheduled.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from porterlib.acquisition.bundle import canonical_hits
from porterlib.acquisition.discovery import QueryGuard
from porterlib.acquisition.records import RecordedQuery
from porterlib.acquisition.search import SearchProvider
from porterlib.acquisition.worker_records import Search, WorkerRecords
from porterlib.contracts.base import Force
from porterlib.contracts.evidence import Gap
from porterlib.contracts.plan import PlannedHypothesis, PlannedQuery
from porterlib.errors import EgressViolation, SearchUnavailableError
from porterlib.evaluation.support import content_overlap
from porterlib.search.base import sends

_log = logging.getLogger(__name__)
TOOL = "search_public_web"
_TITLE = 120
_SNIPPET = 240
_CLOSED = {"refused": "closed", "do": "answer with what you have"}
_ALL_USED = {"refused": "limit", "do": "no search is left; answer with what you have"}
_UNAVAILABLE = "the search provider did not answer; run again later or use another provider"


class _Call(NamedTuple):
    id: str
    text: str
    contrary: bool


class ResearchSession:
    """Runs and records the searches of one force."""

    def __init__(
        self,
        force: Force,
        hypotheses: Sequence[PlannedHypothesis],
        *,
        search: SearchProvider,
        guard: QueryGuard,
        records: WorkerRecords,
        most: int,
        hits: int,
        on_progress: Callable[[str], None] | None = None,
    ) -> None:
        """Take up the searches the ledger holds of the force; they count.

        Args:
            force: the force.
            hypotheses: its hypotheses; a search belongs to the one it shares most words with.
            search: the provider.
            guard: the egress policy of the run.
            records: its ledger records.
            most: searches the worker may make, those already recorded included.
            hits: hits a search may lead to.
            on_progress: called with a short line before each search.

        """
        self._force = force
        self._hypotheses = tuple(hypotheses)
        self._search = search
        self._guard = guard
        self._records = records
        self._most = most
        self._hits = hits
        self._say = on_progress or (lambda _: None)
        self._lock = threading.Lock()
        self._queue: list[_Call] = []
        self._told: dict[tuple[str, str], dict[str, Any]] = {}
        self._closed = False
        self._done = list(records.searches(force))
        self._spent = len(self._done)
        self._sequence = max((row.query.sequence for row in self._done), default=0)
        self.asked = 0
        """Searches the model asked for, those beyond the limit left out."""
        self.gaps: list[Gap] = []
        """Queries that were rejected, failed or found nothing."""
        self.fatal: Exception | None = None
        """Why a search could not be committed; the caller raises it."""
        count_again(self._done, guard)
        for row in self._done:
            self._note(row)

    @property
    def left(self) -> int:
        """Searches that may still be made."""
        return max(0, self._most - self._spent)

    @property
    def answers(self) -> list[RecordedQuery]:
        """What became of the searches, in the order of their sequence."""
        return [row.answer for row in self._done]

    @property
    def executed(self) -> int:
        """Searches that were executed."""
        return sum(row.answer.status == "executed" for row in self._done)

    def run_planned(self, query: PlannedQuery) -> None:
        """Run a query of the plan itself, unless it was run or no search is left."""
        with self._lock:
            if not self.left or any(row.query.id == query.id for row in self._done):
                return
            if self._same(query.text) is not None:
                return
            self._spent += 1
            self._sequence += 1
            self._run(query.model_copy(update={"sequence": self._sequence}))

    def announce(self, calls: Sequence[Mapping[str, Any]]) -> None:
        """Queue the searches a model asked for at once, in its order, as far as the limit goes."""
        with self._lock:
            for call in calls:
                if call["name"] != TOOL or not self.left:
                    continue
                self._spent += 1
                self.asked += 1
                text = call["args"].get("query")
                if isinstance(text, str):
                    self._queue.append(_Call(str(call["id"]), text, call["args"].get("contrary") is True))

    def answer(self, call_id: str, text: str) -> str:
        """Return what a queued search found, as JSON for the model; searches before it are run first."""
        with self._lock:
            key = (call_id, text)
            while key not in self._told and not self._closed and self._queue:
                call = self._queue.pop(0)
                self._told[(call.id, call.text)] = self._asked(call)
            told = self._told.get(key, _CLOSED if self._closed else _ALL_USED)
            return json.dumps({**told, "searches_left": self.left}, ensure_ascii=False)

    def stop(self) -> None:
        """Run no other search; one that is under way is still committed."""
        self._closed = True

    def close(self) -> None:
        """Run no other search, and wait for one that is under way."""
        self.stop()
        with self._lock:
            return

    def _asked(self, call: _Call) -> dict[str, Any]:
        known = self._same(call.text)
        if known is not None:
            return _shown(known)
        self._sequence += 1
        return self._run(
            PlannedQuery(
                id=f"W-{self._force}-{self._sequence}",
                force=self._force,
                sequence=self._sequence,
                hypothesis_id=self._nearest(call.text),
                text=call.text or " ",
                contrary=call.contrary,
            )
        )

    def _same(self, text: str) -> RecordedQuery | None:
        """Return the answer to the same words, if they were searched."""
        for row in self._done:
            if row.answer.status == "executed" and _folded(row.query.text) == _folded(text):
                return row.answer
        return None

    def _run(self, query: PlannedQuery) -> dict[str, Any]:
        """Search, commit, and only then return what was found."""
        try:
            return self._committed(query)
        except Exception as error:
            # Nothing that is not committed may reach the model, so the worker ends; its caller raises this.
            self.fatal = error
            self._closed = True
            raise

    def _committed(self, query: PlannedQuery) -> dict[str, Any]:
        try:
            public = self._guard.mint(query.text)
        except EgressViolation as refusal:
            keyed = self._guard.check(query.text).query_digest
            self._add(query, self._records.record_rejected(query, refusal.rule, keyed))
            return {"refused": refusal.rule, "do": "rephrase it from public vocabulary"}
        self._say(f"searching for {self._force}, query {query.sequence}")
        if sends(self._search):
            self._records.record_leaving(query, public.text)
        try:
            found = canonical_hits(self._search.search(public, self._hits))
        except SearchUnavailableError as error:
            return self._failed(query, error.kind)
        except Exception as error:  # noqa: BLE001 - a provider's own fault must not cost the other searches
            _log.warning("provider %s failed with %s", self._search.name, type(error).__name__)
            return self._failed(query, "failed")
        answer = self._records.record_executed(query, public.text, self._search.name, found)
        self._add(query, answer)
        return _shown(answer)

    def _failed(self, query: PlannedQuery, kind: str) -> dict[str, Any]:
        """Note a failure; it is not recorded as done, so that a resumed run may ask again."""
        gap = Gap(force=self._force, rule=f"search_{kind}", subject=query.id, note=_UNAVAILABLE)
        self.gaps.append(gap)
        return {"unavailable": kind, "do": "answer with what you have, or try one other query"}

    def _add(self, query: PlannedQuery, answer: RecordedQuery) -> None:
        row = Search(query, answer)
        self._done.append(row)
        self._note(row)

    def _note(self, row: Search) -> None:
        if row.answer.status == "rejected":
            rule, note = f"query_{row.answer.rule}", "rephrase it from public vocabulary"
        elif not row.answer.hits:
            rule, note = "no_hits", "add sources on the hypothesis it tests"
        else:
            return
        self.gaps.append(Gap(force=self._force, rule=rule, subject=row.query.id, note=note))

    def _nearest(self, text: str) -> str:
        return max(
            self._hypotheses,
            key=lambda row: content_overlap(text, f"{row.statement} {' '.join(row.questions)}"),
        ).id


def count_again(done: Iterable[Search], guard: QueryGuard) -> None:
    """Count in the budget of a resumed run what left before it was interrupted."""
    for row in done:
        if row.answer.status != "executed":
            continue
        try:
            guard.mint(row.query.text)
        except EgressViolation as refusal:
            # It has left already; a stricter guard cannot call it back.
            _log.info("query %s of an earlier attempt now breaks rule %s", row.query.id, refusal.rule)


def _shown(answer: RecordedQuery) -> dict[str, Any]:
    rows = [
        {"url": row.hit.url, "title": row.hit.title[:_TITLE], "snippet": row.hit.snippet[:_SNIPPET]}
        for row in answer.hits
    ]
    return {"results": rows}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
