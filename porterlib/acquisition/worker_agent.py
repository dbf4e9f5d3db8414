"""One bounded Deep Agent: two tools on the wire, five searches, eight model calls, nothing else (rule 5.4)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from porterlib.acquisition.bundle import BundleAnswer
from porterlib.acquisition.worker_model import HARNESS
from porterlib.acquisition.worker_session import TOOL, ResearchSession
from porterlib.errors import SupervisionError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

ANSWER = "ResearchBundle"
"""Name of the tool by which a worker answers."""
_HIDDEN = frozenset(
    {"ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "execute", "task"}
)
_REFUSED = f"refused: there is no such tool; use {TOOL} or {ANSWER}"
_NO_QUERY = "refused: query must be text"


class WorkerBounds:
    """Counts what a worker does; shared by its middleware and its caller."""

    def __init__(self, session: ResearchSession, *, model_calls: int) -> None:
        self.session = session
        self.most_model_calls = model_calls
        self.model_calls = 0
        self.refused_calls = 0


def build_agent(
    model: BaseChatModel,
    bounds: WorkerBounds,
    *,
    system_prompt: str,
    on_call: Callable[[Mapping[str, Any]], None],
) -> Any:
    """Return the compiled agent.

    Args:
        model: a model made by `worker_model`.
        bounds: limits and counts.
        system_prompt: the standing instructions.
        on_call: told of each model call's seconds and tokens before its answer is used.

    """
    from deepagents import create_deep_agent
    from langchain.agents.middleware import ModelCallLimitMiddleware, ToolCallLimitMiddleware
    from langchain.agents.structured_output import ToolStrategy

    _register_harness()
    session = bounds.session
    return create_deep_agent(
        model,
        tools=[_search_tool()],
        system_prompt=system_prompt,
        response_format=ToolStrategy(_answer_schema()),
        middleware=[
            ModelCallLimitMiddleware(run_limit=bounds.most_model_calls, exit_behavior="end"),
            ToolCallLimitMiddleware(tool_name=TOOL, run_limit=session.left, exit_behavior="continue"),
            _middleware_class()(bounds, on_call),
        ],
    )


@cache
def _register_harness() -> None:
    from deepagents import GeneralPurposeSubagentProfile, HarnessProfile, register_harness_profile

    profile = HarnessProfile(
        excluded_tools=_HIDDEN,
        general_purpose_subagent=GeneralPurposeSubagentProfile(enabled=False),
        excluded_middleware=frozenset({"SummarizationMiddleware"}),
    )
    register_harness_profile(HARNESS, profile)


@cache
def _answer_schema() -> Any:
    """Return the answer's schema under the name that the model sees."""
    return create_model(ANSWER, __base__=BundleAnswer, __doc__=BundleAnswer.__doc__)


@cache
def _search_tool() -> Any:
    """Return the tool as the model sees it; its calls are answered by the session, in `awrap_tool_call`."""
    from langchain_core.tools import StructuredTool

    def unreachable(query: str, contrary: bool = False) -> str:
        raise SupervisionError(f"{TOOL} was called outside a session, with {query!r}, {contrary!r}")

    schema = create_model(
        TOOL,
        query=(str, Field(description="Up to 200 characters of public words.")),
        contrary=(bool, Field(False, description="True when it looks for evidence against the hypotheses.")),
    )
    return StructuredTool.from_function(
        unreachable, name=TOOL, description="Search the public web.", args_schema=schema
    )


@cache
def _middleware_class() -> Any:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, ToolMessage

    class WorkerMiddleware(AgentMiddleware):
        """Queues searches, withdraws the search tool, refuses every other tool, and counts."""

        def __init__(self, bounds: WorkerBounds, on_call: Callable[[Mapping[str, Any]], None]) -> None:
            super().__init__()
            self._bounds = bounds
            self._on_call = on_call

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            bounds = self._bounds
            bounds.model_calls += 1
            # A search asked for in the last call could not be used any more.
            if not bounds.session.left or bounds.model_calls >= bounds.most_model_calls:
                request = request.override(tools=[row for row in request.tools if _name(row) != TOOL])
            started = time.monotonic()
            outcome = "failed"
            usage: Mapping[str, Any] = {}
            try:
                response = await handler(request)
                outcome = "answered"
                usage = _usage(response.result)
                return response
            finally:
                seconds = round(time.monotonic() - started, 3)
                self._on_call({"number": bounds.model_calls, "outcome": outcome, "seconds": seconds, **usage})

        async def aafter_model(self, state: Any, runtime: Any) -> None:
            del runtime
            last = next((row for row in reversed(state["messages"]) if isinstance(row, AIMessage)), None)
            calls = last.tool_calls if last is not None else []
            # Counted here, since middleware of the harness may answer a call before this one sees it.
            self._bounds.refused_calls += sum(call["name"] not in (TOOL, ANSWER) for call in calls)
            self._bounds.session.announce(calls)

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            del handler  # whatever tools are registered, none of them runs
            call = request.tool_call
            query = call["args"].get("query")
            if call["name"] == TOOL and isinstance(query, str):
                told = await asyncio.to_thread(self._bounds.session.answer, str(call["id"]), query)
                return ToolMessage(told, tool_call_id=call["id"], name=TOOL)
            told = _NO_QUERY if call["name"] == TOOL else _REFUSED
            return ToolMessage(told, tool_call_id=call["id"], name=call["name"], status="error")

    return WorkerMiddleware


def _name(tool: Any) -> str:
    return str(tool.get("name", "") if isinstance(tool, dict) else tool.name)


def _usage(messages: Any) -> dict[str, int]:
    told = next((row.usage_metadata for row in messages if getattr(row, "usage_metadata", None)), None) or {}
    cached = (told.get("input_token_details") or {}).get("cache_read", 0)
    return {
        "input_tokens": int(told.get("input_tokens", 0)),
        "output_tokens": int(told.get("output_tokens", 0)),
        "cached_tokens": int(cached or 0),
    }
