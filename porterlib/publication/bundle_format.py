"""The format of an export bundle: which files it holds, its manifest, and what a check of it reports."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from porterlib.contracts.base import Contract, Sha256, Text, Versioned
from porterlib.contracts.ledger import LedgerFindingCode, RecordKind
from porterlib.contracts.publication import ReviewRole, Versions
from porterlib.publication.artifacts import BLOCKED_REPORT, BRIEF_NAME, EVIDENCE_NAME, SIDECAR_NAME

CHAIN_NAME, MANIFEST_NAME = "chain.json", "manifest.json"
REQUIRED = (BRIEF_NAME, SIDECAR_NAME, EVIDENCE_NAME, CHAIN_NAME, MANIFEST_NAME)
ALLOWED = frozenset({*REQUIRED, BLOCKED_REPORT})
MAX_FILE_BYTES = 64 * 2**20
MAX_BUNDLE_BYTES = 128 * 2**20
PUBLIC_KINDS: frozenset[RecordKind] = frozenset(
    {
        "run_created",
        "evidence",
        "gap",
        "snapshot",
        "attempt_started",
        "attempt_finished",
        "goal",
        "artifact",
        "approval",
        "event",
    }
)
"""Kinds whose payloads may leave: never request, contract, plan, queries, captures or model calls."""
LIMITS = (
    "The chain shows every change that was made without rewriting it. Whoever holds this file can rewrite a "
    "whole chain with everything in it; only a head that was kept elsewhere shows that.",
    "Payloads of requests, plans, queries, captured pages and model calls are withheld; their digests stand in "
    "the chain. Passages are bound to the captured pages by digest, the pages themselves are not part of it.",
    "Internal facts are given by the SHA-256 of their text. A short or guessable text can be confirmed by "
    "guessing it. Other withheld texts carry a digest under the workspace's key, which only its owner can check.",
    "Reviewers are self-declared and told apart by keyed digests; this file names none of them.",
    "Retrieved, verbatim, agreeing and lexically supported are checks of wording; none proves a statement true.",
)


class FileEntry(Contract):
    """One file of the bundle."""

    sha256: Sha256
    """Digest of its bytes."""
    bytes: int = Field(ge=0)
    """Its size."""


class Head(Contract):
    """Where the chain ended when the bundle was made."""

    seq: int = Field(ge=1)
    """Number of records."""
    hash: Sha256
    """Hash of the last one; worth keeping elsewhere."""


class BundleManifest(Versioned):
    """What a bundle says about itself; every entry is checked against the files."""

    format: Literal["porterlib-bundle"] = "porterlib-bundle"
    """Name of the format."""
    run_id: Text
    """The run."""
    status: Literal["achieved_draft", "human_required", "publishable", "blocked"]
    """Status of the run."""
    label: Text
    """What the brief may be called."""
    fingerprint: Sha256
    """The exact text that decisions bind to."""
    snapshot_id: Sha256
    """Evidence the text rests on."""
    head: Head
    """End of the chain."""
    roles: dict[ReviewRole, Literal["missing", "approved", "rejected", "stale"]]
    """Where each role stands on this text."""
    versions: Versions
    """Versions the fingerprint binds."""
    files: dict[Text, FileEntry]
    """Every file but this one."""
    limits: tuple[str, ...] = LIMITS
    """What a check of this bundle cannot show."""


class WithheldRef(Contract):
    """A text of the sidecar that held something restricted."""

    at: str
    """JSON pointer to it."""
    hmac_sha256: Sha256
    """Digest of the whole text under the workspace's key."""


class SharedSidecar(BaseModel):
    """What a check reads of the sidecar; everything else in it is bound by its digest in the chain."""

    model_config = ConfigDict(extra="allow", frozen=True)

    run_id: str
    fingerprint: str
    snapshot_id: str
    evidence: list[dict[str, Any]]
    claims: list[dict[str, Any]]
    links: list[dict[str, Any]]
    criteria: list[dict[str, Any]]
    best_attempt: int | None
    economics: dict[str, Any] | None
    versions: Versions
    internal_facts: list[dict[str, str]]
    withheld: list[WithheldRef]


BundleFindingCode = (
    LedgerFindingCode
    | Literal[
        "ARCHIVE_UNREADABLE",
        "ARCHIVE_TOO_LARGE",
        "ARCHIVE_NOT_CANONICAL",
        "ENTRY_UNSAFE_NAME",
        "ENTRY_UNKNOWN",
        "ENTRY_DUPLICATED",
        "ENTRY_COMPRESSED",
        "ENTRY_IRREGULAR",
        "FILE_MISSING",
        "FILE_CHANGED",
        "FILE_UNREADABLE",
        "ARTIFACT_UNRECORDED",
        "ARTIFACT_MISMATCH",
        "RUN_MISMATCH",
        "STATUS_MISMATCH",
        "FINGERPRINT_MISMATCH",
        "VERSIONS_MISMATCH",
        "SNAPSHOT_MISMATCH",
        "EVIDENCE_ID_MISMATCH",
        "EVIDENCE_CHANGED",
        "EVIDENCE_MISSING",
        "EVIDENCE_ADDED",
        "CLAIM_DUPLICATED",
        "LINK_DANGLING",
        "LINK_ID_MISMATCH",
        "QUOTE_NOT_FOUND",
        "CANDIDATE_MISMATCH",
        "LABEL_NOT_EARNED",
        "ROLES_MISMATCH",
        "INTERNAL_TEXT_PRESENT",
        "WITHHELD_NOT_HIDDEN",
    ]
)


class BundleFinding(Contract):
    """One thing a check of a bundle found."""

    code: BundleFindingCode
    """Stable name of the kind of finding."""
    place: Text
    """File, and where in it; records are named `chain.json/run/seq/kind`."""
    message: Text
    """What was found, in a sentence."""


class BundleReport(Contract):
    """Outcome of checking a bundle, offline and without the workspace it came from."""

    ok: bool
    """True if nothing was found."""
    findings: tuple[BundleFinding, ...] = ()
    """Everything found, in the order of checking."""
    first_bad: str | None = None
    """Place of the first finding."""
    run_id: str | None = None
    """The run, where the manifest could be read."""
    fingerprint: str | None = None
    """The text."""
    snapshot_id: str | None = None
    """The evidence."""
    label: str | None = None
    """What the brief is called."""
    head: Head | None = None
    """End of the chain, to be compared with a head kept elsewhere."""
    records: int = Field(0, ge=0)
    """Records in the chain."""
    checked: tuple[str, ...] = ()
    """What was confirmed, in words."""
    not_checked: tuple[str, ...] = ()
    """What could not be confirmed because its text is withheld."""
    limits: tuple[str, ...] = LIMITS
    """What no check of a bundle can show."""
