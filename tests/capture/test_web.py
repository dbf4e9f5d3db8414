"""Pages of the web are fetched from the approved address only, under every limit, by real sockets on loopback."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from porterlib.capture import CaptureLimits, FixedResolver, WebCapture
from porterlib.capture.addresses import address_rule
from porterlib.capture.pinning import dial
from porterlib.capture.sandbox import ExtractionPool
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.errors import CaptureRefused
from porterlib.hashing import sha256_hex

sys.path.insert(0, str(Path(__file__).parent))
from servers import PUBLIC, NameServer, Server, UdpResolver, answer, certify, dripping, redirect

PAGE = b"<title>T</title><p>Banks test their exit plans.</p>"
NAMES = {
    "bank.example": [PUBLIC],
    "other.example": [PUBLIC],
    "inside.example": ["127.0.0.1"],
    "two.example": [PUBLIC, "10.0.0.8"],
}


def rule(address: str) -> str:
    """The real table, except that one loopback address plays the public server."""
    return "ok" if address == PUBLIC else address_rule(address)


@pytest.fixture(scope="module")
def pool() -> Iterator[ExtractionPool]:
    with ExtractionPool(size=1) as pool:
        yield pool


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.pages["/"] = answer(PAGE)
        yield running


@pytest.fixture
def fetch(server: Server, pool: ExtractionPool) -> Callable[..., CapturedPage]:
    """Fetch a path of the server, or an address, with seams that lead port 80 and 443 to it."""

    def run(
        url: str = "/", *, deadline_s: float = 5.0, secure: Server | None = None, **seams: Any
    ) -> CapturedPage:
        limits = seams.pop("limits", None) or CaptureLimits(deadline_s=deadline_s)
        ports = {80: server.port, 443: secure.port if secure else server.port}
        options = {
            "resolver": FixedResolver(NAMES),
            "dialer": lambda address, port, timeout_s: dial(address, ports[port], timeout_s),
            "rule": rule,
            "extraction": pool,
            "limits": limits,
        } | seams
        address = url if "://" in url else f"http://bank.example{url}"
        return WebCapture(**options).fetch(SourceRef(source_id="S-1", url=address))

    return run


Fetch = Callable[..., CapturedPage]


def refused(fetch: Fetch, url: str = "/", **options: Any) -> str:
    with pytest.raises(CaptureRefused) as caught:
        fetch(url, **options)
    return caught.value.rule


def test_a_page_is_captured_with_its_hashes(fetch: Fetch, server: Server) -> None:
    page = fetch()
    assert (page.text, page.title, page.status, page.media_type) == (
        "Banks test their exit plans.",
        "T",
        200,
        "text/html",
    )
    assert (page.final_url, page.raw, page.raw_sha256) == ("http://bank.example/", PAGE, sha256_hex(PAGE))
    asked = server.requests[0].lower()
    assert "host: bank.example\r\n" in asked
    assert not any(header in asked for header in ("cookie:", "authorization:", "proxy", "referer:"))


def test_the_path_goes_out_as_it_was_judged(fetch: Fetch, server: Server) -> None:
    server.pages["/a%20b/%E2%82%AC?q=%27x%27|[1]&z=%7B"] = answer(PAGE)
    assert fetch("/a%20b/€?q='x'|[1]&z=%7B#part").text


def test_redirects_are_followed_and_recorded(fetch: Fetch, server: Server) -> None:
    server.pages |= {
        "/a": redirect("/b", "301 Moved"),
        "/b": redirect("http://other.example/", "308 Permanent"),
    }
    page = fetch("/a")
    assert page.final_url == "http://other.example/"
    assert [(step.url, step.status) for step in page.redirects] == [
        ("http://bank.example/a", 301),
        ("http://bank.example/b", 308),
    ]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("http://inside.example/", "address_loopback"),
        ("http://127.0.0.1/", "address_loopback"),
        ("http://169.254.169.254/latest", "address_link_local"),
        ("http://[::1]/", "address_loopback"),
        ("http://[::ffff:7f00:1]/", "address_embedded_v4"),
        ("http://two.example/", "address_private"),
        ("http://unknown.example/", "unresolved"),
        ("http://localhost/", "host_local"),
        ("http://2130706433/", "host_form"),
        ("http://bank.example:8080/", "port"),
        ("http://user@bank.example/", "userinfo"),
        ("file:///etc/passwd", "url_scheme"),
        ("/\\evil.example", "url_backslash"),
        ("//%65vil.example/", "host_percent"),
        ("", "redirect_empty"),
        ("/go", "redirect_loop"),
        ("/go#other", "redirect_loop"),
    ],
)
def test_a_redirect_is_checked_like_a_first_address(
    fetch: Fetch, server: Server, location: str, expected: str
) -> None:
    server.pages["/go"] = redirect(location)
    assert refused(fetch, "/go") == expected
    assert len(server.requests) == 1


def test_redirects_end_after_five_and_their_bodies_are_not_read(fetch: Fetch, server: Server) -> None:
    for step in range(7):
        server.pages[f"/{step}"] = dripping(
            redirect(f"/{step + 1}", "302 F").replace(b"Length: 1", b"Length: 99999"), b"x", 0.2
        )
    started = time.monotonic()
    assert refused(fetch, "/0") == "redirect_limit"
    assert len(server.requests) == 6
    assert time.monotonic() - started < 3


def test_a_name_whose_answer_changes_between_check_and_connect_is_still_pinned(
    fetch: Fetch, server: Server
) -> None:
    with NameServer({"bank.example": [[PUBLIC], ["127.0.0.1"]]}) as names:
        page = fetch(resolver=UdpResolver(names.address))
        assert page.text == "Banks test their exit plans."
        assert names.questions == ["bank.example"]
        assert refused(fetch, resolver=UdpResolver(names.address)) == "address_loopback"
        assert len(server.requests) == 1


def test_a_name_that_changes_between_two_hops_is_refused_at_the_second(fetch: Fetch, server: Server) -> None:
    server.pages["/go"] = redirect("/secret")
    with NameServer({"bank.example": [[PUBLIC], ["127.0.0.1"]]}) as names:
        assert refused(fetch, "/go", resolver=UdpResolver(names.address)) == "address_loopback"
    assert len(server.requests) == 1


def test_one_bad_address_among_good_ones_refuses_the_host(fetch: Fetch, server: Server) -> None:
    assert refused(fetch, "http://two.example/") == "address_private"
    assert server.requests == []


def test_the_open_socket_is_looked_at_again(fetch: Fetch, server: Server) -> None:
    with Server("127.0.0.1") as inside:
        inside.pages["/"] = answer(PAGE)
        elsewhere = lambda address, port, timeout_s: dial("127.0.0.1", inside.port, timeout_s)  # noqa: E731
        assert refused(fetch, dialer=elsewhere) == "peer_changed"
        assert inside.requests == []


def test_tls_keeps_the_name_while_the_address_is_pinned(fetch: Fetch, tmp_path: Path) -> None:
    authority, contexts = certify(tmp_path, {"right": "bank.example", "wrong": "elsewhere.example"})
    dialled: list[str] = []
    with Server(context=contexts["right"]) as secure, Server(context=contexts["wrong"]) as other:
        secure.pages["/"] = answer(PAGE)
        secure.pages["/down"] = redirect("http://bank.example/")

        def seen(address: str, port: int, timeout_s: float) -> socket.socket:
            dialled.append(address)
            return dial(address, secure.port, timeout_s)

        page = fetch("https://bank.example/", cafile=str(authority), dialer=seen)
        assert (page.text, secure.names, dialled) == (
            "Banks test their exit plans.",
            ["bank.example"],
            [PUBLIC],
        )
        assert "Host: bank.example" in secure.requests[0]
        assert (
            refused(fetch, "https://bank.example/down", cafile=str(authority), secure=secure) == "downgrade"
        )
        assert (
            refused(fetch, "https://bank.example/", cafile=str(authority), secure=other) == "tls_certificate"
        )
        assert refused(fetch, "https://bank.example/", secure=secure) == "tls_certificate"
        assert other.requests == []


def test_a_server_that_speaks_no_tls_is_refused(fetch: Fetch) -> None:
    assert refused(fetch, "https://bank.example/") == "tls"


GZIP = {"Content_Encoding": "gzip"}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (answer(b"x" * 2_000_001), "body_too_large"),
        (answer(b"x", Content_Length="2000001"), "body_too_large"),
        (answer(gzip.compress(b"\0" * 30_000_000), **GZIP), "compression_ratio"),
        (answer(gzip.compress(bytes(range(256)) * 40_000), **GZIP), "compression_ratio"),
        (answer(gzip.compress(PAGE)[:-9], **GZIP), "body_broken"),
        (answer(b"not gzip", **GZIP), "body_broken"),
        (answer(PAGE, Content_Encoding="br"), "content_encoding"),
        (answer(PAGE, Content_Encoding="gzip, gzip"), "content_encoding"),
        (answer(PAGE, Content_Length="9999"), "protocol"),
        (answer(PAGE, Content_Length="-5"), "protocol"),
        (answer(PAGE, Content_Length="5, 6"), "protocol"),
        (answer(b"zz\r\nx", Content_Length="", Transfer_Encoding="chunked"), "protocol"),
        (b"garbage\r\n\r\n", "protocol"),
        (b"", "protocol"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\n", "protocol"),
        (answer(b"%PDF-1.7", media="application/pdf"), "media_pdf"),
        (answer(b"%PDF-1.7"), "media_pdf"),
        (answer(b"\x89PNG\r\n\x1a\n", media="text/html"), "media_image"),
        (answer(PAGE, media="image/png"), "media_type"),
        (answer(b"{}", media="application/json"), "media_type"),
        (answer(PAGE, "404 Not Found"), "http_status"),
        (answer(PAGE, "304 Not Modified"), "http_status"),
        (answer(PAGE, "206 Partial"), "http_status"),
    ],
)
def test_bodies_that_break_a_limit_are_refused_by_name(
    fetch: Fetch, server: Server, reply: bytes, expected: str
) -> None:
    server.pages["/bad"] = reply
    assert refused(fetch, "/bad") == expected


def test_decoded_bytes_have_their_own_cap(fetch: Fetch, server: Server) -> None:
    server.pages["/bomb"] = answer(gzip.compress(b"ab" * 500_000), **GZIP)
    limits = CaptureLimits(decoded_bytes=900_000, ratio=10**6)
    assert refused(fetch, "/bomb", limits=limits) == "decoded_too_large"


def test_honest_gzip_chunked_and_endless_but_short_bodies_are_read(fetch: Fetch, server: Server) -> None:
    server.pages["/gzip"] = answer(gzip.compress(PAGE), **GZIP)
    server.pages["/chunked"] = answer(
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE), Content_Length="", Transfer_Encoding="chunked"
    )
    server.pages["/closed"] = answer(PAGE, Content_Length="")
    assert {fetch(path).raw for path in ("/gzip", "/chunked", "/closed")} == {PAGE}


@pytest.mark.parametrize(
    "reply",
    [
        dripping(answer(b"", Content_Length="99999"), b"x", 0.05),
        dripping(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n", 0.05),
        dripping(b"H", b"", 0.05),
        dripping(answer(b"", Content_Length="", Transfer_Encoding="chunked"), b"1\r\nx\r\n", 0.05),
    ],
)
def test_a_slow_drip_ends_at_the_deadline(fetch: Fetch, server: Server, reply: Any) -> None:
    server.pages["/slow"] = reply
    started = time.monotonic()
    assert refused(fetch, "/slow", deadline_s=0.6) == "deadline"
    assert time.monotonic() - started < 1.5


def test_answers_that_never_become_final_end(fetch: Fetch, server: Server) -> None:
    server.pages["/wait"] = dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100, 0)
    assert refused(fetch, "/wait", deadline_s=1.0) in {"deadline", "body_too_large"}


def test_an_endless_body_ends_at_its_cap(fetch: Fetch, server: Server) -> None:
    server.pages["/endless"] = dripping(answer(b"", Content_Length=""), b"x" * 65_536, 0)
    assert refused(fetch, "/endless") == "body_too_large"


def test_a_slow_name_server_ends_at_the_deadline(fetch: Fetch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        assert refused(fetch, deadline_s=0.3, resolver=UdpResolver(silent.getsockname())) == "dns_timeout"


def test_a_closed_port_is_a_named_refusal(fetch: Fetch) -> None:
    def closed(address: str, port: int, timeout_s: float) -> socket.socket:
        return dial(address, 9, timeout_s)

    assert refused(fetch, dialer=closed) == "connect_failed"


def test_a_meta_refresh_is_not_followed_and_is_recorded(fetch: Fetch, server: Server) -> None:
    server.pages["/meta"] = answer(
        b'<meta http-equiv="refresh" content="0;url=http://127.0.0.1/"><p>Moved.</p>'
    )
    page = fetch("/meta")
    assert (page.final_url, page.text) == ("http://bank.example/meta", "Moved.")
    assert "meta_refresh" in [gap.rule for gap in page.gaps]
    assert len(server.requests) == 1


def test_the_environment_has_no_say(
    fetch: Fetch, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Server("127.0.0.1") as trap:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")
        (tmp_path / ".netrc").write_text("machine bank.example login me password secret\n")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "absent"))
        server.pages["/set"] = answer(PAGE, Set_Cookie="a=b")
        fetch("/set")
        fetch("/")
        assert trap.requests == []
    assert "cookie" not in server.requests[1].lower()
    assert "authorization" not in server.requests[1].lower()
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(("hosts", "at_most"), [(1, 2), (12, 6)], ids=["one host", "all together"])
def test_connections_are_bounded_for_a_host_and_in_total(
    server: Server, pool: ExtractionPool, hosts: int, at_most: int
) -> None:
    busy = most = 0
    lock = threading.Lock()

    def counted() -> Iterator[bytes]:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.2)
        with lock:
            busy -= 1
        yield answer(PAGE)

    server.pages |= {f"/{number}": counted for number in range(12)}
    names = {f"host{number}.example": [PUBLIC] for number in range(hosts)}
    web = WebCapture(
        resolver=FixedResolver(names),
        rule=rule,
        extraction=pool,
        dialer=lambda address, port, timeout_s: dial(address, server.port, timeout_s),
    )
    threads = [
        threading.Thread(
            target=web.fetch,
            args=(SourceRef(source_id=f"S-{at}", url=f"http://host{at % hosts}.example/{at}"),),
        )
        for at in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requests) == 12
    assert at_most / 2 < most <= at_most
