"""Addresses are judged as they are written; what a lenient parser would repair is refused."""

from __future__ import annotations

import csv
import json
from ipaddress import IPv6Address
from pathlib import Path

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.capture import canonicalise, check_url, judge_url
from porterlib.capture.addresses import _V4_TABLE, _V6_TABLE, address_rule, host_rule
from porterlib.capture.urls import follow
from porterlib.errors import CaptureRefused


def security(shared: Path, name: str) -> Path:
    return shared / "data" / "security" / name


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("ftp://example.com/", "url_scheme"),
        ("javascript:alert(1)", "url_scheme"),
        ("file:///etc/passwd", "url_scheme"),
        ("//example.com/", "url_form"),
        ("http:example.com", "url_form"),
        ("http:/example.com", "url_form"),
        ("", "url_form"),
        ("http://", "host_empty"),
        ("http:///x", "host_empty"),
        ("http://user@example.com/", "userinfo"),
        ("http://@example.com/", "userinfo"),
        ("http://example.com\\@evil.example/", "url_backslash"),
        ("http://example.com/a b", "url_control"),
        (" http://example.com/", "url_control"),
        ("http://example.com/\t", "url_control"),
        ("http://exa\u00admple.com/", "url_control"),
        ("http://ex%61mple.com/", "host_percent"),
        ("http://example.com:8080/", "port"),
        ("http://example.com:/", "port"),
        ("http://example.com:0080/", "port"),
        ("http://example.com:80:80/", "port"),
        ("http://0x7f.1/", "host_form"),
        ("http://2130706433/", "host_form"),
        ("http://127.1/", "host_form"),
        ("http://0177.0.0.1/", "host_form"),
        ("http://1.2.3.4./", "host_form"),
        ("http://example.com./", "host_form"),
        ("http://a..example/", "host_form"),
        ("http://-a.example/", "host_form"),
        ("http://a_b.example/", "host_form"),
        ("http://①②⑦.⓪.⓪.①/", "host_idna"),
        ("http://127。0。0。1/", "host_form"),
        ("http://ｅxample.com/", "host_idna"),
        ("http://xn--a.example/", "host_idna"),
        (f"http://{'a' * 64}.example/", "host_length"),
        (f"http://{'a.' * 130}example/", "host_length"),
        ("http://localhost/", "host_local"),
        ("http://printer/", "host_local"),
        ("http://db.internal/", "host_local"),
        ("http://nas.home.arpa/", "host_local"),
        ("http://[::1%25lo]/", "host_percent"),
        ("http://[0:0:0:0:0:0:0:1]/", "host_form"),
        ("http://[::1/", "port"),
        ("http://example.com/" + "a" * 2048, "url_too_long"),
    ],
)
def test_spellings_that_are_not_plain_are_refused_by_name(url: str, rule: str) -> None:
    verdict = judge_url(url)
    assert (verdict.allowed, verdict.rule, verdict.url) == (False, rule, "")


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("HTTPS://Example.COM/Path?q#frag", "example.com", 443),
        ("http://bücher.example/", "xn--bcher-kva.example", 80),
        ("http://xn--bcher-kva.example:80/", "xn--bcher-kva.example", 80),
        ("https://faß.example/", "xn--fa-hia.example", 443),
        ("http://93.184.216.34/", "93.184.216.34", 80),
        ("http://[2606:4700:4700::1111]/", "2606:4700:4700::1111", 80),
        ("https://example.com:80/", "example.com", 80),
    ],
)
def test_plain_addresses_are_allowed_with_their_ascii_host(url: str, host: str, port: int) -> None:
    verdict = judge_url(url)
    assert (verdict.allowed, verdict.ascii_host, verdict.port) == (True, host, port)
    assert "#" not in verdict.url


def test_every_url_that_the_standard_refuses_is_refused(shared_dir: Path) -> None:
    cases = json.loads(security(shared_dir, "url/urltestdata.json").read_text())
    failing = [case for case in cases if isinstance(case, dict) and case.get("failure")]
    assert len(failing) == 267
    assert [case["input"] for case in failing if judge_url(case["input"]).allowed] == []
    for case in failing:
        if (case.get("base") or "").startswith("http"):
            with pytest.raises(CaptureRefused):
                follow(case["base"], case["input"])


