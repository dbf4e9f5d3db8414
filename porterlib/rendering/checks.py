"""The end of the brief: internal facts by owner, the checks with what they found, and the digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.supervision import Finding, GoalReport
from porterlib.rendering.inert import markdown
from porterlib.rendering.marks import Marks
from porterlib.rendering.tables import table

FOUND, PLACES = 6, 4
"""Messages of one check, and marks beside each, that are shown; the sidecar holds all."""


def internal_section(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the internal facts of the request by id and owner."""
    if not facts:
        return
    yield "### Internal facts"
    yield ""
    yield "Told by their owners. Their text stays in the local sidecar; no rating and no figure here rests on it."
    yield ""
    yield from (f"- `{name}`, owner {markdown(owner)}" for name, owner in facts)
    yield ""


def checks_section(
    candidate: Candidate, report: GoalReport | None, fingerprint: str, marks: Marks
) -> Iterator[str]:
    """Yield what each check said, who analysed, and the digests of evidence and text."""
    yield "## Checks"
    yield ""
    if report is not None:
        rows = [
            (e.criterion_id, e.outcome.replace("_", " "), _found(e.findings, marks))
            for e in report.evaluations
        ]
        yield from table(("Criterion", "Outcome", "Findings"), rows)
    stamp = candidate.analyst
    yield markdown(
        f"Analyst {stamp.kind} {stamp.version}{' ' + stamp.model if stamp.model else ''}; "
        f"{stamp.stood_in} of {stamp.asked} answers stood in for a model."
    )
    yield ""
    yield f"Snapshot `{candidate.snapshot_id}`  "
    yield f"Fingerprint `{fingerprint}`"


def _found(findings: Sequence[Finding], marks: Marks) -> str:
    """Return what a check found, each message once with the marks it concerns."""
    places: dict[str, set[str]] = {}
    for finding in findings:
        places.setdefault(finding.message, set()).add(finding.place)
    rows = []
    for message, where in places.items():
        known = [mark for cited, mark in marks.cited.items() if cited in where]
        more = f" and {len(known) - PLACES} more" if len(known) > PLACES else ""
        rows.append(f"{', '.join(known[:PLACES])}{more}: {message}" if known else message)
    rest = [f"{len(rows) - FOUND} more in the sidecar"] if len(rows) > FOUND else []
    return "; ".join(rows[:FOUND] + rest) or "-"
