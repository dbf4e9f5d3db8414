"""The whole way in one call, and taking it up again after a stop."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from porterlib.acquisition.framing import frame_request
from porterlib.acquisition.records import RunRecords
from porterlib.analyst import Analyst
from porterlib.capture import PageSource
from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.ledger import UNFINISHED
from porterlib.contracts.publication import Outcome
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.economics import calculate as calculate_inputs
from porterlib.economics import load_inputs
from porterlib.errors import InputError, WorkspaceError
from porterlib.hashing import digest
from porterlib.ledger import Entry
from porterlib.search import SearchProvider
from porterlib.sectors import load_pack
from porterlib.supervision.limits import check_limits
from porterlib.verbs.analysts import local_analyst
from porterlib.verbs.committed import plan_in_use
from porterlib.verbs.framing import read_request
from porterlib.verbs.gathering import acquire
from porterlib.verbs.sources import describe_search, open_search, reopen_search
from porterlib.verbs.supervising import supervise
from porterlib.workspace import Workspace, cancel_run, current_workspace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Progress = Callable[[str], None]
OPTIONS = "run_options"


def run(
    request: DecisionRequest | Mapping[str, Any] | str | os.PathLike[str],
    *,
    corpus: str | os.PathLike[str] | None = None,
    search: SearchProvider | None = None,
    source: PageSource | None = None,
    economics: EconomicsInputs | str | os.PathLike[str] | None = None,
    target: Literal["draft", "publishable"] = "draft",
    max_attempts: int = 3,
    analyst: Analyst | None = None,
    workspace: Workspace | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Frame, calculate, acquire and supervise one decision.

    Everything the run depends on is committed with its first record, so that `resume` needs nothing else.
    Inputs are read and checked before anything is committed: a bad file leaves no run behind.

    Args:
        request: a request, its fields, or the path of a YAML or JSON file.
        corpus: folder of documents, the source of evidence where `search` is absent.
        search: another source of evidence, such as `DuckDuckGoSearch` or `RegisteredUrls`.
        source: where pages come from; found by `search` if absent, as in `acquire`.
        economics: finance inputs or the path of their file.
        target: when the check is content.
        max_attempts: fresh attempts, 1 to 10.
        analyst: rules alone if absent. A local model that can call tools also forms the queries of a live search.
        workspace: where the run lives; the one opened last if absent.
        progress: told of each step in a short line.

    Raises:
        RequestError, DecisionScopeError, EconomicsError, CorpusError, PackError: what was given cannot be used.
        InputError: no source of evidence, or two; a target or limit that is not known.

    """
    started = time.monotonic()
    check_limits(target, max_attempts=max_attempts)
    place = current_workspace(workspace)
    wanted = read_request(request)
    pack = load_pack(wanted.sector)
    provider = _provider(search, corpus, place, progress)
    inputs = _inputs(economics)
    result = calculate_inputs(inputs) if inputs is not None else None
    stored = wanted.to_dict()
    request_sha256 = digest("request", stored)
    run_id = place.ids.new("run")
    contract = frame_request(
        wanted,
        pack,
        run_id=run_id,
        request_sha256=request_sha256,
        live=provider.live,
        today=place.clock.now().date(),
    )
    options = {
        "search": describe_search(provider),
        "target": target,
        "max_attempts": max_attempts,
        "analyst": _named(analyst),
    }
    entries = [
        Entry("request", stored, "request"),
        Entry("contract", contract.to_dict(), "contract"),
        Entry("step", options, OPTIONS),
    ]
    if inputs is not None and result is not None:
        result = result.model_copy(update={"run_id": run_id})
        entries.append(
            Entry("economics", {"inputs": inputs.to_dict(), "result": result.to_dict()}, "economics")
        )
    with place.writing() as ledger, ledger.transaction():
        ledger.create_run(run_id, {"request_sha256": request_sha256, "sector": wanted.sector})
        ledger.append_many(run_id, entries)
    with _cancelling(run_id, place, progress):
        _say(progress, f"run {run_id} opened")
        evidence = _acquired(contract, provider, source, analyst, place, progress)
        outcome = _supervised(contract, evidence, result, options, analyst, place, progress)
    return outcome.model_copy(update={"elapsed_s": round(time.monotonic() - started, 3)})


