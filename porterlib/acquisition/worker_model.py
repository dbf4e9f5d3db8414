"""The chat model a worker runs on: an OpenAI-compatible server, and no other destination."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from porterlib.errors import InputError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

HARNESS = "porterlib"
"""Provider that worker models report; harness profiles are global to the process and keyed by it."""

_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
    }
)


def worker_model(
    *, url: str, name: str, key: str | None = None, timeout_s: float = 120.0, allow_remote: bool = False
) -> BaseChatModel:
    """Return a chat model for workers; nothing is sent.

    It obeys no proxy variables, follows no redirects, retries nothing and keeps no connection open.

    Args:
        url: base address of the server, such as `http://127.0.0.1:8000/v1`.
        name: model id.
        key: its key, sent to this address only.
        timeout_s: seconds without a byte after which a call fails.
        allow_remote: permit a server on another machine.

    Raises:
        InputError: the server is not on this machine and was not allowed.

    """
    if not (allow_remote or _is_local(url)):
        raise InputError(
            f"the model server {_origin(url)!r} is not on this machine; pass allow_remote=True to use it"
        )
    import httpx2
    from pydantic import SecretStr

    # Connections are not reused: each worker has an event loop of its own.
    options: dict[str, Any] = {
        "trust_env": False,
        "follow_redirects": False,
        "timeout": timeout_s,
        "limits": httpx2.Limits(max_keepalive_connections=0),
    }
    made: BaseChatModel = _model_class()(
        model=name,
        base_url=url,
        api_key=SecretStr(key or "none"),
        openai_proxy=None,
        http_socket_options=(),
        use_responses_api=False,
        max_retries=0,
        temperature=0.0,
        timeout=timeout_s,
        http_client=httpx2.Client(**options, event_hooks={"request": [_trim]}),
        http_async_client=httpx2.AsyncClient(**options, event_hooks={"request": [_trim_async]}),
    )
    return made


def _trim(request: Any) -> None:
    """Drop what the client library adds from the environment: organisation, project, custom headers."""
    for name in list(request.headers):
        # The client library itself looks for its own marks in the request.
        if name.lower() not in _HEADERS and not name.lower().startswith("x-stainless-"):
            del request.headers[name]
    request.headers["user-agent"] = HARNESS


async def _trim_async(request: Any) -> None:
    _trim(request)


def is_worker_model(model: Any) -> bool:
    """Return whether the harness profile of workers applies to a model."""
    params = getattr(model, "_get_ls_params", None)
    return callable(params) and params().get("ls_provider") == HARNESS


@cache
def _model_class() -> Any:
    from langchain_openai import ChatOpenAI

    class WorkerChat(ChatOpenAI):
        """ChatOpenAI under a provider name of its own."""

        def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
            return {**super()._get_ls_params(stop, **kwargs), "ls_provider": HARNESS}

    return WorkerChat


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}"
