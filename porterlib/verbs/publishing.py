"""Ends a run: status, fingerprint and artifacts, all from what the ledger holds."""

from __future__ import annotations

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.publication import Outcome, Versions
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.evaluation import (
    EVALUATOR_VERSION,
    brief_fingerprint,
    evidence_snapshot_id,
    publication_label,
)
from porterlib.ledger import Ledger
from porterlib.publication.artifacts import (
    BLOCKED_REPORT,
    CSV,
    EVIDENCE_NAME,
    MARKDOWN,
    record_artifacts,
    write_artifacts,
)
from porterlib.publication.texts import hidden_in, text_files
from porterlib.rendering.redact import redact
from porterlib.rendering.reports import blocked_report, insufficiency_report
from porterlib.rendering.sidecar import evidence_csv
from porterlib.sectors import load_pack
from porterlib.verbs.framing import stored_request
from porterlib.workspace import Workspace

INSUFFICIENCY = "insufficient-evidence.md"


def publish_outcome(outcome: Outcome, place: Workspace, ledger: Ledger, *, elapsed_s: float) -> Outcome:
    """Give the outcome its fingerprint and artifacts, then set the run's status."""
    request = stored_request(ledger, outcome.run_id)
    done = outcome.model_copy(update={"fingerprint": fingerprint_of(outcome)})
    files = outcome_files(done, request)
    paths = _keep(ledger, place, outcome.run_id, files, about=done.fingerprint or done.status)
    # The status comes last: a run that is done has its files.
    ledger.set_status(outcome.run_id, outcome.status, outcome.reason or None)
    return done.model_copy(update={"artifacts": paths, "elapsed_s": round(elapsed_s, 3)})


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
    """Return name to (media type, text) of every artifact of an outcome; the public sidecar is made on export."""
    if outcome.candidate is not None and outcome.fingerprint is not None:
        label = publication_label(draft_valid=outcome.status != "blocked")
        return text_files(outcome, request, label=label)
    hidden = hidden_in(request)
    return {
        EVIDENCE_NAME: (CSV, redact(evidence_csv(outcome.snapshot), hidden)),
        BLOCKED_REPORT: (MARKDOWN, redact(blocked_report(outcome), hidden)),
    }


def _keep(
    ledger: Ledger, place: Workspace, run_id: str, files: dict[str, tuple[str, str]], *, about: str
) -> dict[str, str]:
    with ledger.transaction():
        blobs = record_artifacts(ledger, run_id, files, about=about)
    return write_artifacts(ledger, place.run_folder(run_id), blobs)


def keep_insufficiency(
    ledger: Ledger, place: Workspace, contract: DecisionContract, report: InsufficientEvidence
) -> InsufficientEvidence:
    """Record the report, write it for people, then end the run; return the report that was recorded first."""
    run_id = contract.run_id
    stored = ledger.find(run_id, "checkpoint", "insufficient")
    if stored is not None:
        report = InsufficientEvidence.model_validate(stored.payload)
    else:
        ledger.append(run_id, "checkpoint", report.to_dict(), key="insufficient")
    _write_insufficiency(ledger, place, contract, report)
    ledger.set_status(run_id, "insufficient_evidence", "forces_without_evidence")
    return report


def _write_insufficiency(
    ledger: Ledger, place: Workspace, contract: DecisionContract, report: InsufficientEvidence
) -> dict[str, str]:
    hidden = hidden_in(stored_request(ledger, contract.run_id))
    files = {INSUFFICIENCY: (MARKDOWN, redact(insufficiency_report(contract, report), hidden))}
    return _keep(ledger, place, contract.run_id, files, about="insufficient_evidence")


def publish_insufficiency(
    place: Workspace, contract: DecisionContract, report: InsufficientEvidence
) -> Outcome:
    """Return the outcome of a run that lacked evidence, with its report on disk."""
    pack = load_pack(contract.sector)
    with place.writing() as ledger:
        paths = _write_insufficiency(ledger, place, contract, report)
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
    return EvidenceSnapshot(
        run_id=contract.run_id,
        snapshot_id=evidence_snapshot_id(()),
        evidence=(),
        gaps=report.gaps,
        queries_executed=0,
        documents_captured=0,
    )
