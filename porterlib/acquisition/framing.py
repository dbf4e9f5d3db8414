"""Frames a request into a decision contract, or says what must be answered first (rules 2.2 to 2.4).

A boundary, a baseline, comparable options and a horizon make a decision. What else is absent is stated in the
contract as an assumption or a missing input, and never filled in silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from porterlib.acquisition.options import MOST_OPTIONS, compared_options
from porterlib.contracts.loading import parse_request
from porterlib.contracts.request import (
    ACTION_KINDS,
    Assumption,
    Boundary,
    DecisionContract,
    DecisionRequest,
    InternalFact,
    MissingInput,
    Option,
    OptionRequest,
)
from porterlib.contracts.sector import OptionTemplate, SectorPack
from porterlib.errors import DecisionScopeError, RequestError
from porterlib.hashing import short_id

_BOUNDARY = ("market_boundary", "product", "customer", "geographies", "regulatory_perimeter")
_QUESTIONS = {
    "market_boundary": "Which market is it? Name product, customer group, geography and rules in a sentence.",
    "product": "Which product or service is at stake?",
    "customer": "Which customer group is served?",
    "geographies": "In which countries or regions?",
    "regulatory_perimeter": "Which rules and supervisors apply?",
    "current_course": "What happens if nothing is decided, and what does that current course involve?",
    "options": "Which courses are compared? Name up to 12 with no action among them, at least one beyond keeping on or waiting.",
}
_PACK_NAMES = {"geographies": "geography", "current_course": "baseline"}
_FILLERS = frozenset({"the", "a", "an", "in", "of", "for", "our", "market", "markets", "sector", "industry"})
UNNAMED_OWNER = "not named"
"""What the contract says where the request names no decision owner."""


def frame_request(
    request: DecisionRequest,
    pack: SectorPack,
    *,
    run_id: str,
    request_sha256: str,
    live: bool = False,
    today: date | None = None,
) -> DecisionContract:
    """Return the decision contract of a request.

    Args:
        request: what the owner asks.
        pack: sector pack the request names.
        run_id: run the contract opens.
        request_sha256: digest of the stored request.
        live: whether evidence will come from a live search, which cannot honour a cutoff in the past.
        today: today's date, needed with `live`.

    Raises:
        DecisionScopeError: boundary, baseline or options are not defined; one question for each gap.
        RequestError: a cutoff in the past together with a live search.

    """
    if live and today is not None:
        refuse_past_cutoff(request.evidence_cutoff, today)
    missing = scope_gaps(request, pack)
    if missing:
        raise DecisionScopeError(
            f"the decision cannot be framed without {', '.join(missing)}; answer the questions",
            missing=missing,
            questions=tuple(_question(part, pack) for part in missing),
        )
    return _contract(request, pack, run_id, request_sha256)


def _contract(request: DecisionRequest, pack: SectorPack, run_id: str, sha256: str) -> DecisionContract:
    options, added = compared_options(request, pack)
    chosen = _templates(options, pack)
    boundary = _boundary(request)
    choice = f"Choose one of {len(options)} options for {boundary.product}."
    return DecisionContract(
        schema_version=1,
        run_id=run_id,
        request_sha256=sha256,
        question=request.question,
        sector=pack.name,
        pack_version=pack.version,
        analysis_mode=request.analysis_mode,
        archetype=request.archetype,
        boundary=boundary,
        baseline=request.current_course.strip(),
        options=options,
        horizon_months=request.horizon_months,
        evidence_cutoff=request.evidence_cutoff,
        success_measures=request.success_measures,
        constraints=request.constraints,
        risk_appetite=request.risk_appetite,
        reversible_elements=_distinct(part for row in chosen for part in row.reversible_elements),
        irreversible_elements=_distinct(part for row in chosen for part in row.irreversible_elements),
        assumptions=_assumptions(request, added),
        missing_inputs=_missing_inputs(request, pack),
        audiences=request.audiences,
        decision_owner=request.decision_owner.strip() or UNNAMED_OWNER,
        board_action_requested=request.board_action_requested.strip() or choice,
        public_context=request.public_context,
        internal_fact_ids=tuple(fact_id(fact) for fact in request.internal_facts),
    )


def scope_gaps(request: DecisionRequest, pack: SectorPack) -> tuple[str, ...]:
    """Return the names of the fields without which the decision has no scope, in the order of the form."""
    gaps = [part for part in _BOUNDARY if _undefined(getattr(request, part), pack)]
    if not request.current_course.strip():
        gaps.append("current_course")
    if request.options and not _comparable(request.options):
        gaps.append("options")
    return tuple(gaps)


def _question(part: str, pack: SectorPack) -> str:
    """Return the pack's question for a missing part, under the field's name or the pack's usual one."""
    asked = pack.boundary_questions
    return asked.get(part) or asked.get(_PACK_NAMES.get(part, "")) or _QUESTIONS[part]


