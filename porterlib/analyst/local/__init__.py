"""Answers the seam's small questions by a chat model on the user's own server.

A question enters; it becomes a prompt whose long part never changes, with a schema of a few words; it goes to a
checked endpoint by a way of asking that was measured to work there; the answer is taken out of whatever the model
wrapped around it and checked; at most twice the error is sent back. What leaves is an answer the seam can
express, by the model or by the rules in its place, always labelled, counted and recorded before it is used.
Refused: endpoints beyond this machine without permission, redirects, ids that were not offered, sentences that
say more than their sources.
"""

from porterlib.analyst.local.analyst import LocalAnalyst
from porterlib.analyst.local.endpoint import DEFAULT_URL, Endpoint, check_endpoint
from porterlib.analyst.local.problems import (
    CallsCancelled,
    EndpointRefused,
    ModelNotQualified,
    ModelServerError,
)
from porterlib.analyst.local.profiles import load_profile, save_profile
from porterlib.analyst.local.prompts import PROMPTS_VERSION
from porterlib.analyst.local.records import CallStore, LedgerCalls, MemoryCalls, stored_calls, stored_cost
from porterlib.analyst.local.running import run_cancellable
from porterlib.analyst.local.shares import BLOCK_REASON, unqualified

__all__ = [
    "BLOCK_REASON",
    "DEFAULT_URL",
    "PROMPTS_VERSION",
    "CallStore",
    "CallsCancelled",
    "Endpoint",
    "EndpointRefused",
    "LedgerCalls",
    "LocalAnalyst",
    "MemoryCalls",
    "ModelNotQualified",
    "ModelServerError",
    "check_endpoint",
    "load_profile",
    "run_cancellable",
    "save_profile",
    "stored_calls",
    "stored_cost",
    "unqualified",
]
