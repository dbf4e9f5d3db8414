"""Plans research before any search: hypotheses, questions and public queries (rules 3.1, 3.2 and 4.2).

A query is a template of the pack filled with product, geography and topic, and at most one further entry of
the pack's vocabulary that the approved public context also uses. The question itself and internal facts have
no way in: an analyst may choose among the filled templates, it writes none. Equal contracts and choices give
equal plans; an approval is bound to the plan's digest, without the run id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from porterlib.acquisition.choosing import choose_hypotheses, choose_queries, choose_topics
from porterlib.acquisition.stems import uses
from porterlib.analyst import Analyst
from porterlib.contracts.plan import PlannedHypothesis, PlannedQuery, ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import ForcePack, Hypothesis, SectorPack
from porterlib.errors import RequestError
from porterlib.evaluation.support import content_overlap
from porterlib.hashing import digest
from porterlib.sectors import CueIndex, authority, tokenise

QUERIES_A_FORCE = 5
"""Most queries planned for a force."""
CONTRARY_A_FORCE = 2
"""How many of them look for contrary evidence, where the pack has that many."""
MOST_CHARACTERS = 200
"""Characters a planned query stays within; the egress guard refuses longer than 240."""
_PRODUCT_WORDS = 6
_TOPIC_STEP = 0.03  # nearness a stem of the topics' vocabulary adds
OUTLINE = (
    "Decision and recommendation",
    "Why now",
    "If we wait",
    "Value",
    "What could go wrong",
    "Smallest commitment and gates",
    "Five forces",
    "Mechanisms across forces",
    "Options on four lenses",
    "Scenarios and economics",
    "Risk, concentration and exit",
    "Challenge and dissent",
    "Roadmap and owners",
    "Board questions",
    "Evidence",
)
"""Sections of the brief."""


class _Draft(NamedTuple):
    hypothesis: Hypothesis
    template: str
    question: str
    contrary: bool


def plan_research(
    contract: DecisionContract,
    pack: SectorPack,
    *,
    topics: Sequence[str] | None = None,
    analyst: Analyst | None = None,
) -> ResearchPlan:
    """Return the research plan of a decision.

    Args:
        contract: a contract that is ready.
        pack: its sector pack.
        topics: subjects to research, by the pack's names; detected from the contract if not given.
        analyst: chooses subjects, hypotheses and queries among those the pack offers; the rules if absent.

    Raises:
        RequestError: the contract has open questions, or a topic is unknown to the pack.

    """
    if not contract.ready:
        raise RequestError("the contract has open questions; answer them before research is planned")
    chosen = _topics(contract, pack, analyst) if topics is None else _known(topics, pack)
    queries = tuple(
        query for part in pack.forces for query in _queries(part, contract, pack, chosen, analyst)
    )
    return seal_plan(
        run_id=contract.run_id,
        topics=chosen,
        hypotheses=tuple(_planned(row) for part in pack.forces for row in part.hypotheses),
        queries=queries,
        source_universe=_universe(pack),
        outline=OUTLINE,
    )


def seal_plan(**fields: Any) -> ResearchPlan:
    """Return a plan of the given fields with its digest."""
    draft = ResearchPlan(schema_version=1, sha256="0" * 64, **fields)
    return draft.model_copy(update={"sha256": plan_sha256(draft)})


def plan_sha256(plan: ResearchPlan) -> str:
    """Return the digest of a plan without run id, the value an approval names."""
    return digest("plan", plan.model_dump(mode="json", exclude={"run_id", "sha256"}))


def edit_plan(plan: ResearchPlan, **changes: Any) -> ResearchPlan:
    """Return the plan with `hypotheses`, `queries`, `source_universe`, `outline` or `topics` replaced.

    Raises:
        RequestError: an unknown field, or queries that break the plan's rules.

    """
    editable = set(ResearchPlan.model_fields) - {"schema_version", "run_id", "sha256"}
    if unknown := sorted(set(changes) - editable):
        raise RequestError(
            f"a plan's {unknown[0]!r} cannot be edited; editable are {', '.join(sorted(editable))}"
        )
    kept = {name: getattr(plan, name) for name in editable}
    edited = seal_plan(run_id=plan.run_id, **{**kept, **changes})
    check_plan(edited)
    return edited


def check_plan(plan: ResearchPlan) -> None:
    """Refuse a plan that breaks its own rules.

    Raises:
        RequestError: the digest is wrong, a query id repeats, a force has more than five queries, or none
            that looks for contrary evidence.

    """
    if plan.sha256 != plan_sha256(plan):
        raise RequestError("the plan was changed after it was sealed; use edit_plan, then approve it again")
    if len({query.id for query in plan.queries}) != len(plan.queries):
        raise RequestError("plan.queries: an id is used twice; number the queries within their force")
    for force in dict.fromkeys(row.force for row in plan.hypotheses):
        rows = [query for query in plan.queries if query.force == force]
        if len(rows) > QUERIES_A_FORCE:
            raise RequestError(
                f"plan.queries: {force} has {len(rows)} queries; keep at most {QUERIES_A_FORCE}"
            )
        if not any(query.contrary for query in rows):
            raise RequestError(f"plan.queries: {force} has no contrary query; add one against it")


def detect_topics(contract: DecisionContract, pack: SectorPack) -> tuple[str, ...]:
    """Return the pack's subjects that question and product name; else those of the options or the context."""
    index = CueIndex(pack.topics)
    options = " ".join(f"{option.name} {option.description}" for option in contract.options)
    for text in (f"{contract.question} {contract.boundary.product}", options, _public_text(contract)):
        found = index.hits(tokenise(text))
        if found:
            return tuple(name for name in pack.topics if name in found)
    return ()


