"""The seam to name resolution: the system's resolver, or a fixed table."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

from porterlib.errors import CaptureRefused


class Resolver(Protocol):
    """Gives all addresses of a host name, once per hop; what it gave is what is connected to."""

    def resolve(self, host: str, timeout_s: float) -> list[str]:
        """Return the addresses of an ASCII host name, or none where the name does not exist.

        Raises:
            CaptureRefused: `dns_timeout` or `dns_failed`.

        """
        ...


class SystemResolver:
    """The machine's own resolver, held to a time limit that `getaddrinfo` itself does not know."""

    def resolve(self, host: str, timeout_s: float) -> list[str]:
        """Return the addresses of `host`, taken as a full name so that no search domain is tried."""
        found: list[list[str]] = []
        failed: list[OSError] = []

        def look_up() -> None:
            try:
                rows = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
            except OSError as error:
                failed.append(error)
            else:
                found.append(list(dict.fromkeys(str(row[4][0]) for row in rows)))

        thread = threading.Thread(target=look_up, daemon=True)
        thread.start()
        thread.join(timeout_s)
        if failed:
            raise CaptureRefused("dns_failed", "the name does not resolve") from failed[0]
        if not found:
            raise CaptureRefused("dns_timeout", "the name did not resolve in time")
        return found[0]


class FixedResolver:
    """A table of names, for reproducible runs; other names do not exist."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._table = {host.lower(): tuple(addresses) for host, addresses in table.items()}

    def resolve(self, host: str, timeout_s: float) -> list[str]:  # noqa: ARG002 - a table needs no time
        """Return the addresses that the table gives `host`."""
        return list(self._table.get(host, ()))