def answer_questions(request: DecisionRequest, answers: Mapping[str, Any]) -> DecisionRequest:
    """Return the request with the answers to a `DecisionScopeError` filled in, checked like any request.

    Args:
        request: the request that could not be framed.
        answers: field name to answer; `geographies` may be one string with commas.

    Raises:
        RequestError: an answer names no field of a request or does not fit its field.

    """
    values = request.model_dump(mode="json")
    for field, answer in answers.items():
        if field == "geographies" and isinstance(answer, str):
            values[field] = [part.strip() for part in answer.split(",") if part.strip()]
        else:
            values[field] = answer
    return parse_request(values, name="answers")


def refuse_past_cutoff(cutoff: date | None, today: date) -> None:
    """Refuse a cutoff that a live search cannot honour, since pages of that day are not to be had.

    Raises:
        RequestError: the cutoff lies before `today`.

    """
    if cutoff is not None and cutoff < today:
        problem = f"{cutoff} is in the past, which a live search cannot honour"
        write = "leave it out, or use a corpus"
        raise RequestError(
            f"request.evidence_cutoff {problem}; {write}",
            fields=[{"path": "request.evidence_cutoff", "problem": problem, "write": write}],
        )


def fact_id(fact: InternalFact) -> str:
    """Return the id (`F-…`) by which an internal fact is named outside the stored request."""
    return short_id("F", "internal-fact", fact.model_dump(mode="json"))


def _undefined(value: str | tuple[str, ...], pack: SectorPack) -> bool:
    if isinstance(value, tuple):
        return not any(part.strip() for part in value)
    return not value.strip() or is_generic(value, pack)


def is_generic(statement: str, pack: SectorPack) -> bool:
    """Tell whether a statement names no market: nothing but a phrase such as `banking` and filler words."""
    words = _content_words(statement)
    if not words:
        return True
    phrases = sorted((_content_words(phrase) for phrase in pack.not_a_boundary), key=len, reverse=True)
    return any(words == phrase for phrase in phrases)


def _content_words(text: str) -> tuple[str, ...]:
    words = "".join(char if char.isalnum() else " " for char in text.casefold()).split()
    return tuple(word for word in words if word not in _FILLERS)


def _comparable(options: tuple[OptionRequest, ...]) -> bool:
    kinds = {option.kind for option in options}
    room = MOST_OPTIONS - ("maintain" not in kinds)  # no action is always compared
    return len(options) <= room and not kinds.isdisjoint(ACTION_KINDS)


def _boundary(request: DecisionRequest) -> Boundary:
    return Boundary(
        statement=request.market_boundary.strip(),
        product=request.product.strip(),
        customer=request.customer.strip(),
        geographies=tuple(part.strip() for part in request.geographies if part.strip()),
        regulatory_perimeter=request.regulatory_perimeter.strip(),
        business_line=request.business_line.strip(),
    )


def _templates(options: Iterable[Option], pack: SectorPack) -> tuple[OptionTemplate, ...]:
    kinds = {option.kind for option in options}
    return tuple(template for template in pack.options if template.kind in kinds)


def _distinct(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(parts))


def _assumptions(request: DecisionRequest, added: tuple[str, ...]) -> tuple[Assumption, ...]:
    owner = request.decision_owner.strip()
    texts: list[tuple[str, bool]] = [
        (
            f"Without a decision the current course goes on for {request.horizon_months} months.",
            True,
        ),
    ]
    if added:
        origin = "added to" if request.options else "taken from the sector pack as"
        texts.append((f"These courses were {origin} the options: {', '.join(added)}.", False))
    if not request.constraints:
        texts.append(("No constraint beyond the regulatory perimeter binds the options.", False))
    if request.evidence_cutoff is None:
        texts.append(("No evidence cutoff was given, so freshness of sources is not known.", False))
    return tuple(
        Assumption(id=short_id("A", "assumption", text), text=text, owner=owner, material=material)
        for text, material in texts
    )


def _missing_inputs(request: DecisionRequest, pack: SectorPack) -> tuple[MissingInput, ...]:
    owner = request.decision_owner.strip() or "the decision owner"
    measures = ", ".join(metric.name for metric in pack.metrics[:3])
    wanted = (
        (request.success_measures, "success_measures", f"From {owner}: how success shows, e.g. {measures}."),
        (request.risk_appetite.strip(), "risk_appetite", "From the board: the risk it accepts here."),
        (request.decision_owner.strip(), "decision_owner", "Name who is accountable for the decision."),
        (request.evidence_cutoff, "evidence_cutoff", "Give the last publication date that counts."),
        (request.archetype.strip(), "archetype", "Say what kind of organisation decides."),
    )
    return tuple(MissingInput(name=name, request=text) for value, name, text in wanted if not value)