def _topics(contract: DecisionContract, pack: SectorPack, analyst: Analyst | None) -> tuple[str, ...]:
    detected = detect_topics(contract, pack)
    return choose_topics(detected, pack, analyst) if analyst else detected


def _known(topics: Sequence[str], pack: SectorPack) -> tuple[str, ...]:
    for topic in topics:
        if topic not in pack.topics:
            raise RequestError(f"topic {topic!r} is not in the pack; known are {', '.join(pack.topics)}")
    return tuple(dict.fromkeys(topics))


def _planned(row: Hypothesis) -> PlannedHypothesis:
    return PlannedHypothesis(
        id=row.id,
        force=row.force,
        statement=row.statement,
        falsifier=row.falsifier,
        questions=row.questions,
        contrary_questions=row.contrary_questions,
    )


def _queries(
    part: ForcePack,
    contract: DecisionContract,
    pack: SectorPack,
    topics: tuple[str, ...],
    analyst: Analyst | None,
) -> Iterator[PlannedQuery]:
    stems = frozenset(stem for topic in topics for stem in pack.topic_terms.get(topic, ()))
    rows = sorted(part.hypotheses, key=lambda row: -_nearness(row, _public_text(contract), stems))
    room = QUERIES_A_FORCE - min(CONTRARY_A_FORCE, len(rows))
    if analyst:
        rows = choose_hypotheses(part.force, rows, analyst, at_most=room)
    drafts = _texts(_drafts(rows), contract, pack, topics)
    if analyst:
        drafts = _chosen(part, drafts, analyst, room)
    for at, (text, draft) in enumerate(drafts[:QUERIES_A_FORCE], start=1):
        yield PlannedQuery(
            id=f"Q-{part.force}-{at}",
            force=part.force,
            sequence=at,
            hypothesis_id=draft.hypothesis.id,
            text=text,
            contrary=draft.contrary,
            rationale=draft.question,
        )


def _texts(
    drafts: Sequence[_Draft], contract: DecisionContract, pack: SectorPack, topics: tuple[str, ...]
) -> list[tuple[str, _Draft]]:
    """Return the filled templates, each text once."""
    found: dict[str, tuple[str, _Draft]] = {}
    for draft in drafts:
        text = _filled(draft.template, contract, pack, topics, len(found))
        found.setdefault(text.casefold(), (text, draft))
    return list(found.values())


def _chosen(
    part: ForcePack, drafts: list[tuple[str, _Draft]], analyst: Analyst, room: int
) -> list[tuple[str, _Draft]]:
    """Return the drafts with the analyst's queries first and those against a hypothesis next."""
    plain = [row for row in drafts if not row[1].contrary]
    against = [row for row in drafts if row[1].contrary]
    order = choose_queries(part.force, [text for text, _ in plain], analyst, at_most=room)
    if not order:
        return drafts
    first = [plain[at] for at in order]
    return [*first, *against, *(row for row in plain if row not in first)]


def _drafts(rows: Sequence[Hypothesis]) -> list[_Draft]:
    """Return the drafts of a force: supporting ones of the first hypotheses, then contrary ones."""
    plain = [_Draft(row, row.queries[0], row.questions[0], False) for row in rows]
    against = [_Draft(row, row.contrary_queries[0], row.contrary_questions[0], True) for row in rows]
    spare = [_Draft(row, text, row.questions[-1], False) for row in rows for text in row.queries[1:]]
    contrary = min(CONTRARY_A_FORCE, len(against))
    room = QUERIES_A_FORCE - contrary
    return [*plain[:room], *against[:contrary], *plain[room:], *spare]


def _nearness(row: Hypothesis, context: str, stems: frozenset[str]) -> float:
    """Return how near a hypothesis is to the decision: shared wording, and vocabulary of its topics."""
    text = f"{row.statement} {' '.join((*row.queries, *row.contrary_queries))}"
    words = frozenset(tokenise(text))
    used = sum(uses(words, stem) for stem in stems)
    return content_overlap(text, context) + _TOPIC_STEP * used


def _public_text(contract: DecisionContract) -> str:
    boundary = contract.boundary
    parts = (boundary.statement, boundary.product, boundary.customer, boundary.business_line)
    return " ".join((*parts, boundary.regulatory_perimeter, contract.public_context))


def _filled(
    template: str, contract: DecisionContract, pack: SectorPack, topics: tuple[str, ...], at: int
) -> str:
    boundary = contract.boundary
    subjects = [pack.topic_queries[topic] for topic in topics if topic in pack.topic_queries]
    values = {
        "{product}": " ".join(boundary.product.split()[:_PRODUCT_WORDS]),
        "{geography}": boundary.geographies[at % len(boundary.geographies)],
        "{topic}": subjects[at % len(subjects)] if subjects else "",
    }
    for mark, value in values.items():
        template = template.replace(mark, value)
    words: list[str] = []
    for word in template.split():
        if len(" ".join([*words, word])) > MOST_CHARACTERS:
            break
        words.append(word)
    return " ".join(words)


def _universe(pack: SectorPack) -> tuple[str, ...]:
    classes = {rule.source_class for rule in pack.sources}
    return tuple(sorted(classes, key=lambda name: (-authority(name), name)))
