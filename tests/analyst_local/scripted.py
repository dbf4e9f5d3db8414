"""A loopback chat server that misbehaves on order, the way real servers and models do."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted-1"


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema a request carries, wherever it stands."""
    form = body.get("response_format", {}).get("json_schema")
    if form:
        return form["schema"]
    tools = body.get("tools")
    return tools[0]["function"]["parameters"] if tools else None


def right_answer(body: dict[str, Any]) -> str:
    """Return a valid answer as a capable model would give it, from the messages alone."""
    user = body["messages"][1]["content"] if len(body["messages"]) > 1 else body["messages"][0]["content"]
    key = re.search(r'Answer: \{"(\w+)"', user)
    draft = re.search(r"Draft: (.*)", user)
    values = {
        "choice": "a",
        "choices": ["a"],
        "trend": "increasing",
        "rating": "4",
        "sentence": draft.group(1) if draft else "",
        "introduction": draft.group(1).split("(quotation)")[0] or draft.group(1) if draft else "",
    }
    return json.dumps({key.group(1): values[key.group(1)]} if key else {"hello": "hello"}, ensure_ascii=False)


def schema_answer(body: dict[str, Any]) -> str:
    """Return what a grammar built from the request's schema leaves possible."""
    schema = schema_of(body)
    if schema is None:
        return right_answer(body)
    value = {}
    told = json.loads(right_answer(body))
    for key, part in schema["properties"].items():
        value[key] = told.get(key, part.get("enum", ["x"])[0])
    return json.dumps(value, ensure_ascii=False)


@dataclass
class Scripted:
    """State of the server: what it does and what it was asked."""

    say: Callable[[dict[str, Any], int], Any]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    key: str | None = None
    location: str = "http://x.test/"
    """Where redirects point."""
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": MODEL, "owned_by": "tests"}])
    release: threading.Event = field(default_factory=threading.Event)
    active: int = 0
    most_active: int = 0


class Handler(BaseHTTPRequestHandler):
    """Serves `/v1/models` and `/v1/chat/completions`."""

    script: Scripted

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Stay silent."""

    def _key_ok(self) -> bool:
        self.script.headers.append(dict(self.headers))
        self.script.paths.append(self.path)
        return self.script.key is None or self.headers.get("Authorization") == f"Bearer {self.script.key}"

    def do_GET(self) -> None:
        if not self._key_ok():
            return self._json(401, {"error": {"message": "no"}})
        if self.path == "/v1/models":
            return self._json(200, {"data": self.script.models})
        return self._json(404, {"error": {"message": "no such page"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._key_ok():
            return self._json(401, {"error": {"message": "no"}})
        self.script.requests.append(body)
        self.script.active += 1
        self.script.most_active = max(self.script.most_active, self.script.active)
        try:
            said = self.script.say(body, len(self.script.requests) - 1)
            self._answer(said, body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client hung up, which is what several tests want
        finally:
            self.script.active -= 1
        return None

    def _json(self, status: int, value: Any, **headers: str) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, said: Any, body: dict[str, Any]) -> None:
        if isinstance(said, int):
            return self._json(
                said, {"error": {"message": "secret detail of the server"}}, Location=self.script.location
            )
        if isinstance(said, dict):
            return self._json(200, said)
        if not body.get("stream"):
            message = {"role": "assistant", "content": said}
            return self._json(200, {"choices": [{"message": message, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in [said] if isinstance(said, str) else said:
            self._event(piece)
        return None

    def _event(self, piece: Any) -> None:
        if isinstance(piece, float):
            time.sleep(piece)
            return
        if isinstance(piece, bytes):
            self.wfile.write(piece)
        else:
            delta = piece if isinstance(piece, dict) else {"content": piece}
            self.wfile.write(b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n")
            if isinstance(piece, str):
                self.wfile.write(DONE)
        self.wfile.flush()


DONE = (
    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":400,"completion_tokens":12,'
    b'"prompt_tokens_details":{"cached_tokens":300}}}\n\ndata: [DONE]\n\n'
)


def chunk(text: str) -> bytes:
    """Return one token as an event, without an end."""
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


@contextmanager
def scripted(say: Callable[[dict[str, Any], int], Any], **state: Any) -> Iterator[Scripted]:
    """Serve on a free loopback port for a block."""
    script = Scripted(say, **state)
    handler = type("BoundHandler", (Handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield script
    finally:
        script.release.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
