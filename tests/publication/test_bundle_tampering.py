"""Every kind of change to a bundle is found and named, even with the manifest made to fit."""

from __future__ import annotations

import io
import json
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from porterlib.contracts.ledger import ChainLink, Record
from porterlib.errors import InputError
from porterlib.hashing import digest, sha256_hex
from porterlib.ledger import link_hash
from porterlib.publication.bundle_archive import pack
from porterlib.publication.bundle_check import verify_bundle
from porterlib.publication.bundle_format import BundleReport
from porterlib.verbs.exporting import export_bundle

from .golden import Finished

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def bundle(built: Finished, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "draft.zip"
    return export_bundle(built.outcome, path, workspace=built.place)


@pytest.fixture(scope="module")
def files(bundle: Path) -> Files:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def check(files: Files, folder: Path, *, fitted: bool = True) -> BundleReport:
    """Verify changed files; `fitted` first makes the manifest's list agree with them, as a forger would."""
    changed = dict(files)
    if fitted and "manifest.json" in changed:
        manifest = json.loads(changed["manifest.json"])
        manifest["files"] = {
            name: {"sha256": sha256_hex(content), "bytes": len(content)}
            for name, content in changed.items()
            if name != "manifest.json"
        }
        changed["manifest.json"] = json.dumps(manifest).encode()
    path = folder / "changed.zip"
    path.write_bytes(pack(changed))
    return verify_bundle(path)


def codes(report: BundleReport) -> set[str]:
    assert not report.ok
    assert report.first_bad == report.findings[0].place
    return {finding.code for finding in report.findings}


def edited(files: Files, name: str, change: Callable[[dict[str, Any]], None]) -> Files:
    value = json.loads(files[name])
    change(value)
    return {**files, name: json.dumps(value, ensure_ascii=False).encode()}


def test_an_untouched_bundle_passes_also_when_packed_again(files: Files, tmp_path: Path) -> None:
    report = check(files, tmp_path)
    assert (report.ok, report.findings, report.not_checked) == (True, (), ())


@pytest.mark.parametrize("name", ["board-brief.md", "audit-sidecar.json", "evidence.csv", "chain.json"])
def test_a_changed_byte_in_a_file_is_found_by_its_digest(files: Files, tmp_path: Path, name: str) -> None:
    report = check({**files, name: files[name] + b" "}, tmp_path, fitted=False)
    assert "FILE_CHANGED" in codes(report)
    assert name in {finding.place for finding in report.findings}


@pytest.mark.parametrize("name", ["board-brief.md", "evidence.csv"])
def test_a_changed_file_is_not_what_the_chain_recorded(files: Files, tmp_path: Path, name: str) -> None:
    report = check({**files, name: files[name].replace(b"e", b"o", 1)}, tmp_path)
    assert codes(report) == {"ARTIFACT_MISMATCH"}
    assert report.first_bad == name


@pytest.mark.parametrize(
    "name", ["board-brief.md", "audit-sidecar.json", "evidence.csv", "chain.json", "manifest.json"]
)
def test_a_missing_file_is_named(files: Files, tmp_path: Path, name: str) -> None:
    report = check({key: value for key, value in files.items() if key != name}, tmp_path)
    assert ("FILE_MISSING", name) in {(f.code, f.place) for f in report.findings}


def passage(value: dict[str, Any]) -> None:
    item = value["evidence"][0]
    item["passage"] = item["passage"][:-1] + ("x" if item["passage"][-1] != "x" else "y")


def quote(value: dict[str, Any]) -> None:
    value["links"][0]["quote"] += "!"


def span(value: dict[str, Any]) -> None:
    value["links"][0]["start"] += 1


def claim(value: dict[str, Any]) -> None:
    value["claims"][0]["text"] += " Certainly."


def recommendation(value: dict[str, Any]) -> None:
    value["recommendation"]["kind"] = "stop" if value["recommendation"]["kind"] != "stop" else "proceed"


def figure(value: dict[str, Any]) -> None:
    value["economics"]["calculations"][0]["value"] = "123456789"


def moved(value: dict[str, Any]) -> None:
    value["links"][0]["evidence_id"] = "E-000000000000"


def offsets(value: dict[str, Any]) -> None:
    value["evidence"][0]["start"] += 1
    value["evidence"][0]["end"] += 1


def dropped(value: dict[str, Any]) -> None:
    used = {row["evidence_id"] for row in value["links"]}
    value["evidence"] = [
        row for row in value["evidence"] if row["id"] in used or row is not value["evidence"][0]
    ]
    value["evidence"].pop()


def added(value: dict[str, Any]) -> None:
    value["evidence"].append(value["evidence"][0])


def doubled(value: dict[str, Any]) -> None:
    value["claims"].append(value["claims"][0])


def publisher(value: dict[str, Any]) -> None:
    value["evidence"][0]["publisher"] = "Another Authority"


def snapshot(value: dict[str, Any]) -> None:
    value["snapshot_id"] = "0" * 64


def fingerprint(value: dict[str, Any]) -> None:
    value["fingerprint"] = "0" * 64


def versions(value: dict[str, Any]) -> None:
    value["versions"]["evaluator"] = "evaluator-0"


def stranger(value: dict[str, Any]) -> None:
    value["run_id"] = "run-other"


def leaked(value: dict[str, Any]) -> None:
    value["internal_facts"] = [{"id": "F-1", "owner": "x", "confidentiality": "internal", "text": "secret"}]


def shown(value: dict[str, Any]) -> None:
    value["withheld"] = [{"at": "/contract/question", "hmac_sha256": "0" * 64}]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (passage, "EVIDENCE_CHANGED"),
        (passage, "SNAPSHOT_MISMATCH"),
        (quote, "QUOTE_NOT_FOUND"),
        (span, "LINK_ID_MISMATCH"),
        (moved, "LINK_DANGLING"),
        (claim, "CANDIDATE_MISMATCH"),
        (recommendation, "CANDIDATE_MISMATCH"),
        (recommendation, "FINGERPRINT_MISMATCH"),
        (figure, "FINGERPRINT_MISMATCH"),
        (offsets, "EVIDENCE_ID_MISMATCH"),
        (dropped, "EVIDENCE_MISSING"),
        (added, "EVIDENCE_ADDED"),
        (doubled, "CLAIM_DUPLICATED"),
        (publisher, "EVIDENCE_CHANGED"),
        (snapshot, "SNAPSHOT_MISMATCH"),
        (fingerprint, "FINGERPRINT_MISMATCH"),
        (versions, "VERSIONS_MISMATCH"),
        (stranger, "RUN_MISMATCH"),
        (leaked, "INTERNAL_TEXT_PRESENT"),
        (shown, "WITHHELD_NOT_HIDDEN"),
    ],
)
def test_a_change_in_the_sidecar_is_named(
    files: Files, tmp_path: Path, change: Callable[[dict[str, Any]], None], code: str
) -> None:
    report = check(edited(files, "audit-sidecar.json", change), tmp_path)
    assert {code, "ARTIFACT_MISMATCH"} <= codes(report)
    assert any(f.place.startswith("audit-sidecar.json") for f in report.findings if f.code == code)


