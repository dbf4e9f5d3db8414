"""The meta-graph: streaming, nesting, asynchronous use, and silence towards tracing services."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, TypedDict

import pytest

from .scripted import FAIL, PASS, Script, Verdict, start, supervisor

RETRY = [{"G-a": Verdict(FAIL, "1")}, {"G-a": Verdict(PASS)}]


def test_it_streams_every_attempt_and_works_asynchronously() -> None:
    ralph = supervisor(Script(RETRY))
    parts = list(ralph.build_meta_graph().stream({"ralph_state": start(ralph)}, stream_mode="updates"))
    assert [part["attempt"]["ralph_state"].status for part in parts] == ["running", "achieved_draft"]
    other = supervisor(Script(RETRY))
    result = asyncio.run(other.build_meta_graph().ainvoke({"ralph_state": start(other)}))
    assert result["ralph_state"].status == "achieved_draft"


def test_it_is_a_compiled_langgraph() -> None:
    from langgraph.graph.state import CompiledStateGraph

    graph = supervisor(Script(RETRY)).build_meta_graph()
    assert isinstance(graph, CompiledStateGraph)
    assert "attempt" in graph.get_graph().nodes


def test_a_nested_graph_keeps_its_own_threads() -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph

    class Own(TypedDict):
        question: str
        visits: int

    builder = StateGraph(Own)
    builder.add_node("think", lambda state: {"visits": state.get("visits", 0) + 1})
    builder.add_edge(START, "think")
    builder.add_edge("think", END)
    script = Script(RETRY)
    ralph = supervisor(script, builder.compile(checkpointer=InMemorySaver()))
    ralph.build_meta_graph().invoke({"ralph_state": start(ralph)}, {"configurable": {"thread_id": "outer"}})
    assert [output["visits"] for output in script.outputs] == [1, 1]


@pytest.fixture
def collector() -> Iterator[tuple[str, list[str]]]:
    """Run a loopback server that stands for a tracing service and keeps what it is sent."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            seen.append(self.path)
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PATCH = _answer

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_tracing_service_in_the_environment_hears_nothing(
    collector: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langgraph.graph import END, START, StateGraph

    url, seen = collector
    for name, value in {"TRACING": "true", "ENDPOINT": url, "API_KEY": "synthetic"}.items():
        monkeypatch.setenv(f"LANGSMITH_{name}", value)

    class Own(TypedDict):
        question: str

    builder = StateGraph(Own)
    builder.add_node("think", lambda state: state)
    builder.add_edge(START, "think")
    builder.add_edge("think", END)
    for use_async in (False, True):
        ralph = supervisor(Script(RETRY), builder.compile())
        graph, given = ralph.build_meta_graph(), {"ralph_state": start(ralph)}
        asyncio.run(graph.ainvoke(given)) if use_async else graph.invoke(given)
    wait_for_all_tracers()
    assert seen == []
