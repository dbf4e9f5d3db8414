"""A small valid case, wholly synthetic, and ways to change one thing in it.

`valid_context()` passes every criterion without a single finding. `swap` changes one field deep inside frozen
models, `settle` then derives strengths and materiality again, so that a test can break exactly one rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from porterlib.contracts.analysis import AnalystStamp, Candidate
from porterlib.contracts.assessment import (
    DriverRating,
    ForceAssessment,
    HorizonEffect,
    Mechanism,
    Point,
    RuleFiring,
)
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.brief import BoardBrief, BoardQuestion, BriefAnalogy, Gate, ModeRow, ModeView
from porterlib.contracts.challenge import VIEWS, ChallengeReport, ChallengeView
from porterlib.contracts.economics import Calculation, Economics, ScenarioEconomics, Spread
from porterlib.contracts.economics_inputs import SignOff
from porterlib.contracts.evidence import (
    Claim,
    ClaimEvidenceLink,
    EvidenceItem,
    EvidenceSnapshot,
    SupportLevels,
)
from porterlib.contracts.options import LENSES, LensRating, OptionAssessment, Recommendation
from porterlib.contracts.publication import Approval, Versions
from porterlib.contracts.request import (
    Assumption,
    Boundary,
    DecisionContract,
    DecisionRequest,
    Option,
)
from porterlib.contracts.sector import EvidencePolicy
from porterlib.contracts.supervision import CompletionTarget
from porterlib.evaluation import (
    EvaluationContext,
    claim_agreements,
    claim_id,
    claim_strengths,
    evidence_id,
    evidence_snapshot_id,
    link_id,
    link_strength,
    material_ids,
)
from porterlib.hashing import sha256_hex, short_id

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
POLICY = EvidencePolicy()
QUESTION = "Should the bank adopt generative AI for KYC investigations now, later or not at all?"
BOUNDARY = "KYC investigations of corporate clients in the EU under anti-money-laundering rules"
FINGERPRINT = "f" * 64
PASSES = SupportLevels(retrieved=True, verbatim=True, agrees=True, lexical=True)
WORST, BEST = Decimal("-2000000.25"), Decimal("30500000")

RAISING: dict[Force, str] = {
    "new_entrants": "Licensed challengers opened corporate accounts in nine days in 2025.",
    "suppliers": "Three model vendors serve most screening desks and raised renewal prices in 2025.",
    "buyers": "Corporate clients moved mandates after onboarding took longer than six weeks.",
    "substitutes": "Shared utilities completed client files without any bank investigator in 2025.",
    "rivalry": "Rival banks cut investigation backlogs by 30 percent with drafting assistants.",
}
LOWERING: dict[Force, str] = {
    "new_entrants": "Supervisors granted few new licences for corporate banking during 2025.",
    "suppliers": "Open models reached comparable accuracy on screening notes in blind tests.",
    "buyers": "Treasurers kept their main bank even where onboarding was slow.",
    "substitutes": "Two shared utilities closed because banks did not trust pooled files.",
    "rivalry": "Pilot banks found no shorter backlogs once reviewers corrected the drafts.",
}
TEXTS: dict[str, str] = {}


def _item(force: Force, sentence: str, publisher: str, source_class: Any, quality: float) -> EvidenceItem:
    text = f"Synthetic page by {publisher}. {sentence} End of page."
    digest = sha256_hex(text.encode())
    TEXTS[digest] = text
    start = text.index(sentence)
    end = start + len(sentence)
    return EvidenceItem(
        id=evidence_id(digest, start, end),
        url=f"https://{publisher}/{force}",
        publisher=publisher,
        publisher_key=publisher,
        title="Synthetic",
        origin="corpus",
        source_class=source_class,
        class_basis="declared",
        published="2025-06-12",
        retrieved_at=NOW,
        content_sha256=sha256_hex(b"raw" + text.encode()),
        text_sha256=digest,
        passage=sentence,
        start=start,
        end=end,
        forces=(force,),
        authority={"regulator": 1.0, "academic": 0.85, "vendor": 0.45}[source_class],
        quality=quality,
        freshness=0.8,
        applicability=0.6,
    )


def link_to(
    claim: Claim, item: EvidenceItem, *, stance: Any = "supports", **changes: Any
) -> ClaimEvidenceLink:
    """Return a link whose quote is the whole passage, with id and strength derived."""
    start, end = changes.pop("span", (0, len(item.passage)))
    return ClaimEvidenceLink(
        **{
            "id": link_id(claim.id, item.id, start, end),
            "claim_id": claim.id,
            "evidence_id": item.id,
            "stance": stance,
            "quote": item.passage[start:end],
            "start": start,
            "end": end,
            "levels": PASSES,
            "strength": link_strength(item, POLICY),
            "rule": "synthetic",
            **changes,
        }
    )


def _evidence() -> tuple[EvidenceItem, ...]:
    items = []
    for force in FORCES:
        for sentence, name in ((RAISING[force], "raising"), (LOWERING[force], "lowering")):
            items.append(_item(force, sentence, f"{name}-{force}-supervisor.example", "regulator", 0.9))
            items.append(_item(force, sentence, f"{name}-{force}-university.example", "academic", 0.8))
    return tuple(sorted(items, key=lambda item: item.id))


def item_of(snapshot: EvidenceSnapshot, sentence: str, source_class: str = "regulator") -> EvidenceItem:
    """Return the item of that sentence and class."""
    return next(i for i in snapshot.evidence if i.passage == sentence and i.source_class == source_class)


def snapshot_of(items: Iterable[EvidenceItem]) -> EvidenceSnapshot:
    """Return a snapshot whose id follows from its evidence."""
    evidence = tuple(sorted(items, key=lambda item: item.id))
    return EvidenceSnapshot(
        run_id="run-1",
        snapshot_id=evidence_snapshot_id(evidence),
        evidence=evidence,
        queries_executed=25,
        documents_captured=len(evidence),
    )


def fact(snapshot: EvidenceSnapshot, force: Force, sentence: str, direction: Any) -> Claim:
    """Return the claim of a sentence, strength and materiality still to be derived."""
    place = item_of(snapshot, sentence).id
    return Claim(
        id=claim_id("external_fact", sentence, force=force, driver_id=f"{force}.main", at=place),
        kind="external_fact",
        text=sentence,
        force=force,
        driver_id=f"{force}.main",
        direction=direction,
        rule="synthetic",
    )


def _contract() -> DecisionContract:
    return DecisionContract(
        run_id="run-1",
        request_sha256="a" * 64,
        question=QUESTION,
        sector="bank",
        pack_version="1",
        analysis_mode="strategic_initiative",
        archetype="",
        boundary=Boundary(
            statement=BOUNDARY,
            product="KYC investigations",
            customer="corporate clients",
            geographies=("EU",),
            regulatory_perimeter="anti-money-laundering rules",
        ),
        baseline="Investigators write every file by hand.",
        options=(
            Option(id="O1", name="Keep the current course", kind="maintain", description=""),
            Option(id="O2", name="Wait a year", kind="wait", description="", wait_months=12),
            Option(id="O3", name="Two controlled workflows", kind="targeted", description=""),
        ),
        horizon_months=36,
        evidence_cutoff=date(2026, 1, 31),
        success_measures=("backlog halves",),
        constraints=(),
        risk_appetite="",
        reversible_elements=("drafting can be switched off",),
        irreversible_elements=(),
        assumptions=(),
        missing_inputs=(),
        audiences=("full_board", "cfo"),
        decision_owner="Chief operating officer",
        board_action_requested="Approve two workflows",
        public_context="",
        internal_fact_ids=("F-1",),
    )


def request() -> DecisionRequest:
    """Return the request the decision was framed from."""
    return DecisionRequest(question=QUESTION, sector="bank", market_boundary=BOUNDARY)


ASSUMPTION = Assumption(
    id="A-staff", text="Eight trained reviewers stay in place.", owner="COO", status="validated"
)


def _force(force: Force, up: Claim, down: Claim) -> ForceAssessment:
    drivers = (
        DriverRating(
            driver_id=f"{force}.main",
            name="Main driver",
            weight=1.0,
            rating=Decimal(4),
            anchor="high",
            raising=(up.id,),
            lowering=(down.id,),
            publishers=4,
            rule="synthetic",
            mechanism_id="M-1",
        ),
        DriverRating(driver_id=f"{force}.open", name="Open", weight=0, rule="none", mechanism_id="M-2"),
    )
    point = Point(text=f"Pressure is reported: {up.text}", basis=(up.id,))
    return ForceAssessment(
        force=force,
        score=Decimal("4.0"),
        trend="uncertain",
        trend_rule="synthetic",
        drivers=drivers,
        horizons=(
            HorizonEffect(horizon="near", effect="rising", point=point),
            HorizonEffect(horizon="medium", effect="not_assessed"),
            HorizonEffect(horizon="long", effect="not_assessed"),
        ),
        evidence_for=(up.id,),
        evidence_against=(down.id,),
        exposure=("cost",),
        exposure_point=None,
        narrative=(point,),
        implication=None,
        confidence=0.5,
        confidence_word="medium",
        gaps=("the open driver has no source",),
        indicators=("backlog in days",),
        reversal_conditions=("backlogs fall everywhere",),
    )


def calculation(
    name: str, value: Decimal, scenario: str | None = "targeted", unit: str = "EUR"
) -> Calculation:
    """Return a figure with the id the calculator would mint."""
    content = {
        "name": name,
        "scenario": scenario,
        "value": f"{value:f}",
        "unit": unit,
        "formula": "synthetic",
        "basis": ["A-benefit-1"],
    }
    return Calculation(
        id=short_id("X", "calculation", content),
        name=name,
        scenario=scenario,
        value=f"{value:f}",
        unit=unit,
        display=f"{unit} {value / 1_000_000:.1f}m ({unit} {value:,.2f})",
        formula="synthetic",
        basis=("A-benefit-1",),
        owners=("finance",),
    )


def scenario(
    worst: Decimal, best: Decimal, kind: Any = "targeted", option: Any = "targeted"
) -> ScenarioEconomics:
    """Return the economics of one scenario from its value range alone."""
    return ScenarioEconomics(
        name=kind,
        kind=kind,
        option=option,
        changes=(),
        npv=Spread(worst=worst, base=(worst + best) / 2, best=best),
        incremental_npv=None,
        roi=None,
        roi_present_value=None,
        basis=("A-benefit-1",),
        owners=("finance",),
        formula="synthetic",
        convention="end of period",
    )


def economics(worst: Decimal = WORST, best: Decimal = BEST, *, signed: bool = True) -> Economics:
    """Return signed economics of the targeted option with the given range."""
    return Economics(
        title="Synthetic case",
        synthetic=True,
        currency="EUR",
        scenarios=(scenario(worst, best),),
        cost_of_delay=None,
        benefit_ladder=None,
        calculations=(calculation("npv.worst", worst), calculation("npv.best", best)),
        missing_inputs=(),
        dominant_assumption=None,
        optimism_bias=None,
        signed=SignOff(owner="R. Sample", signed_at=NOW, inputs_sha256="b" * 64) if signed else None,
        inputs_sha256="b" * 64,
        calculator_version="calculator-1",
        warnings=(),
    )


def _option(option: Option, up: Claim, value: Economics) -> OptionAssessment:
    figures = tuple(entry.id for entry in value.calculations)
    bases = {"capability_fit": (ASSUMPTION.id,), "economics": figures}
    unvalued = option.kind != "targeted"
    return OptionAssessment(
        option_id=option.id,
        name=option.name,
        kind=option.kind,
        ratings=tuple(
            LensRating(
                lens=lens,
                rating=None if unvalued and lens == "economics" else 3,
                basis=() if unvalued and lens == "economics" else bases.get(lens, (up.id,)),
                rule="synthetic",
                note="synthetic",
            )
            for lens in LENSES
        ),
        months_to_learning=6,
        stop_conditions=("backlog does not fall by month 6",),
        acceleration_conditions=("backlog halves by month 6",),
    )


ANALOGIES = (
    BriefAnalogy(
        audience="full_board",
        analogy="Treat the assistant as a trainee on a trading desk whose tickets a senior signs.",
        correspondences=("trainee ↔ drafting model", "senior signature ↔ reviewer release"),
        implication="Release authority stays with named people until results have been seen.",
        breaking_point="Unlike an apprentice, software is not held to account and gains nothing from blame.",
    ),
    BriefAnalogy(
        audience="cfo",
        analogy="Saved minutes are warehouse stock: they earn nothing until somebody sells them.",
        correspondences=("stock ↔ released hours", "sale ↔ removed spend"),
        implication="Book a benefit only where a budget line falls.",
        breaking_point="Goods keep for years, whereas capacity nobody redeploys is gone the same evening.",
    ),
)


def _brief(up: Claim, contrary: Claim, sentence: Point, value: Economics) -> BoardBrief:
    point = Point(text="Synthetic point.", basis=(up.id,))
    worst, best = value.calculations
    return BoardBrief(
        question=QUESTION,
        boundary=BOUNDARY,
        decision_requested=point,
        recommendation=sentence,
        why_now=(point,),
        if_we_wait=(point,),
        value=(
            Point(
                text=f"Value lies between {worst.display} and {best.display} over 3 years.",
                basis=(worst.id, best.id),
            ),
        ),
        what_could_go_wrong=(point,),
        largest_uncertainty=Point(text="Whether reviewers stay.", basis=(ASSUMPTION.id,)),
        smallest_commitment=point,
        gates=(Gate(month=6, test="backlog falls by a fifth", owner="COO"),),
        stop_conditions=("backlog does not fall by month 6",),
        confidence=0.5,
        confidence_point=point,
        cutoff="2026-01-31",
        context=(point,),
        mode_view=ModeView(
            head=("Force", "Felt in"),
            rows=(ModeRow(cells=("Rivalry", "cost"), basis=(up.id,)),),
            points=(point,),
        ),
        mechanisms=(Mechanism(id="M-1", forces=("rivalry",), point=point, claim_ids=(up.id,)),),
        risks=(point,),
        roadmap=(point,),
        board_questions=tuple(
            BoardQuestion(question=f"Synthetic question {number}?", answer=point) for number in range(1, 11)
        ),
        analogies=ANALOGIES,
        dissent=(Point(text=contrary.text, basis=(contrary.id,)),),
    )


def _challenge(ups: list[Claim], contrary: Claim, value: Economics) -> ChallengeReport:
    worst = value.calculations[0]
    money = Point(text=f"The worst case is {worst.display}.", basis=(worst.id,))
    points = [money, *(Point(text=claim.text, basis=(claim.id,)) for claim in ups[:4])]
    points.append(Point(text=contrary.text, basis=(contrary.id,)))
    return ChallengeReport(
        views=tuple(
            ChallengeView(
                view=view,
                counterargument=point,
                disconfirming=(contrary.id,),
                dominant_assumptions=(ASSUMPTION.id,),
                pre_mortem="Nobody read the drafts.",
                invalidating_conditions=("reviewers leave",),
                required_changes=(),
            )
            for view, point in zip(VIEWS, points, strict=True)
        ),
        contrary_basis=(contrary.id,),
    )


def _claims(snapshot: EvidenceSnapshot) -> tuple[list[Claim], list[Claim]]:
    ups = [fact(snapshot, force, RAISING[force], "raises") for force in FORCES]
    downs = [fact(snapshot, force, LOWERING[force], "lowers") for force in FORCES]
    return ups, downs


def _links(snapshot: EvidenceSnapshot, claims: Iterable[Claim]) -> list[ClaimEvidenceLink]:
    return [
        link_to(claim, item) for claim in claims for item in snapshot.evidence if item.passage == claim.text
    ]


def valid_context(**changes: Any) -> EvaluationContext:
    """Return a context without a single finding; `changes` replace fields of the context."""
    snapshot, contract, value = snapshot_of(_evidence()), _contract(), economics()
    ups, downs = _claims(snapshot)
    contrary = downs[-1]
    claims = sorted([*ups, *downs], key=lambda claim: claim.id)
    sentence = Point(text="Approve two controlled workflows behind a gate.", basis=(ups[0].id,))
    candidate = Candidate(
        contract=contract,
        snapshot_id=snapshot.snapshot_id,
        claims=tuple(claims),
        links=tuple(sorted(_links(snapshot, claims), key=lambda link: link.id)),
        assumptions=(ASSUMPTION,),
        forces=tuple(_force(f, up, down) for f, up, down in zip(FORCES, ups, downs, strict=True)),
        options=tuple(_option(option, ups[0], value) for option in contract.options),
        recommendation=Recommendation(
            kind="reversible_step",
            option_id="O3",
            sentence=sentence,
            rule="synthetic",
            because=(RuleFiring(rule="gate.value", subject="recommendation", outcome="reversible_step"),),
        ),
        brief=_brief(ups[0], contrary, sentence, value),
        challenge=_challenge(ups, contrary, value),
        rules=(),
        analyst=AnalystStamp(kind="offline", version="offline-1"),
    )
    context = EvaluationContext(
        candidate=candidate,
        snapshot=snapshot,
        request=request(),
        contract=contract,
        economics=value,
        policy=POLICY,
        argues={f"{force}.main": "act" for force in FORCES},
        fingerprint=FINGERPRINT,
        texts=dict(TEXTS),
    )
    return replace(settle(context), **changes)


def settle(context: EvaluationContext) -> EvaluationContext:
    """Return the context with strengths and materiality derived again."""
    candidate, items = context.candidate, {item.id: item for item in context.snapshot.evidence}
    material = material_ids(candidate, context.economics)
    strengths = claim_strengths(candidate.claims, candidate.links, items, context.policy)
    agreements = claim_agreements(candidate.claims, candidate.links, items)
    claims = tuple(
        claim.model_copy(
            update={
                "material": claim.id in material,
                "strength": strengths[claim.id],
                "agreement": agreements[claim.id],
            }
        )
        for claim in candidate.claims
    )
    return replace(context, candidate=candidate.model_copy(update={"claims": claims}))


def swap(model: Any, path: str, value: Any) -> Any:
    """Return a copy of a frozen model with the field at `path` replaced; numbers index tuples.

    `value` may be a function of the old value.
    """
    head, _, rest = path.partition(".")
    old = model[int(head)] if isinstance(model, tuple) else getattr(model, head)
    new = swap(old, rest, value) if rest else (value(old) if callable(value) else value)
    if isinstance(model, tuple):
        return (*model[: int(head)], new, *model[int(head) + 1 :])
    return model.model_copy(update={head: new})


def altered(context: EvaluationContext, path: str, value: Any) -> EvaluationContext:
    """Return the context with one field of its candidate replaced."""
    return replace(context, candidate=swap(context.candidate, path, value))


def approval(role: Any, reviewer: str = "", **changes: Any) -> Approval:
    """Return an approval of the current text."""
    return Approval(
        **{
            "role": role,
            "decision": "approve",
            "reviewer": reviewer or f"Synthetic {role}",
            "fingerprint": FINGERPRINT,
            "at": NOW,
            **changes,
        }
    )


def all_approvals() -> tuple[Approval, ...]:
    """Return one approval of the current text by each role, by four people."""
    return tuple(approval(role) for role in ("strategy", "finance", "technology", "risk"))


def publishing(context: EvaluationContext, *approvals: Approval) -> EvaluationContext:
    """Return the context with the publish target and these approvals."""
    return replace(context, target=CompletionTarget.PUBLISHABLE, approvals=approvals)


def versions() -> Versions:
    """Return versions for a fingerprint."""
    return Versions(evaluator="e", pack="bank 1", calculator="c", prompts="none", analyst="offline-1")
