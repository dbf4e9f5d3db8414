"""A loopback relay before the real server that writes down what was asked and what the server counted."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Exchange:
    """One chat request, and the answer as the server gave it."""

    asked: dict[str, Any]
    said: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, Any] = field(default_factory=dict)
    whole: bool = False

    @property
    def fits_schema(self) -> bool:
        """Return whether the answer is one object with the schema's keys and a value each of them allows."""
        schema = self.asked["response_format"]["json_schema"]["schema"]
        try:
            value = json.loads(self.said)
        except ValueError:
            return False
        if not isinstance(value, dict) or set(value) != set(schema["properties"]):
            return False
        return all(_allowed(value[key], part) for key, part in schema["properties"].items())


def _allowed(value: Any, part: dict[str, Any]) -> bool:
    if part["type"] == "array":
        return (
            isinstance(value, list)
            and len(value) <= part["maxItems"]
            and all(_allowed(each, part["items"]) for each in value)
        )
    if not isinstance(value, str):
        return False
    return value in part["enum"] if "enum" in part else 0 < len(value) <= part["maxLength"]


@dataclass
class Relay:
    """Address of the relay and all exchanges so far."""

    url: str = ""
    exchanges: list[Exchange] = field(default_factory=list)


@contextmanager
def relayed(server: str) -> Iterator[Relay]:
    """Pass requests on to `server` for a block."""
    relay = Relay()
    target = urlsplit(server)
    handler = type("BoundHandler", (_Handler,), {"relay": relay, "target": (target.hostname, target.port)})
    front = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    front.daemon_threads = True
    thread = threading.Thread(target=front.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    relay.url = f"http://127.0.0.1:{front.server_address[1]}/v1"
    try:
        yield relay
    finally:
        front.shutdown()
        front.server_close()
        thread.join(timeout=5)


class _Handler(BaseHTTPRequestHandler):
    relay: Relay
    target: tuple[str, int]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Stay silent."""

    def do_GET(self) -> None:
        self._pass_on("GET", None, None)

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        exchange = Exchange(json.loads(content))
        self.relay.exchanges.append(exchange)
        self._pass_on("POST", content, exchange)

    def _pass_on(self, method: str, content: bytes | None, exchange: Exchange | None) -> None:
        upstream = http.client.HTTPConnection(*self.target, timeout=300)
        try:
            upstream.request(method, self.path, content, {"Content-Type": "application/json"})
            answer = upstream.getresponse()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
            self.end_headers()
            held = b""
            while part := answer.read1(65536):
                self.wfile.write(part)
                self.wfile.flush()
                held += part
            if exchange is not None:
                _note(exchange, held)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client was killed or gave up; the server is told by the closed connection
        finally:
            upstream.close()


def _note(exchange: Exchange, held: bytes) -> None:
    for line in held.splitlines():
        if not line.startswith(b"data: {"):
            continue
        chunk = json.loads(line.removeprefix(b"data: "))
        exchange.usage = chunk.get("usage") or exchange.usage
        exchange.timings = chunk.get("timings") or exchange.timings
        for choice in chunk.get("choices", ()):
            exchange.said += choice["delta"].get("content") or ""
            exchange.whole = exchange.whole or bool(choice.get("finish_reason"))
