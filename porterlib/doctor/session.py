"""One sitting of the doctor: requests to one endpoint, and the probes noted so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from porterlib.analyst.local.asking import Asker
from porterlib.analyst.local.endpoint import Endpoint
from porterlib.analyst.local.running import Runner
from porterlib.analyst.local.wire import Clocks, Reply, fetch_json, fetch_reply
from porterlib.contracts.model import CapabilityProfile, Probe, Verdict

PLAIN_TOKENS = 48
PROBE_CLOCKS = Clocks(first_token_s=120.0, idle_s=30.0, total_s=180.0)


def quiet(line: str) -> None:
    """Show nothing."""
    del line


@dataclass
class Session:
    """Endpoint, model and what was noted."""

    endpoint: Endpoint
    show: Callable[[str], None] = quiet
    model: str = ""
    probes: list[Probe] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    """Members added to every request, e.g. the switch that stops thinking."""
    runner: Runner = field(default_factory=Runner)
    clocks: Clocks = PROBE_CLOCKS

    def note(self, name: str, verdict: Verdict, value: str = "", advice: str = "") -> None:
        """Add a probe to the table."""
        self.probes.append(Probe(name=name, verdict=verdict, value=value, advice=advice))
        self.show(f"{name}: {verdict}" + (f" ({value})" if value else ""))

    def get(self, path: str, endpoint: Endpoint | None = None) -> tuple[int, Any, str]:
        """Return status, document and server name of a GET below the base address."""
        return self.runner.run(fetch_json(endpoint or self.endpoint, path))

    def chat(
        self,
        user: str,
        *,
        system: str = "",
        max_tokens: int = PLAIN_TOKENS,
        more: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the reply to one message."""
        messages = [{"role": "system", "content": system}] if system else []
        body = {
            "model": self.model,
            "messages": [*messages, {"role": "user", "content": user}],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self.extra,
            **(more or {}),
        }
        return self.runner.run(fetch_reply(self.endpoint, body, self.clocks))

    def chat_at_once(self, users: Sequence[str], *, max_tokens: int) -> list[Reply]:
        """Return the replies to several messages sent together."""
        with ThreadPoolExecutor(len(users)) as pool:
            return list(pool.map(lambda user: self.chat(user, max_tokens=max_tokens), users))

    def asker(self, profile: CapabilityProfile) -> Asker:
        """Return what asks the pipeline's questions with a profile."""
        return Asker(self.endpoint, profile, runner=self.runner)
