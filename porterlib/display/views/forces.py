"""The five forces as tables: all of them, one with its drivers and quotes, and the mechanisms between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.assessment import DriverRating, ForceAssessment
from porterlib.contracts.base import FORCES as ALL_FORCES
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.display.blocks import Block, Built, Cell, Facts, Fold, Listed, Para, grid
from porterlib.display.parts import optional, part, said
from porterlib.display.style import heat
from porterlib.display.views.evidence import quote_passage
from porterlib.display.words import EFFECTS, FORCES, HORIZONS, NOT_ASSESSED, TRENDS, spoken
from porterlib.errors import InputError

_QUOTES = 8


def score_cell(score: object) -> Cell:
    """Return a score from 1 to 5 with its word on its step, or the hatched cell of what was not assessed."""
    if score is None:
        return Cell(NOT_ASSESSED, hatched=True)
    tone, word = heat(float(str(score)))
    return Cell(f"{score} {word}", tone, bold=True)


def force_rows(candidate: Candidate) -> Iterator[dict[str, Any]]:
    """Yield one tidy row a force and horizon."""
    for entry in candidate.forces:
        for effect in entry.horizons:
            yield {
                "force": entry.force,
                "score": None if entry.score is None else float(entry.score),
                "word": NOT_ASSESSED if entry.score is None else heat(float(entry.score))[1],
                "trend": entry.trend,
                "confidence": entry.confidence,
                "confidence_word": entry.confidence_word,
                "horizon": effect.horizon,
                "effect": effect.effect,
            }


def force_table(candidate: Candidate) -> Any:
    """Return the heatmap as a table."""
    return grid(
        ("Force", "Pressure, 1–5", "Trend", "Confidence", *HORIZONS.values()),
        candidate.forces,
        lambda entry: (
            Cell(FORCES[entry.force], bold=True),
            score_cell(entry.score),
            TRENDS[entry.trend],
            f"{entry.confidence_word} ({entry.confidence:.2f})",
            *(
                Cell(NOT_ASSESSED, hatched=True) if h.effect == "not_assessed" else EFFECTS[h.effect]
                for h in entry.horizons
            ),
        ),
    )


def forces(result: Any) -> Built:
    """Return the five forces with score and word, trend, confidence and horizons."""
    candidate = part(result, Candidate)
    note = "Pressure on the institution; high is unfavourable. No score is added to another."
    return Built(
        "Five forces", [Para(note, small=True), force_table(candidate)], lambda: force_rows(candidate)
    )


def force(result: Any, *, force: str, driver: str | None = None) -> Built:
    """Return one force: its drivers, narrative and the quotes behind them.

    Args:
        result: an analysis.
        force: which force.
        driver: keep one driver of it.

    Raises:
        InputError: no such force or driver.

    """
    candidate = part(result, Candidate)
    if force not in ALL_FORCES:
        raise InputError(f"force: {force!r} is unknown; write one of {', '.join(ALL_FORCES)}", field="force")
    entry = next(found for found in candidate.forces if found.force == force)
    drivers = [d for d in entry.drivers if driver in (None, d.driver_id)]
    if not drivers:
        known = ", ".join(d.driver_id for d in entry.drivers)
        raise InputError(f"driver: {driver!r} is unknown; {FORCES[force]} has {known}", field="driver")
    blocks = [*_force_blocks(entry, drivers), *_quotes(result, candidate, drivers)]
    return Built(f"{FORCES[force]}: {_headline(entry)}", blocks, lambda: _driver_rows(entry, drivers))


def one_force(entry: ForceAssessment) -> Built:
    """Return one force as it was assessed, without quotes."""
    blocks = list(_force_blocks(entry, entry.drivers))
    return Built(
        f"{FORCES[entry.force]}: {_headline(entry)}", blocks, lambda: _driver_rows(entry, entry.drivers)
    )


def _headline(entry: ForceAssessment) -> str:
    if entry.score is None:
        return NOT_ASSESSED
    return f"{entry.score} {heat(float(entry.score))[1]}, {TRENDS[entry.trend][2:]}, confidence {entry.confidence_word}"


def _force_blocks(entry: ForceAssessment, drivers: Sequence[DriverRating]) -> Iterator[Block]:
    exposure = ", ".join(map(str, entry.exposure)) or "—"
    facts: list[tuple[str, object]] = [
        ("Exposure", exposure),
        ("Trend set by", spoken(entry.trend_rule.removeprefix("trend."))),
    ]
    if entry.implication:
        facts.insert(0, ("Implication", entry.implication.text))
    yield Facts(facts)
    yield grid(
        ("Driver", "Rating, 1–5", "Weight", "Nearest anchor", "Raising", "Lowering", "Publishers"),
        drivers,
        lambda d: (
            d.name,
            score_cell(d.rating),
            f"{d.weight:.2f}",
            d.anchor or "—",
            len(d.raising),
            len(d.lowering),
            d.publishers,
        ),
        numeric=(2, 4, 5, 6),
        narrow=(3,),
    )
    yield Listed("Not known", entry.gaps)
    yield Fold(
        "Indicators and what would turn it",
        [
            Listed("Leading indicators", entry.indicators),
            Listed("Reversal conditions", entry.reversal_conditions),
        ],
    )


def _quotes(result: Any, candidate: Candidate, drivers: Sequence[DriverRating]) -> Iterator[Block]:
    snapshot = optional(result, EvidenceSnapshot)
    if snapshot is None:
        return
    items = {entry.id: entry for entry in snapshot.evidence}
    wanted = [claim_id for d in drivers for claim_id in (*d.raising, *d.lowering)]
    claims = {claim.id: claim for claim in candidate.claims}
    links = [e for e in candidate.links if e.claim_id in set(wanted) and e.stance == "supports"]
    links.sort(key=lambda e: (-e.strength, e.id))
    inner: list[Block] = []
    for link in links[:_QUOTES]:
        inner.append(Para(said(claims[link.claim_id]), bold=True))
        inner.append(quote_passage(link, items[link.evidence_id]))
    if len(links) > _QUOTES:
        inner.append(
            Para(f"Shown are {_QUOTES} of {len(links)} quotes, strongest first; .show('claims') lists all.")
        )
    if inner:
        yield Fold(f"Quotes behind the rating ({min(len(links), _QUOTES)} of {len(links)})", inner)


def _driver_rows(entry: ForceAssessment, drivers: Sequence[DriverRating]) -> Iterator[dict[str, Any]]:
    for d in drivers:
        yield {
            "force": entry.force,
            "driver_id": d.driver_id,
            "driver": d.name,
            "rating": None if d.rating is None else float(d.rating),
            "weight": d.weight,
            "anchor": d.anchor,
            "raising": len(d.raising),
            "lowering": len(d.lowering),
            "publishers": d.publishers,
            "rule": d.rule,
            "mechanism_id": d.mechanism_id,
        }


def mechanisms(result: Any) -> Built:
    """Return each economic mechanism once, with every force it reaches."""
    candidate = part(result, Candidate)
    found = sorted(candidate.brief.mechanisms, key=lambda m: (-len(m.forces), m.id))
    table = grid(
        ("Mechanism", *FORCES.values(), "Claims"),
        found,
        lambda m: (
            m.point.text,
            *(Cell("● works here", "quiet") if force in m.forces else "" for force in FORCES),
            len(m.claim_ids),
        ),
        numeric=(6,),
    )
    across = sum(len(m.forces) > 1 for m in found)
    title = f"Mechanisms: {len(found)}, {across} of them across forces"
    note = "A fact is counted once, however many forces it reaches."

    def rows() -> Iterator[dict[str, Any]]:
        for m in found:
            for name in m.forces:
                yield {
                    "mechanism_id": m.id,
                    "force": name,
                    "mechanism": m.point.text,
                    "claims": len(m.claim_ids),
                    "forces": spoken(", ".join(m.forces)),
                }

    return Built(title, [Para(note, small=True), table], rows)
