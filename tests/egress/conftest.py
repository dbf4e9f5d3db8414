"""Shared material of the egress tests; every name, number and fact in them is invented."""

from __future__ import annotations

from pathlib import Path

import pytest

from porterlib.contracts.request import DecisionRequest, InternalFact

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def harmless() -> list[str]:
    """Harmless queries of the field: those the guard was tuned on and those written afterwards."""
    return [
        line for file in sorted(DATA.glob("harmless*.txt")) for line in file.read_text("utf-8").splitlines()
    ]


@pytest.fixture
def request_() -> DecisionRequest:
    """A synthetic request with things that must not leave."""
    return DecisionRequest(
        question="Should Ardenvale move its customer due diligence reviews to a generative model run by a cloud provider?",
        sector="bank",
        organisation_name="Ardenvale",
        market_boundary="know-your-customer reviews of retail clients in the European Union under the AMLR",
        product="customer due diligence reviews",
        customer="retail clients",
        geographies=("European Union",),
        regulatory_perimeter="AMLR and DORA",
        public_context="Banks review retail clients under Regulation (EU) 2024/1624.",
        internal_facts=(
            InternalFact(
                owner="Operations",
                confidentiality="confidential",
                text="The review backlog stands at 41,370 files and the outsourcing partner leaves in March.",
            ),
        ),
        restricted_terms=("Project Nightjar", "Marlowe Castellan", "NJ-2291-7745", "Zorb"),
    )
