"""One request to a chat server, streamed under three clocks, and everything the reply told.

Written on httpx rather than on a chat library: the latter drops thinking text and server timings, loses answer
and usage where parsing fails, and cannot tell a keep-alive comment from a token.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from porterlib.analyst.local.endpoint import Endpoint, tls_context

if TYPE_CHECKING:
    import httpx

CONNECT_S = 5.0
MAX_BYTES = 4_000_000
MAX_CHARS = 16_000
"""Characters of answer and thinking after which a reply counts as endless, whatever limit the server ignores."""
_BY_STATUS = {401: "unauthorised", 403: "unauthorised", 404: "not_found", 429: "busy", 503: "busy"}


@dataclass(frozen=True)
class Clocks:
    """Longest waits in seconds."""

    first_token_s: float = 120.0
    idle_s: float = 30.0
    total_s: float = 240.0


@dataclass
class Reply:
    """What came back; `failure` is a code, empty when a whole answer arrived."""

    content: str = ""
    thinking: str = ""
    tool_arguments: str = ""
    tool_name: str = ""
    finish: str = ""
    failure: str = ""
    status: int = 0
    server: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    first_token_s: float | None = None

    @property
    def prompt_tokens(self) -> int:
        """Return the prompt tokens the server counted."""
        return _count(self.usage.get("prompt_tokens"))

    @property
    def completion_tokens(self) -> int:
        """Return the tokens written, as the server counted."""
        return _count(self.usage.get("completion_tokens"))

    @property
    def cached_tokens(self) -> int:
        """Return the prompt tokens taken from the server's cache; 0 where it does not say."""
        details = self.usage.get("prompt_tokens_details")
        told = details.get("cached_tokens") if isinstance(details, Mapping) else None
        return _count(told if told is not None else self.timings.get("cache_n"))

    @property
    def size(self) -> int:
        """Return the characters received."""
        return len(self.content) + len(self.thinking) + len(self.tool_arguments)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


async def fetch_reply(endpoint: Endpoint, body: Mapping[str, Any], clocks: Clocks) -> Reply:
    """Send one chat request and return the reply; every failure is a code in it, never an exception.

    Side effects: one connection to the endpoint's checked address. Cancelling the task closes it at once.
    """
    reply, started = Reply(), time.monotonic()
    phase = "first_token_timeout"

    def token() -> None:
        nonlocal phase
        now = asyncio.get_running_loop().time()
        if reply.first_token_s is None:
            reply.first_token_s = round(time.monotonic() - started, 4)
        end = deadline - now
        phase = "idle_timeout" if clocks.idle_s < end else "total_timeout"
        clock.reschedule(now + min(clocks.idle_s, end))

    deadline = asyncio.get_running_loop().time() + clocks.total_s
    try:
        async with asyncio.timeout(min(clocks.first_token_s, clocks.total_s)) as clock:
            async with (
                _client() as client,
                _opened(client, endpoint, "/chat/completions", body, reply) as stream,
            ):
                async for chunk in stream:
                    before = reply.size
                    _absorb(reply, chunk)
                    if reply.size > before:
                        token()
                    if reply.size > MAX_CHARS:
                        reply.failure = "endless"
                    if reply.failure:
                        break
    except TimeoutError:
        reply.failure = phase
    reply.seconds = round(time.monotonic() - started, 4)
    if not reply.failure:
        reply.failure = _whole(reply)
    return reply


async def fetch_json(endpoint: Endpoint, path: str, *, timeout_s: float = 10.0) -> tuple[int, Any, str]:
    """GET a JSON document; return status (0 unreachable), document (None if it is none) and server name."""
    reply = Reply()
    try:
        async with (
            asyncio.timeout(timeout_s),
            _client() as client,
            _opened(client, endpoint, path, None, reply) as stream,
        ):
            return reply.status, await anext(stream, None), reply.server
    except TimeoutError:
        return 0, None, ""


def _client() -> httpx.AsyncClient:
    import httpx

    timeout = httpx.Timeout(None, connect=CONNECT_S)
    return httpx.AsyncClient(
        verify=tls_context(), trust_env=False, follow_redirects=False, timeout=timeout, http2=False
    )


