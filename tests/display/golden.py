"""One finished run of the golden case, and the same with hostile text in every field that text can reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from porterlib.clock import FixedClock, SequentialIds
from porterlib.contracts.base import Contract
from porterlib.verbs.approving import approve
from porterlib.verbs.loading import RunResults
from porterlib.verbs.running import run
from porterlib.workspace import Workspace, open_workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def golden_workspace(folder: Path) -> tuple[Workspace, str]:
    """Run the golden request from question to draft, with one approval."""
    clock = FixedClock(datetime(2026, 7, 1, 9, tzinfo=UTC), timedelta(seconds=1))
    place = open_workspace(folder, clock=clock, ids=SequentialIds())
    outcome = run(
        FIXTURES / "requests" / "bank_kyc.yaml",
        corpus=FIXTURES / "corpora" / "bank_kyc",
        economics=FIXTURES / "economics" / "kyc_mixed.yaml",
        workspace=place,
    )
    approve(outcome, role="finance", reviewer="A. Finance", comment="figures recomputed", workspace=place)
    return place, outcome.run_id


def golden_results(folder: Path) -> RunResults:
    """Return everything the golden run recorded."""
    place, run_id = golden_workspace(folder)
    return place.run(run_id)


def poisoned(value: Any, payload: str, annotation: Any = str, *, kept: re.Pattern[str] | None = None) -> Any:
    """Return a copy with the payload behind every text that is not from a closed vocabulary.

    Ids are changed alike wherever they occur, so that lookups still find each other. Texts that match `kept`
    whole stay.
    """
    if isinstance(value, Contract):
        fields = type(value).model_fields
        made = {n: poisoned(getattr(value, n), payload, f.annotation, kept=kept) for n, f in fields.items()}
        return type(value).model_construct(**made)
    if isinstance(value, Mapping):
        return {key: poisoned(entry, payload, kept=kept) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(poisoned(entry, payload, annotation, kept=kept) for entry in value)
    if type(value) is str and not _closed(annotation) and not (kept and kept.fullmatch(value)):
        return value + payload
    return value


def _closed(annotation: Any) -> bool:
    if get_origin(annotation) is Literal:
        return True
    return any(_closed(argument) for argument in get_args(annotation))
