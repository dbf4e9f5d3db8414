"""What a verb is given must be what the run's ledger holds: nothing else could be recomputed later."""

from __future__ import annotations

from porterlib.acquisition.records import RunRecords
from porterlib.contracts.base import Contract
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.request import DecisionContract
from porterlib.errors import InputError
from porterlib.ledger import Ledger


def check_contract(ledger: Ledger, contract: DecisionContract) -> None:
    """Refuse a contract that is not the one the run was framed with.

    Raises:
        InputError: it was changed after framing.

    """
    found = ledger.find(contract.run_id, "contract", "contract")
    held = DecisionContract.model_validate(found.payload) if found else None
    _refuse_other("contract", contract, held, "frame(request) opens a new run for a changed decision")


def check_basis(
    ledger: Ledger, contract: DecisionContract, snapshot: EvidenceSnapshot, economics: Economics | None
) -> None:
    """Refuse contract, evidence or economics that the run did not commit.

    Raises:
        InputError: names the one that differs and the verb that gives the right one.

    """
    check_contract(ledger, contract)
    frozen = RunRecords(ledger, contract.run_id).snapshot()
    _refuse_other("snapshot", snapshot, frozen, "pass what acquire(contract) returned")
    if economics is not None:
        found = ledger.find(contract.run_id, "economics", "economics")
        held = Economics.model_validate(found.payload["result"]) if found else None
        _refuse_other("economics", economics, held, "pass what calculate(contract, inputs) returned")


def _refuse_other(name: str, given: Contract, held: Contract | None, remedy: str) -> None:
    if given != held:
        raise InputError(f"{name}: not what the run committed; {remedy}", field=name)
