"""What a model cost, how well it answered, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from porterlib.contracts.model import CapabilityProfile, DoctorReport, ModelCost, Qualification, StageCost
from porterlib.display.blocks import Block, Built, Cell, Facts, Grid, Para, grid
from porterlib.display.style import Tone
from porterlib.display.words import spoken

_VERDICTS: dict[str, Tone] = {"good": "good", "usable": "warn", "bad": "bad"}
_NO_MODEL = "No model was asked; the offline analyst answered every question by rule."


def cost(result: Any) -> Built:
    """Return questions, tokens and seconds by stage, and how much the model decided itself."""
    held = result if isinstance(result, ModelCost) else getattr(result, "model_cost", None) or ModelCost()
    total = held.total
    facts: list[tuple[str, object]] = [
        ("Model", held.model or "none"),
        ("Decided by the model", _share(total.own_share)),
        ("Answered by rule in its place", f"{total.stood_in} ({total.stand_in_share:.0%})"),
        ("Seconds", f"{total.seconds:,.1f}"),
        ("From the server's cache", _share(total.cached_share)),
    ]
    table = grid(
        (
            "Stage",
            "Questions",
            "By model",
            "In its place",
            "Withheld",
            "By rule",
            "Prompt",
            "Cached",
            "Written",
            "Seconds",
        ),
        [*held.stages, total],
        lambda s: (
            Cell(spoken(s.stage), bold=s.stage == "all"),
            *(f"{n:,}" for n in (s.questions, s.by_model, s.stood_in, s.withheld, s.by_rule)),
            *(f"{n:,}" for n in (s.prompt_tokens, s.cached_tokens, s.completion_tokens)),
            f"{s.seconds:,.1f}",
        ),
        caption="Prompt, cached and written are tokens",
        numeric=range(1, 10),
    )
    blocks: list[Block] = [Facts(facts), table] if held.stages else [Para(_NO_MODEL)]
    return Built(
        "Cost of model calls", blocks, lambda: _stage_rows(held), columns=tuple(StageCost.model_fields)
    )


def qualification(held: Qualification) -> Built:
    """Return how often the model was right on the labelled set, beside chance."""
    facts: list[tuple[str, object]] = [
        ("Model", held.model),
        ("Prompts", held.prompts_version),
        ("Labelled set", Cell(held.set_sha256, mono=True)),
    ]
    blocks: list[Block] = [Facts(facts), _agreement(held)]
    return Built("Qualification of the model", blocks, lambda: _agreement_rows(held))


def profile(held: CapabilityProfile) -> Built:
    """Return what was measured of one model on one server."""
    blocks: list[Block] = [Facts(_profile_facts(held))]
    if held.qualification is not None:
        blocks.append(_agreement(held.qualification))
    return Built(f"Capabilities of {held.model}", blocks, lambda: [held.to_dict()])


def doctor(report: DoctorReport) -> Built:
    """Return each probe with its verdict and what to do."""
    table = grid(
        ("Probe", "Verdict", "Measured", "What to do"),
        report.probes,
        lambda p: (
            spoken(p.name),
            Cell(spoken(p.verdict), _VERDICTS.get(p.verdict)),
            p.value or "—",
            p.advice or "—",
        ),
    )
    usable = Cell("yes", "good") if report.usable else Cell("no", "bad")
    blocks: list[Block] = [Facts([("Server", report.url), ("Runs can use it", usable)]), table]
    if report.profile is not None:
        blocks.append(Facts(_profile_facts(report.profile)))
    if report.qualification is not None:
        blocks.append(_agreement(report.qualification))
    return Built(
        f"Doctor: {report.model or 'no model'}", blocks, lambda: (p.to_dict() for p in report.probes)
    )


def _profile_facts(held: CapabilityProfile) -> list[tuple[str, object]]:
    return [
        ("Model", f"{held.model} at {held.origin}"),
        ("Measured", f"{held.measured_at:%Y-%m-%d %H:%M} UTC"),
        ("Transports", ", ".join(map(spoken, held.transports))),
        ("Schema enforced", spoken(held.schema_enforcement)),
        ("Tool choice enforced", spoken(held.tool_choice)),
        ("Context", f"{held.context_tokens:,} tokens"),
        ("At once", held.slots),
        ("Reads / writes", f"{_speed(held.prompt_tokens_per_s)} / {_speed(held.completion_tokens_per_s)}"),
        ("Prefix cache", "yes" if held.prefix_cache else "no"),
    ]


def _agreement(held: Qualification) -> Grid:
    return grid(
        (
            "Question",
            "Items",
            "Valid at once",
            "Right",
            "Share right",
            "Chance",
            "Interval",
            "Better than chance",
        ),
        [*held.by_kind, held.total],
        lambda a: (
            Cell(spoken(a.kind), bold=a is held.total),
            a.items,
            a.valid_first,
            a.right,
            _share(a.share_right),
            f"{a.chance:.0%}",
            f"{a.low:.0%} to {a.high:.0%}",
            Cell("yes", "good") if a.better_than_chance else Cell("not shown", "warn"),
        ),
        numeric=range(1, 6),
    )


def _agreement_rows(held: Qualification) -> Iterator[dict[str, Any]]:
    for entry in (*held.by_kind, held.total):
        yield entry.to_dict()


def _stage_rows(held: ModelCost) -> Iterator[dict[str, Any]]:
    for entry in (*held.stages, held.total):
        yield entry.model_dump()


def _share(value: float | None) -> str:
    return "—" if value is None else f"{value:.0%}"


def _speed(value: float | None) -> str:
    return "not measured" if value is None else f"{value:,.0f} tokens/s"
