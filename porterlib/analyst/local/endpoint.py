"""Which model endpoint may be used: this machine by resolution, any other by explicit permission alone.

A name proves nothing (`localhost.example.org` is not this machine), so the host is resolved once, every address
must be loopback, and requests then go to the address that was checked, never to a new answer of the resolver.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from porterlib.analyst.local.problems import EndpointRefused

if TYPE_CHECKING:
    import ssl

DEFAULT_URL = "http://127.0.0.1:8000/v1"
Resolver = Callable[[str, int], tuple[str, ...]]
_PORTS = {"http": 80, "https": 443}


def system_resolver(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a host in the system's order, each once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class Endpoint:
    """A checked endpoint; its key goes to its own origin and nowhere else."""

    url: str
    """Base address without a trailing slash, as given."""
    scheme: str
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]
    """Checked addresses, in the order they are tried."""
    loopback: bool
    """Whether every address is this machine."""
    key: SecretStr | None = field(default=None, repr=False)

    @property
    def origin(self) -> str:
        """Return scheme, host and port."""
        return f"{self.scheme}://{_bracketed(self.host)}:{self.port}"

    def permission(self) -> dict[str, Any] | None:
        """Return the ledger's `permission` payload of a remote endpoint; None for this machine."""
        if self.loopback:
            return None
        return {
            "what": "model_endpoint",
            "origin": self.origin,
            "addresses": list(self.addresses),
            "encrypted": self.scheme == "https",
            "granted_by": "allow_remote_model",
        }

    def target(self, path: str, address: str) -> tuple[str, dict[str, str], dict[str, Any]]:
        """Return URL, headers and httpx extensions of a request pinned to one checked address."""
        url = f"{self.scheme}://{_bracketed(address)}:{self.port}{self.path}{path}"
        headers = {"Host": f"{_bracketed(self.host)}:{self.port}"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key.get_secret_value()}"
        return url, headers, {"sni_hostname": self.host} if self.scheme == "https" else {}


def check_endpoint(
    url: str,
    *,
    key: SecretStr | None = None,
    allow_remote: bool = False,
    resolver: Resolver = system_resolver,
) -> Endpoint:
    """Return the endpoint if it may be used.

    Raises:
        EndpointRefused: the address is malformed, carries a password, a query or a fragment, does not resolve, or
            leaves this machine without permission.

    """
    scheme, host, port, path = _parts(url)
    try:
        addresses = resolver(host, port)
    except OSError as error:
        raise EndpointRefused(
            "unresolved", f"model host {host!r} does not resolve; check the name"
        ) from error
    if not addresses:
        raise EndpointRefused("unresolved", f"model host {host!r} has no address; check the name")
    local = [is_loopback(address) for address in addresses]
    if not all(local) and not allow_remote:
        raise EndpointRefused(
            "remote",
            f"model host {host!r} is not (only) this machine; serve the model on 127.0.0.1, or permit it with "
            "PORTERLIB_ALLOW_REMOTE_MODEL=true, which is recorded: prompts with internal facts go there",
        )
    if not all(local) and any(_never(address) for address in addresses):
        raise EndpointRefused("address", f"model host {host!r} resolves to an address that serves no host")
    return Endpoint(url.rstrip("/"), scheme, host, port, path, addresses, all(local), key)


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine by definition (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3)."""
    return _unmapped(address).is_loopback


def _unmapped(address: str) -> IPv4Address | IPv6Address:
    """Return an address, an IPv4 address where IPv6 carries one: Pythons before 3.13 judge only that by its range."""
    parsed = ip_address(address.partition("%")[0])
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _never(address: str) -> bool:
    parsed = _unmapped(address)
    return parsed.is_unspecified or parsed.is_multicast or parsed.is_link_local


def _parts(url: str) -> tuple[str, str, int, str]:
    if url != url.strip() or not url.isascii() or any(ord(char) < 33 or char == "\\" for char in url):
        raise EndpointRefused(
            "malformed", "the model URL holds spaces, backslashes or characters beyond ASCII"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise EndpointRefused(
            "malformed", "the model URL does not parse; write http://127.0.0.1:8000/v1"
        ) from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise EndpointRefused("scheme", "the model URL must start with http:// or https:// and name a host")
    if "@" in parts.netloc:
        raise EndpointRefused("userinfo", "the model URL holds a user or password; pass the key as a setting")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise EndpointRefused("query", "the model URL holds a query or fragment; give the base address alone")
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme], parts.path.rstrip("/")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@lru_cache(maxsize=1)
def tls_context() -> ssl.SSLContext:
    """Return the TLS settings of all requests, made once; variables of the environment do not change them."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)
