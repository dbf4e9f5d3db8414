"""Whether an address may be fetched, told without touching the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from porterlib.capture.addresses import host_rule
from porterlib.capture.urls import judge_url


def check_url(url: str, resolve: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return `{"allowed": bool, "rule": str}` for an address.

    Args:
        url: the address as it would be fetched.
        resolve: addresses of host names, by their ASCII form; a name that is not there is `unresolved`.

    >>> check_url("https://bank.example/a", {"bank.example": ["93.184.216.34"]})
    {'allowed': True, 'rule': 'ok'}
    >>> check_url("https://bank.example/a", {"bank.example": ["93.184.216.34", "10.0.0.8"]})
    {'allowed': False, 'rule': 'address_private'}
    """
    verdict = judge_url(url)
    if not verdict.allowed:
        return {"allowed": False, "rule": verdict.rule}
    known = {host.lower().rstrip("."): list(addresses) for host, addresses in (resolve or {}).items()}
    addresses = [verdict.ascii_host] if is_address(verdict.ascii_host) else known.get(verdict.ascii_host, [])
    rule = host_rule(addresses)
    return {"allowed": rule == "ok", "rule": rule}


def is_address(host: str) -> bool:
    """Tell whether a judged host is an address literal rather than a name."""
    return ":" in host or host.rpartition(".")[2].isdigit()
