"""Tells a server that enforces structure from one that follows it when told, and from one that ignores it.

Each trial asks for something the model would not do by itself: the message wants prose, or another value, while
the schema allows only values made up a moment before. Where every trial obeys the schema, the server holds it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from porterlib.analyst.local.extract import AnswerRejected, extract_object, strip_thinking
from porterlib.analyst.local.wire import Reply
from porterlib.contracts.model import CapabilityProfile, Enforcement, Thinking, Transport, Verdict
from porterlib.doctor.session import Session

_PROSE = "Reply with the single word hello. Do not write JSON, do not call a tool, write nothing else."
_VERDICTS: dict[Enforcement, tuple[Verdict, str]] = {
    "enforced": ("good", ""),
    "followed_when_told": ("usable", "the model complies when asked, the server does not hold it to it"),
    "ignored": ("usable", "accepted and ignored by the server; another way of asking is used"),
    "refused": ("usable", "the server refuses the parameter; another way of asking is used"),
    "not_measured": ("not_measured", ""),
}


def probe_thinking(session: Session) -> tuple[Thinking, bool]:
    """Return where thinking text appears and whether the usual switch stops it; the switch is then kept on."""
    reply = session.chat("What is 17 plus 25? Answer with the number.", max_tokens=200)
    if reply.failure and not reply.thinking and not reply.content:
        session.note("answers", "bad", reply.failure, "look at the server's log; it gave no text")
        return "none", False
    session.note("answers", "good", f"{reply.seconds:.1f} s")
    seen = _thinking(reply)
    if seen == "none":
        session.note("thinking", "good", "none")
        return seen, False
    switch = {"chat_template_kwargs": {"enable_thinking": False}}
    if (
        _thinking(session.chat("What is 17 plus 26? Answer with the number.", max_tokens=200, more=switch))
        == "none"
    ):
        session.extra |= switch
        session.note("thinking", "good", f"{seen}, switched off for small questions")
        return seen, True
    advice = "it is removed from answers but costs time; switch it off at the server if it can"
    session.note("thinking", "usable", seen, advice)
    return seen, False


def _thinking(reply: Reply) -> Thinking:
    if reply.thinking.strip():
        return "separate"
    return "inline" if strip_thinking(reply.content)[1] else "none"


def probe_schema(session: Session) -> Enforcement:
    """Return whether `response_format: json_schema` is enforced."""
    return _probe(session, "json_schema", _schema_body, lambda reply: reply.content)


def probe_tool(session: Session) -> Enforcement:
    """Return whether a forced tool call is enforced."""
    return _probe(session, "forced_tool", _tool_body, lambda reply: reply.tool_arguments)


def _probe(
    session: Session,
    name: str,
    body: Callable[[Mapping[str, Any]], dict[str, Any]],
    read: Callable[[Reply], str],
) -> Enforcement:
    replies = [
        _trial(session, body, read, contradict=contradict) for contradict in (False, True, False, True)
    ]
    obeyed, refused = sum(ok for ok, _ in replies), sum(failure == "bad_request" for _, failure in replies)
    found: Enforcement = "enforced" if obeyed == len(replies) else "ignored"
    if refused == len(replies):
        found = "refused"
    elif obeyed < len(replies) and (obeyed or _told(session, body, read)):
        found = "followed_when_told"
    verdict, advice = _VERDICTS[found]
    session.note(
        name,
        verdict,
        f"{found.replace('_', ' ')}; {obeyed} of {len(replies)} against the model's will",
        advice,
    )
    return found


def _trial(
    session: Session,
    body: Callable[[Mapping[str, Any]], dict[str, Any]],
    read: Callable[[Reply], str],
    *,
    contradict: bool,
) -> tuple[bool, str]:
    key, allowed, other = (f"{stem}{secrets.token_hex(2)}" for stem in ("field_", "heron-", "kestrel-"))
    want = f'The only right answer is {{"{key}": "{other}"}}. Write exactly that.' if contradict else _PROSE
    reply = session.chat(want, max_tokens=60, more=body(_schema(key, allowed)))
    return _obeys(read(reply), key, allowed), reply.failure


def _told(
    session: Session, body: Callable[[Mapping[str, Any]], dict[str, Any]], read: Callable[[Reply], str]
) -> bool:
    key, allowed = f"field_{secrets.token_hex(2)}", "heron"
    ask = f'Answer with exactly this JSON object, as the arguments of the tool if there is one: {{"{key}": "{allowed}"}}'
    return _obeys(read(session.chat(ask, max_tokens=60, more=body(_schema(key, allowed)))), key, allowed)


def _obeys(text: str, key: str, allowed: str) -> bool:
    try:
        return extract_object(text, key) == {key: allowed}
    except AnswerRejected:
        return False


def _schema(key: str, allowed: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: {"type": "string", "enum": [allowed]}},
        "required": [key],
        "additionalProperties": False,
    }


def _schema_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    form = {"name": "probe", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _tool_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    function = {
        "name": "answer",
        "description": "Gives the answer.",
        "parameters": json.loads(json.dumps(schema)),
    }
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "answer"}},
    }


def transports_for(schema: Enforcement, tool: Enforcement) -> tuple[Transport, ...]:
    """Return ways of asking, best first: what is enforced, then plain asking, then what is only followed."""
    ways: list[tuple[Transport, Enforcement]] = [("json_schema", schema), ("forced_tool", tool)]
    held = [way for way, found in ways if found == "enforced"]
    followed = [way for way, found in ways if found == "followed_when_told"]
    return (*held, "prompt", *followed)


def with_structure(profile: CapabilityProfile, schema: Enforcement, tool: Enforcement) -> CapabilityProfile:
    """Return the profile with what was found of structure."""
    return profile.model_copy(
        update={"schema_enforcement": schema, "tool_choice": tool, "transports": transports_for(schema, tool)}
    )
