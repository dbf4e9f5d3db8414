"""Source policy: class and publisher of a web address, and what a class is worth (rule 7.4)."""

from __future__ import annotations

import posixpath
import re
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from porterlib.contracts.sector import SectorPack, SourceClass, SourceRule
from porterlib.sectors.suffixes import registrable_domain

_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_KEPT_BY_HOST = re.compile(r"corpus:(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,})/(?P<path>.+)")
UNNAMED = "local document"
"""Publisher of every document that neither manifest nor address gives one; together they count as one."""
_AUTHORITY: dict[SourceClass, float] = {
    "regulator": 1.0,
    "legislation": 1.0,
    "calculator": 1.0,
    "official_statistics": 0.95,
    "audited_filing": 0.95,
    "academic": 0.85,
    "company_disclosure": 0.8,
    "internal_document": 0.8,
    "industry_research": 0.7,
    "reputable_media": 0.65,
    "user_assertion": 0.5,
    "vendor": 0.45,
}
OTHER_QUALITY = 0.55
"""Quality of every source that is no recognised regulator or academic host."""


class SourceVerdict(NamedTuple):
    """What the source policy says of one address."""

    source_class: SourceClass
    """Class of the source."""
    publisher: str
    """Publisher as the brief prints it; the registrable domain for an unknown host."""
    owner: str
    """Group that owns the publisher; publishers of one owner are not independent of each other."""
    basis: Literal["policy"]
    """How the class was decided."""
    rule: str
    """Host and path of the rule that decided, or why none did."""


def classify(url: str, pack: SectorPack) -> SourceVerdict:
    """Return class and publisher of `url` by the pack's rules; the longest host wins, then the longest path.

    Only HTTPS addresses with a plain host can be more than `vendor`: a page that anyone on the way could
    have changed has no authority. A document of a corpus that lies in a folder named after its host, as
    programs that copy sites save it, is judged by the address its owner filed it under; any other is unnamed.
    """
    if url.startswith("corpus:"):
        kept = _KEPT_BY_HOST.fullmatch(url)
        if kept is None:
            return _unknown(UNNAMED, "no public host name")
        url = f"https://{kept['host']}/{kept['path']}"
    try:
        parts = urlsplit(url.strip())
        host, netloc, path = (
            (parts.hostname or "").rstrip("."),
            parts.netloc.casefold(),
            _plain_path(parts.path),
        )
    except ValueError:
        return _unknown("unreadable address", "address is malformed")
    if not _HOST.fullmatch(host):
        return _unknown(host or parts.scheme or UNNAMED, "no public host name")
    domain = registrable_domain(host)
    if parts.scheme != "https":
        return _unknown(domain, "not HTTPS")
    if netloc.removesuffix(":443").rstrip(".") != host:
        return _unknown(domain, "port or user name in the address")
    rule = _best(host, path, pack.sources)
    if rule is None:
        return _unknown(domain, "host is in no rule")
    owner = rule.owner or rule.publisher
    return SourceVerdict(rule.source_class, rule.publisher, owner, "policy", rule.host + rule.path_prefix)


def authority(source_class: SourceClass) -> float:
    """Return the authority of a class of sources, 0 to 1."""
    return _AUTHORITY[source_class]


def quality(source_class: SourceClass, recognised: bool, pack: SectorPack | None = None) -> float:
    """Return the quality of a source: .9 recognised regulator, .8 recognised academic, .55 any other.

    Args:
        source_class: class of the source.
        recognised: whether a rule of the pack's policy named its host.
        pack: pack whose `recognised_quality` replaces those values.

    """
    table = pack.recognised_quality if pack else {"regulator": 0.9, "legislation": 0.9, "academic": 0.8}
    return table.get(source_class, OTHER_QUALITY) if recognised else OTHER_QUALITY


def _unknown(publisher: str, why: str) -> SourceVerdict:
    return SourceVerdict("vendor", publisher, publisher, "policy", why)


def _plain_path(path: str) -> str:
    # Dot segments, encoded or not, must not carry a page into the part of a host that a rule trusts.
    plain = posixpath.normpath(unquote(unquote(path)).replace("\\", "/") or "/").casefold()
    return "/" + plain.lstrip("/")


def _best(host: str, path: str, rules: tuple[SourceRule, ...]) -> SourceRule | None:
    fitting = [
        rule for rule in rules if _under(host, rule.host) and _within(path, rule.path_prefix.casefold())
    ]
    return max(fitting, key=lambda rule: (len(rule.host), len(rule.path_prefix)), default=None)


def _under(host: str, rule_host: str) -> bool:
    return host == rule_host or host.endswith("." + rule_host)


def _within(path: str, prefix: str) -> bool:
    # A prefix covers whole path segments, but `/10.6028/nist` style prefixes may end inside one.
    if not path.startswith(prefix):
        return False
    return not prefix or prefix.endswith(("/", ".", "_")) or path[len(prefix) :][:1] in {"", "/", ".", "?"}