class _opened:  # noqa: N801 - used as a context manager
    """Opens a request at the first checked address that accepts it; yields parsed chunks."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        endpoint: Endpoint,
        path: str,
        body: Mapping[str, Any] | None,
        reply: Reply,
    ) -> None:
        self._client, self._endpoint, self._path, self._body, self._reply = (
            client,
            endpoint,
            path,
            body,
            reply,
        )
        self._response: httpx.Response | None = None

    async def __aenter__(self) -> AsyncIterator[Any]:
        import httpx

        for address in self._endpoint.addresses:
            try:
                self._response = await self._send(address)
                break
            except httpx.ConnectError:
                continue
            except (httpx.TransportError, httpx.InvalidURL):
                self._reply.failure = "broken"
                return _nothing()
        if self._response is None:
            self._reply.failure = "unreachable"
            return _nothing()
        self._reply.status = self._response.status_code
        self._reply.server = self._response.headers.get("server", "")[:80]
        return self._chunks(self._response)

    async def __aexit__(self, *exc: object) -> None:
        if self._response is not None:
            await self._response.aclose()

    async def _send(self, address: str) -> httpx.Response:
        url, headers, extensions = self._endpoint.target(self._path, address)
        method = "GET" if self._body is None else "POST"
        content = None if self._body is None else json.dumps(self._body, ensure_ascii=False).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        request = self._client.build_request(
            method, url, headers=headers, content=content, extensions=extensions
        )
        return await self._client.send(request, stream=True)

    async def _chunks(self, response: httpx.Response) -> AsyncIterator[Any]:
        import httpx

        try:
            if response.status_code != 200:
                self._reply.failure = await _refusal(response)
            elif "text/event-stream" in response.headers.get("content-type", ""):
                async for line in _lines(response):
                    chunk = _event(line)
                    if chunk is not None:
                        yield chunk
            else:
                chunk = _parsed(await _bounded(response, MAX_BYTES))
                if chunk is None:
                    self._reply.failure = "not_json"
                else:
                    yield chunk
        except httpx.TransportError:
            self._reply.failure = "cut_off"
        except _TooLong:
            self._reply.failure = "endless"


class _TooLong(Exception):  # noqa: N818 - leaves this module as a code
    pass


async def _nothing() -> AsyncIterator[Any]:
    return
    yield


async def _bounded(response: httpx.Response, limit: int) -> bytes:
    held = bytearray()
    async for part in response.aiter_bytes():
        held += part
        if len(held) > limit:
            raise _TooLong
    return bytes(held)


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    held, total = b"", 0
    async for part in response.aiter_bytes():
        total += len(part)
        if total > MAX_BYTES:
            raise _TooLong
        *whole, held = (held + part).split(b"\n")
        for line in whole:
            yield line
    if held:
        yield held


def _event(line: bytes) -> Any:
    data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
    return _parsed(data) if data and data != b"[DONE]" else None


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


async def _refusal(response: httpx.Response) -> str:
    """Return the code of a status; of the body only whether it speaks of the context is used."""
    status = response.status_code
    if 300 <= status < 400:
        return "redirect"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "server_error"
    said = (await _bounded(response, 100_000)).lower()
    return "over_context" if b"context" in said or b"too long" in said else "bad_request"


def _absorb(reply: Reply, chunk: Any) -> None:
    """Add one event, or a whole document, to the reply."""
    if not isinstance(chunk, Mapping):
        return
    if chunk.get("error"):
        reply.failure = "server_error"
    for name in ("usage", "timings"):
        if isinstance(chunk.get(name), Mapping):
            setattr(reply, name, dict(chunk[name]))
    choices = chunk.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    reply.finish = str(choice.get("finish_reason") or reply.finish)
    part = choice.get("delta") or choice.get("message")
    if isinstance(part, Mapping):
        _absorb_part(reply, part)


def _absorb_part(reply: Reply, part: Mapping[str, Any]) -> None:
    reply.content += _text(part.get("content"))
    for name in ("reasoning_content", "reasoning", "thinking"):
        reply.thinking += _text(part.get(name))
    calls = part.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping) and not call.get("index"):  # further calls were not asked for
            reply.tool_name += _text(function.get("name"))
            arguments = function.get("arguments")
            reply.tool_arguments += json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments)


def _text(value: Any) -> str:
    if isinstance(value, list):  # some servers send content as typed parts
        return "".join(
            _text(part.get("text"))
            for part in value
            if isinstance(part, Mapping) and part.get("type") == "text"
        )
    return value if isinstance(value, str) else ""


def _whole(reply: Reply) -> str:
    if reply.finish == "length":
        return "length"
    if not (reply.content.strip() or reply.tool_arguments.strip()):
        return "empty"
    return "" if reply.finish else "cut_off"
