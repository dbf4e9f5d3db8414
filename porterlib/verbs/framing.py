"""`frame` and `plan`: from a question to a decision contract and a research plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porterlib.acquisition.framing import answer_questions, frame_request
from porterlib.acquisition.planning import plan_research
from porterlib.contracts.loading import load_request, parse_request
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.errors import WorkspaceError
from porterlib.hashing import digest
from porterlib.ledger import Ledger
from porterlib.sectors import load_pack
from porterlib.workspace import Workspace, current_workspace


def frame(
    request: DecisionRequest | Mapping[str, Any] | str | os.PathLike[str],
    *,
    answers: Mapping[str, Any] | None = None,
    workspace: Workspace | None = None,
    live: bool = False,
) -> DecisionContract:
    """Write the decision contract and open a run.

    Args:
        request: a request, its fields, or the path of a YAML or JSON file.
        answers: answers to the questions of an earlier `DecisionScopeError`, by the name of what was missing.
        workspace: where the run lives; the one opened last if absent.
        live: whether evidence will come from the web, which cannot honour a cutoff in the past.

    Raises:
        RequestError: a field is wrong; the error names it.
        DecisionScopeError: the decision cannot be framed yet; the error carries the questions.
        PackError: no such sector pack.

    """
    place = current_workspace(workspace)
    wanted = read_request(request)
    if answers:
        wanted = answer_questions(wanted, answers)
    pack = load_pack(wanted.sector)
    stored = wanted.to_dict()
    request_sha256 = digest("request", stored)
    run_id = place.ids.new("run")
    contract = frame_request(
        wanted, pack, run_id=run_id, request_sha256=request_sha256, live=live, today=place.clock.now().date()
    )
    with place.writing() as ledger, ledger.transaction():
        ledger.create_run(run_id, {"request_sha256": request_sha256, "sector": wanted.sector})
        ledger.append(run_id, "request", stored, key="request")
        ledger.append(run_id, "contract", contract.to_dict(), key="contract")
    return contract


def plan(contract: DecisionContract, *, workspace: Workspace | None = None) -> ResearchPlan:
    """Return the research plan of a contract and commit it; nothing is searched."""
    place = current_workspace(workspace)
    made = plan_research(contract, load_pack(contract.sector))
    with place.writing() as ledger:
        ledger.append(contract.run_id, "plan", made.to_dict(), key=made.sha256)
    return made


def read_request(request: DecisionRequest | Mapping[str, Any] | str | os.PathLike[str]) -> DecisionRequest:
    """Return a request from a contract, its fields, or the path of a file."""
    if isinstance(request, DecisionRequest):
        return request
    if isinstance(request, Mapping):
        return parse_request(dict(request))
    return load_request(Path(request))


def stored_request(ledger: Ledger, run_id: str) -> DecisionRequest:
    """Return the request a run was opened with."""
    record = ledger.find(run_id, "request", "request")
    if record is None:
        raise WorkspaceError(f"run {run_id!r} holds no request; open it with frame()", run_id=run_id)
    return DecisionRequest.model_validate(record.payload)
