"""The supervision loop as a compiled LangGraph of one node."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langsmith import tracing_context

from porterlib.contracts.supervision import RalphState


class MetaState(TypedDict):
    """What the meta-graph carries."""

    ralph_state: RalphState


class _Untraced(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph that never reports its own steps to a tracing service.

    The objective and every verdict pass through the state, and tracing is switched by the environment; so it
    is switched off where the graph begins, not where somebody remembers to.
    """

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        with tracing_context(enabled=False):
            yield from super().stream(*args, **kwargs)

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        with tracing_context(enabled=False):
            async for part in super().astream(*args, **kwargs):
                yield part


def compile_meta_graph(
    step: Callable[[RalphState], RalphState],
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph START → attempt → attempt … → END with the transitions of `step`."""

    def attempt(state: MetaState) -> MetaState:
        return {"ralph_state": step(state["ralph_state"])}

    def onward(state: MetaState) -> str:
        return "attempt" if state["ralph_state"].status == "running" else END

    builder = StateGraph(MetaState)
    builder.add_node("attempt", attempt)
    builder.add_conditional_edges(START, onward, ["attempt", END])
    builder.add_conditional_edges("attempt", onward, ["attempt", END])
    graph = builder.compile(name="ralph")
    # LangGraph has no hook for the class a builder compiles to; the layout is the same.
    graph.__class__ = _Untraced
    return graph
