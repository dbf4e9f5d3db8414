"""Decisions of reviewers in the ledger: the record names nobody, the name lies in a local content."""

from __future__ import annotations

import json
import secrets

from porterlib.contracts.publication import Approval
from porterlib.egress.key import keyed_digest
from porterlib.errors import IntegrityError
from porterlib.hashing import canonical_json
from porterlib.ledger import Ledger, LedgerReader, Record
from porterlib.publication.approvals import Recorded, normalised

_SALT_BYTES = 16


def person_digest(name: str, key: bytes) -> str:
    """Return the keyed digest by which a reviewer is told apart, under the workspace's key."""
    return keyed_digest(key, "reviewer", normalised(name))


def record_decision(
    ledger: Ledger, run_id: str, approval: Approval, *, key: bytes, same_person: bool
) -> Record:
    """Append one decision.

    The record holds role, decision, fingerprint and a keyed digest of the person, so that it can be exported;
    name and comment lie in a content of their own, salted so that its digest gives no name away.
    """
    private = {
        "reviewer": approval.reviewer,
        "comment": approval.comment,
        "salt": secrets.token_hex(_SALT_BYTES),
    }
    payload = {
        "role": approval.role,
        "decision": approval.decision,
        "fingerprint": approval.fingerprint,
        "at": approval.to_dict()["at"],
        "person": person_digest(approval.reviewer, key),
        "allow_same_person": same_person,
    }
    with ledger.transaction():
        identity = ledger.put_blob(canonical_json(private), "application/json")
        return ledger.append(run_id, "approval", {**payload, "identity": identity})


def read_decisions(ledger: LedgerReader, run_id: str) -> tuple[Recorded, ...]:
    """Return all decisions on a run, oldest first, with the names from their local contents.

    Raises:
        IntegrityError: a record or its content does not hold a decision.

    """
    return tuple(_recorded(ledger, record) for record in ledger.records(run_id, "approval"))


def _recorded(ledger: LedgerReader, record: Record) -> Recorded:
    payload = record.payload
    try:
        private = json.loads(ledger.get_blob(payload["identity"]))
        approval = Approval(
            role=payload["role"],
            decision=payload["decision"],
            reviewer=private["reviewer"],
            comment=private["comment"],
            fingerprint=payload["fingerprint"],
            at=payload["at"],
        )
        return Recorded(approval, payload["person"], payload["allow_same_person"] is True)
    except (ValueError, KeyError, TypeError) as error:
        raise IntegrityError(f"record {record.place} holds no decision; run `porterlib verify`") from error
