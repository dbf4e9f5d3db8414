"""One run as the ledger holds it: each part rebuilt from hash-checked records, none computed again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from porterlib.contracts.analysis import AnalysisInput, Candidate, InsufficientEvidence
from porterlib.contracts.base import Contract
from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.contracts.evidence import EvidenceSnapshot
from porterlib.contracts.ledger import Record, RecordKind
from porterlib.contracts.plan import ResearchPlan
from porterlib.contracts.request import DecisionContract, DecisionRequest
from porterlib.contracts.sector import SectorPack
from porterlib.contracts.supervision import AttemptManifest, RalphState
from porterlib.errors import IntegrityError
from porterlib.evaluation import evidence_snapshot_id
from porterlib.ledger import Ledger, check_chain, observe
from porterlib.sectors import load_pack
from porterlib.supervision.plain import value_digest
from porterlib.verbs.committed import plan_record
from porterlib.workspace import Workspace

Model = TypeVar("Model", bound=Contract)
_FIXED = (
    "request",
    "contract",
    "pack",
    "plan",
    "snapshot",
    "inputs",
    "economics",
    "used_economics",
    "state",
    "best",
    "candidate",
    "versions",
    "fingerprint",
)
"""Parts that no later record changes."""


class StoredRun:
    """The parts of one run, each read when it is first asked for.

    Raises:
        UnknownRunError: the ledger holds no such run.
        IntegrityError: a record or content was changed, or two parts do not belong together.

    """

    def __init__(self, place: Workspace, ledger: Ledger, run_id: str) -> None:
        self.place, self.ledger, self.run_id = place, ledger, run_id
        self.row = ledger.run(run_id)
        self.records = ledger.records(run_id)

    def refreshed(self) -> Self:
        """Return the run as it is now; what a run never changes is not read and hashed again."""
        again = type(self)(self.place, self.ledger, self.run_id)
        again.__dict__.update({name: self.__dict__[name] for name in _FIXED if name in self.__dict__})
        return again

    def check_chain(self) -> None:
        """Confirm the whole chain of the run before something is built on it; raises `IntegrityError`."""
        head = (self.row.records, self.row.head)
        if bad := check_chain(self.run_id, map(observe, self.records), head=head):
            raise IntegrityError(
                f"record {bad[0].place}: {bad[0].message}; run `porterlib verify`", place=bad[0].place
            )

    def of(self, kind: RecordKind) -> list[Record]:
        """Return the records of one kind, in order."""
        return [record for record in self.records if record.kind == kind]

    @cached_property
    def request(self) -> DecisionRequest | None:
        """Return the stored request."""
        return self._one(DecisionRequest, "request", "request")

    @cached_property
    def contract(self) -> DecisionContract | None:
        """Return the framed decision."""
        return self._one(DecisionContract, "contract", "contract")

    @cached_property
    def pack(self) -> SectorPack:
        """Return the sector pack of the decision, as it is now."""
        return load_pack(self.need(self.contract).sector)

    @cached_property
    def plan(self) -> ResearchPlan | None:
        """Return the plan the run took up; before that, the one recorded last."""
        record = plan_record(self.of("plan"), self.of("step"))
        return self.read(ResearchPlan, record.payload, record.place) if record else None

    @cached_property
    def snapshot(self) -> EvidenceSnapshot | None:
        """Return the frozen snapshot, its id confirmed over its evidence."""
        heads = self.of("snapshot")
        if not heads:
            return None
        items = [record.payload for record in self.of("evidence")]
        found = self.read(EvidenceSnapshot, {**heads[-1].payload, "evidence": items}, heads[-1].place)
        if evidence_snapshot_id(found.evidence) != found.snapshot_id:
            raise IntegrityError(f"record {heads[-1].place}: its evidence gives another snapshot id")
        return found

    @cached_property
    def inputs(self) -> EconomicsInputs | None:
        """Return the finance inputs as they were given."""
        return self._economics(EconomicsInputs, "inputs")

    @cached_property
    def economics(self) -> Economics | None:
        """Return the calculations."""
        return self._economics(Economics, "result")

    @cached_property
    def state(self) -> RalphState | None:
        """Return the supervision state committed last."""
        points = [record for record in self.of("checkpoint") if "state" in record.payload]
        return self.read(RalphState, points[-1].payload["state"], points[-1].place) if points else None

    @cached_property
    def best(self) -> AttemptManifest | None:
        """Return the attempt that counts."""
        if self.state is None or self.state.best_attempt is None:
            return None
        return self.state.attempts[self.state.best_attempt - 1]

    @cached_property
    def candidate(self) -> Candidate | None:
        """Return the text of the best attempt, from the content its record names."""
        if self.best is None:
            return None
        for record in self.of("attempt_finished"):
            if record.payload["manifest"]["attempt_id"] == self.best.attempt_id:
                content = self.ledger.get_blob(record.payload["candidate"])
                return self._parsed(Candidate, content, record.place)
        raise IntegrityError(
            f"run {self.run_id!r} holds no record of its best attempt; run `porterlib verify`"
        )

    @cached_property
    def used_economics(self) -> Economics | None:
        """Return the calculations the analysis read: those of the ledger, unless it was run without them."""
        if self.economics is None or self.state is None or not self.state.attempts:
            return self.economics
        bare = AnalysisInput(contract=self.need(self.contract), snapshot=self.need(self.snapshot))
        without = value_digest("ralph-input", bare)
        return None if self.state.attempts[0].input_sha256 == without else self.economics

    @cached_property
    def insufficient(self) -> InsufficientEvidence | None:
        """Return the report of what was missing, if the run ended for that."""
        record = next((r for r in self.of("checkpoint") if r.key == "insufficient"), None)
        if record is None or self.row.status != "insufficient_evidence":
            return None
        return self.read(InsufficientEvidence, record.payload, record.place)

    def _one(self, model: type[Model], kind: RecordKind, key: str) -> Model | None:
        record = next((entry for entry in self.of(kind) if entry.key == key), None)
        return self.read(model, record.payload, record.place) if record else None

    def _economics(self, model: type[Model], part: str) -> Model | None:
        record = next((entry for entry in self.of("economics") if entry.key == "economics"), None)
        return self.read(model, record.payload[part], record.place) if record else None

    def read(self, model: type[Model], payload: Mapping[str, Any], place: str) -> Model:
        """Return a payload as the contract it must hold; raises `IntegrityError` otherwise."""
        try:
            return model.model_validate(payload)
        except ValidationError as error:
            raise IntegrityError(
                f"record {place} holds no {model.__name__} of this version; run `porterlib verify`",
                place=place,
            ) from error

    def _parsed(self, model: type[Model], content: bytes, place: str) -> Model:
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            raise IntegrityError(
                f"record {place} names no {model.__name__} of this version; run `porterlib verify`",
                place=place,
            ) from error

    def need(self, part: Model | None) -> Model:
        """Return a part that must be there; raises `IntegrityError` when it is not."""
        if part is None:
            raise IntegrityError(f"run {self.run_id!r} lacks a part of its outcome; run `porterlib verify`")
        return part
