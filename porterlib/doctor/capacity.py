"""Measures speed, prefix cache, concurrency and the context that really fits."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from porterlib.analyst.local.wire import Reply
from porterlib.doctor.session import Session

PREFIX_CHARS = 2_400
"""About the length of the part that all questions of a run share."""
CONTEXT_STEPS = (2_048, 4_096, 8_192, 16_384)
"""Sizes that are tried; no question of the pipeline needs more than the largest."""
GAIN = 1.25
"""Throughput gain from which more requests at once are worth it."""
_SENTENCE = (
    "The supervisor reported that {n} of the banks reviewed had updated their onboarding procedures by then. "
)


@dataclass(frozen=True)
class Speed:
    """How fast a server reads and writes, and how it cuts text into tokens."""

    reading: float | None
    writing: float | None
    chars_per_token: float
    cached: bool


def filler(chars: int) -> str:
    """Return text of about `chars` characters that begins differently each time, so that no cache helps."""
    lines = [f"Report {secrets.token_hex(4)}. "]
    while sum(map(len, lines)) < chars:
        lines.append(_SENTENCE.format(n=len(lines)))
    return "".join(lines)


def probe_speed(session: Session) -> Speed:
    """Measure reading and writing, then the same prefix again."""
    text = filler(PREFIX_CHARS)
    fresh = session.chat(f"{text}\nList three facts of this report.", max_tokens=48)
    again = session.chat(f"{text}\nName the body that reported.", max_tokens=8)
    reading, writing = _rate(fresh, "prompt"), _rate(fresh, "predicted")
    value = f"{_per_second(reading)} read, {_per_second(writing)} written"
    quick = bool(writing and writing >= 5)
    advice = (
        ""
        if quick
        else "expect a run that leaves questions to rules; use a smaller model or a faster machine"
    )
    session.note("speed", "good" if quick else "usable", value, advice)
    cached = _is_cached(fresh, again)
    share = again.cached_tokens / again.prompt_tokens if again.prompt_tokens else 0.0
    session.note(
        "prefix_cache",
        "good" if cached else "usable",
        f"{share:.0%} of a repeated prefix from cache" if again.cached_tokens else "the server does not tell",
        "" if cached else "switch prompt caching on at the server; runs read every prompt anew without it",
    )
    chars = len(text) / fresh.prompt_tokens if fresh.prompt_tokens else 3.2
    told = "counted in the stream" if fresh.prompt_tokens else "not told"
    advice = (
        "" if fresh.prompt_tokens else "costs of runs will show no tokens; update the server if it can count"
    )
    session.note("usage", "good" if fresh.prompt_tokens else "usable", told, advice)
    return Speed(reading, writing, round(max(1.0, min(chars, 6.0)), 3), cached)


def _rate(reply: Reply, part: str) -> float | None:
    told = reply.timings.get(f"{part}_per_second")
    if isinstance(told, int | float) and told > 0:
        return round(float(told), 2)
    first = reply.first_token_s
    if not first or reply.failure not in ("", "length"):
        return None
    if part == "prompt":
        return round(reply.prompt_tokens / first, 2) or None
    rest = reply.seconds - first
    return (
        round((reply.completion_tokens - 1) / rest, 2) if rest > 0 and reply.completion_tokens > 1 else None
    )


def _is_cached(fresh: Reply, again: Reply) -> bool:
    if again.cached_tokens:
        return again.cached_tokens >= 0.6 * again.prompt_tokens
    return bool(
        fresh.first_token_s and again.first_token_s and again.first_token_s < 0.5 * fresh.first_token_s
    )


def _per_second(rate: float | None) -> str:
    return f"{rate:.0f} tokens/s" if rate else "unknown"


def probe_slots(session: Session) -> int:
    """Return how many requests at once are worth it: 1, 2 or 4."""
    best, throughput = 1, _throughput(session, 1)
    for slots in (2, 4):
        tried = _throughput(session, slots)
        if tried >= GAIN * throughput and best == 1:
            # A gain may be no more than other work that paused meanwhile: one request must fall behind twice.
            throughput = max(throughput, _throughput(session, 1))
        if tried < GAIN * throughput:
            break
        best, throughput = slots, tried
    session.note("concurrency", "good", f"{best} at once")
    return best


def _throughput(session: Session, slots: int) -> float:
    users = [f"{filler(300)}\nSummarise this in one sentence." for _ in range(slots)]
    started = time.monotonic()
    replies = session.chat_at_once(users, max_tokens=24)
    if any(reply.failure not in ("", "length") for reply in replies):
        return 0.0
    return slots / max(time.monotonic() - started, 1e-6)


def probe_context(session: Session, reported: int | None, speed: Speed, *, allowance_s: float) -> int:
    """Return the tokens that fit: the largest size that was read in full, never a mere claim of the server."""
    fits, limit, note = 0, reported or CONTEXT_STEPS[-1], ""
    sizes = [step for step in CONTEXT_STEPS if step < limit] + [min(limit, CONTEXT_STEPS[-1])]
    # One text that grows: a server with a prefix cache reads only what was added.
    text, left, read = filler(int(sizes[-1] * speed.chars_per_token)), allowance_s, 0
    for size in sizes:
        wanted = int(size * 0.9) - 64
        # The smallest size is tried at any speed: without it a slow server would count as one that holds nothing.
        if fits and speed.reading and (wanted - read) / speed.reading > left:
            note = "larger sizes were not tried, reading them takes too long"
            break
        reply = session.chat(f"{text[: int(wanted * speed.chars_per_token)]}\nSay ok.", max_tokens=8)
        left -= reply.seconds
        read = wanted if speed.cached else 0
        if reply.failure not in ("", "length", "empty"):
            note = f"{size} tokens: {reply.failure}"
            break
        if reply.prompt_tokens and reply.prompt_tokens < 0.9 * wanted:
            note = f"{size} tokens are cut to {reply.prompt_tokens} without a word"
            fits = max(fits, reply.prompt_tokens)
            break
        fits = size
    told = f"{reported} told" if reported else "the server tells none"
    advice = (
        ""
        if fits >= 4_096
        else "statements are left out, lowest ranked first; load the model with a context of at least 4096 tokens"
    )
    session.note(
        "context",
        "good" if fits >= 4_096 else "usable" if fits else "bad",
        f"{fits} tokens fit; {told}" + (f"; {note}" if note else ""),
        advice,
    )
    return fits or 1_024