def record(kind: str, change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def apply(value: dict[str, Any]) -> None:
        change(next(row for row in value["records"] if row["kind"] == kind))

    return apply


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (record("snapshot", lambda row: row["payload"].update(queries_executed=0)), "RECORD_CHANGED"),
        (record("request", lambda row: row.update(payload_sha256="0" * 64)), "RECORD_CHANGED"),
        (record("contract", lambda row: row.update(recorded_at="2020-01-01T00:00:00Z")), "RECORD_CHANGED"),
        (record("query", lambda row: row.update(prev_hash="0" * 64)), "RECORD_CHANGED"),
        (lambda value: value["records"].pop(5), "RECORD_MISSING"),
        (lambda value: value["records"].pop(), "RECORD_MISSING"),
        (lambda value: value["records"].reverse(), "RECORD_MISSING"),
        (lambda value: value["records"].insert(3, value["records"][2]), "RECORD_MISSING"),
        (lambda value: value["records"].clear(), "FILE_UNREADABLE"),
        (record("event", lambda row: row.update(kind="nothing")), "RECORD_MALFORMED"),
        (record("hit", lambda row: row.update(run_id="run-other")), "RUN_MISMATCH"),
    ],
)
def test_a_change_in_the_chain_is_named(
    files: Files, tmp_path: Path, change: Callable[[dict[str, Any]], None], code: str
) -> None:
    report = check(edited(files, "chain.json", change), tmp_path)
    assert code in codes(report)
    assert all(f.place.startswith("chain.json") for f in report.findings if f.code == code)


