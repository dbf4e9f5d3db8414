"""What a verb is given must be what the run's ledger holds: nothing else could be recomputed later."""

from __future__ import annotations

from collections.abc import Sequence

from porterlib.acquisition.records import RunRecords
from porterlib.contracts.base import Contract
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.ledger import Record
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract
from porterlib.errors import InputError
from porterlib.ledger import Ledger, LedgerReader

PLAN_TAKEN_UP = "plan_taken_up"
"""Key of the step that says by which plan a run searches."""


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


def check_inputs(ledger: Ledger, run_id: str, inputs: EconomicsInputs) -> None:
    """Refuse finance inputs other than those the run was calculated with.

    Raises:
        InputError: the run holds other inputs.

    """
    found = ledger.find(run_id, "economics", "economics")
    if found is not None and EconomicsInputs.model_validate(found.payload["inputs"]) != inputs:
        raise InputError(
            "economics: the run was calculated with other inputs; frame(request) opens a new run for changed ones",
            field="economics",
        )


def take_up_plan(ledger: Ledger, plan: ResearchPlan) -> None:
    """Commit the plan that the run searches by; from then on it is the only one.

    Raises:
        InputError: the run has taken up another plan.

    """
    taken = ledger.find(plan.run_id, "step", PLAN_TAKEN_UP)
    if taken is not None and taken.payload["plan_sha256"] != plan.sha256:
        raise InputError(
            "plan: the run searches by another plan; frame(request) opens a new run for a changed one",
            field="plan",
        )
    with ledger.transaction():
        ledger.append(plan.run_id, "plan", plan.to_dict(), key=plan.sha256)
        ledger.append(plan.run_id, "step", {"plan_sha256": plan.sha256}, key=PLAN_TAKEN_UP)


def plan_in_use(ledger: LedgerReader, run_id: str) -> ResearchPlan | None:
    """Return the plan the run took up; before that, the one recorded last."""
    record = plan_record(ledger.records(run_id, "plan"), ledger.records(run_id, "step"))
    return ResearchPlan.model_validate(record.payload) if record else None


def plan_record(plans: Sequence[Record], steps: Sequence[Record]) -> Record | None:
    """Return the record of the plan a run took up, given its records of both kinds; else the last of plans."""
    taken = {step.payload["plan_sha256"] for step in steps if step.key == PLAN_TAKEN_UP}
    return next((plan for plan in reversed(plans) if not taken or plan.key in taken), None)


def _refuse_other(name: str, given: Contract, held: Contract | None, remedy: str) -> None:
    if given != held:
        raise InputError(f"{name}: not what the run committed; {remedy}", field=name)
