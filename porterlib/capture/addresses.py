"""Which addresses a page may be fetched from: public unicast only, by a dated table of ranges.

Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 6890, 7526, 7723, 9637. IPv6 is allowed
only inside 2000::/3, the one block from which global unicast is assigned, and never where it carries an IPv4
address.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

TABLE_DATE = "2025-10-09"
"""Date of the registries that the table follows."""

_V4: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this_network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared_nat"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud_metadata"),  # Azure's host channel lies in a public range
    ("169.254.0.0/16", "link_local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol_assignment"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "as112"),
    ("192.52.193.0/24", "relay"),
    ("192.88.99.0/24", "relay"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "as112"),
    ("198.18.0.0/15", "benchmark"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
)
_V6: tuple[tuple[str, str], ...] = (
    ("2001::/23", "protocol_assignment"),  # Teredo, ORCHID, benchmark, anycast
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "embedded_v4"),  # 6to4
    ("2620:4f:8000::/48", "as112"),
    ("3fff::/20", "documentation"),
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_V4_TABLE = tuple((IPv4Network(net), name) for net, name in _V4)
_V6_TABLE = tuple((IPv6Network(net), name) for net, name in _V6)
_ISATAP = {0x00005EFE, 0x02005EFE}


def address_rule(address: str) -> str:
    """Return `ok` for a public unicast address, else the rule that refuses it.

    Rules: `address_invalid` for text that is not an address in plain form, `address_embedded_v4` for IPv6
    that carries IPv4, `address_not_global` for IPv6 outside 2000::/3, and `address_<range>` for the ranges of
    the table.
    """
    if "%" in address:
        return "address_invalid"  # a zone names an interface of this machine
    try:
        parsed = ip_address(address)
    except ValueError:
        return "address_invalid"
    return _v4_rule(parsed) if isinstance(parsed, IPv4Address) else _v6_rule(parsed)


def host_rule(addresses: list[str]) -> str:
    """Return `ok` if all addresses of a host are public, else the rule of the first bad one."""
    if not addresses:
        return "unresolved"
    return next((rule for rule in map(address_rule, addresses) if rule != "ok"), "ok")


def _v4_rule(address: IPv4Address) -> str:
    return next((f"address_{name}" for net, name in _V4_TABLE if address in net), "ok")


def _v6_rule(address: IPv6Address) -> str:
    if address == IPv6Address("::1"):
        return "address_loopback"
    if address.ipv4_mapped or int(address) >> 32 == 0 or (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "address_embedded_v4"
    if address not in _GLOBAL_V6:
        return "address_not_global"
    return next((f"address_{name}" for net, name in _V6_TABLE if address in net), "ok")
