"""Runs all probes in order and puts the capability profile together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from porterlib.analyst.local.endpoint import DEFAULT_URL, Endpoint, Resolver, check_endpoint, system_resolver
from porterlib.analyst.local.problems import EndpointRefused
from porterlib.analyst.local.profiles import save_profile
from porterlib.analyst.local.shares import SPLIT
from porterlib.clock import Clock, SystemClock
from porterlib.contracts.model import (
    FORMS,
    STAGES,
    CapabilityProfile,
    DoctorReport,
    Form,
    Qualification,
    Stage,
)
from porterlib.doctor.capacity import probe_context, probe_slots, probe_speed
from porterlib.doctor.qualifying import load_items, qualify
from porterlib.doctor.reaching import detail_of, probe_key, probe_reachable, reported_context
from porterlib.doctor.session import Session, quiet
from porterlib.doctor.structure import probe_schema, probe_thinking, probe_tool, with_structure

CONTEXT_ALLOWANCE_S = 90.0
SAFETY = 0.85
"""Statements hold more figures and names than the text the length of a token was measured on."""
SAMPLE = 8
"""Labelled questions of the quick check on real question forms."""
VALID_SHARE = 0.8
"""Share of valid answers after repair from which runs are not blocked for stand-ins (at most 20 % of a run)."""
_ENOUGH = 200
"""Calls that fit into a run's time from which no stage needs a limit."""


def diagnose(
    url: str = DEFAULT_URL,
    *,
    model: str | None = None,
    key: SecretStr | None = None,
    allow_remote: bool = False,
    full: bool = True,
    store: bool = True,
    show: Callable[[str], None] = quiet,
    clock: Clock | None = None,
    folder: Path | None = None,
    resolver: Resolver = system_resolver,
) -> DoctorReport:
    """Probe a server and store what was measured.

    Args:
        url: OpenAI-compatible base address.
        model: model id; the server's first if absent.
        key: sent to this endpoint's origin alone.
        allow_remote: permits an endpoint outside this machine.
        full: asks the whole labelled set; otherwise a sample that shows whether question forms work.
        store: writes the profile.
        show: told of each probe as it ends.
        clock: source of the date.
        folder: where profiles lie, for tests.
        resolver: turns the host into addresses.

    Faults of the server are verdicts in the report, never exceptions.

    """
    at = (clock or SystemClock()).now()
    try:
        endpoint = check_endpoint(url, key=key, allow_remote=allow_remote, resolver=resolver)
    except EndpointRefused as refused:
        session = Session(Endpoint(url, "http", "", 0, "", (), loopback=False), show)
        session.note("endpoint", "bad", refused.rule, refused.message)
        # A refused address may hold a password; only the rule is repeated.
        return DoctorReport(url="(refused)", at=at, probes=tuple(session.probes))
    session = Session(endpoint, show)
    where = "this machine" if endpoint.loopback else "another machine, permitted"
    session.note("endpoint", "good", f"{where} ({', '.join(endpoint.addresses)})")
    entry = probe_reachable(session, model)
    profile = qualification = None
    if entry is not None:
        probe_key(session)
        draft = CapabilityProfile(
            model=session.model,
            origin=endpoint.origin,
            server=str(entry.get("owned_by") or "")[:80],
            measured_at=at,
            model_detail=detail_of(entry),
        )
        profile, qualification = _measure(session, draft, entry, full=full)
    path = save_profile(profile, folder) if profile and store else None
    return DoctorReport(
        url=url,
        model=session.model,
        at=at,
        probes=tuple(session.probes),
        profile=profile,
        qualification=qualification,
        profile_path=str(path or ""),
    )


def _measure(
    session: Session, draft: CapabilityProfile, entry: Mapping[str, Any], *, full: bool
) -> tuple[CapabilityProfile | None, Qualification | None]:
    thinking, off = probe_thinking(session)
    if session.probes[-1].name == "answers" and session.probes[-1].verdict == "bad":
        return None, None
    profile = with_structure(draft, probe_schema(session), probe_tool(session))
    speed = probe_speed(session)
    slots = probe_slots(session)
    context = probe_context(session, reported_context(session, entry), speed, allowance_s=CONTEXT_ALLOWANCE_S)
    profile = profile.model_copy(
        update={
            "thinking": thinking,
            "thinking_off": off,
            "context_tokens": context,
            "slots": slots,
            "prompt_tokens_per_s": speed.reading,
            "completion_tokens_per_s": speed.writing,
            "prefix_cache": speed.cached,
            "chars_per_token": round(SAFETY * speed.chars_per_token, 3),
        }
    )
    return _qualified(session, profile, full=full)


def _qualified(
    session: Session, profile: CapabilityProfile, *, full: bool
) -> tuple[CapabilityProfile, Qualification | None]:
    items = load_items()
    items = items if full else items[:: max(1, len(items) // SAMPLE)]
    result, seconds = qualify(session.asker(profile), items, show=session.show)
    total = result.total
    asked = [entry for entry in result.by_kind if entry.kind in ("choose", "trend", "rate")]
    valid = sum(entry.valid_after_repair for entry in asked) / sum(entry.items for entry in asked)
    session.note(
        "pipeline_questions",
        "good" if valid >= VALID_SHARE else "usable" if valid >= 0.5 else "bad",
        f"{total.valid_first} of {total.items} of the asked form at the first try, "
        f"{total.valid_after_repair} accepted, some after repair; {seconds:.1f} s each",
        "" if valid >= VALID_SHARE else "runs would be blocked as model not qualified; use a stronger model",
    )
    if not full:
        return profile.model_copy(update={"call_limits": limits(seconds, profile)}), None
    for entry in result.by_kind:
        if entry.kind == "write":
            fit = entry.valid_after_repair >= VALID_SHARE * entry.items
            session.note(
                "sentences",
                "good" if fit else "usable",
                f"{entry.valid_after_repair} of {entry.items} say no more than their sources",
                "" if fit else "sentences are left to the rules, labelled and counted",
            )
        else:
            session.note(
                f"agreement_{entry.kind}",
                "good" if entry.better_than_chance else "usable",
                f"{entry.right} of {entry.items} right, {entry.low:.0%} to {entry.high:.0%}; chance {entry.chance:.0%}",
                "" if entry.better_than_chance else "no better than chance: expect weak assessments",
            )
    changes = {"qualification": result, "call_limits": limits(seconds, profile), "forms": fit_forms(result)}
    return profile.model_copy(update=changes), result


def fit_forms(result: Qualification) -> tuple[Form, ...]:
    """Return the forms that runs put to the model.

    Only sentences may be left to the rules beforehand: a draft says the same. Choices and ratings decide, so they are
    always asked, and a model that fails at them has its runs blocked instead of replaced by rules on the quiet.
    """
    sentences = [entry for entry in result.by_kind if entry.kind == "write"]
    items = sum(entry.items for entry in sentences)
    fit = sum(entry.valid_after_repair for entry in sentences) >= VALID_SHARE * items
    return tuple(form for form in FORMS if form != "write" or fit)


def limits(seconds: float, profile: CapabilityProfile) -> dict[Stage, int]:
    """Return the most questions of each stage that fit into a run's time at that pace; none if all do."""
    calls = profile.run_seconds * profile.slots / max(seconds, 1e-3)
    if calls >= _ENOUGH:
        return {}
    return {stage: max(4, int(calls * SPLIT[stage])) for stage in STAGES}
