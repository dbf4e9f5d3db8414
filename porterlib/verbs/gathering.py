"""`acquire` and `calculate`: evidence and figures, frozen before any analysis."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from porterlib.acquisition.gather import AcquisitionLimits, acquire_evidence, check_acquisition
from porterlib.acquisition.planning import plan_research
from porterlib.acquisition.search import CorpusSearch
from porterlib.analyst import Analyst
from porterlib.capture import PageSource
from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.contracts.sector import SectorPack
from porterlib.economics import calculate as calculate_inputs
from porterlib.economics import load_inputs
from porterlib.egress import EgressBudget, EgressGuard, policy_for
from porterlib.errors import WorkspaceError
from porterlib.search import RegisteredUrls, SearchProvider
from porterlib.sectors import load_pack
from porterlib.verbs.analysts import bound_analyst, local_analyst
from porterlib.verbs.committed import check_contract, check_inputs, take_up_plan
from porterlib.verbs.framing import stored_request
from porterlib.verbs.publishing import keep_insufficiency
from porterlib.workspace import Workspace, current_workspace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Progress = Callable[[str], None]


def acquire(
    contract: DecisionContract,
    *,
    plan: ResearchPlan | None = None,
    search: SearchProvider | None = None,
    source: PageSource | None = None,
    worker: BaseChatModel | None = None,
    analyst: Analyst | None = None,
    limits: AcquisitionLimits | None = None,
    workspace: Workspace | None = None,
    progress: Progress | None = None,
) -> EvidenceSnapshot | InsufficientEvidence:
    """Gather and freeze the evidence of a decision.

    Args:
        contract: the framed decision.
        plan: an edited or approved plan, which may come from another run; made from the contract if absent.
        search: where evidence comes from; the workspace's corpus if absent.
        source: where pages come from; a corpus serves its own, the web is fetched over pinned connections.
        worker: chat model that can call tools, which then forms the queries of a live search within bounds.
        analyst: a local model chooses subjects, hypotheses and queries of a plan that is made here, among those the
            pack offers; the rules choose otherwise.
        limits: how many pages and hits.
        workspace: where the run lives.
        progress: told of each step in a short line.

    Returns:
        The frozen snapshot, or a report of what is missing when a force has no promotable evidence.

    Raises:
        WorkspaceError: neither a provider nor a corpus was given.
        CorpusError: the corpus cannot be used.
        RequestError: the plan was changed after sealing, or a live search is to honour a cutoff in the past.
        InputError: a limit is out of range, the contract is not the one the run was framed with, or the run has
            taken up another plan.

    """
    place = current_workspace(workspace)
    provider: SearchProvider = search or _corpus(place)
    pack = load_pack(contract.sector)
    made = (plan or _planned(contract, pack, analyst, place, progress)).model_copy(
        update={"run_id": contract.run_id}
    )
    limits = limits or AcquisitionLimits()
    check_acquisition(contract, made, search=provider, clock=place.clock, limits=limits)
    if isinstance(provider, RegisteredUrls):
        provider = provider.bound_to(made)
    with place.writing() as ledger, _pages(provider, source, place) as pages:
        check_contract(ledger, contract)
        request = stored_request(ledger, contract.run_id)
        policy = policy_for(request, key=place.egress_key(), vocabulary=pack.vocabulary)
        take_up_plan(ledger, made)
        if ledger.status(contract.run_id) == "created":
            ledger.set_status(contract.run_id, "acquiring_evidence")
        found = acquire_evidence(
            contract,
            made,
            pack=pack,
            search=provider,
            source=pages,
            ledger=ledger,
            guard=EgressBudget(EgressGuard(policy)),
            clock=place.clock,
            limits=limits,
            worker=worker,
            on_progress=progress,
        )
        if isinstance(found, InsufficientEvidence):
            found = keep_insufficiency(ledger, place, contract, found)
    return found


def _planned(
    contract: DecisionContract,
    pack: SectorPack,
    analyst: Analyst | None,
    place: Workspace,
    progress: Progress | None,
) -> ResearchPlan:
    """Return the plan; a local model's choices are kept in the run's ledger before the plan is."""
    local = local_analyst(analyst)
    if local is None:
        return plan_research(contract, pack)
    with place.writing() as ledger:
        bound = bound_analyst(local, ledger, contract, progress)
        return plan_research(contract, pack, analyst=bound)


def calculate(
    contract: DecisionContract,
    inputs: EconomicsInputs | str | os.PathLike[str],
    *,
    workspace: Workspace | None = None,
) -> Economics:
    """Calculate the economics of a decision and commit inputs and result.

    Raises:
        EconomicsError: an input is wrong; the error names the field and shows a right value.
        InputError: the contract is not the one the run was framed with, or the run holds other inputs.

    """
    place = current_workspace(workspace)
    given = inputs if isinstance(inputs, EconomicsInputs) else load_inputs(Path(inputs))
    result = calculate_inputs(given).model_copy(update={"run_id": contract.run_id})
    payload = {"inputs": given.to_dict(), "result": result.to_dict()}
    with place.writing() as ledger:
        check_contract(ledger, contract)
        check_inputs(ledger, contract.run_id, given)
        ledger.append(contract.run_id, "economics", payload, key="economics")
    return result


@contextmanager
def _pages(provider: SearchProvider, source: PageSource | None, place: Workspace) -> Iterator[PageSource]:
    """Yield where pages come from: what was given, the corpus itself, or the web."""
    if source is not None:
        yield source
    elif isinstance(provider, CorpusSearch):
        yield provider
    else:
        from porterlib.capture import WebCapture

        with WebCapture(clock=place.clock) as web:
            yield web


def _corpus(place: Workspace) -> CorpusSearch:
    if place.corpus is None:
        raise WorkspaceError("no source of evidence: pass search= or open the workspace with corpus=FOLDER")
    return CorpusSearch(place.corpus, clock=place.clock)