def resume(
    run_id: str,
    *,
    analyst: Analyst | None = None,
    search: SearchProvider | None = None,
    source: PageSource | None = None,
    workspace: Workspace | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Continue an interrupted or cancelled run from its last committed step, with the same evidence.

    Without `analyst` a run on a local model goes on with the same model at the same address; answers it has
    given are not asked for again. Without `search` it goes on searching where it began to.

    Raises:
        UnknownRunError: no such run.
        TransitionError: the run ended otherwise and cannot be reopened.
        CorpusError: the documents were changed, or went away, before the evidence was frozen.
        WorkspaceError: the run was opened step by step, or searched with a provider that the caller must give.

    """
    place = current_workspace(workspace)
    with place.writing() as ledger:
        row = ledger.run(run_id)
        wanted = ("contract", "economics")
        records = {record.kind: record for record in ledger.records(run_id) if record.kind in wanted}
        step = ledger.find(run_id, "step", OPTIONS)
        if step is None or "contract" not in records:
            raise WorkspaceError(
                f"run {run_id!r} was opened verb by verb; call acquire() and supervise() with its contract",
                run_id=run_id,
            )
        frozen = RunRecords(ledger, run_id).snapshot()  # where it is, nothing is searched any more
        basis = frozen or search or reopen_search(step.payload["search"], place)
        if row.status not in UNFINISHED:
            ledger.reopen(run_id)  # refuses every end but interruption and cancellation
    with _cancelling(run_id, place, progress):
        contract = DecisionContract.model_validate(records["contract"].payload)
        economics = (
            Economics.model_validate(records["economics"].payload["result"])
            if "economics" in records
            else None
        )
        _say(progress, f"run {run_id} taken up from {row.status}")
        analyst = analyst or _reconnected(step.payload.get("analyst"), place, progress)
        evidence = (
            basis
            if isinstance(basis, EvidenceSnapshot)
            else _acquired(contract, basis, source, analyst, place, progress)
        )
        return _supervised(contract, evidence, economics, step.payload, analyst, place, progress)


def _provider(
    search: SearchProvider | None,
    corpus: str | os.PathLike[str] | None,
    place: Workspace,
    progress: Progress | None,
) -> SearchProvider:
    if search is None:
        folder = Path(corpus) if corpus is not None else place.corpus
        return open_search(None, place, corpus=folder, progress=progress)
    if corpus is not None:
        raise InputError("corpus and search are both given; give one source of evidence")
    return search


@contextmanager
def _cancelling(run_id: str, place: Workspace, progress: Progress | None) -> Iterator[None]:
    """Leave the run cancelled on an interrupt, also between two verbs, and tell how to go on."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        with place.writing() as ledger:
            if run_id in ledger.recovered:  # the interrupt came while its writer was closing
                ledger.reopen(run_id)
            cancel_run(ledger, run_id, interrupt)
        _say(progress, f"run {run_id} cancelled; take it up with: porterlib resume {run_id}")
        raise


def _acquired(
    contract: DecisionContract,
    search: SearchProvider,
    source: PageSource | None,
    analyst: Analyst | None,
    place: Workspace,
    progress: Progress | None,
) -> EvidenceSnapshot | InsufficientEvidence:
    with place.reading() as ledger:  # an earlier part of the run may have taken one up
        plan = plan_in_use(ledger, contract.run_id)
    return acquire(
        contract,
        plan=plan,
        search=search,
        source=source,
        worker=research_model(analyst) if search.live else None,
        analyst=analyst,
        workspace=place,
        progress=progress,
    )


def _supervised(
    contract: DecisionContract,
    evidence: EvidenceSnapshot | InsufficientEvidence,
    economics: Economics | None,
    options: Mapping[str, Any],
    analyst: Analyst | None,
    place: Workspace,
    progress: Progress | None,
) -> Outcome:
    return supervise(
        contract,
        evidence,
        economics,
        target=options["target"],
        analyst=analyst,
        max_attempts=options["max_attempts"],
        workspace=place,
        progress=progress,
    )


def research_model(analyst: Analyst | None) -> BaseChatModel | None:
    """Return the model of a local analyst for research, where it was measured to call tools."""
    local = local_analyst(analyst)
    if local is None or local.profile.tool_choice not in ("enforced", "followed_when_told"):
        return None
    from porterlib.acquisition.worker_model import worker_model

    return worker_model(local.endpoint, name=local.profile.model)


def _named(analyst: Analyst | None) -> dict[str, Any] | None:
    """Return what a resume needs to reach a local model again; never its key."""
    local = local_analyst(analyst)
    return {"url": local.endpoint.url, "model": local.profile.model} if local else None


def _reconnected(
    named: Mapping[str, Any] | None, place: Workspace, progress: Progress | None
) -> Analyst | None:
    if named is None:
        return None
    from porterlib.doctor import connect

    settings = place.settings
    return connect(
        named["url"],
        model=named["model"],
        key=settings.model_key,
        allow_remote=settings.allow_remote_model,
        show=progress or _silent,
    )


def _silent(line: str) -> None:
    del line


def _inputs(economics: EconomicsInputs | str | os.PathLike[str] | None) -> EconomicsInputs | None:
    if economics is None or isinstance(economics, EconomicsInputs):
        return economics
    return load_inputs(Path(economics))


def _say(progress: Progress | None, line: str) -> None:
    if progress is not None:
        progress(line)
