"""The one request to DuckDuckGo, through the engine class of ddgs.

The front of ddgs hides status codes, calls every failure "no results" and asks other engines when the named
one is missing. Its engine class knows the endpoint, the form and the layout of the page; only these are used,
and `check_parts` names what moved when a version changes them. The request is made here, without proxies,
cookies, referrers or redirects, and under caps.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import ddgs
import primp
from ddgs.engines.duckduckgo import Duckduckgo

from porterlib.errors import SearchUnavailableError
from porterlib.search.failure import Failure

PROVIDER = "duckduckgo"
VERSION = "9.16.1"
"""Version of ddgs whose private parts these are."""
MOST_BYTES = 2_000_000
"""Bytes of a result page; a usual one has 45,000."""
_PARTS: dict[str, Any] = {
    "name": "duckduckgo",
    "search_url": "https://html.duckduckgo.com/html/",
    "search_method": "POST",
    "items_xpath": "//div[contains(@class, 'body')]",
    "elements_xpath": {"title": ".//h2//text()", "href": "./a/@href", "body": "./a//text()"},
}
_PAYLOAD = {"q": "a", "b": "", "l": "wt-wt", "df": "y"}
_READ = (200, 202, 403)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY")
_environment = threading.Lock()


class Answer(NamedTuple):
    """What came back."""

    status: int
    """HTTP status."""
    html: str
    """The page; empty unless the status is 200, 202 or 403, whose pages tell a challenge apart."""
    retry_after_s: float
    """Seconds the server asks to wait; 0 if it asks for none."""


class Engine(Duckduckgo):
    """DuckDuckGo's engine with a request that keeps the status and leaves nothing to the environment."""

    def __init__(self, *, search_url: str | None, timeout_s: float) -> None:
        # The parent's constructor builds a client that obeys proxy variables and follows redirects.
        if search_url is not None:
            self.search_url = search_url
        with _without_proxies():
            self._client = primp.Client(
                timeout=timeout_s,
                impersonate="random",
                impersonate_os="random",
                follow_redirects=False,
                cookie_store=False,
                referer=False,
            )

    def ask(self, text: str, *, region: str, timelimit: str | None) -> Answer | Failure:
        """Return the answer to one query, or why no whole answer came."""
        form = self.build_payload(text, region, "moderate", timelimit)
        try:
            response = self._client.request(self.search_method, self.search_url, data=form, stream=True)
            body = _body(response) if response.status_code in _READ else b""
            if body is None:
                return Failure("broken", f"the page has more than {MOST_BYTES:,} bytes", again=False)
            html = body.decode("utf-8", "replace")
            return Answer(response.status_code, html, _retry_after(response.headers))
        except primp.TimeoutError:
            return Failure("timeout", "no whole answer in time", again=True)
        except primp.PrimpError as error:
            # Its text may quote the address or the body, so the kind alone is told.
            return Failure("broken", f"the connection failed ({type(error).__name__})", again=True)


def check_parts(engine: type[Duckduckgo] = Duckduckgo) -> None:
    """Refuse a ddgs whose private parts are not the ones this adapter was written for.

    Raises:
        SearchUnavailableError: `broken`, naming the part that moved.

    """
    moved = [name for name, value in _PARTS.items() if getattr(engine, name, None) != value]
    moved += [name for name in ("build_payload", "extract_tree") if not callable(getattr(engine, name, None))]
    if not moved and _payload(engine) != _PAYLOAD:
        moved.append("build_payload")
    if moved:
        raise SearchUnavailableError(
            "broken", PROVIDER, f"ddgs {ddgs.__version__} moved {', '.join(moved)}; install ddgs=={VERSION}"
        )


def _payload(engine: type[Duckduckgo]) -> dict[str, Any] | None:
    try:
        form: dict[str, Any] = engine.build_payload(engine.__new__(engine), "a", "wt-wt", "moderate", "y")
    except (TypeError, AttributeError):
        return None
    return form


@contextmanager
def _without_proxies() -> Iterator[None]:
    """Hide proxy variables while a client is built, the only moment at which it reads them."""
    names = [name for name in os.environ if name.upper() in _PROXIES]
    with _environment:
        held = {name: os.environ.pop(name) for name in names if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(held)


def _body(response: Any) -> bytes | None:
    """Return the whole page, or None when it is too large."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes(65_536):
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _retry_after(headers: Any) -> float:
    written = str(headers.get("retry-after", ""))
    return float(written) if written.isascii() and written.isdigit() and len(written) < 6 else 0.0
