"""An OpenAI-compatible model server that follows a script and remembers every request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Turn:
    """What the model does in one call."""

    calls: list[tuple[str, Any]] = field(default_factory=list)
    """Tool calls: name and arguments; text instead of an object is sent as it is."""
    prose: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: str | None = None
    """Body sent instead of a completion."""
    hang: bool = False
    drip: bool = False
    """Send spaces for ever, which no read timeout sees."""


Step = Turn | Callable[[Body], Turn]


def searches(*queries: str, **args: Any) -> Turn:
    return Turn([("search_public_web", {"query": query, **args}) for query in queries])


def bundle(*urls: str) -> Turn:
    rows = [{"url": url, "why": "it bears on the hypothesis"} for url in urls]
    return Turn([("ResearchBundle", {"sources": rows})])


class ModelServer:
    """Answers each completion with the next turn; the last one repeats."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.port = 0
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def tools(self, at: int) -> list[str]:
        """Return the names of the tools that one request offered."""
        return [row["function"]["name"] for row in self.requests[at].get("tools", ())]

    def told(self, at: int) -> list[Any]:
        """Return the contents of the tool messages in one request, parsed where they are JSON."""
        rows = [row["content"] for row in self.requests[at]["messages"] if row["role"] == "tool"]
        return [json.loads(row) if row.startswith("{") else row for row in rows]

    def turn(self, body: Body, headers: dict[str, str]) -> Turn:
        self.requests.append(body)
        self.headers.append(headers)
        step = self.script[min(len(self.requests), len(self.script)) - 1]
        return step if isinstance(step, Turn) else step(body)


def completion(turn: Turn, number: int) -> Body:
    calls = [
        {
            "id": f"call-{number}-{place}",
            "type": "function",
            "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for place, (name, args) in enumerate(turn.calls)
    ]
    message: Body = {"role": "assistant", "content": turn.prose or None}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": f"c-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": 100 + number,
            "completion_tokens": 7,
            "total_tokens": 107 + number,
            "prompt_tokens_details": {"cached_tokens": 40},
        },
    }


@contextmanager
def serving_model(server: ModelServer) -> Iterator[ModelServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            turn = server.turn(body, {k.lower(): v for k, v in self.headers.items()})
            try:
                self._send(turn)
            except OSError:
                self.close_connection = True  # the client gave up, which some tests are about

        def _send(self, turn: Turn) -> None:
            if turn.hang:
                server.closing.wait(30)
                self.close_connection = True
                return
            content = (turn.raw or json.dumps(completion(turn, len(server.requests)))).encode()
            self.send_response(turn.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(1_000_000 if turn.drip else len(content)))
            for name, value in turn.headers.items():
                self.send_header(name, value)
            self.end_headers()
            while turn.drip and not server.closing.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()
            self.wfile.write(content)

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    server.port = httpd.server_port
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()
