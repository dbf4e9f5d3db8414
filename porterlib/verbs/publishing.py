"""Ends a run: status, fingerprint and artifacts, all from what the ledger holds."""

from __future__ import annotations

import json
from typing import Any

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.publication import Outcome, Versions
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.evaluation import EVALUATOR_VERSION, brief_fingerprint, publication_label
from porterlib.ledger import Ledger
from porterlib.publication.artifacts import keep_artifacts
from porterlib.rendering.brief import BriefInput, render_brief
from porterlib.rendering.redact import redact, redactor
from porterlib.rendering.reports import blocked_report, insufficiency_report
from porterlib.rendering.sidecar import evidence_csv, sidecar
from porterlib.sectors import load_pack
from porterlib.verbs.gathering import stored_request
from porterlib.workspace import Workspace

BRIEF, SIDECAR, EVIDENCE = "board-brief.md", "audit-sidecar.json", "evidence.csv"
_MARKDOWN, _JSON, _CSV = "text/markdown; charset=utf-8", "application/json", "text/csv; charset=utf-8"


def publish_outcome(outcome: Outcome, place: Workspace, ledger: Ledger, *, elapsed_s: float) -> Outcome:
    """Give the outcome its fingerprint and artifacts, then set the run's status."""
    request = stored_request(ledger, outcome.run_id)
    done = outcome.model_copy(update={"fingerprint": fingerprint_of(outcome)})
    files = outcome_files(done, request)
    paths = keep_artifacts(
        ledger, outcome.run_id, place.run_folder(outcome.run_id), files, about=done.fingerprint or done.status
    )
    done = done.model_copy(update={"artifacts": paths, "elapsed_s": round(elapsed_s, 3)})
    ledger.set_status(outcome.run_id, outcome.status, outcome.reason or None)
    return done


def fingerprint_of(outcome: Outcome) -> str | None:
    """Return the fingerprint of the outcome's text, or None without a text."""
    if outcome.candidate is None:
        return None
    return brief_fingerprint(
        outcome.candidate,
        outcome.snapshot.snapshot_id,
        outcome.economics,
        outcome.versions,
    )


def outcome_files(outcome: Outcome, request: DecisionRequest) -> dict[str, tuple[str, str]]:
    """Return name to (media type, text) of every artifact of an outcome."""
    hidden = redactor(request.restricted_terms, (fact.text for fact in request.internal_facts))
    files: dict[str, tuple[str, str]] = {EVIDENCE: (_CSV, redact(evidence_csv(outcome.snapshot), hidden))}
    if outcome.candidate is not None and outcome.fingerprint is not None:
        page = BriefInput(
            candidate=outcome.candidate,
            snapshot=outcome.snapshot,
            economics=outcome.economics,
            report=outcome.report,
            label=publication_label(draft_valid=outcome.status != "blocked"),
            fingerprint=outcome.fingerprint,
        )
        files[BRIEF] = (_MARKDOWN, redact(render_brief(page), hidden))
        files[SIDECAR] = (_JSON, _json(_sidecar(outcome, request)))
    if outcome.status == "blocked":
        files["blocked-report.md"] = (_MARKDOWN, redact(blocked_report(outcome), hidden))
    return files


def publish_insufficiency(
    place: Workspace, contract: DecisionContract, report: InsufficientEvidence
) -> Outcome:
    """Return the outcome of a run that lacked evidence, with its report written."""
    pack = load_pack(contract.sector)
    with place.writing() as ledger:
        hidden = redactor(stored_request(ledger, contract.run_id).restricted_terms, ())
        files = {
            "insufficient-evidence.md": (_MARKDOWN, redact(insufficiency_report(contract, report), hidden))
        }
        paths = keep_artifacts(
            ledger, contract.run_id, place.run_folder(contract.run_id), files, about="insufficient_evidence"
        )
    return Outcome(
        run_id=contract.run_id,
        status="insufficient_evidence",
        reason="forces_without_evidence",
        fingerprint=None,
        candidate=None,
        snapshot=_empty_snapshot(contract, report),
        economics=None,
        state=None,
        report=None,
        versions=Versions(
            evaluator=EVALUATOR_VERSION,
            pack=f"{pack.name} {pack.version}",
            calculator="none",
            prompts="none",
            analyst="none",
        ),
        insufficient=report,
        artifacts=paths,
    )


def _empty_snapshot(contract: DecisionContract, report: InsufficientEvidence) -> EvidenceSnapshot:
    from porterlib.acquisition.gather import evidence_snapshot_id

    return EvidenceSnapshot(
        run_id=contract.run_id,
        snapshot_id=evidence_snapshot_id(()),
        evidence=(),
        gaps=report.gaps,
        queries_executed=0,
        documents_captured=0,
    )


def _sidecar(outcome: Outcome, request: DecisionRequest) -> dict[str, Any]:
    if outcome.candidate is None or outcome.fingerprint is None:
        raise ValueError("a sidecar needs a candidate")
    return sidecar(
        request=request,
        candidate=outcome.candidate,
        snapshot=outcome.snapshot,
        economics=outcome.economics,
        state=outcome.state,
        report=outcome.report,
        versions=outcome.versions,
        fingerprint=outcome.fingerprint,
    )


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
