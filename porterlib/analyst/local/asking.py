"""Asks one structured question: by the profile's transports, with at most two repairs, and a full account."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Any

from porterlib.analyst.base import Offer
from porterlib.analyst.local.budget import Budget
from porterlib.analyst.local.endpoint import Endpoint
from porterlib.analyst.local.extract import AnswerRejected, extract_object
from porterlib.analyst.local.prompts import Prompt
from porterlib.analyst.local.running import Runner
from porterlib.analyst.local.wire import Clocks, Reply, fetch_reply
from porterlib.contracts.model import CapabilityProfile, Transport

MAX_REPAIRS = 2
MAX_COMPLETION_TOKENS = 300
DOWN_AFTER = 3
"""Questions in a row that failed for the server's sake after which it counts as down."""
TOOL = "answer"
FATAL = frozenset({"unreachable", "unauthorised", "redirect", "not_found", "broken"})
"""Failures that another request would only repeat."""
SERVER_SIDE = FATAL | {"busy", "server_error", "first_token_timeout", "idle_timeout", "total_timeout"}
_FORM = frozenset(
    {
        "empty",
        "not_json",
        "cut_off",
        "ambiguous",
        "length",
        "endless",
        "invalid",
        "not_offered",
        "no_tool_call",
    }
)
"""Refusals for the answer's form, as against a well-formed sentence that its sources do not carry."""


@dataclass
class Account:
    """What asking one question took."""

    value: Any = None
    answered: bool = False
    transport: Transport | None = None
    requests: int = 0
    repairs: int = 0
    failures: list[str] = field(default_factory=list)
    valid_first: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    longest_completion: int = 0
    seconds: float = 0.0
    dropped: int = 0
    thinking_chars: int = 0

    def add(self, reply: Reply) -> None:
        """Add one request."""
        self.requests += 1
        self.prompt_tokens += reply.prompt_tokens
        self.cached_tokens += min(reply.cached_tokens, reply.prompt_tokens)
        self.completion_tokens += reply.completion_tokens
        self.longest_completion = max(self.longest_completion, reply.completion_tokens)
        self.seconds = round(self.seconds + reply.seconds, 4)
        self.thinking_chars += len(reply.thinking)

    @property
    def reason(self) -> str:
        """Return why there is no answer: the code of the last failure."""
        return (
            "" if self.answered else (self.failures[-1].partition(":")[0] if self.failures else "not_asked")
        )


class Asker:
    """Puts prompts to one model on one endpoint."""

    def __init__(
        self, endpoint: Endpoint, profile: CapabilityProfile, *, runner: Runner | None = None
    ) -> None:
        self.endpoint, self.profile = endpoint, profile
        self.runner = runner or Runner()
        self._clocks = Clocks(profile.first_token_s, profile.idle_s, profile.total_s)
        self.slots = BoundedSemaphore(profile.slots)
        self._budget = Budget(profile.context_tokens, profile.chars_per_token)
        self._failed_in_a_row = 0

    @property
    def down(self) -> bool:
        """Return whether the server failed so often in a row that asking on would only cost time."""
        return self._failed_in_a_row >= DOWN_AFTER

    def ask(self, prompt: Prompt) -> Account:
        """Return the answer with its account; refusals of the server and of the model are data.

        The caller holds one of `slots` until it has recorded the answer, so that a crash loses no more answers
        than requests may run at once.

        Raises:
            CallsCancelled: the calls were cancelled.

        """
        account = Account()
        shown = self._budget.fit(prompt, schema_chars=len(json.dumps(prompt.schema)))
        if shown is None:
            account.failures.append("over_context")
            return account
        account.dropped = len(prompt.statements) - len(shown)
        if self.down:
            account.failures.append("server_down")
            return account
        self._tries(prompt, shown, account)
        failed = not account.answered and account.reason in SERVER_SIDE
        self._failed_in_a_row = self._failed_in_a_row + 1 if failed else 0
        return account

    def _tries(self, prompt: Prompt, shown: Sequence[Offer], account: Account) -> None:
        user = prompt.user(shown)
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]
        transports = list(self.profile.transports)
        for attempt in range(1 + MAX_REPAIRS):
            account.transport = transports[0]
            body = self.body(messages, transports[0], prompt.schema_for(shown), prompt.max_tokens)
            # A repair at temperature 0 mostly repeats the refused answer word for word.
            body |= {"temperature": 0.7 if account.repairs else 0, "seed": 7 + account.repairs}
            reply = self.runner.run(fetch_reply(self.endpoint, body, self._clocks))
            account.add(reply)
            self._budget.learn("".join(m["content"] for m in messages), reply.prompt_tokens)
            try:
                account.value = prompt.parse(read_answer(reply, prompt.key), shown)
            except AnswerRejected as rejected:
                account.failures.append(rejected.code)
                account.valid_first = account.valid_first or (
                    attempt == 0 and rejected.code not in _FORM | SERVER_SIDE
                )
                if rejected.code in FATAL or rejected.code.endswith("_timeout"):
                    return
                if rejected.code == "bad_request" and len(transports) > 1:
                    transports.pop(0)  # the server refuses this form of asking: the next one of the profile
                if attempt < MAX_REPAIRS and rejected.code not in SERVER_SIDE | {
                    "bad_request",
                    "over_context",
                }:
                    account.repairs += 1
                    messages = [messages[0], {"role": "user", "content": user + _repair(rejected, prompt)}]
                continue
            account.answered = True
            account.valid_first = account.valid_first or attempt == 0
            return

    def body(
        self,
        messages: Sequence[Mapping[str, str]],
        transport: Transport,
        schema: Mapping[str, Any],
        max_tokens: int,
    ) -> dict[str, Any]:
        """Return the request body of one transport."""
        body: dict[str, Any] = {
            "model": self.profile.model,
            "messages": list(messages),
            "max_tokens": min(max_tokens, MAX_COMPLETION_TOKENS),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.profile.thinking_off:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        elif self.profile.thinking != "none":
            body["max_tokens"] = MAX_COMPLETION_TOKENS  # thinking takes its share of the limit
        if transport == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": TOOL, "strict": True, "schema": dict(schema)},
            }
        elif transport == "forced_tool":
            function = {"name": TOOL, "description": "Gives the answer.", "parameters": dict(schema)}
            body["tools"] = [{"type": "function", "function": function}]
            body["tool_choice"] = {"type": "function", "function": {"name": TOOL}}
        return body


def read_answer(reply: Reply, key: str) -> Any:
    """Return the value under `key` of the reply's one JSON object, wherever the server put it.

    Raises:
        AnswerRejected: the request failed, or there is no such object.

    """
    if reply.failure and reply.failure not in {"length", "endless", "cut_off"}:
        raise AnswerRejected(reply.failure, "there was no answer")
    text = reply.tool_arguments if reply.tool_arguments.strip() else reply.content
    try:
        return extract_object(text, key)[key]
    except AnswerRejected as rejected:
        # An answer that ran into a limit is told so: shorter helps, another form would not.
        if reply.failure:
            raise AnswerRejected(
                reply.failure, "the answer did not end; give the JSON object alone"
            ) from rejected
        raise


def _repair(rejected: AnswerRejected, prompt: Prompt) -> str:
    """Return the error for the model, added to the question so that the prefix stays.

    The refused answer itself is not shown again: small models repeat what they see.
    """
    return (
        f'\nAn answer was refused: {rejected}. Give one JSON object {{"{prompt.key}": …}} and nothing else.'
    )