def test_what_is_allowed_has_the_host_that_a_browser_would_contact(shared_dir: Path) -> None:
    cases = json.loads(security(shared_dir, "url/urltestdata.json").read_text())
    for case in cases:
        if (
            isinstance(case, dict)
            and not case.get("failure")
            and (verdict := judge_url(case["input"])).allowed
        ):
            assert verdict.url == case["href"].partition("#")[0]
            assert verdict.ascii_host == case["hostname"].strip("[]")


def test_hosts_that_have_no_ascii_form_are_refused(shared_dir: Path) -> None:
    cases = [
        case
        for case in json.loads(security(shared_dir, "url/toascii.json").read_text())
        if isinstance(case, dict)
    ]
    refused = [case["input"] for case in cases if case["output"] is None]
    assert len(refused) == 19
    assert [host for host in refused if judge_url(f"http://{host}.example/").allowed] == []
    for case in cases:
        verdict = judge_url(f"https://{case['input']}.example/x")
        if verdict.allowed:
            assert verdict.ascii_host == f"{case['output']}.example".lower()


def test_host_spellings_that_getaddrinfo_would_accept_are_refused_before_any_lookup(shared_dir: Path) -> None:
    with security(shared_dir, "ip/host_forms_getaddrinfo.csv").open() as file:
        hosts = [row["host_json_escaped"] for row in csv.DictReader(file)]
    assert len(hosts) == 19
    for escaped in hosts:
        host = json.loads(f'"{escaped}"')
        written = f"[{host}]" if ":" in host else host
        assert not check_url(f"http://{written}/", {host: ["93.184.216.34"]})["allowed"], host


