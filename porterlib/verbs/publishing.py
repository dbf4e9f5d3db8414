"""Ends a run: status, fingerprint and artifacts, all from what the ledger holds."""

from __future__ import annotations

from collections.abc import Callable

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.publication import Outcome, Versions
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.egress.key import keyed_digest
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
    SHARED_SIDECAR,
    keep_artifacts,
    record_artifacts,
    write_artifacts,
)
from porterlib.publication.texts import hidden_in, text_files
from porterlib.rendering.redact import redact
from porterlib.rendering.reports import blocked_report, insufficiency_report
from porterlib.rendering.sidecar import evidence_csv
from porterlib.sectors import load_pack
from porterlib.verbs.gathering import stored_request
from porterlib.workspace import Workspace


def publish_outcome(outcome: Outcome, place: Workspace, ledger: Ledger, *, elapsed_s: float) -> Outcome:
    """Give the outcome its fingerprint, commit its artifacts with the run's status, and write the files."""
    request = stored_request(ledger, outcome.run_id)
    done = outcome.model_copy(update={"fingerprint": fingerprint_of(outcome)})
    key = place.egress_key()
    files = outcome_files(done, request, seal=lambda text: keyed_digest(key, "withheld", text))
    with ledger.transaction():
        kept = record_artifacts(ledger, outcome.run_id, files, about=done.fingerprint or done.status)
        ledger.set_status(outcome.run_id, outcome.status, outcome.reason or None)
    paths = write_artifacts(ledger, place.run_folder(outcome.run_id), kept)
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


def outcome_files(
    outcome: Outcome, request: DecisionRequest, *, seal: Callable[[str], str]
) -> dict[str, tuple[str, str]]:
    """Return name to (media type, text) of every artifact of an outcome."""
    if outcome.candidate is not None and outcome.fingerprint is not None:
        label = publication_label(draft_valid=outcome.status != "blocked")
        files = text_files(outcome, request, label=label, seal=seal)
        return {
            name: file for name, file in files.items() if name != SHARED_SIDECAR
        }  # made when it is shared
    hidden = hidden_in(request)
    return {
        EVIDENCE_NAME: (CSV, redact(evidence_csv(outcome.snapshot), hidden)),
        BLOCKED_REPORT: (MARKDOWN, redact(blocked_report(outcome), hidden)),
    }


def publish_insufficiency(
    place: Workspace, contract: DecisionContract, report: InsufficientEvidence
) -> Outcome:
    """Return the outcome of a run that lacked evidence, with its report written."""
    pack = load_pack(contract.sector)
    with place.writing() as ledger:
        hidden = hidden_in(stored_request(ledger, contract.run_id))
        files = {
            "insufficient-evidence.md": (MARKDOWN, redact(insufficiency_report(contract, report), hidden))
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
    return EvidenceSnapshot(
        run_id=contract.run_id,
        snapshot_id=evidence_snapshot_id(()),
        evidence=(),
        gaps=report.gaps,
        queries_executed=0,
        documents_captured=0,
    )
