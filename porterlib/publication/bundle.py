"""Makes an export bundle: public files, public payloads of the chain, and a manifest over both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from porterlib.contracts.ledger import Record
from porterlib.contracts.publication import Outcome, ReviewRole
from porterlib.hashing import canonical_json, sha256_hex
from porterlib.publication.bundle_archive import pack
from porterlib.publication.bundle_format import (
    CHAIN_NAME,
    MANIFEST_NAME,
    PUBLIC_KINDS,
    BundleManifest,
    FileEntry,
    Head,
)
from porterlib.rendering.bundle import json_text, withhold


def build_bundle(
    outcome: Outcome,
    *,
    label: str,
    roles: Mapping[ReviewRole, Any],
    files: Mapping[str, bytes],
    records: Sequence[Record],
    hidden: re.Pattern[str] | None,
) -> bytes:
    """Return the bytes of a bundle; the same state of a run gives the same bytes.

    Args:
        outcome: with candidate and fingerprint.
        label: what the brief is called.
        roles: where each role stands.
        files: public artifacts by name, as recorded in the ledger.
        records: the run's whole chain, in order.
        hidden: what no payload may show; a payload that holds some of it is withheld.

    """
    if outcome.candidate is None or outcome.fingerprint is None:
        raise ValueError("an outcome without a text has no bundle")
    contents = {**files, CHAIN_NAME: chain_file(records, hidden)}
    manifest = BundleManifest.model_validate(
        {
            "run_id": outcome.run_id,
            "status": outcome.status,
            "label": label,
            "fingerprint": outcome.fingerprint,
            "snapshot_id": outcome.snapshot.snapshot_id,
            "head": Head(seq=records[-1].seq, hash=records[-1].hash),
            "roles": dict(roles),
            "versions": outcome.versions,
            "files": {
                name: FileEntry(sha256=sha256_hex(content), bytes=len(content))
                for name, content in contents.items()
            },
        }
    )
    return pack({**contents, MANIFEST_NAME: json_text(manifest.to_dict()).encode()})


def chain_file(records: Sequence[Record], hidden: re.Pattern[str] | None) -> bytes:
    """Return the chain as canonical JSON: every link, and the payloads that may be read by others."""
    rows = [_row(record, hidden) for record in records]
    return canonical_json({"schema_version": 1, "run_id": records[0].run_id, "records": rows})


def _row(record: Record, hidden: re.Pattern[str] | None) -> dict[str, Any]:
    row = record.link().to_dict()
    if record.kind in PUBLIC_KINDS and not withhold(record.payload, hidden)[1]:
        row["payload"] = record.payload
    return row