def test_every_address_of_the_matrix_gets_its_verdict(shared_dir: Path) -> None:
    with security(shared_dir, "ip/ip_matrix.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 64
    wrong = [
        row["address"]
        for row in rows
        if (address_rule(row["address"]) == "ok") != (row["expected"] == "allow")
    ]
    assert wrong == []
    for row in rows:
        assert check_url("http://host.example/", {"host.example": [row["address"]]})["allowed"] is (
            row["expected"] == "allow"
        )


def test_every_recommended_range_is_covered_to_its_boundaries(shared_dir: Path) -> None:
    from ipaddress import ip_network

    ranges = json.loads(security(shared_dir, "ip/antissrf_recommendedV1.json").read_text())["cidr"]
    for network in map(ip_network, ranges):
        assert address_rule(str(network[0])) != "ok", network
        assert address_rule(str(network[-1])) != "ok", network


@pytest.mark.parametrize("network", [net for net, _ in (*_V4_TABLE, *_V6_TABLE)], ids=str)
def test_the_table_ends_where_it_says(network: object) -> None:
    inside = (network[0], network[-1])  # type: ignore[index]
    assert all(address_rule(str(address)) != "ok" for address in inside)
    tables = [net for net, _ in (*_V4_TABLE, *_V6_TABLE)]
    for neighbour in (
        inside[0] - 1 if int(inside[0]) else None,
        inside[1] + 1 if int(inside[1]) < 2**32 - 1 else None,
    ):
        if neighbour is not None and neighbour.version == 4 and not any(neighbour in net for net in tables):
            assert address_rule(str(neighbour)) == "ok"


@pytest.mark.parametrize(
    "address", ["", "localhost", "127.1", "fe80::1%eth0", "1.2.3.4/8", "0x7f000001", "::ffff:8.8.8.8"]
)
def test_what_is_no_plain_public_address_is_refused(address: str) -> None:
    assert address_rule(address) != "ok"


def test_one_bad_address_refuses_the_host() -> None:
    assert host_rule(["8.8.8.8", "1.1.1.1"]) == "ok"
    assert host_rule(["8.8.8.8", "127.0.0.1"]) == "address_loopback"
    assert host_rule([]) == "unresolved"
    assert check_url("https://a.example/", {})["rule"] == "unresolved"
    assert check_url("https://bücher.example/", {"xn--bcher-kva.example": ["8.8.8.8"]})["allowed"]
    assert check_url("https://10.0.0.1/", {"10.0.0.1": ["8.8.8.8"]})["rule"] == "address_private"


def test_redirect_payloads_lead_nowhere_unjudged(shared_dir: Path) -> None:
    base = "https://public.example/start"
    payloads = security(shared_dir, "url/openredirects.txt").read_text().splitlines()
    assert len(payloads) > 50
    for payload in payloads:
        try:
            target = follow(base, payload)
        except CaptureRefused as refused:
            assert refused.rule  # noqa: PT017 - both ways are right, an unjudged target is not
            continue
        assert judge_url(target).allowed
        assert ada_url.URL(target).hostname == ada_url.URL(ada_url.join_url(base, payload)).hostname


@pytest.mark.parametrize(
    ("base", "location", "outcome"),
    [
        ("https://a.example/x/y", "z?q=1#f", "https://a.example/x/z?q=1"),
        ("https://a.example/x", "/y", "https://a.example/y"),
        ("https://a.example/x", "//b.example/", "https://b.example/"),
        ("http://a.example/x", "//b.example/", "http://b.example/"),
        ("http://a.example/x", "https://b.example/", "https://b.example/"),
        ("https://a.example/x", "http://a.example/", "downgrade"),
        ("https://a.example/x", "", "redirect_empty"),
        ("https://a.example/x", "/\t/b.example", "url_control"),
        ("https://a.example/x", "/\\b.example", "url_backslash"),
        ("https://a.example/x", "https:b.example", "url_form"),
        ("https://a.example/x", "//u@b.example", "userinfo"),
        ("https://a.example/x", "data:text/html,x", "url_scheme"),
        ("https://a.example/x", "//b.example:8443/", "port"),
    ],
)
def test_redirects_are_read_as_written(base: str, location: str, outcome: str) -> None:
    if "/" in outcome:
        assert follow(base, location) == outcome
    else:
        with pytest.raises(CaptureRefused) as refused:
            follow(base, location)
        assert refused.value.rule == outcome


@pytest.mark.parametrize(
    ("url", "one_form"),
    [
        ("HTTP://Example.com:80/a/../b?utm_source=x&b=2&a=1#part", "http://example.com/b?a=1&b=2"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/?", "https://example.com/"),
        ("https://example.com/?gclid=1&fbclid=2&mc_cid=3", "https://example.com/"),
        ("https://example.com/a%7eb?x=%2f", "https://example.com/a~b?x=%2F"),
        ("https://example.com/?b=1&a=2&b=0", "https://example.com/?a=2&b=1&b=0"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        (
            "https://eur-lex.europa.eu/legal-content/EN/TXT/HTML/?uri=CELEX:32022R2554#cpt_V",
            "https://eur-lex.europa.eu/legal-content/EN/TXT/HTML/?uri=CELEX:32022R2554",
        ),
    ],
)
def test_a_url_has_one_form(url: str, one_form: str) -> None:
    assert canonicalise(url) == one_form
    assert canonicalise(one_form) == one_form


def test_fragments_are_kept_where_a_corpus_needs_them() -> None:
    url = "https://eur-lex.europa.eu/x?b=1&a=2#cpt_V"
    assert canonicalise(url, keep_fragment=True) == "https://eur-lex.europa.eu/x?a=2&b=1#cpt_V"
    with pytest.raises(CaptureRefused, match="userinfo"):
        canonicalise("https://a@b.example/")


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=60), st.sampled_from(["http://", "https://", "https://a.example/", "https://a.example?"])
)
def test_any_text_is_judged_and_its_one_form_is_stable(text: str, start: str) -> None:
    verdict = judge_url(start + text)
    assert verdict.allowed == (verdict.rule == "ok")
    if verdict.allowed:
        once = canonicalise(start + text)
        assert canonicalise(once) == once
        assert judge_url(once).ascii_host == verdict.ascii_host


@pytest.mark.parametrize("spelled", ["::ffff:7f00:1", "::ffff:127.0.0.1"], ids=["before 3.13", "from 3.13"])
def test_a_mapped_address_has_the_browsers_form_however_python_spells_it(
    monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    assert ada_url.URL("http://[::ffff:127.0.0.1]/").hostname == "[::ffff:7f00:1]"
    monkeypatch.setattr(IPv6Address, "__str__", lambda _: spelled)
    assert judge_url("http://[::ffff:7f00:1]/").ascii_host == "::ffff:7f00:1"
    assert judge_url("http://[::ffff:127.0.0.1]/").rule == "host_form"
