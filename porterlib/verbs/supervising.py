"""`supervise`: fresh attempts until the independent check passes, each committed before the next."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from porterlib.analysis.graph import AnalysisGraph
from porterlib.analyst import Analyst
from porterlib.contracts.analysis import AnalysisInput, Candidate, InsufficientEvidence
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.publication import Outcome, Versions
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.contracts.supervision import (
    AttemptManifest,
    CompletionTarget,
    Finding,
    GapDirective,
    GoalReport,
    RalphState,
)
from porterlib.economics import CALCULATOR_VERSION
from porterlib.evaluation import EVALUATOR_VERSION, EvaluationContext, default_criteria, evaluate, gate
from porterlib.hashing import canonical_json, sha256_hex
from porterlib.ledger import Entry, Ledger
from porterlib.sectors import load_pack
from porterlib.supervision import RalphSupervisor
from porterlib.supervision.limits import check_limits
from porterlib.verbs.analysts import bound_analyst, local_analyst
from porterlib.verbs.committed import check_basis
from porterlib.verbs.framing import stored_request
from porterlib.verbs.publishing import publish_insufficiency, publish_outcome
from porterlib.workspace import Workspace, current_workspace

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Progress = Callable[[str], None]


def supervise(
    contract: DecisionContract,
    snapshot: EvidenceSnapshot | InsufficientEvidence,
    economics: Economics | None = None,
    *,
    target: Literal["draft", "publishable"] = "draft",
    analyst: Analyst | None = None,
    max_attempts: int = 3,
    max_budget_units: int = 6,
    stall_limit: int = 2,
    heed_directives: bool = True,
    workspace: Workspace | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run analysis attempts until every criterion passes or a limit is reached, and write the artifacts.

    Args:
        contract: the framed decision.
        snapshot: frozen evidence, or the report that it did not suffice.
        economics: finished calculations.
        target: `draft`, or `publishable`, which needs four approvals as well.
        analyst: answers the small questions; the offline analyst if absent.
        max_attempts: 1 to 10 attempts.
        max_budget_units: 1 to 100 units, one an attempt.
        stall_limit: the same open gaps so many times in a row block the run, 2 to 10.
        heed_directives: False withholds gap directives from the analyst, to show what they change.
        workspace: where the run lives.
        progress: told of each step in a short line.

    Raises:
        InputError: a limit is out of range, or contract, evidence or economics are not what the run committed.

    """
    aim = check_limits(
        target, max_attempts=max_attempts, max_budget_units=max_budget_units, stall_limit=stall_limit
    )
    place = current_workspace(workspace)
    if isinstance(snapshot, InsufficientEvidence):
        return publish_insufficiency(place, contract, snapshot)
    with place.writing() as ledger:
        check_basis(ledger, contract, snapshot, economics)
        loop = Supervision(
            ledger=ledger,
            place=place,
            contract=contract,
            snapshot=snapshot,
            economics=economics,
            analyst=bound_analyst(analyst, ledger, contract, progress),
            heed_directives=heed_directives,
            progress=progress or _silent,
        )
        started = time.monotonic()
        state = loop.run(aim, max_attempts, max_budget_units, stall_limit)
        return publish_outcome(loop.result(state), place, ledger, elapsed_s=time.monotonic() - started)


def _silent(line: str) -> None:
    del line


