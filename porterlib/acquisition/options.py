"""Makes the options of a decision comparable: no action and waiting always stand among them."""

from __future__ import annotations

from collections.abc import Set

from porterlib.contracts.request import DecisionRequest, Option, OptionRequest
from porterlib.contracts.sector import OptionTemplate, SectorPack

MOST_OPTIONS = 12
"""Most options one decision compares."""


def compared_options(
    request: DecisionRequest, pack: SectorPack
) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """Return the options under comparison and the names of those the request did not give."""
    given = request.options or tuple(
        _requested(template) for template in pack.options if _is_standard(template)
    )
    kinds = {option.kind for option in given}
    added: tuple[OptionRequest, ...] = ()
    for template in pack.options:
        wanted = template.kind in {"maintain", "wait"} and template.kind not in kinds
        if wanted and len(given) + len(added) < MOST_OPTIONS:
            added += (_requested(template, taken={row.name.casefold() for row in given}),)
            kinds.add(template.kind)
    rows = (*added, *given) if request.options else given
    defaults = {template.kind: template for template in reversed(pack.options)}
    options = tuple(_option(number, row, defaults.get(row.kind)) for number, row in enumerate(rows, 1))
    return options, tuple(option.name for option in (added if request.options else given))


def _is_standard(template: OptionTemplate) -> bool:
    return template.kind in {"maintain", "wait", "targeted", "scaled"}


def _requested(template: OptionTemplate, taken: Set[str] = frozenset()) -> OptionRequest:
    name = template.name
    while name.casefold() in taken:
        name += " (standard)"
    return OptionRequest(name=name, kind=template.kind, description=template.description)


def _option(number: int, row: OptionRequest, template: OptionTemplate | None) -> Option:
    learning = row.learning_months or (template.learning_months if template else None)
    wait = row.wait_months or (learning if row.kind == "wait" else None)
    return Option(
        id=f"O{number}",
        name=row.name,
        kind=row.kind,
        description=row.description or (template.description if template else row.name),
        wait_months=wait,
        learning_months=learning,
    )
