"""Gives a run its analyst: checked endpoint, the stored profile, or a quick diagnosis where none fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import SecretStr

from porterlib.analyst.local import LocalAnalyst, ModelServerError, check_endpoint, load_profile
from porterlib.analyst.local.endpoint import DEFAULT_URL, Resolver, system_resolver
from porterlib.doctor.diagnosis import diagnose
from porterlib.doctor.reaching import detail_of, probe_reachable
from porterlib.doctor.session import Session, quiet


def connect(
    url: str = DEFAULT_URL,
    *,
    model: str | None = None,
    key: SecretStr | None = None,
    allow_remote: bool = False,
    show: Callable[[str], None] = quiet,
    folder: Path | None = None,
    resolver: Resolver = system_resolver,
) -> LocalAnalyst:
    """Return an analyst for a model server; `supervise` binds it to its run.

    A stored profile of this very model is used; a changed or unknown model is measured first, in short.

    Raises:
        EndpointRefused: the address may not be used.
        ModelServerError: the server cannot be used; the message says what to do.

    """
    endpoint = check_endpoint(url, key=key, allow_remote=allow_remote, resolver=resolver)
    session = Session(endpoint, show)
    entry = probe_reachable(session, model)
    if entry is None:
        raise _unusable(session.probes[-1].name, session.probes[-1].value, session.probes[-1].advice)
    profile = load_profile(endpoint.origin, session.model, detail=detail_of(entry), folder=folder)
    if profile is None:
        show(f"no profile of {session.model} is stored; measuring")
        report = diagnose(
            url,
            model=session.model,
            key=key,
            allow_remote=allow_remote,
            full=False,
            show=show,
            folder=folder,
            resolver=resolver,
        )
        if report.profile is None or not report.usable:
            bad = next(probe for probe in report.probes if probe.verdict == "bad")
            raise _unusable(bad.name, bad.value, bad.advice)
        profile = report.profile
    return LocalAnalyst(endpoint, profile)


def _unusable(name: str, value: str, advice: str) -> ModelServerError:
    return ModelServerError(
        name, f"model server cannot be used: {name} ({value}); {advice or 'run porterlib doctor'}"
    )
