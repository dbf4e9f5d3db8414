"""The web as a source of pages: every hop judged, resolved once, pinned, and read under limits."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx

from porterlib.capture.addresses import address_rule
from porterlib.capture.body import read_body
from porterlib.capture.check import is_address
from porterlib.capture.limits import CaptureLimits
from porterlib.capture.pages import captured_page
from porterlib.capture.pinning import AddressRule, Deadline, Dialer, PinnedBackend, dial
from porterlib.capture.resolver import Resolver, SystemResolver
from porterlib.capture.sandbox import ExtractionPool
from porterlib.capture.sniff import refuse_declared
from porterlib.capture.transport import HEADERS, TARGET, PinnedTransport, secure_context
from porterlib.capture.urls import follow, judge_url
from porterlib.clock import Clock, SystemClock
from porterlib.contracts.capture import CapturedPage, Redirect, SourceRef, UrlVerdict
from porterlib.errors import CaptureRefused

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADER_BYTES = 131_072
_AT_ONCE, _AT_ONCE_PER_HOST = 6, 2


@dataclass(frozen=True)
class _Answer:
    """The page at the end of the hops."""

    url: str
    redirects: tuple[Redirect, ...]
    media_type: str | None
    body: bytes


class WebCapture:
    """Fetches pages of the web; safe to call from several threads.

    A host whose name has one address that is not public is refused. What the resolver said is what is
    connected to: an answer that changes afterwards has no effect. No proxy, cookie, netrc or variable of the
    environment is looked at.
    """

    def __init__(
        self,
        *,
        resolver: Resolver | None = None,
        clock: Clock | None = None,
        limits: CaptureLimits | None = None,
        extraction: ExtractionPool | None = None,
        dialer: Dialer = dial,
        rule: AddressRule = address_rule,
        cafile: str | None = None,
    ) -> None:
        """Take the seams; `cafile` adds a private authority to the trusted ones."""
        self._resolver = resolver or SystemResolver()
        self._clock = clock or SystemClock()
        self._limits = limits or CaptureLimits()
        self._extraction = extraction or ExtractionPool()
        self._dialer, self._rule = dialer, rule
        self._context = secure_context()
        if cafile:
            self._context.load_verify_locations(cafile)
        self._slots = threading.BoundedSemaphore(_AT_ONCE)
        self._hosts: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(_AT_ONCE_PER_HOST)
        )
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that parse pages."""
        self._extraction.close()

    def fetch(self, source: SourceRef) -> CapturedPage:
        """Return the page of a minted source.

        Raises:
            CaptureRefused: any rule of this package; nothing of the page is kept then.

        """
        with self._slots:
            answer = self._follow_hops(source.url)
        extracted = self._extraction.extract(
            answer.body, media_type=answer.media_type, charset=None, limits=self._limits
        )
        return captured_page(
            source,
            extracted,
            raw=answer.body,
            retrieved_at=self._clock.now(),
            final_url=answer.url,
            redirects=answer.redirects,
        )

    def _follow_hops(self, url: str) -> _Answer:
        deadline = Deadline(self._limits.deadline_s)
        redirects: list[Redirect] = []
        seen = set[str]()
        while True:
            verdict = judge_url(url)
            if not verdict.allowed:
                raise CaptureRefused(verdict.rule)
            if verdict.url in seen:
                raise CaptureRefused("redirect_loop", "the page leads back to itself")
            seen.add(verdict.url)
            with self._open(verdict, deadline) as response:
                if response.status_code not in _REDIRECTS:
                    return self._read(verdict.url, tuple(redirects), response)
                location = response.headers.get("location", "")
            if len(redirects) == self._limits.redirects:
                raise CaptureRefused("redirect_limit", f"more than {self._limits.redirects} redirects")
            redirects.append(Redirect(url=verdict.url, status=response.status_code))
            url = follow(verdict.url, location)

    def _read(self, url: str, redirects: tuple[Redirect, ...], response: httpx.Response) -> _Answer:
        if response.status_code != 200:
            raise CaptureRefused("http_status", f"the server answered {response.status_code}")
        declared = response.headers.get("content-type")
        refuse_declared(declared)
        return _Answer(url, redirects, declared, read_body(response, self._limits))

    def _addresses(self, verdict: UrlVerdict, deadline: Deadline) -> list[str]:
        host = verdict.ascii_host
        found = [host] if is_address(host) else self._resolver.resolve(host, deadline.remaining())
        if not found:
            raise CaptureRefused("unresolved", "the name has no address")
        for address in found:
            if (rule := self._rule(address)) != "ok":
                raise CaptureRefused(rule, "an address of the host is not public")
        return found

    @contextmanager
    def _open(self, verdict: UrlVerdict, deadline: Deadline) -> Iterator[httpx.Response]:
        """Yield the answer of one hop; its body is read only if the caller reads it."""
        with self._lock:
            slot = self._hosts[verdict.ascii_host]
        with slot:
            backend = PinnedBackend(
                host=verdict.ascii_host,
                addresses=self._addresses(verdict, deadline),
                deadline=deadline,
                most_bytes=self._limits.wire_bytes + _HEADER_BYTES,
                rule=self._rule,
                dialer=self._dialer,
            )
            transport = PinnedTransport(backend, self._context)
            try:
                response = transport.handle_request(_request(verdict))
                try:
                    yield response
                finally:
                    response.close()
            finally:
                transport.close()


def _request(verdict: UrlVerdict) -> httpx.Request:
    parts = urlsplit(verdict.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        request = httpx.Request(
            "GET", verdict.url, headers=HEADERS, extensions={TARGET: target.encode("ascii")}
        )
    except (httpx.InvalidURL, UnicodeEncodeError) as error:
        raise CaptureRefused("url_form") from error
    if (
        request.url.host.strip("[]") != verdict.ascii_host
        and request.url.raw_host.decode() != verdict.ascii_host
    ):
        raise CaptureRefused("host_form", "two parsers read different hosts")
    return request
