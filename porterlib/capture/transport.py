"""One GET over a pinned connection, as an httpx transport."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import certifi
import httpcore
import httpx

from porterlib.capture.pinning import PinnedBackend
from porterlib.errors import CaptureRefused

TARGET = "target"
HEADERS = {
    "User-Agent": "porterlib/0.1 (evidence capture; reads one page)",
    "Accept": "text/html, application/xhtml+xml, text/plain;q=0.8, text/markdown;q=0.8",
    "Accept-Encoding": "gzip, identity",
    "Connection": "close",
}


def secure_context() -> ssl.SSLContext:
    """Return a TLS client context that takes its trust from certifi and nothing from the environment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


class PinnedTransport(httpx.BaseTransport):
    """Sends requests through one `PinnedBackend`; never retries, keeps no connection, knows no proxy."""

    def __init__(self, backend: PinnedBackend, context: ssl.SSLContext) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            retries=0,
            network_backend=backend,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`; its `target` extension is the path as it was judged, so nothing re-quotes it.

        Raises:
            CaptureRefused: `protocol`, `connect_failed` or `deadline`, or a rule of the backend.

        """
        try:
            answer = self._pool.handle_request(
                httpcore.Request(
                    method=b"GET",
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.extensions[TARGET],
                    ),
                    headers=request.headers.raw,
                )
            )
        except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
            raise _refusal(error) from error
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """Bytes of the answer, with the errors of the wire as refusals."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.iter_stream()
        except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
            raise _refusal(error) from error

    def close(self) -> None:
        self._answer.close()


def _refusal(error: Exception) -> CaptureRefused:
    if isinstance(error, httpcore.TimeoutException):
        return CaptureRefused("deadline", "the server did not answer in time")
    if isinstance(error, httpcore.ProtocolError):
        return CaptureRefused("protocol", "the server's answer is not valid HTTP")
    return CaptureRefused("connect_failed", "the connection broke")
