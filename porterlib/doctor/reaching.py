"""Probes that need no generation: reachable, model listed, key accepted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from porterlib.doctor.session import Session

WRONG_KEY = SecretStr("porterlib-doctor-wrong-key")
"""Sent once, to the endpoint's own origin, to see whether the server checks keys at all."""
_DETAIL = ("size", "n_params", "n_ctx_train", "quantization", "owned_by", "root")


def probe_reachable(session: Session, wanted: str | None) -> Mapping[str, Any] | None:
    """Choose the model and return its entry in the server's list; None when no run is possible."""
    status, document, _ = session.get("/models")
    if status == 0:
        session.note("reachable", "bad", "no answer", "start the server, or correct the URL and port")
        return None
    if status in (401, 403):
        session.note("reachable", "good", f"HTTP {status}")
        session.note(
            "key", "bad", f"refused with HTTP {status}", "set PORTERLIB_MODEL_KEY to the server's key"
        )
        return None
    entries = _entries(document)
    if status != 200 or entries is None:
        advice = "the base URL usually ends in /v1; redirects are not followed"
        session.note("reachable", "bad", f"HTTP {status}, no list of models", advice)
        return None
    session.note("reachable", "good", f"{len(entries)} models")
    ids = [str(entry["id"]) for entry in entries]
    chosen = wanted or (ids[0] if ids else "")
    entry = next((entry for entry in entries if entry["id"] == chosen), None)
    if entry is None:
        session.note(
            "model", "bad", f"{chosen!r} is not listed", f"choose one of: {', '.join(ids[:6]) or 'none'}"
        )
        return None
    session.model = chosen
    session.note("model", "good", chosen)
    return entry


def probe_key(session: Session) -> None:
    """Tell a server that checks keys from one that takes any."""
    if session.endpoint.key is None:
        session.note("key", "good", "none needed")
        return
    status, _, _ = session.get("/models", dataclasses.replace(session.endpoint, key=WRONG_KEY))
    if status in (401, 403):
        session.note("key", "good", "accepted; a wrong one is refused")
    else:
        session.note(
            "key", "usable", "the server takes any key", "whoever reaches the port can use the model"
        )


def detail_of(entry: Mapping[str, Any]) -> str:
    """Return what a server lists of a model besides its id, to notice when it changes."""
    meta = entry.get("meta")
    sources = [entry, meta if isinstance(meta, Mapping) else {}]
    found = {name: source[name] for source in sources for name in _DETAIL if source.get(name) is not None}
    return " ".join(f"{name}={found[name]}" for name in sorted(found))[:200]


def reported_context(session: Session, entry: Mapping[str, Any]) -> int | None:
    """Return the tokens a request may have as the server tells it, from any of the known places."""
    meta = entry.get("meta")
    told = [
        entry.get(name)
        for name in ("max_model_len", "loaded_context_length", "max_context_length", "context_length")
    ]
    told.append(meta.get("n_ctx") if isinstance(meta, Mapping) else None)
    root = dataclasses.replace(session.endpoint, path=session.endpoint.path.removesuffix("/v1"))
    status, props, _ = session.get("/props", root)
    if status == 200 and isinstance(props, Mapping):
        settings = props.get("default_generation_settings")
        told.insert(0, settings.get("n_ctx") if isinstance(settings, Mapping) else None)
    return next((value for value in told if isinstance(value, int) and value >= 256), None)


def _entries(document: Any) -> list[Mapping[str, Any]] | None:
    listed = document.get("data") if isinstance(document, Mapping) else None
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]
