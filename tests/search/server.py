"""A search server on loopback that answers from a script and remembers what it was asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs


@dataclass
class Reply:
    """One answer: a page, or a way to fail."""

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    claimed: int | None = None
    """Content length that is claimed, when it is not the true one."""
    drip_s: float | None = None
    """Seconds between single bytes, without end."""
    flood: int = 0
    """Bytes sent in chunks instead of a body."""


class SearchServer:
    """Answers each form with the next reply of the script; the last one repeats."""

    def __init__(self, *script: Reply | Callable[[dict[str, str]], Reply]) -> None:
        self.script = list(script)
        self.forms: list[dict[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.port = 0
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/html/"

    @property
    def queries(self) -> list[str]:
        return [form["q"] for form in self.forms]

    def reply(self, form: dict[str, str], headers: dict[str, str]) -> Reply:
        self.forms.append(form)
        self.headers.append(headers)
        at = min(len(self.forms), len(self.script)) - 1
        step = self.script[at]
        return step if isinstance(step, Reply) else step(form)


class PageServer(SearchServer):
    """Serves files by their address, whatever host that names."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        super().__init__()
        self._files = files

    def reply(self, form: dict[str, str], headers: dict[str, str]) -> Reply:
        self.headers.append(headers)
        file = self._files.get(f"http://{headers['host']}{headers[':path']}")
        if file is None:
            return Reply(status=404)
        media = "text/html" if file.suffix == ".html" else "text/plain"
        return Reply(file.read_text(errors="replace"), headers={"content-type": f"{media}; charset=utf-8"})


@contextmanager
def serving(server: SearchServer) -> Iterator[SearchServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            form = {name: values[0] for name, values in parse_qs(sent, keep_blank_values=True).items()}
            headers = {k.lower(): v for k, v in self.headers.items()}
            reply = server.reply(form, {**headers, ":path": self.path})
            server.closing.wait(reply.delay_s)
            try:
                self._send(reply)
            except OSError:
                self.close_connection = True  # the client gave up, which some tests are about

        def _send(self, reply: Reply) -> None:
            body = reply.body.encode()
            self.send_response(reply.status)
            length = reply.flood or (1_000 if reply.drip_s else len(body))
            self.send_header("content-length", str(reply.claimed if reply.claimed is not None else length))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.drip_s is not None:
                until = time.monotonic() + 20
                while not server.closing.wait(reply.drip_s) and time.monotonic() < until:
                    self.wfile.write(b"<")
                    self.wfile.flush()
            for _ in range(reply.flood // 65_536):
                self.wfile.write(b"x" * 65_536)
            self.wfile.write(body)
            if reply.claimed is not None:
                self.close_connection = True

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
