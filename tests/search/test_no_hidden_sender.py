"""Tracing, proxies and redirects set hostile: nothing but the allowed traffic reaches a socket.

The pipeline runs in a process of its own, so that what libraries read at import is covered too. Python's
audit events show every connection Python makes; connections of native code and of child processes, which
they do not show, would arrive at the trap that every hostile variable names.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support_servers.model import ModelServer, Turn, bundle, searches, serving_model

from porterlib.acquisition import CorpusSearch

from .pages import results_page
from .server import PageServer, Reply, SearchServer, serving

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "fixtures" / "corpora" / "bank_kyc"
ADDRESSES = (
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY http_proxy https_proxy all_proxy ftp_proxy OPENAI_PROXY "
    "OPENAI_BASE_URL OPENAI_API_BASE LANGSMITH_ENDPOINT LANGCHAIN_ENDPOINT LANGSMITH_OTEL_ENDPOINT "
    "OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT LANGGRAPH_API_URL ANTHROPIC_BASE_URL "
    "LANGFUSE_HOST PHOENIX_COLLECTOR_ENDPOINT WANDB_BASE_URL MLFLOW_TRACKING_URI HF_ENDPOINT"
).split()
SWITCHES = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_TRACING_V2": "true",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGSMITH_API_KEY": "secret-of-the-environment",
    "LANGCHAIN_API_KEY": "secret-of-the-environment",
    "LANGCHAIN_PROJECT": "hostile",
    "LANGCHAIN_CALLBACKS_BACKGROUND": "false",
    "OTEL_TRACES_EXPORTER": "otlp",
    "OTEL_METRICS_EXPORTER": "otlp",
    "OTEL_SDK_DISABLED": "false",
    "OPENAI_API_KEY": "secret-of-the-environment",
    "OPENAI_ORG_ID": "secret-of-the-environment",
    "NO_PROXY": "",
    "no_proxy": "",
}


class Trap:
    """Counts connections; no program should make one."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.heard: list[bytes] = []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(0.5)
                try:
                    self.heard.append(connection.recv(200))
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                except OSError:
                    self.heard.append(b"")

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.thread.join()


@contextmanager
def trapped() -> Iterator[Trap]:
    trap = Trap()
    try:
        yield trap
    finally:
        trap.close()


def run_child(mode: str, trap: Trap, home: Path, **given: Any) -> dict[str, Any]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    (home / ".netrc").write_text(
        "default login secret-of-the-environment password secret-of-the-environment\n"
    )
    (home / ".netrc").chmod(0o600)
    env = {
        **kept,
        **dict.fromkeys(ADDRESSES, trap.url),
        **SWITCHES,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
    }
    script = str(Path(__file__).with_name("hostile_child.py"))
    done = subprocess.run(
        [sys.executable, script, mode, json.dumps(given)],
        env=env,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_trap_hears_a_careless_program(tmp_path: Path) -> None:
    with trapped() as trap:
        run_child("control", trap, tmp_path)
        heard = b"".join(trap.heard)
    assert b"a-page.example" in heard
    assert b"POST" in heard or b"GET /info" in heard or b"/runs" in heard


@pytest.fixture
def web() -> Iterator[dict[str, Any]]:
    """Serve a web of the golden corpus: a search page, the pages themselves, and a scripted model."""
    corpus = CorpusSearch(CORPUS)
    files = {row.url.replace("https://", "http://"): CORPUS / row.file for row in corpus.documents}

    def found(form: dict[str, str]) -> Reply:
        hits = corpus.search(SimpleNamespace(text=form["q"]), 8).hits  # type: ignore[arg-type]
        return Reply(results_page([hit.url.replace("https://", "http://") for hit in hits], form["q"]))

    def model(body: dict[str, Any]) -> Turn:
        first = body["messages"][-1]["role"] == "user"
        return searches("cloud contract banks", "cloud exit cost") if first else bundle()

    with ExitStack() as stack:
        yield {
            "search": stack.enter_context(serving(SearchServer(found))),
            "pages": stack.enter_context(serving(PageServer(files))),
            "model": stack.enter_context(serving_model(ModelServer(model))),
            "stack": stack,
        }


def test_nothing_but_allowed_traffic_reaches_a_socket(web: dict[str, Any], tmp_path: Path) -> None:
    search, pages, model, stack = web["search"], web["pages"], web["model"], web["stack"]
    trap = stack.enter_context(trapped())
    moved = {"location": f"{trap.url}/elsewhere"}
    moved_search = stack.enter_context(serving(SearchServer(Reply("", 302, moved))))
    moved_model = stack.enter_context(serving_model(ModelServer(Turn(status=307, raw="{}", headers=moved))))
    found = run_child(
        "pipeline",
        trap,
        tmp_path,
        workspace=str(tmp_path / "w"),
        request=str(ROOT / "fixtures" / "requests" / "bank_kyc.yaml"),
        economics=str(ROOT / "fixtures" / "economics" / "kyc_mixed.yaml"),
        corpus=str(CORPUS),
        pages_port=pages.port,
        search_url=search.url,
        model_url=model.url,
        moved_search_url=moved_search.url,
        moved_model_url=moved_model.url,
    )
    assert trap.heard == []
    told = found["told"]
    assert told["corpus"] in ("achieved_draft", "human_required")
    assert told["web"] != "insufficient"
    assert (told["worker"], told["redirected"]) == ("agent", "model_status_307")
    assert told["moved"] == ["search_broken", "search_broken"]
    allowed = {str(server.port) for server in (pages, model, moved_model)}
    connected = {tuple(row[1:3]) for row in found["reached"] if row[0] == "socket.connect"}
    assert connected == {("127.0.0.1", port) for port in allowed}
    looked_up = {row[1] for row in found["reached"] if row[0] != "socket.connect"}
    assert looked_up <= {"127.0.0.1"}
    spoken = str((search.headers, pages.headers, model.headers, model.requests, search.forms))
    assert "secret-of-the-environment" not in spoken
    assert "Ardenvale" not in spoken
    assert pages.headers
    assert len(search.queries) == len(set(search.queries)) > 20
