"""Checks a bundle offline: archive, files, chain, artifacts, decisions, and then what the sidecar says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from porterlib.contracts.ledger import ChainLink, Record
from porterlib.contracts.publication import Approval
from porterlib.hashing import sha256_hex
from porterlib.ledger import check_chain, observe
from porterlib.publication import approvals
from porterlib.publication.artifacts import BRIEF_NAME, EVIDENCE_NAME, SHARED_SIDECAR, SIDECAR_NAME
from porterlib.publication.bundle_archive import unpack
from porterlib.publication.bundle_format import (
    CHAIN_NAME,
    MANIFEST_NAME,
    REQUIRED,
    BundleFinding,
    BundleManifest,
    BundleReport,
    SharedSidecar,
)
from porterlib.publication.bundle_sidecar import check_sidecar
from porterlib.publication.bundle_view import BundleView

Model = TypeVar("Model", bound=BaseModel)
_BOUND = {BRIEF_NAME: BRIEF_NAME, EVIDENCE_NAME: EVIDENCE_NAME, SIDECAR_NAME: SHARED_SIDECAR}
"""File of the bundle to name of its artifact record."""


def verify_bundle(path: Path, *, heads: Mapping[str, str] | None = None) -> BundleReport:
    """Check an export bundle without the workspace it came from; nothing is unpacked to disk.

    Args:
        path: the bundle.
        heads: heads kept elsewhere, run id to hash; the run may have grown since.

    Raises:
        InputError: there is no such file. Everything wrong inside it is a finding.

    """
    files, findings = unpack(Path(path))
    if findings:
        return _report(findings, None)
    view = BundleView(files)
    if not _read(view):
        return _report(view.findings, view)
    _check_files(view)
    _check_chain(view, heads or {})
    _check_identity(view)
    _check_artifacts(view)
    _check_decisions(view)
    check_sidecar(view)
    return _report(view.findings, view)


def _read(view: BundleView) -> bool:
    """Parse the JSON files; return whether there is enough to go on."""
    for name in REQUIRED:
        if name not in view.files:
            view.add("FILE_MISSING", name, "the bundle lacks this file")
    manifest = _parsed(view, BundleManifest, MANIFEST_NAME)
    sidecar = _parsed(view, SharedSidecar, SIDECAR_NAME)
    view.known = manifest
    if manifest is None or sidecar is None or not _read_chain(view):
        return False
    view.sidecar = sidecar
    return not view.findings


def _parsed(view: BundleView, model: type[Model], name: str) -> Model | None:
    value = _json(view, name)
    if value is None:
        return None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "/".join([name, *map(str, first["loc"])])
        view.add("FILE_UNREADABLE", place, f"not what this file must hold: {first['msg']}")
        return None


def _json(view: BundleView, name: str) -> dict[str, Any] | None:
    if name not in view.files:
        return None
    try:
        value = json.loads(
            view.files[name].decode(), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        view.add("FILE_UNREADABLE", name, f"not readable as JSON: {error or type(error).__name__}")
        return None
    if not isinstance(value, dict):
        view.add("FILE_UNREADABLE", name, "not a JSON object")
        return None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _read_chain(view: BundleView) -> bool:
    value = _json(view, CHAIN_NAME)
    rows = value.get("records") if value else None
    if value is None or not isinstance(rows, list) or not rows:
        view.add("FILE_UNREADABLE", CHAIN_NAME, "it holds no records")
        return False
    for number, row in enumerate(rows, start=1):
        model: type[ChainLink] = Record if isinstance(row, dict) and "payload" in row else ChainLink
        try:
            view.links.append(model.model_validate(row))
        except ValidationError:
            view.add("RECORD_MALFORMED", f"{CHAIN_NAME}/{number}", "the entry is no chain record")
            return False
    return True


def _check_files(view: BundleView) -> None:
    listed = view.manifest.files
    for name in sorted({*listed, *view.files} - {MANIFEST_NAME}):
        content = view.files.get(name)
        if content is None:
            view.add("FILE_MISSING", name, "the manifest lists it, the bundle lacks it")
        elif name not in listed:
            view.add("FILE_CHANGED", name, "the manifest does not list it")
        elif sha256_hex(content) != listed[name].sha256 or len(content) != listed[name].bytes:
            view.add("FILE_CHANGED", name, "its bytes are not those the manifest lists")
    view.confirm("every file has the bytes the manifest lists")


def _check_chain(view: BundleView, heads: Mapping[str, str]) -> None:
    run_id, head = view.manifest.run_id, view.manifest.head
    strangers = [link for link in view.links if link.run_id != run_id]
    for link in strangers:
        view.add("RUN_MISMATCH", f"{CHAIN_NAME}/{link.place}", f"the record is of another run than {run_id}")
    for finding in check_chain(run_id, map(observe, view.links), head=(head.seq, head.hash)):
        view.add(finding.code, f"{CHAIN_NAME}/{finding.place}", finding.message)
    if run_id in heads and all(link.hash != heads[run_id] for link in view.links):
        message = "no record has the hash kept elsewhere: the chain was cut off or rewritten since"
        view.add("SAVED_HEAD_ABSENT", f"{CHAIN_NAME}/{run_id}/{len(view.links) + 1}/missing", message)
    view.confirm("every record follows the one before it, up to the head")


def _check_identity(view: BundleView) -> None:
    """Run, fingerprint, snapshot and versions must be the same wherever they stand."""
    manifest, sidecar = view.manifest, view.sidecar
    pairs = (
        ("RUN_MISMATCH", "run_id", sidecar.run_id, manifest.run_id),
        ("FINGERPRINT_MISMATCH", "fingerprint", sidecar.fingerprint, manifest.fingerprint),
        ("SNAPSHOT_MISMATCH", "snapshot_id", sidecar.snapshot_id, manifest.snapshot_id),
        ("VERSIONS_MISMATCH", "versions", sidecar.versions, manifest.versions),
    )
    for code, name, found, wanted in pairs:
        if found != wanted:
            view.add(code, f"{SIDECAR_NAME}/{name}", f"the manifest gives another {name}")
    brief = view.files[BRIEF_NAME].decode("utf-8", "replace")
    for name, code in (("fingerprint", "FINGERPRINT_MISMATCH"), ("snapshot_id", "SNAPSHOT_MISMATCH")):
        if getattr(manifest, name) not in brief:
            view.add(code, BRIEF_NAME, f"the brief does not carry the manifest's {name}")
    if manifest.label not in brief:
        view.add("LABEL_NOT_EARNED", BRIEF_NAME, "the brief does not carry the manifest's label")
    snapshots = view.payloads("snapshot")
    if not any(record.payload.get("snapshot_id") == manifest.snapshot_id for record in snapshots):
        view.add("SNAPSHOT_MISMATCH", CHAIN_NAME, "no record of the chain holds this snapshot")
    view.confirm("run, fingerprint, snapshot and versions agree in all files")


def _check_artifacts(view: BundleView) -> None:
    """Each public file must be what the chain recorded last under its name, about this fingerprint."""
    recorded = {record.payload.get("name"): record for record in view.payloads("artifact")}
    for name, record_name in _BOUND.items():
        record = recorded.get(record_name)
        if record is None:
            view.add("ARTIFACT_UNRECORDED", name, "no record of the chain holds this file")
        elif record.payload.get("blob") != sha256_hex(view.files[name]):
            view.add("ARTIFACT_MISMATCH", name, f"not the content that record {record.place} holds")
        elif record.payload.get("about") != view.manifest.fingerprint:
            view.add("FINGERPRINT_MISMATCH", name, f"record {record.place} holds it for another text")
    view.confirm("brief, evidence table and sidecar are the contents the chain recorded")


def _check_decisions(view: BundleView) -> None:
    """Status, roles and label must follow from the recorded events and decisions."""
    manifest = view.manifest
    events = view.payloads("event")
    status = events[-1].payload.get("to") if events else None
    if status != manifest.status:
        view.add("STATUS_MISMATCH", f"{MANIFEST_NAME}/status", f"the last event of the chain says {status}")
    decisions = _decisions(view)
    stands = approvals.stands_of(decisions, manifest.fingerprint)
    if stands.states != dict(manifest.roles):
        view.add("ROLES_MISMATCH", f"{MANIFEST_NAME}/roles", "the recorded decisions give other role states")
    failed = [entry.get("criterion_id") for entry in view.sidecar.criteria if entry.get("outcome") != "pass"]
    earned = stands.complete and status == "publishable" and not failed
    brief = view.files[BRIEF_NAME].decode("utf-8", "replace").casefold()
    for place, text in ((MANIFEST_NAME + "/label", manifest.label.casefold()), (BRIEF_NAME, brief)):
        if "draft" not in text and not earned:
            message = "it is not called a draft, and the decisions and checks do not allow that"
            view.add("LABEL_NOT_EARNED", place, message)
    view.confirm("status, roles and label follow from the recorded decisions")


def _decisions(view: BundleView) -> list[approvals.Recorded]:
    found = []
    for record in view.payloads("approval"):
        fields = {name: record.payload.get(name) for name in ("role", "decision", "fingerprint", "at")}
        person = str(record.payload.get("person"))
        try:
            approval = Approval.model_validate({**fields, "reviewer": person})
        except ValidationError:
            view.add("RECORD_MALFORMED", f"{CHAIN_NAME}/{record.place}", "the record holds no decision")
            continue
        found.append(approvals.Recorded(approval, person, record.payload.get("allow_same_person") is True))
    return found


def _report(findings: list[BundleFinding], view: BundleView | None) -> BundleReport:
    manifest = view.known if view else None
    return BundleReport(
        ok=not findings,
        findings=tuple(findings),
        first_bad=findings[0].place if findings else None,
        run_id=manifest.run_id if manifest else None,
        fingerprint=manifest.fingerprint if manifest else None,
        snapshot_id=manifest.snapshot_id if manifest else None,
        label=manifest.label if manifest else None,
        head=manifest.head if manifest else None,
        records=len(view.links) if view else 0,
        checked=tuple(view.checked) if view else (),
        not_checked=tuple(view.not_checked) if view else (),
    )