def rechained(value: dict[str, Any], head: dict[str, Any]) -> None:
    """Rewrite a whole chain so that every hash fits again, as the owner of a file could."""
    prev = digest("run", {"run_id": value["run_id"]})
    for seq, row in enumerate(value["records"], start=1):
        if "payload" in row:
            row["payload_sha256"] = digest("payload", row["payload"])
        row.update(seq=seq, prev_hash=prev)
        model: type[ChainLink] = Record if "payload" in row else ChainLink
        prev = row["hash"] = link_hash(model.model_validate(row))
    head.update(seq=len(value["records"]), hash=prev)


def forged(files: Files, change: Callable[[dict[str, Any]], None], **entries: Any) -> Files:
    chain, manifest = json.loads(files["chain.json"]), json.loads(files["manifest.json"])
    change(chain)
    rechained(chain, manifest["head"])
    manifest.update(entries)
    return {**files, "chain.json": json.dumps(chain).encode(), "manifest.json": json.dumps(manifest).encode()}


def claim_publishable(value: dict[str, Any]) -> None:
    [row for row in value["records"] if row["kind"] == "event"][-1]["payload"]["to"] = "publishable"


def test_a_status_without_decisions_earns_no_label(files: Files, tmp_path: Path) -> None:
    changed = forged(files, claim_publishable, status="publishable", label="Board-ready")
    changed["board-brief.md"] = changed["board-brief.md"].replace(b"DRAFT: not reviewed", b"Board-ready")
    report = check(changed, tmp_path)
    assert "LABEL_NOT_EARNED" in codes(report)


def test_roles_must_follow_from_recorded_decisions(files: Files, tmp_path: Path) -> None:
    roles = dict.fromkeys(("strategy", "finance", "technology", "risk"), "approved")
    report = check(forged(files, lambda value: None, roles=roles), tmp_path)
    assert codes(report) == {"ROLES_MISMATCH"}


def test_a_status_must_be_the_last_recorded_one(files: Files, tmp_path: Path) -> None:
    report = check(forged(files, lambda value: None, status="human_required"), tmp_path)
    assert codes(report) == {"STATUS_MISMATCH"}


def test_a_brief_without_the_word_draft_must_have_earned_it(files: Files, tmp_path: Path) -> None:
    brief = (
        files["board-brief.md"]
        .replace(b"DRAFT", b"FINAL")
        .replace(b"draft", b"final")
        .replace(b"Draft", b"Final")
    )
    report = check({**files, "board-brief.md": brief}, tmp_path)
    assert "LABEL_NOT_EARNED" in codes(report)


def test_a_wholly_rewritten_chain_fits_and_only_a_head_kept_elsewhere_shows_it(
    files: Files, bundle: Path, tmp_path: Path
) -> None:
    kept = verify_bundle(bundle).head
    assert kept is not None
    changed = forged(files, record("request", lambda row: row.update(payload_sha256="1" * 64)))
    path = tmp_path / "rewritten.zip"
    assert check(changed, tmp_path).ok
    path.write_bytes((tmp_path / "changed.zip").read_bytes())
    run_id = json.loads(files["manifest.json"])["run_id"]
    report = verify_bundle(path, heads={run_id: kept.hash})
    assert [finding.code for finding in report.findings] == ["SAVED_HEAD_ABSENT"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("manifest.json", b"{}"),
        ("manifest.json", b"not json"),
        ("manifest.json", b'{"run_id": "a", "run_id": "b"}'),
        ("audit-sidecar.json", b"[" * 100_000),
        ("audit-sidecar.json", b'{"x": NaN}'),
        ("audit-sidecar.json", b"\xff\xfe"),
        ("chain.json", b"[]"),
        ("chain.json", b'{"records": [1]}'),
    ],
)
def test_unreadable_files_are_findings_not_crashes(
    files: Files, tmp_path: Path, name: str, content: bytes
) -> None:
    report = check({**files, name: content}, tmp_path, fitted=False)
    assert codes(report) <= {"FILE_UNREADABLE", "RECORD_MALFORMED", "FILE_MISSING"}
    assert any(f.place.startswith(name) for f in report.findings)


