r"""Judges an address by its spelling and gives it one form.

A WHATWG parser repairs what it reads: it drops user names, turns `\` into `/`, decodes `%65` in hosts and
reads `0x7f.1` as 127.0.0.1. So the raw authority is checked first, and what the parser then makes of it must
be the host that was written.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import ada_url
import idna

from porterlib.contracts.capture import UrlVerdict
from porterlib.errors import CaptureRefused

_LONGEST = 2048
_FORM = re.compile(r"^(https?)://([^/?#]*)(.*)$", re.I | re.S)
_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*):", re.I)
# C0, space, DEL, C1, and every space, format, separator or surrogate character that Unicode has beyond ASCII.
_CONTROL = re.compile(
    "[\x00-\x20\x7f-\xa0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff"
    "\ufdd0-\ufdef\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LABEL = re.compile(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
_NUMERIC_LABEL = re.compile(r"^(?:\d+|0x[0-9a-f]*)$")
_OTHER_DOTS = re.compile("[\u3002\uff0e\uff61]")
_PORTS = {"80", "443"}
_LOCAL_NAMES = {"localhost", "local", "internal", "intranet", "lan", "onion", "localdomain"}
_TRACKING = re.compile(
    r"^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid"
    r"|mkt_tok|_ga|_gl"
    r"|_hsenc|_hsmi|hsctatracking|vero_id|oly_anon_id|oly_enc_id|wt\.mc_id|s_kwcid|ef_id|cmpid|trk"
    r"|trkcampaign)$",
    re.I,
)
_PERCENT = re.compile("%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")


def judge_url(url: str) -> UrlVerdict:
    """Return whether `url` may be fetched as far as its spelling tells; nothing is resolved.

    Rules: `url_too_long`, `url_control`, `url_backslash`, `url_scheme`, `url_form`, `userinfo`, `host_empty`,
    `host_percent`, `port`, `host_form`, `host_length`, `host_idna`, `host_local`.
    """
    try:
        scheme, host, port, rest = _parts(url)
    except CaptureRefused as refused:
        return UrlVerdict(allowed=False, rule=refused.rule)
    written = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[scheme]
    try:
        parsed = ada_url.URL(f"{scheme}://{written}{'' if port == default else f':{port}'}{rest}")
    except ValueError:
        return UrlVerdict(allowed=False, rule="url_form")
    if parsed.hostname != written or parsed.protocol != f"{scheme}:" or parsed.username or parsed.password:
        return UrlVerdict(allowed=False, rule="host_form")
    parsed.hash = ""
    return UrlVerdict(allowed=True, rule="ok", url=parsed.href, scheme=scheme, ascii_host=host, port=port)


def follow(base: str, location: str) -> str:
    """Return the address that a `Location` of the page at `base` means, checked as it is written.

    Raises:
        CaptureRefused: the location breaks a rule of `judge_url`, or leads from https to http (`downgrade`).

    """
    if not location or _CONTROL.search(location):
        raise CaptureRefused("url_control" if location else "redirect_empty")
    if "\\" in location:
        raise CaptureRefused("url_backslash")
    secure = base.startswith("https:")
    if _SCHEME.match(location):
        target = location
    elif location.startswith("//"):
        target = ("https:" if secure else "http:") + location
    else:
        target = ada_url.join_url(base, location)
    verdict = judge_url(target)
    if not verdict.allowed:
        raise CaptureRefused(verdict.rule, "in a redirect")
    if secure and verdict.scheme != "https":
        raise CaptureRefused("downgrade", "a redirect from https to http is not followed")
    return verdict.url


def canonicalise(url: str, *, keep_fragment: bool = False) -> str:
    """Return the one form of `url`: ASCII host, sorted query, no default port, tracking or fragment.

    Args:
        url: absolute http or https address.
        keep_fragment: keep `#…`, for a corpus in which sections of one document are documents.

    Raises:
        CaptureRefused: the address breaks a rule of `judge_url`.

    >>> canonicalise("HTTP://Example.com:80/a/../b?utm_source=x&b=2&a=1#part")
    'http://example.com/b?a=1&b=2'

    """
    verdict = judge_url(url)
    if not verdict.allowed:
        raise CaptureRefused(verdict.rule, "give an absolute http or https address of a public host")
    parsed = ada_url.URL(verdict.url)
    pairs = [pair for pair in parsed.search.removeprefix("?").split("&") if pair]
    kept = sorted(
        (pair for pair in map(_percent, pairs) if not _is_tracking(pair)),
        key=lambda pair: pair.partition("=")[0],
    )
    fragment = url.partition("#")[2] if keep_fragment else ""
    path = _percent(parsed.pathname)
    origin = f"{parsed.protocol}//{parsed.host}"
    tail = _percent(ada_url.URL(f"{origin}/#{fragment}").hash) if fragment else ""
    return f"{origin}{path}{'?' if kept else ''}{'&'.join(kept)}{tail}"


def _parts(url: str) -> tuple[str, str, int, str]:
    """Return scheme, canonical host, port and the rest of `url`, or refuse it."""
    if len(url) > _LONGEST:
        raise CaptureRefused("url_too_long")
    if _CONTROL.search(url):
        raise CaptureRefused("url_control")
    if "\\" in url:
        raise CaptureRefused("url_backslash")
    match = _FORM.match(url)
    if not match:
        scheme = _SCHEME.match(url)
        raise CaptureRefused(
            "url_form" if not scheme or scheme[1].lower() in {"http", "https"} else "url_scheme"
        )
    scheme_name, authority, rest = match[1].lower(), match[2], match[3]
    if "@" in authority:
        raise CaptureRefused("userinfo")
    if "%" in authority:
        raise CaptureRefused("host_percent")
    host, port = _split_port(authority)
    number = int(port) if port is not None else {"http": 80, "https": 443}[scheme_name]
    return scheme_name, _host(host), number, rest


def _split_port(authority: str) -> tuple[str, str | None]:
    bracket = authority.rfind("]") if authority.startswith("[") else -1
    colon = authority.find(":", bracket + 1)
    if colon < 0:
        return authority, None
    if authority[colon + 1 :] not in _PORTS:
        raise CaptureRefused("port", "only 80 and 443, written plainly")
    return authority[:colon], authority[colon + 1 :]


def _host(written: str) -> str:
    """Return the ASCII form of a written host, or refuse it where it is not plainly a name or an address."""
    if not written:
        raise CaptureRefused("host_empty")
    if written.startswith("["):
        return _v6(written)
    if _OTHER_DOTS.search(written):
        raise CaptureRefused("host_form")
    host = _ascii(written.lower())
    labels = host.split(".")
    if len(host) > 253 or any(len(label) > 63 for label in labels):
        raise CaptureRefused("host_length")
    if _NUMERIC_LABEL.match(labels[-1]):
        return _v4(host)
    if not all(map(_LABEL.match, labels)):
        raise CaptureRefused("host_form")
    if len(labels) == 1 or labels[-1] in _LOCAL_NAMES or host.endswith(".home.arpa"):
        raise CaptureRefused("host_local", "the name has a meaning inside a network only")
    return host


def _v4(host: str) -> str:
    try:
        return str(IPv4Address(host))  # plain dotted decimals only, no leading zeros
    except AddressValueError as error:
        raise CaptureRefused("host_form") from error


def _v6(written: str) -> str:
    inner = written[1:-1].lower()
    try:
        canonical = IPv6Address(inner)
    except AddressValueError as error:
        raise CaptureRefused("host_form") from error
    mapped = canonical.ipv4_mapped  # from Python 3.13 on its text ends in dotted decimals, unlike a browser's
    text = f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}" if mapped else str(canonical)
    if not written.endswith("]") or text != inner:
        raise CaptureRefused("host_form")
    return inner


def _ascii(host: str) -> str:
    """Return the IDNA 2008 form; every label must survive the way there and back unchanged."""
    labels = host.split(".")
    if host.isascii() and not any(label.startswith("xn--") for label in labels):
        return host
    try:
        encoded = [_label(label) for label in labels]
    except (idna.IDNAError, UnicodeError) as error:
        raise CaptureRefused("host_idna") from error
    return ".".join(encoded)


def _label(label: str) -> str:
    if label.isascii() and not label.startswith("xn--"):
        return label
    plain = idna.ulabel(label)
    encoded = idna.alabel(plain).decode("ascii")
    if label not in {plain, encoded}:
        raise idna.IDNAError("label is not in its canonical form")
    return encoded


def _is_tracking(pair: str) -> bool:
    return bool(_TRACKING.match(pair.partition("=")[0]))


def _percent(text: str) -> str:
    """Decode escapes of unreserved characters and write the others in upper case (RFC 3986, 6.2.2)."""

    def one(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in _UNRESERVED else match[0].upper()

    return _PERCENT.sub(one, text)
