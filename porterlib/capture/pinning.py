"""Connections that can reach nothing but the addresses that were approved for this hop.

`PinnedBackend` is the network side of httpcore: it ignores the name it is asked for except to compare it,
dials the approved addresses, and looks at the open socket again. `DeadlineStream` holds every read and write
to one deadline and counts bytes, since a timeout for each read is defeated by a slow drip.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore

from porterlib.errors import CaptureRefused

Dialer = Callable[[str, int, float], socket.socket]
AddressRule = Callable[[str], str]
_STEP_S = 10.0


class Deadline:
    """The time left for a whole fetch."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left.

        Raises:
            CaptureRefused: `deadline`, when there are none.

        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise CaptureRefused("deadline", "the page took longer than the time limit of a fetch")
        return left


def dial(address: str, port: int, timeout_s: float) -> socket.socket:
    """Return a TCP connection to an address literal; no name is resolved here."""
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect((address, port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        connection.close()
        raise
    return connection


class PinnedBackend(httpcore.NetworkBackend):
    """Connects to the approved addresses of one host, in their order, and to nothing else."""

    def __init__(
        self,
        *,
        host: str,
        addresses: Sequence[str],
        deadline: Deadline,
        most_bytes: int,
        rule: AddressRule,
        dialer: Dialer = dial,
    ) -> None:
        self._host, self._addresses = host, tuple(addresses)
        self._deadline, self._most_bytes = deadline, most_bytes
        self._rule, self._dial = rule, dialer

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline of the fetch rules
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Return a stream to the first approved address that answers."""
        if host.strip("[]") != self._host:
            raise CaptureRefused("peer_changed", "a connection to another host was asked for")
        last: OSError | None = None
        for address in self._addresses:
            if (rule := self._rule(address)) != "ok":
                raise CaptureRefused(rule)
            try:
                connection = self._dial(address, port, min(self._deadline.remaining(), _STEP_S))
            except OSError as error:
                last = error
                continue
            return self._checked(connection)
        raise CaptureRefused("connect_failed", "no address of the host took the connection") from last

    def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Refuse: no page lies behind a local socket."""
        raise CaptureRefused("peer_changed", "local sockets are not opened")

    def _checked(self, connection: socket.socket) -> httpcore.NetworkStream:
        peer = str(connection.getpeername()[0])
        if peer not in self._addresses or self._rule(peer) != "ok":
            connection.close()
            raise CaptureRefused("peer_changed", "the open connection leads to another address")
        return DeadlineStream(connection, deadline=self._deadline, most_bytes=self._most_bytes)


class DeadlineStream(httpcore.NetworkStream):
    """A socket whose reads and writes share one deadline and one count of bytes."""

    def __init__(self, connection: socket.socket, *, deadline: Deadline, most_bytes: int) -> None:
        self._socket, self._deadline, self._left = connection, deadline, most_bytes

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """Return the next bytes, or refuse when time or bytes are used up."""
        data: bytes = self._timed(lambda: self._socket.recv(max_bytes))
        self._left -= len(data)
        if self._left < 0:
            raise CaptureRefused("body_too_large", "more bytes than a page may send")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """Send all of `buffer`."""
        self._timed(lambda: self._socket.sendall(buffer))

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Return the encrypted stream; SNI and certificate are those of the name, not of the address."""
        try:
            secured = self._timed(
                lambda: ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
            )
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise CaptureRefused("tls_certificate", "the certificate does not hold for this name") from error
        except OSError as error:
            self.close()
            raise CaptureRefused("tls", "no secure connection came about") from error
        return DeadlineStream(secured, deadline=self._deadline, most_bytes=self._left)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks about the connection."""
        if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket):
            return self._socket
        return None

    def _timed(self, action: Callable[[], Any]) -> Any:
        self._socket.settimeout(self._deadline.remaining())
        try:
            return action()
        except TimeoutError as error:
            raise CaptureRefused("deadline", "the page took longer than the time limit of a fetch") from error
