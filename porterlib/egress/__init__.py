"""What may leave the machine as a search query, and nothing else.

What enters is a proposed query and a policy made from the request; what leaves is a `PublicQuery`, the only
thing a search provider accepts. Refused is whatever a rule names; a refusal carries the rule, never what
matched.
"""

from porterlib.egress.budget import EgressBudget
from porterlib.egress.guard import EgressGuard, EgressPolicy, make_policy
from porterlib.egress.key import workspace_key
from porterlib.egress.request import check_query, policy_for
from porterlib.egress.types import EgressVerdict, PublicQuery, Sealed

__all__ = [
    "EgressBudget",
    "EgressGuard",
    "EgressPolicy",
    "EgressVerdict",
    "PublicQuery",
    "Sealed",
    "check_query",
    "make_policy",
    "policy_for",
    "workspace_key",
]
