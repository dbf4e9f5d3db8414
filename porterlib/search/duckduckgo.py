"""DuckDuckGo as a search provider (rule 5.2)."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Literal, get_args

from porterlib.contracts.search import SearchHit, SearchResult
from porterlib.errors import InputError, SearchUnavailableError
from porterlib.search.base import WEB_HITS, QueryText
from porterlib.search.cache import SearchCache
from porterlib.search.failure import Failure
from porterlib.search.pacing import Pacing

if TYPE_CHECKING:
    from porterlib.search.engine import Answer, Engine

_log = logging.getLogger(__name__)
TimeLimit = Literal["d", "w", "m", "y"]
TIMEOUT_S = 15.0
"""Seconds for one request, from connecting to the last byte."""
_TRIES = {"throttled": 3, "broken": 2, "timeout": 2, "blocked": 1}
"""Requests a query may cost by the kind of failure; a layout that is not known is not asked for again."""
_NAME: Literal["duckduckgo"] = "duckduckgo"


class DuckDuckGoSearch:
    """Searches DuckDuckGo's page without scripts, one request at a time.

    An answer counts as empty only where a page of status 200 says so itself. With a time limit, such an
    answer is asked for once more without it, and the result says `relaxed`. Failures are told apart:
    `throttled` (202 or 429), `blocked` (403, or a challenge in any status), `timeout`, and `broken`
    (another status, an unknown or truncated page, a redirect, a failed connection).
    """

    name = _NAME
    live = True

    def __init__(
        self,
        *,
        cache: SearchCache | None = None,
        timelimit: TimeLimit | None = None,
        region: str = "wt-wt",
        timeout_s: float = TIMEOUT_S,
        pacing: Pacing | None = None,
        search_url: str | None = None,
    ) -> None:
        """Set the provider up; nothing is sent.

        Args:
            cache: where answers are kept; without it every query is sent.
            timelimit: only pages of the last day, week, month or year.
            region: DuckDuckGo's region code; `wt-wt` is none.
            timeout_s: seconds for one request.
            pacing: waits between requests and after failures.
            search_url: another endpoint of the same layout, such as a test server.

        Raises:
            InputError: a time limit that DuckDuckGo does not know.

        """
        if timelimit is not None and timelimit not in get_args(TimeLimit):
            raise InputError(f"timelimit {timelimit!r} is not known; use 'd', 'w', 'm', 'y' or None")
        self._cache = cache
        self._timelimit = timelimit
        self._region = region
        self._timeout_s = timeout_s
        self._pacing = pacing or Pacing()
        self._search_url = search_url
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._last: float | None = None
        self._blocked_until: float | None = None

    def __repr__(self) -> str:
        return f"DuckDuckGoSearch(timelimit={self._timelimit!r}, region={self._region!r}, {self._cache!r})"

    @property
    def parameters(self) -> dict[str, str]:
        """What shapes its answers besides the query."""
        return {"region": self._region, "timelimit": self._timelimit or ""}

    def search(self, query: QueryText, limit: int = WEB_HITS) -> SearchResult:
        """Return at most `limit` hits, best first, from the cache where it holds the answer.

        Raises:
            SearchUnavailableError: no usable answer; `kind` says throttled, blocked, broken or timeout.

        """
        text = query.text
        with self._lock:
            result = self._cache.get(_NAME, text, self.parameters) if self._cache else None
            if result is None:
                result = self._asked(text)
                if self._cache:
                    self._cache.put(_NAME, text, self.parameters, result)
        return result.model_copy(update={"hits": result.hits[:limit]})

    def _asked(self, text: str) -> SearchResult:
        hits = self._hits(text, self._timelimit)
        relaxed = not hits and self._timelimit is not None
        if relaxed:
            hits = self._hits(text, None)
        return SearchResult(hits=hits, relaxed=relaxed, status="ok" if hits else "empty")

    def _hits(self, text: str, timelimit: str | None) -> tuple[SearchHit, ...]:
        """Return the hits of one query, none where it is verified that there are none."""
        failures = 0
        while True:
            outcome = self._once(text, timelimit)
            if not isinstance(outcome, Failure):
                return outcome
            failures += 1
            _log.info("duckduckgo %s (%s), failure %d", outcome.kind, outcome.detail, failures)
            if outcome.kind == "blocked":
                self._blocked_until = self._pacing.monotonic() + self._pacing.cooldown_s
            if not outcome.again or failures >= _TRIES[outcome.kind]:
                raise SearchUnavailableError(outcome.kind, _NAME, outcome.detail)
            self._pacing.before_repetition(failures, outcome.wait_s)

    def _once(self, text: str, timelimit: str | None) -> tuple[SearchHit, ...] | Failure:
        if self._blocked_until is not None and self._pacing.monotonic() < self._blocked_until:
            return Failure("blocked", "it blocked this machine a moment ago; wait some minutes", again=False)
        engine = self._opened()
        self._pacing.before_request(self._last)
        answer = engine.ask(text, region=self._region, timelimit=timelimit)
        self._last = self._pacing.monotonic()
        return answer if isinstance(answer, Failure) else _judged(answer, engine)

    def _opened(self) -> Engine:
        if self._engine is None:
            # ddgs and its client are imported by the first search only.
            from porterlib.search.engine import Engine, check_parts

            check_parts()
            self._engine = Engine(search_url=self._search_url, timeout_s=self._timeout_s)
        return self._engine


def _judged(answer: Answer, engine: Engine) -> tuple[SearchHit, ...] | Failure:
    """Return the hits of an answer, none where the page says so, or what is wrong with it."""
    from porterlib.search.reading import is_challenge, read_page

    status = answer.status
    if status != 200:
        return _other_status(answer, challenge=is_challenge(answer.html, engine))
    page = read_page(answer.html, engine)
    if page.kind in ("hits", "empty"):
        return page.hits
    if page.kind == "challenge":
        return Failure("blocked", "it asks to prove that a person searches", again=False)
    if page.kind == "truncated":
        return Failure("broken", "the page ends in the middle", again=True)
    return Failure("broken", "the layout of the page is not known", again=False)


def _other_status(answer: Answer, *, challenge: bool) -> Failure:
    status = answer.status
    told = f"status {status}"
    if challenge:
        return Failure("blocked", f"it asks to prove that a person searches, {told}", again=False)
    if status == 403:
        return Failure("blocked", told, again=False)
    if status in (202, 429):
        return Failure("throttled", told, again=True, wait_s=answer.retry_after_s)
    if 300 <= status < 400:
        return Failure("broken", f"it redirects elsewhere, {told}; redirects are not followed", again=False)
    return Failure("broken", told, again=status >= 500)
