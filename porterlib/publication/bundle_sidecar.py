"""Checks the sidecar of a bundle: passages, quotes, ids, snapshot and the text itself, derived again."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.contracts.evidence import EvidenceItem, SupportLevels
from porterlib.evaluation import brief_fingerprint, evidence_id, evidence_snapshot_id, link_id
from porterlib.hashing import canonical_json, sha256_hex
from porterlib.publication.artifacts import SIDECAR_NAME
from porterlib.publication.bundle_view import BundleView
from porterlib.rendering.redact import HIDDEN

Model = TypeVar("Model", bound=BaseModel)
_LEVELS = tuple(SupportLevels.model_fields)


def check_sidecar(view: BundleView) -> None:
    """Check everything the sidecar says that can be derived again from the bundle alone."""
    _check_withheld(view)
    items = _check_evidence(view)
    _check_snapshot(view, items)
    _check_links(view)
    _check_text(view)


def _check_withheld(view: BundleView) -> None:
    for fact in view.sidecar.internal_facts:
        if "text" in fact or "text_sha256" not in fact:
            place = f"{SIDECAR_NAME}/internal_facts/{fact.get('id', '?')}"
            view.add("INTERNAL_TEXT_PRESENT", place, "an internal fact must be given by digest only")
    content = view.sidecar.model_dump()
    for entry in view.sidecar.withheld:
        if HIDDEN not in str(_at(content, entry.at)):
            place = f"{SIDECAR_NAME}{entry.at}"
            view.add("WITHHELD_NOT_HIDDEN", place, "a text listed as withheld is shown or absent")
    view.confirm("internal facts are given by digest, withheld texts are not shown")


def _at(value: Any, pointer: str) -> Any:
    """Return what a JSON pointer leads to; for a withheld name the name itself; None where it leads nowhere."""
    name = ""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return name if HIDDEN in name else value


def _check_evidence(view: BundleView) -> list[EvidenceItem] | None:
    """Check each item against its id and the chain; return the items, or None where some text is withheld."""
    hidden = _hidden_rows(view, "evidence")
    recorded = {link.key for link in view.links if link.kind == "evidence"}
    payloads = {record.key: record.payload for record in view.payloads("evidence")}
    items: list[EvidenceItem] = []
    seen: set[str] = set()
    for number, row in enumerate(view.sidecar.evidence):
        name = str(row.get("id"))
        place = f"{SIDECAR_NAME}/evidence/{name}"
        if name in seen or name not in recorded:
            view.add("EVIDENCE_ADDED", place, "the chain records no such evidence, or records it once")
        seen.add(name)
        if name in payloads and payloads[name] != row and number not in hidden:
            view.add("EVIDENCE_CHANGED", place, "it differs from what the chain recorded")
        _check_evidence_id(view, row, place)
        item = None if number in hidden else _model(view, EvidenceItem, row, place)
        items.extend([item] if item else [])
    for name in sorted(str(key) for key in recorded - seen):
        view.add("EVIDENCE_MISSING", f"{SIDECAR_NAME}/evidence/{name}", "the chain recorded it")
    view.confirm("every passage is the recorded one and gives its id")
    return items if len(items) == len(view.sidecar.evidence) else None


def _check_evidence_id(view: BundleView, row: dict[str, Any], place: str) -> None:
    text, start, end = row.get("text_sha256"), row.get("start"), row.get("end")
    fits = isinstance(text, str) and isinstance(start, int) and isinstance(end, int)
    if not fits or evidence_id(str(text), int(start or 0), int(end or 0)) != row.get("id"):
        view.add("EVIDENCE_ID_MISMATCH", place, "digest and offsets give another id")


def _check_snapshot(view: BundleView, items: list[EvidenceItem] | None) -> None:
    if items is None:
        view.not_checked.append("the snapshot id: a passage is withheld or malformed")
    elif evidence_snapshot_id(items) != view.manifest.snapshot_id:
        view.add("SNAPSHOT_MISMATCH", f"{SIDECAR_NAME}/evidence", "the evidence gives another snapshot id")
    else:
        view.confirm("the evidence gives the snapshot id")


def _check_links(view: BundleView) -> None:
    """Check that each quote stands in its passage, under the id that claim, evidence and span give."""
    passages = {str(row.get("id")): row.get("passage") for row in view.sidecar.evidence}
    hidden = {str(view.sidecar.evidence[n].get("id")) for n in _hidden_rows(view, "evidence")}
    claims = [str(row.get("id")) for row in view.sidecar.claims]
    for name in sorted({name for name in claims if claims.count(name) > 1}):
        view.add("CLAIM_DUPLICATED", f"{SIDECAR_NAME}/claims/{name}", "the id occurs twice")
    known = set(claims)
    for row in view.sidecar.links:
        place = f"{SIDECAR_NAME}/links/{row.get('id')}"
        claim, evidence = str(row.get("claim_id")), str(row.get("evidence_id"))
        for target, held in ((claim, known), (evidence, set(passages))):
            if target not in held:
                view.add("LINK_DANGLING", place, f"it names {target}, which the sidecar does not hold")
        start, end, passage = row.get("start"), row.get("end"), passages.get(evidence)
        if not isinstance(start, int) or not isinstance(end, int):
            view.add("LINK_ID_MISMATCH", place, "it has no span")
            continue
        if link_id(claim, evidence, start, end) != row.get("id"):
            view.add("LINK_ID_MISMATCH", place, "claim, evidence and span give another id")
        if evidence not in hidden and isinstance(passage, str) and passage[start:end] != row.get("quote"):
            view.add("QUOTE_NOT_FOUND", place, "the quote is not what stands at its place in the passage")
    if hidden:
        view.not_checked.append(f"quotes from {len(hidden)} passages that hold a restricted term")
    view.confirm("every quote stands in its passage, character for character")


def _check_text(view: BundleView) -> None:
    """Rebuild the attempt's output: it must be what the chain recorded, and give the fingerprint."""
    parts = [entry.at.split("/")[1] for entry in view.sidecar.withheld]
    if any(part in {*Candidate.model_fields, "economics"} for part in parts):
        view.not_checked.append(f"text and fingerprint: {len(parts)} texts are withheld")
        return
    place = f"{SIDECAR_NAME}/fingerprint"
    content = view.sidecar.model_dump(mode="json")
    fields = {
        name: content[name] for name in Candidate.model_fields if name in content and name != "schema_version"
    }
    fields |= {"links": [_link(row) for row in view.sidecar.links]}
    candidate = _model(view, Candidate, fields, f"{SIDECAR_NAME}/text")
    if candidate is None:
        return
    recorded = _recorded_text(view)
    if sha256_hex(canonical_json(candidate.to_dict())) != recorded:
        view.add(
            "CANDIDATE_MISMATCH",
            f"{SIDECAR_NAME}/text",
            "it is not the output that the best attempt recorded",
        )
    held = view.sidecar.economics
    economics = _model(view, Economics, held, f"{SIDECAR_NAME}/economics") if held is not None else None
    ids, versions = view.manifest.snapshot_id, view.manifest.versions
    if brief_fingerprint(candidate, ids, economics, versions) != view.manifest.fingerprint:
        view.add(
            "FINGERPRINT_MISMATCH", place, "text, evidence, economics and versions give another fingerprint"
        )
    view.confirm("the text is the best attempt's recorded output and gives the fingerprint")


def _recorded_text(view: BundleView) -> str | None:
    """Return the digest under which the chain recorded the best attempt's output."""
    for record in view.payloads("attempt_finished"):
        manifest = record.payload.get("manifest")
        if isinstance(manifest, dict) and manifest.get("attempt_number") == view.sidecar.best_attempt:
            return str(record.payload.get("candidate"))
    return None


def _link(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _LEVELS}


def _hidden_rows(view: BundleView, part: str) -> set[int]:
    """Return the positions of entries of a list in which some text is withheld."""
    split = (entry.at.split("/") for entry in view.sidecar.withheld)
    return {int(s[2]) for s in split if len(s) > 2 and s[1] == part and s[2].isdecimal()}


def _model(view: BundleView, model: type[Model], value: Any, place: str) -> Model | None:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = "/".join([place, *map(str, first["loc"])])
        view.add("FILE_UNREADABLE", at, f"not what a sidecar must hold: {first['msg']}")
        return None
