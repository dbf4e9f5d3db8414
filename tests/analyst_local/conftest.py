"""Questions in the pipeline's forms, and an analyst on a scripted server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from porterlib.analyst import ChooseQuestion, Offer, RateQuestion, WriteQuestion
from porterlib.analyst.local import LocalAnalyst, check_endpoint
from porterlib.contracts.model import CapabilityProfile
from tests.analyst_local.scripted import MODEL, Scripted


def profile(**changes: Any) -> CapabilityProfile:
    """Return a profile that a busy machine can keep."""
    base = {
        "model": MODEL,
        "origin": "http://127.0.0.1:1",
        "measured_at": datetime(2026, 1, 1, tzinfo=UTC),
        "transports": ("json_schema",),
        "first_token_s": 30.0,
        "idle_s": 30.0,
        "total_s": 60.0,
    }
    return CapabilityProfile(**{**base, **changes})


def analyst(server: Scripted, **changes: Any) -> LocalAnalyst:
    """Return an analyst on a scripted server."""
    return LocalAnalyst(check_endpoint(server.url), profile(**changes), context="Shall the bank adopt it?")


@pytest.fixture
def choose() -> ChooseQuestion:
    """Three statements, of which the rule prefers the last."""
    offers = tuple(Offer(f"C-{at}", f"Statement {at} on fees.", {"rank": float(at)}) for at in (1, 2, 3))
    return ChooseQuestion("lead_claim", "buyers:pressure", "Which one tells most?", offers)


@pytest.fixture
def rate() -> RateQuestion:
    """A driver whose rule says 4."""
    features = {"raising": 1.0, "lowering": 0.0, "raising_publishers": 1.0, "lowering_publishers": 0.0}
    offers = (Offer("C-1", "Fees rose by 4 % in 2025."),)
    return RateQuestion(
        "driver", "buyers.fees", "How high?", {1: "low", 3: "mixed", 5: "high"}, offers, features
    )


@pytest.fixture
def write() -> WriteQuestion:
    """A quotation with its publisher."""
    parts = (Offer("C-1", "Fees fell by 12 % at the banks that automated checks."),)
    draft = "The Meridian Review wrote in 2025: “Fees fell by 12 % at the banks that automated checks”."
    return WriteQuestion(
        "quoted_evidence", "C-1", "Introduce this quotation with its publisher.", parts, draft
    )
