"""Only this machine by resolution; any other by explicit permission, recorded; a key goes to its origin alone."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from porterlib.analyst.local import EndpointRefused, LocalAnalyst, check_endpoint
from porterlib.analyst.local.endpoint import is_loopback
from porterlib.ledger import Ledger
from tests.analyst_local.conftest import analyst, profile
from tests.analyst_local.scripted import right_answer, scripted


def fixed(*addresses: str) -> Any:
    return lambda host, port: addresses


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://127.0.0.1@evil.test/v1", "userinfo"),
        ("http://user:pw@127.0.0.1/v1", "userinfo"),
        ("http://127.0.0.1\\@evil.test/v1", "malformed"),
        ("http://127.0.0.1 /v1", "malformed"),
        ("http://127.0.0.1:99999/v1", "malformed"),
        ("http://[::1/v1", "malformed"),
        ("http://ⓛocalhost/v1", "malformed"),
        ("ftp://127.0.0.1/v1", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("127.0.0.1:8000", "scheme"),
        ("http://127.0.0.1/v1?key=abc", "query"),
        ("http://127.0.0.1/v1#x", "query"),
    ],
)
def test_a_malformed_address_is_refused_by_rule_without_being_resolved(url: str, rule: str) -> None:
    def never(host: str, port: int) -> tuple[str, ...]:
        raise AssertionError(f"resolved {host}:{port}")

    with pytest.raises(EndpointRefused) as caught:
        check_endpoint(url, resolver=never)
    assert caught.value.rule == rule
    assert "pw" not in caught.value.message


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("localhost.example.test", ("203.0.113.5",)),
        ("localhost", ("203.0.113.5",)),
        ("two-faced.test", ("127.0.0.1", "203.0.113.5")),
        ("lan.test", ("192.168.1.5",)),
        ("any.test", ("0.0.0.0",)),
        ("any6.test", ("::",)),
        ("mapped.test", ("::ffff:203.0.113.5",)),
        ("metadata.test", ("169.254.169.254",)),
    ],
)
def test_what_does_not_resolve_to_this_machine_alone_needs_permission(
    host: str, addresses: tuple[str, ...]
) -> None:
    with pytest.raises(EndpointRefused) as caught:
        check_endpoint(f"http://{host}/v1", resolver=fixed(*addresses))
    assert caught.value.rule == "remote"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "0.0.0.0", "224.0.0.1", "::ffff:169.254.169.254", "fe80::1%eth0"]
)
def test_no_permission_opens_addresses_that_serve_no_host(address: str) -> None:
    with pytest.raises(EndpointRefused, match="serves no host"):
        check_endpoint("http://x.test/v1", resolver=fixed(address), allow_remote=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_told_by_address(address: str) -> None:
    assert is_loopback(address)
    assert check_endpoint("http://whatever.test:81/v1/", resolver=fixed(address)).loopback


def test_an_unresolvable_host_is_refused() -> None:
    def fail(host: str, port: int) -> tuple[str, ...]:
        raise socket.gaierror(host)

    with pytest.raises(EndpointRefused) as caught:
        check_endpoint("http://nowhere.test/v1", resolver=fail)
    assert caught.value.rule == "unresolved"


def test_requests_go_to_the_address_that_was_checked_not_to_a_new_answer(choose: Any) -> None:
    with scripted(lambda body, at: right_answer(body)) as server:
        port = int(server.url.rsplit(":", 1)[1].split("/")[0])
        endpoint = check_endpoint(f"http://model.test:{port}/v1", resolver=fixed("::1", "127.0.0.1"))
        found = LocalAnalyst(endpoint, profile()).choose(
            choose
        )  # ::1 refuses the connection: the next is tried
    assert found.rule == "model.lead_claim"
    assert server.headers[0]["Host"] == f"model.test:{port}"


def test_the_key_is_sent_to_the_origin_and_shown_nowhere(choose: Any) -> None:
    with scripted(lambda body, at: right_answer(body), key="s3cret") as server:
        endpoint = check_endpoint(server.url, key=SecretStr("s3cret"))
        held = LocalAnalyst(endpoint, profile())
        held.choose(choose)
    assert server.headers[0]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in repr(endpoint) + str([call.to_dict() for call in held.calls]) + str(
        held.profile.to_dict()
    )


def test_a_redirect_is_not_followed_and_gives_the_key_to_nobody(choose: Any) -> None:
    with scripted(lambda body, at: right_answer(body)) as other:

        def redirect(body: dict[str, Any], at: int) -> int:
            return 307

        with scripted(redirect, location=f"{other.url}/chat/completions") as server:
            held = LocalAnalyst(check_endpoint(server.url, key=SecretStr("s3cret")), profile())
            assert held.choose(choose).stood_in
    assert held.calls[0].failures == ("redirect",)
    assert other.requests == other.headers == []


def test_proxy_and_tracing_variables_change_nothing(monkeypatch: pytest.MonkeyPatch, choose: Any) -> None:
    def trap(body: dict[str, Any], at: int) -> str:
        raise AssertionError("the proxy was used")

    with scripted(trap) as proxy, scripted(lambda body, at: right_answer(body)) as server:
        for name in (
            "HTTP_PROXY",
            "http_proxy",
            "ALL_PROXY",
            "all_proxy",
            "HTTPS_PROXY",
            "LANGSMITH_ENDPOINT",
        ):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert not analyst(server).choose(choose).stood_in
    assert proxy.paths == []


def test_a_permitted_remote_endpoint_is_recorded_before_the_first_call(tmp_path: Path) -> None:
    endpoint = check_endpoint("https://models.test/v1", resolver=fixed("203.0.113.5"), allow_remote=True)
    with Ledger.open(tmp_path, "write") as ledger:
        ledger.create_run("run-1", {"request_sha256": "0" * 64})
        for _ in range(2):
            LocalAnalyst(endpoint, profile()).bind(ledger, "run-1")
        records = ledger.records("run-1", "permission")
    assert [record.payload for record in records] == [
        {
            "what": "model_endpoint",
            "origin": "https://models.test:443",
            "addresses": ["203.0.113.5"],
            "encrypted": True,
            "granted_by": "allow_remote_model",
        }
    ]
