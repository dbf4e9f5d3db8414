"""The attempt as a LangGraph state graph: read, five forces side by side, options, brief, challenge, check."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from porterlib.acquisition.planning import detect_topics
from porterlib.analysis.assemble import assemble_candidate
from porterlib.analysis.brief import smallest_action, write_brief
from porterlib.analysis.challenge import Challenger
from porterlib.analysis.claims import build_claims
from porterlib.analysis.forces import assess_force
from porterlib.analysis.options import assess_options
from porterlib.analysis.reading import Reader
from porterlib.analysis.recommend import recommend
from porterlib.analysis.stances import ask_stances
from porterlib.analysis.subject import Subject
from porterlib.analysis.workings import Workings
from porterlib.analyst import Analyst
from porterlib.contracts.analysis import AnalysisInput, Candidate
from porterlib.contracts.assessment import ForceAssessment, RuleFiring
from porterlib.contracts.base import FORCES, Force
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack
from porterlib.contracts.supervision import Finding

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

Check = Callable[[Candidate, AnalysisInput], Sequence[Finding]]
_Assessed = tuple[ForceAssessment, tuple[RuleFiring, ...]]


class AttemptState(TypedDict, total=False):
    """What the nodes hand on; `assessed` is the fan-in field and starts empty in each attempt."""

    inputs: AnalysisInput
    work: Workings
    force: Force
    assessed: Annotated[list[_Assessed], operator.add]
    repairs: int
    excluded: tuple[str, ...]
    candidate: Candidate
    findings: tuple[Finding, ...]


class AnalysisGraph:
    """Nodes of one attempt for one pack and analyst."""

    def __init__(self, pack: SectorPack, analyst: Analyst, check: Check) -> None:
        self._pack, self._analyst, self._check = pack, analyst, check
        self._reader: tuple[DecisionContract, Reader] | None = None

    def compile(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Return the compiled graph; it takes `{"inputs": AnalysisInput}` and gives `candidate`, `findings`."""
        from langgraph.graph import END, START, StateGraph

        graph = StateGraph(AttemptState)
        for name, node in (
            ("read", self.read),
            ("assess", self.assess),
            ("options", self.options),
            ("brief", self.brief),
            ("check", self.check),
            ("repair", self.repair),
        ):
            graph.add_node(name, node)
        graph.add_edge(START, "read")
        graph.add_conditional_edges("read", self.fan_out, ["assess"])
        graph.add_edge("assess", "options")
        graph.add_edge("options", "brief")
        graph.add_edge("brief", "check")
        graph.add_conditional_edges("check", self.route, {"repair": "repair", "done": END})
        graph.add_edge("repair", END)
        return graph.compile()

    def read(self, state: AttemptState) -> AttemptState:
        """Read the frozen passages into claims and links."""
        inputs = state["inputs"]
        clauses = self._reader_of(inputs.contract).read(inputs.snapshot)
        excluded = state.get("excluded", ())
        book = build_claims(clauses, self._pack, excluded=frozenset(excluded))
        ask_stances(book, self._analyst)
        work = Workings(inputs=inputs, pack=self._pack, analyst=self._analyst, book=book)
        return {"work": work, "repairs": state.get("repairs", 0)}

    def _reader_of(self, contract: DecisionContract) -> Reader:
        # Passages say the same in every attempt at one decision, so its attempts share what was read.
        if self._reader is None or self._reader[0] != contract:
            subject = Subject(contract, self._pack, detect_topics(contract, self._pack))
            self._reader = (contract, Reader(self._pack, subject))
        return self._reader[1]

    def fan_out(self, state: AttemptState) -> list[Any]:
        """Send one assessment a force (langgraph evaluates this signature, so it names no lazy import)."""
        from langgraph.types import Send

        return [Send("assess", {"work": state["work"], "force": force}) for force in FORCES]

    def assess(self, state: AttemptState) -> AttemptState:
        """Assess one force."""
        part = next(part for part in self._pack.forces if part.force == state["force"])
        return {"assessed": [assess_force(part, state["work"].book, self._analyst)]}

    def options(self, state: AttemptState) -> AttemptState:
        """Join the five forces and rate the options."""
        work = state["work"]
        order = {force: at for at, force in enumerate(FORCES)}
        joined = sorted(state["assessed"], key=lambda pair: order[pair[0].force])
        work.forces = tuple(assessment for assessment, _ in joined)
        work.options = assess_options(work)
        work.recommendation = recommend(work)
        return {"work": work}

    def brief(self, state: AttemptState) -> AttemptState:
        """Challenge the recommendation, then write the brief that must face the challenge."""
        work = state["work"]
        recommendation = work.recommendation or recommend(work)
        action = smallest_action(work, recommendation)
        challenge = Challenger(work, recommendation, action).report()
        brief = write_brief(work, recommendation, challenge)
        firings = [firing for _, rules in state["assessed"] for firing in rules]
        firings.sort(key=lambda firing: (firing.subject, firing.rule))
        candidate = assemble_candidate(
            work, recommendation, brief, challenge, firings, repairs=state.get("repairs", 0)
        )
        return {"candidate": candidate}

    def check(self, state: AttemptState) -> AttemptState:
        """Check the candidate; no model has a say."""
        return {"findings": tuple(self._check(state["candidate"], state["inputs"]))}

    def route(self, state: AttemptState) -> str:
        """Repair once when a finding names a claim that can be left out."""
        return "repair" if not state["repairs"] and self._offending(state) else "done"

    def repair(self, state: AttemptState) -> AttemptState:
        """Assemble everything again without the claims the findings name."""
        fresh: AttemptState = {"inputs": state["inputs"], "repairs": 1, "excluded": self._offending(state)}
        fresh.update(self.read(fresh))
        pairs = [assess_force(part, fresh["work"].book, self._analyst) for part in self._pack.forces]
        fresh["assessed"] = pairs
        for step in (self.options, self.brief, self.check):
            fresh.update(step(fresh))
        return {"candidate": fresh["candidate"], "findings": fresh["findings"], "repairs": 1}

    @staticmethod
    def _offending(state: AttemptState) -> tuple[str, ...]:
        claims = {claim.id for claim in state["candidate"].claims if claim.kind == "external_fact"}
        owner = {link.id: link.claim_id for link in state["candidate"].links}
        named = (
            owner.get(finding.place, finding.place)
            for finding in state["findings"]
            if finding.severity == "error"
        )
        return tuple(sorted({place for place in named if place in claims}))


def analyse(inputs: AnalysisInput, *, pack: SectorPack, analyst: Analyst, check: Check) -> Candidate:
    """Run one attempt and return its candidate."""
    graph = AnalysisGraph(pack, analyst, check).compile()
    state: dict[str, Any] = graph.invoke({"inputs": inputs})
    candidate = state["candidate"]
    if not isinstance(candidate, Candidate):
        raise TypeError(f"the graph returned {type(candidate).__name__} instead of a candidate")
    return candidate
