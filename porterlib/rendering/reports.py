"""Reports of runs that ended without a brief to approve."""

from __future__ import annotations

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.contracts.evidence import Gap
from porterlib.contracts.publication import Outcome
from porterlib.contracts.request import DecisionContract
from porterlib.rendering.inert import markdown

LISTED = 40
"""Gaps listed one by one before the rest is counted."""


def insufficiency_report(contract: DecisionContract, report: InsufficientEvidence) -> str:
    """Return what was missing and what to get, as Markdown."""
    lines = [
        f"# {markdown(contract.question)}",
        "",
        "*Draft. The evidence does not suffice for an analysis.*",
        "",
    ]
    names = ", ".join(force.replace("_", " ") for force in report.forces)
    lines += [f"Without promotable evidence: {names}.", "", "## What to get", ""]
    lines += [f"- {markdown(request)}" for request in report.requests]
    lines += ["", *_refused(report.gaps)]
    return "\n".join(lines) + "\n"


def _refused(gaps: tuple[Gap, ...]) -> list[str]:
    """Return what was looked for and not obtained, and what to do instead; nothing where there is nothing."""
    if not gaps:
        return []
    lines = ["## Refused or not found", ""]
    lines += [
        f"- {markdown(gap.rule.replace('_', ' '))}: {markdown(gap.note)} (`{markdown(gap.subject)}`)"
        for gap in gaps[:LISTED]
    ]
    if len(gaps) > LISTED:
        lines.append(f"- and {len(gaps) - LISTED} more in the ledger")
    return lines


def blocked_report(outcome: Outcome) -> str:
    """Return why a run was blocked, attempt by attempt, and what its evidence lacks, as Markdown."""
    question = outcome.candidate.contract.question if outcome.candidate else outcome.run_id
    lines = [
        f"# {markdown(question)}",
        "",
        f"*Draft, blocked: {markdown(outcome.reason or 'no reason recorded')}.*",
        "",
    ]
    for attempt in outcome.state.attempts if outcome.state else ():
        lines += [f"## Attempt {attempt.attempt_number}", ""]
        for evaluation in attempt.report.evaluations:
            if evaluation.outcome != "pass":
                lines.append(
                    f"- {evaluation.criterion_id} {evaluation.outcome.replace('_', ' ')}: {markdown(evaluation.remediation)}"
                )
                lines += [
                    f"  - {f.code} at {markdown(f.place)}: {markdown(f.message)}" for f in evaluation.findings
                ]
        lines.append("")
    lines += _refused(outcome.snapshot.gaps)
    return "\n".join(lines).rstrip() + "\n"
