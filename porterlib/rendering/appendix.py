"""The appendix: every mark resolves to quote, publisher, date and link, to a figure, or to an assumption."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Calculation, Economics
from porterlib.contracts.evidence import Claim, ClaimEvidenceLink, EvidenceItem, EvidenceSnapshot
from porterlib.rendering.inert import link, markdown
from porterlib.rendering.marks import Marks

LISTED_BASES = 12
"""Statements listed behind an inference before the rest is counted."""


def appendix(
    candidate: Candidate, snapshot: EvidenceSnapshot, economics: Economics | None, marks: Marks
) -> Iterator[str]:
    """Yield the appendix for every id that was cited; what those rest on is resolved too."""
    claims = {claim.id: claim for claim in candidate.claims}
    for source_id in tuple(marks.cited):
        for basis in claims[source_id].basis[:LISTED_BASES] if source_id in claims else ():
            marks.mark(basis)
    yield "## Appendix: sources"
    yield ""
    yield (
        "Each statement names its kind, its quote, publisher, date and address. Retrieved, verbatim, agreeing and "
        "lexically supported are four checks of wording; none of them proves a statement true."
    )
    yield ""
    yield from _statements(candidate, snapshot, claims, marks)
    yield from _figures(economics, marks)
    yield from _assumptions(candidate, marks)
    yield from _gaps(snapshot)


def _statements(
    candidate: Candidate, snapshot: EvidenceSnapshot, claims: dict[str, Claim], marks: Marks
) -> Iterator[str]:
    evidence = {item.id: item for item in snapshot.evidence}
    links: dict[str, list[ClaimEvidenceLink]] = defaultdict(list)
    for entry in candidate.links:
        links[entry.claim_id].append(entry)
    by_id = {entry.id: entry for entry in candidate.links}
    for source_id, mark in marks.cited.items():
        if source_id in claims:
            yield from _claim(mark, claims[source_id], links[source_id], evidence, marks)
        elif source_id in by_id:
            contradicting = by_id[source_id]
            yield f"- **{mark}** contradicts {marks.mark(contradicting.claim_id)}: “{markdown(contradicting.quote)}”"
    yield ""


def _claim(
    mark: str,
    claim: Claim,
    links: list[ClaimEvidenceLink],
    evidence: dict[str, EvidenceItem],
    marks: Marks,
) -> Iterator[str]:
    kind = claim.kind.replace("_", " ")
    if claim.kind == "inference":
        shown = ", ".join(marks.mark(b) for b in claim.basis[:LISTED_BASES])
        more = (
            f" and {len(claim.basis) - LISTED_BASES} more in the sidecar"
            if len(claim.basis) > LISTED_BASES
            else ""
        )
        yield f"- **{mark}** {kind}: {markdown(claim.text)} Rests on {shown}{more}."
        return
    review = "; legal text, for qualified review" if claim.legal_review else ""
    bears = f"; bears on {claim.hypothesis_id}" if claim.hypothesis_id else ""
    dissent = f", agreement {claim.agreement:.2f}" if claim.agreement not in (None, 1.0) else ""
    yield f"- **{mark}** {kind}, strength {claim.strength:.2f}{dissent}{bears}{review}"
    for entry in sorted(links, key=lambda e: (e.stance, -e.strength, e.id)):
        yield f"  - {entry.stance}: {_quote(entry, evidence[entry.evidence_id])}"


def _quote(entry: ClaimEvidenceLink, item: EvidenceItem) -> str:
    levels = entry.levels
    passed = [
        n
        for n, ok in (
            ("retrieved", levels.retrieved),
            ("verbatim", levels.verbatim),
            ("agrees", levels.agrees),
            ("lexical", levels.lexical),
        )
        if ok
    ]
    checks = "; all four checks" if len(passed) == 4 else f"; checks passed: {', '.join(passed)}"
    if entry.stance == "contradicts":
        checks = ""  # agreement is not expected of what contradicts
    doubts = (
        f" ({markdown('; '.join(entry.disagreements))})"
        if entry.disagreements and entry.stance == "supports"
        else ""
    )
    return (
        f"“{markdown(entry.quote)}” — {markdown(item.publisher)}, {markdown(item.published or 'undated')}, "
        f"{item.source_class.replace('_', ' ')} ({item.class_basis}), {link(item.url)}, `{item.id}`{checks}{doubts}"
    )


def _figures(economics: Economics | None, marks: Marks) -> Iterator[str]:
    figures: dict[str, Calculation] = {c.id: c for c in economics.calculations} if economics else {}
    cited = [(mark, figures[i]) for i, mark in marks.cited.items() if i in figures]
    if not cited:
        return
    yield "### Calculations"
    yield ""
    for mark, figure in cited:
        owner = f"; owner {', '.join(figure.owners)}" if figure.owners else "; no owner named"
        scenario = f" of {figure.scenario}" if figure.scenario else ""
        yield (
            f"- **{mark}** {markdown(figure.name + scenario)} = {markdown(figure.value)} {markdown(figure.unit)}; "
            f"formula {markdown(figure.formula)}; basis {markdown(', '.join(figure.basis) or 'none')}"
            f"{markdown(owner)} (`{figure.id}`)"
        )
    yield ""


def _assumptions(candidate: Candidate, marks: Marks) -> Iterator[str]:
    held = {a.id: a for a in candidate.assumptions}
    cited = [(mark, held[i]) for i, mark in marks.cited.items() if i in held]
    if not cited:
        return
    yield "### Assumptions"
    yield ""
    for mark, entry in cited:
        owner = f"; owner {entry.owner}" if entry.owner else "; no owner named"
        yield f"- **{mark}** {entry.status}: {markdown(entry.text)}{markdown(owner)}"
    yield ""


def _gaps(snapshot: EvidenceSnapshot) -> Iterator[str]:
    if not snapshot.gaps:
        return
    yield "### Refused or not found"
    yield ""
    for gap in snapshot.gaps:
        force = f", {gap.force.replace('_', ' ')}" if gap.force else ""
        note = f": {gap.note}" if gap.note else ""
        yield f"- {markdown(gap.rule.replace('_', ' ') + force + note)} (`{markdown(gap.subject)}`)"
    yield ""