def archive(entries: list[tuple[zipfile.ZipInfo, bytes]], comment: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for info, content in entries:
            made.writestr(info, content)
        made.comment = comment
    return stream.getvalue()


def entry(name: str, method: int = zipfile.ZIP_STORED, mode: int = stat.S_IFREG | 0o600) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type, info.external_attr, info.create_system = method, mode << 16, 3
    return info


HOSTILE = {
    "ENTRY_UNSAFE_NAME": [
        "../board-brief.md",
        "/etc/passwd",
        "a/../../x",
        "..\\x",
        "C:\\x",
        ".hidden",
        "bräf.md",
    ],
    "ENTRY_UNKNOWN": ["notes.md", "manifest.json.bak", "MANIFEST.JSON"],
}


@pytest.mark.parametrize(
    ("code", "name"), [(code, name) for code, names in HOSTILE.items() for name in names]
)
def test_names_that_do_not_belong_are_refused(files: Files, tmp_path: Path, code: str, name: str) -> None:
    path = tmp_path / "hostile.zip"
    path.write_bytes(archive([(entry(key), value) for key, value in files.items()] + [(entry(name), b"x")]))
    before = set(tmp_path.rglob("*"))
    report = verify_bundle(path)
    assert codes(report) == {code}
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_is_refused(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "twice.zip"
    path.write_bytes(archive([(entry(k), v) for k, v in files.items()] + [(entry("evidence.csv"), b"x")]))
    assert codes(verify_bundle(path)) == {"ENTRY_DUPLICATED"}


def test_a_bomb_is_refused_without_being_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(archive([(entry("evidence.csv", zipfile.ZIP_DEFLATED), b"0" * 50_000_000)]))

    def never(*args: object) -> None:
        raise AssertionError("something was unpacked")

    monkeypatch.setattr(zlib, "decompressobj", never)
    assert codes(verify_bundle(path)) == {"ENTRY_COMPRESSED"}


def test_a_link_or_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "link.zip"
    path.write_bytes(archive([(entry("evidence.csv", mode=stat.S_IFLNK | 0o777), b"/etc/passwd")]))
    assert codes(verify_bundle(path)) == {"ENTRY_IRREGULAR"}


def test_bytes_outside_the_files_are_refused(bundle: Path, files: Files, tmp_path: Path) -> None:
    path = tmp_path / "more.zip"
    whole = [(entry(k), v) for k, v in files.items()]
    extra = [(entry(k), v) for k, v in files.items()]
    extra[0][0].extra = b"\x99\x99\x04\x00abcd"
    for content in (
        b"MZ" + bundle.read_bytes(),
        bundle.read_bytes() + b"tail",
        archive(whole, comment=b"note"),
        archive(extra),
        archive(whole[::-1]),
    ):
        path.write_bytes(content)
        assert codes(verify_bundle(path)) == {"ARCHIVE_NOT_CANONICAL"}


def test_a_bundle_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as stream:
        stream.truncate(129 * 2**20)
    assert codes(verify_bundle(path)) == {"ARCHIVE_TOO_LARGE"}


def test_no_such_bundle_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        verify_bundle(tmp_path / "absent.zip")


@settings(
    max_examples=60,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(at=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_any_flipped_byte_is_found(bundle: Path, tmp_path: Path, at: float, mask: int) -> None:
    content = bytearray(bundle.read_bytes())
    content[int(at * len(content))] ^= mask
    path = tmp_path / "flipped.zip"
    path.write_bytes(bytes(content))
    assert not verify_bundle(path).ok


def test_any_flipped_byte_of_the_directory_is_found(bundle: Path, tmp_path: Path) -> None:
    content = bundle.read_bytes()
    start = content.rindex(b"PK\x01\x02") - 400
    path = tmp_path / "flipped.zip"
    for at in range(start, len(content), 3):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert not verify_bundle(path).ok, at