class Supervision:
    """One run's Ralph loop over the ledger."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        place: Workspace,
        contract: DecisionContract,
        snapshot: EvidenceSnapshot,
        economics: Economics | None,
        analyst: Analyst,
        heed_directives: bool,
        progress: Progress,
    ) -> None:
        self._ledger, self._contract, self._snapshot = ledger, contract, snapshot
        self._economics, self._analyst, self._heed = economics, analyst, heed_directives
        self._progress = progress
        self._pack: SectorPack = load_pack(contract.sector)
        self._request: DecisionRequest = stored_request(ledger, contract.run_id)
        self._graph = AnalysisGraph(self._pack, analyst, self._findings).compile()
        self._supervisor = RalphSupervisor(
            self._invoke,
            self._evaluate,
            input_builder=self._input,
            clock=place.clock,
            ids=place.ids,
            on_start=self._on_start,
            on_step=self._on_step,
        )

    def run(
        self, target: CompletionTarget, max_attempts: int, max_budget_units: int, stall_limit: int
    ) -> RalphState:
        """Return the state when supervision has ended; a stored state is taken up where it stopped."""
        run_id = self._contract.run_id
        if self._ledger.status(run_id) != "verifying":
            self._ledger.set_status(run_id, "verifying")
        state = self._stored() or self._supervisor.new_state(
            objective={"question": self._contract.question, "request_sha256": self._contract.request_sha256},
            criteria=default_criteria(self._context(None, target)),
            evidence_snapshot_id=self._snapshot.snapshot_id,
            target=target,
            max_attempts=max_attempts,
            max_budget_units=max_budget_units,
            stall_limit=stall_limit,
            run_id=run_id,
        )
        state = self._qualified(state)
        while state.status == "running":
            state = self._qualified(self._supervisor.step(state))
        return state

    def _qualified(self, state: RalphState) -> RalphState:
        """Return the state, blocked where rules had to answer too many of a model's questions."""
        local = local_analyst(self._analyst)
        reasons = local.unqualified() if local else ()
        if not reasons:
            return state
        from porterlib.analyst.local import BLOCK_REASON

        if state.reason == BLOCK_REASON:
            return state
        blocked = RalphState.model_validate({**dict(state), "status": "blocked", "reason": BLOCK_REASON})
        payload = {"state": blocked.to_dict(), "reasons": list(reasons)}
        self._ledger.append(self._contract.run_id, "checkpoint", payload)
        self._progress(f"model not qualified: {'; '.join(reasons)}")
        return blocked

    def result(self, state: RalphState) -> Outcome:
        """Return the outcome of the best attempt."""
        best = state.attempts[state.best_attempt - 1] if state.best_attempt else None
        candidate: Candidate | None = self._supervisor.best_output(state) if best else None
        return Outcome(
            run_id=self._contract.run_id,
            status=state.status if state.status != "running" else "blocked",
            reason=state.reason,
            fingerprint=None,
            candidate=candidate,
            snapshot=self._snapshot,
            economics=self._economics,
            state=state,
            report=best.report if best else None,
            versions=versions(self._pack, self._economics, candidate),
        )

    def _input(self, state: RalphState, directives: tuple[GapDirective, ...]) -> AnalysisInput:
        heeded = (
            tuple(sorted({d.criterion_id for a in state.attempts for d in a.directives}))
            if self._heed
            else ()
        )
        del (
            directives
        )  # every gap of an earlier attempt stays widened, so that closing one does not reopen another
        return AnalysisInput(
            contract=self._contract, snapshot=self._snapshot, economics=self._economics, directives=heeded
        )

    def _invoke(self, inputs: AnalysisInput, config: dict[str, Any]) -> Candidate:
        def call() -> Candidate:
            state = self._graph.invoke({"inputs": inputs}, cast("RunnableConfig", config))
            return cast(Candidate, state["candidate"])

        # A graph lets an interrupt through only when its branches have ended, and these wait for a model.
        local = local_analyst(self._analyst)
        if local is None:
            return call()
        from porterlib.analyst.local import run_cancellable

        return run_cancellable(call, local.cancel)

    def _findings(self, candidate: Candidate, inputs: AnalysisInput) -> tuple[Finding, ...]:
        del inputs
        return gate(self._context(candidate))

    def _evaluate(self, output: Candidate, *, attempt_id: str, state: RalphState) -> GoalReport:
        return evaluate(self._context(output, state.target), attempt_id=attempt_id)

    def _context(
        self, candidate: Candidate | None, target: CompletionTarget = CompletionTarget.DRAFT
    ) -> EvaluationContext:
        return EvaluationContext(
            candidate=candidate,
            snapshot=self._snapshot,
            economics=self._economics,
            request=self._request,
            contract=self._contract,
            policy=self._pack.evidence_policy,
            argues={d.id: d.argues for part in self._pack.forces for d in part.drivers},
            target=target,
        )

    def _on_start(self, state: RalphState, *, attempt_number: int, attempt_id: str, thread_id: str) -> None:
        self._progress(f"attempt {attempt_number} of at most {state.max_attempts}")
        payload = {"attempt_number": attempt_number, "attempt_id": attempt_id, "thread_id": thread_id}
        self._ledger.append(self._contract.run_id, "attempt_started", payload)

    def _on_step(self, state: RalphState, manifest: AttemptManifest, output: Candidate | None) -> None:
        """Commit attempt, goals and checkpoint together, before a retry."""
        run_id = self._contract.run_id
        content = canonical_json(output.to_dict()) if output is not None else b"null"
        blob = sha256_hex(content)
        entries = [Entry("attempt_finished", {"manifest": manifest.to_dict(), "candidate": blob}, None)]
        entries += [
            Entry("goal", {"goal_id": e.criterion_id, "status": e.outcome, "attempt_id": manifest.attempt_id})
            for e in manifest.report.evaluations
        ]
        entries.append(Entry("checkpoint", {"state": state.to_dict()}))
        with self._ledger.transaction():
            self._ledger.put_blob(content, "application/json")
            self._ledger.append_many(run_id, entries)
        failed = [e.criterion_id for e in manifest.report.evaluations if e.outcome == "fail"]
        self._progress(
            f"attempt {manifest.attempt_number}: " + (f"open {', '.join(failed)}" if failed else "passed")
        )

    def _stored(self) -> RalphState | None:
        """Return the state a stopped run had reached, with its best output in hand."""
        run_id = self._contract.run_id
        points = [r for r in self._ledger.records(run_id, "checkpoint") if "state" in r.payload]
        if not points:
            return None
        state = RalphState.model_validate(points[-1].payload["state"])
        for record in self._ledger.records(run_id, "attempt_finished"):
            manifest = AttemptManifest.model_validate(record.payload["manifest"])
            if manifest.attempt_number == state.best_attempt:
                blob = self._ledger.get_blob(record.payload["candidate"])
                self._supervisor.keep_output(manifest, Candidate.model_validate_json(blob))
        return state


def versions(pack: SectorPack, economics: Economics | None, candidate: Candidate | None) -> Versions:
    """Return the versions a fingerprint binds."""
    stamp = candidate.analyst if candidate else None
    return Versions(
        evaluator=EVALUATOR_VERSION,
        pack=f"{pack.name} {pack.version}",
        calculator=economics.calculator_version if economics else CALCULATOR_VERSION,
        prompts=stamp.prompts_version if stamp else "none",
        analyst=f"{stamp.kind} {stamp.version} {stamp.model}".strip() if stamp else "none",
    )
