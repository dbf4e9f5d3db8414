"""The system of record of a workspace: append-only records in one hash chain a run, contents by digest.

What enters: plain JSON payloads of a closed set of kinds, and bytes. What leaves: the same, confirmed by
their hashes, and the current state of runs and goals. Refused: a second writer, any change to what was
committed, a status change the rules do not know, a file that is not a ledger or was written by a newer
version.
"""

from porterlib.contracts.ledger import (
    ChainLink,
    GoalRow,
    LedgerFinding,
    Record,
    RecordKind,
    RunRow,
    RunStatus,
    VerifyReport,
)
from porterlib.ledger.chain import check_chain, genesis, link_hash, observe
from porterlib.ledger.lease import Holder, WriterLease, lease_holder
from porterlib.ledger.paths import LEDGER_NAME, LOCK_NAME
from porterlib.ledger.projections import INTERRUPTED, REJECTED, RESUMED
from porterlib.ledger.reader import LedgerReader
from porterlib.ledger.recovery import REPORT_NAME
from porterlib.ledger.store import Ledger
from porterlib.ledger.verify import verify
from porterlib.ledger.writer import Entry

__all__ = [
    "INTERRUPTED",
    "LEDGER_NAME",
    "LOCK_NAME",
    "REJECTED",
    "REPORT_NAME",
    "RESUMED",
    "ChainLink",
    "Entry",
    "GoalRow",
    "Holder",
    "Ledger",
    "LedgerFinding",
    "LedgerReader",
    "Record",
    "RecordKind",
    "RunRow",
    "RunStatus",
    "VerifyReport",
    "WriterLease",
    "check_chain",
    "genesis",
    "lease_holder",
    "link_hash",
    "observe",
    "verify",
]
