"""The files of one exact text: brief, sidecar, evidence table, and the sidecar's public form."""

from __future__ import annotations

import re

from porterlib.contracts.publication import Outcome
from porterlib.contracts.request import DecisionRequest
from porterlib.publication.artifacts import (
    BLOCKED_REPORT,
    BRIEF_NAME,
    CSV,
    EVIDENCE_NAME,
    JSON,
    MARKDOWN,
    SHARED_SIDECAR,
    SIDECAR_NAME,
)
from porterlib.rendering.brief import BriefInput, render_brief
from porterlib.rendering.bundle import Sealed, json_text, shared_sidecar
from porterlib.rendering.redact import identifiers, redact, redactor
from porterlib.rendering.reports import blocked_report
from porterlib.rendering.sidecar import evidence_csv, internal_facts, sidecar


def hidden_in(request: DecisionRequest) -> re.Pattern[str] | None:
    """Return the pattern of everything in a request that no shared text may show.

    Account numbers and addresses of persons in the question count, whether the request restricts them or not.
    """
    named = identifiers((request.question, request.market_boundary, request.public_context))
    return redactor((*request.restricted_terms, *named), (fact.text for fact in request.internal_facts))


def brief_text(outcome: Outcome, request: DecisionRequest, *, label: str) -> str:
    """Return the brief as its readers get it, under a publication label."""
    if outcome.candidate is None or outcome.fingerprint is None:
        raise ValueError("an outcome without a text has no brief")
    page = BriefInput(
        candidate=outcome.candidate,
        snapshot=outcome.snapshot,
        economics=outcome.economics,
        report=outcome.report,
        label=label,
        fingerprint=outcome.fingerprint,
        internal_facts=tuple((fact["id"], fact["owner"]) for fact in internal_facts(request)),
    )
    return redact(render_brief(page), hidden_in(request))


def text_files(
    outcome: Outcome, request: DecisionRequest, *, label: str, seal: Sealed | None = None
) -> dict[str, tuple[str, str]]:
    """Return name to (media type, text) of every file of an outcome's text.

    Args:
        outcome: with candidate and fingerprint.
        request: the stored request, which says what must not be shown.
        label: publication label the brief carries.
        seal: keyed digest for texts that the public sidecar withholds; without it that file is not made.

    """
    if outcome.candidate is None or outcome.fingerprint is None:
        raise ValueError("an outcome without a text has no files")
    hidden = hidden_in(request)
    # Every field of the text stands in the sidecar, so that its digest can be derived from the sidecar alone.
    local = outcome.candidate.to_dict() | sidecar(
        request=request,
        candidate=outcome.candidate,
        snapshot=outcome.snapshot,
        economics=outcome.economics,
        state=outcome.state,
        report=outcome.report,
        versions=outcome.versions,
        fingerprint=outcome.fingerprint,
    )
    files = {
        EVIDENCE_NAME: (CSV, redact(evidence_csv(outcome.snapshot), hidden)),
        BRIEF_NAME: (MARKDOWN, brief_text(outcome, request, label=label)),
        SIDECAR_NAME: (JSON, json_text(local)),
    }
    if seal is not None:
        files[SHARED_SIDECAR] = (JSON, json_text(shared_sidecar(local, hidden, seal)))
    if outcome.status == "blocked":
        files[BLOCKED_REPORT] = (MARKDOWN, redact(blocked_report(outcome), hidden))
    return files
