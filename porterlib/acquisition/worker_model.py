"""The chat model a worker runs on: one checked endpoint, and no other destination."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from porterlib.analyst.local.endpoint import Endpoint, tls_context

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

HARNESS = "porterlib"
"""Provider that worker models report; harness profiles are global to the process and keyed by it."""
MOST_TOKENS = 1024
"""Tokens of one answer; a bundle of forty addresses fits."""
_SENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "transfer-encoding",
    }
)


def worker_model(endpoint: Endpoint, *, name: str, timeout_s: float = 120.0) -> BaseChatModel:
    """Return a chat model for workers; nothing is sent.

    It connects to the address that was checked, obeys no proxy variables, follows no redirects, retries
    nothing, keeps no connection open, and sends nothing the environment holds.

    Args:
        endpoint: a server that `check_endpoint` allowed, with its key.
        name: model id.
        timeout_s: seconds without a byte after which a call fails.

    """
    import httpx2

    base_url, headers, extensions = endpoint.target("", endpoint.addresses[0])
    trim, trim_async = _trimmers(headers, extensions)
    options: dict[str, Any] = {
        "trust_env": False,
        "follow_redirects": False,
        "timeout": timeout_s,
        "verify": tls_context(),
        # Connections are not reused: each worker has an event loop of its own.
        "limits": httpx2.Limits(max_keepalive_connections=0),
    }
    made: BaseChatModel = _model_class()(
        model=name,
        base_url=base_url,
        api_key=SecretStr("unused"),  # the checked header is sent instead
        openai_proxy=None,
        http_socket_options=(),
        use_responses_api=False,
        max_retries=0,
        temperature=0.0,
        extra_body={"max_tokens": MOST_TOKENS},
        timeout=timeout_s,
        http_client=httpx2.Client(**options, event_hooks={"request": [trim]}),
        http_async_client=httpx2.AsyncClient(**options, event_hooks={"request": [trim_async]}),
    )
    return made


def is_worker_model(model: Any) -> bool:
    """Return whether the harness profile of workers applies to a model."""
    params = getattr(model, "_get_ls_params", None)
    return callable(params) and params().get("ls_provider") == HARNESS


def _trimmers(
    headers: dict[str, str], extensions: dict[str, Any]
) -> tuple[Callable[[Any], None], Callable[[Any], Any]]:
    """Return hooks that leave a request its own headers and the endpoint's, and no others.

    The client library adds organisation, project and custom headers that it finds in the environment.
    """

    def trim(request: Any) -> None:
        for name in list(request.headers):
            # The client library itself looks for its own marks in the request.
            if name.lower() not in _SENT and not name.lower().startswith("x-stainless-"):
                del request.headers[name]
        request.headers.update({**headers, "User-Agent": HARNESS})
        request.extensions.update(extensions)

    async def trim_async(request: Any) -> None:
        trim(request)

    return trim, trim_async


@cache
def _model_class() -> Any:
    from langchain_openai import ChatOpenAI

    class WorkerChat(ChatOpenAI):
        """ChatOpenAI under a provider name of its own."""

        def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
            return {**super()._get_ls_params(stop, **kwargs), "ls_provider": HARNESS}

    return WorkerChat
