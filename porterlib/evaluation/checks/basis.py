"""What every place cites: ids that exist, may be relied on, and are no model's prior knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porterlib.contracts.supervision import Finding
from porterlib.evaluation.citations import Citation, Where
from porterlib.evaluation.context import Case
from porterlib.evaluation.findings import found

_KIND = re.compile(r"([A-Z])[A-Z0-9]*-")
_MODEL_PRIOR: dict[Where, str] = {
    "board": "MODEL_PRIOR_BOARD_BASIS",
    "challenge": "MODEL_PRIOR_BOARD_BASIS",
    "gate": "MODEL_PRIOR_BOARD_BASIS",
    "option": "MODEL_PRIOR_OPTION_BASIS",
    "force": "MODEL_PRIOR_AS_FACT",
}
_ABSENT = {
    "C": ("CLAIM_ABSENT_FROM_LEDGER", "claim"),
    "A": ("MISSING_ASSUMPTION", "assumption"),
    "X": ("MISSING_CALCULATION", "calculation"),
    "E": ("MISSING_EVIDENCE", "evidence"),
}


def cited_ids(case: Case) -> Iterator[Finding]:
    """Check that every cited id resolves, and that no rejected assumption is among them."""
    for citation in case.citations:
        for name in citation.ids:
            yield from _cited(case, citation.where, citation.place, name)
    for claim in case.candidate.claims:
        for name in claim.basis:
            yield from _cited(case, "force", claim.id, name)


def _cited(case: Case, where: Where, place: str, name: str) -> Iterator[Finding]:
    assumption = case.assumptions.get(name)
    if assumption is not None and assumption.status == "rejected":
        yield found("REJECTED_ASSUMPTION_REFERENCED", place, f"{name} was rejected by its owner")
    if not name.strip() or _known(case, name):
        return
    kind = _KIND.match(name)
    if kind is not None and kind[1] in _ABSENT:
        code, noun = _ABSENT[kind[1]]
        yield found(code, place, f"there is no {noun} {name}")
    elif where != "gate":  # a rule of the policy may also name drivers, options and other subjects
        yield found("UNKNOWN_BASIS_ID", place, f"{name!r} is no claim, assumption or calculation")


def _known(case: Case, name: str) -> bool:
    places = (case.claims, case.assumptions, case.calculations, case.links, case.evidence)
    return any(name in place for place in places) or name in case.candidate.contract.internal_fact_ids


def board_points(case: Case) -> Iterator[Finding]:
    """Check that every point a reader sees has a basis, and none is a model's prior knowledge."""
    for citation in case.citations:
        if citation.text is not None:
            if not any(name.strip() for name in citation.ids):
                yield found("BOARD_POINT_BASIS_MISSING", citation.place, "the point cites nothing")
            yield from _priors(case, citation)


def option_bases(case: Case) -> Iterator[Finding]:
    """Check that every rating has a basis, and none is a model's prior knowledge."""
    for citation in case.citations:
        if citation.where == "option":
            if citation.carries and not any(name.strip() for name in citation.ids):
                yield found("OPTION_BASIS_MISSING", citation.place, "the rating cites nothing")
            yield from _priors(case, citation)


def force_bases(case: Case) -> Iterator[Finding]:
    """Check that no force counts a model's prior knowledge as evidence."""
    for citation in case.citations:
        if citation.where == "force":
            yield from _priors(case, citation)


def _priors(case: Case, citation: Citation) -> Iterator[Finding]:
    for name in citation.ids:
        if name in case.claims and case.claims[name].kind == "model_prior":
            code = _MODEL_PRIOR[citation.where]
            yield found(code, citation.place, f"{name} is a model's prior knowledge")


def material_assumptions(case: Case) -> Iterator[Finding]:
    """Warn of assumptions that the decision rests on and nobody confirmed."""
    for name in sorted(case.material & set(case.assumptions)):
        if case.assumptions[name].status == "open":
            yield found(
                "MATERIAL_ASSUMPTION_UNVALIDATED", name, "the decision rests on it and no owner confirmed it"
            )
