"""The policy of a decision request, and the check of one query against it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from porterlib.contracts.request import DecisionRequest
from porterlib.egress.guard import EgressGuard, EgressPolicy, make_policy
from porterlib.egress.types import Sealed


def policy_for(request: DecisionRequest, *, key: bytes, vocabulary: Iterable[str] = ()) -> EgressPolicy:
    """Return the policy of `request`; queries may use its public fields and the pack's `vocabulary`."""
    name = (request.organisation_name,) if request.organisation_name.strip() else ()
    return make_policy(
        key=key,
        question=Sealed(request.question),
        internal_facts=[Sealed(fact.text) for fact in request.internal_facts],
        restricted_terms=(*request.restricted_terms, *name),
        approved=(*_public_texts(request), *vocabulary),
    )


def check_query(request: DecisionRequest, query: str, *, vocabulary: Iterable[str] = ()) -> dict[str, Any]:
    """Return `{"allowed": bool, "rule": str}` for one query, without a workspace and without the network."""
    policy = policy_for(request, key=secrets.token_bytes(32), vocabulary=vocabulary)
    verdict = EgressGuard(policy).check(query)
    return {"allowed": verdict.allowed, "rule": verdict.rule}


def _public_texts(request: DecisionRequest) -> tuple[str, ...]:
    """Return the fields a query may be seeded from: boundary, product, geography and approved context."""
    return (
        request.market_boundary,
        request.product,
        request.customer,
        request.regulatory_perimeter,
        *request.geographies,
        request.public_context,
    )
