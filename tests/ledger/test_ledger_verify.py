"""Every kind of tampering is found and named; broken content gives findings, never an exception."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from porterlib.contracts.ledger import VerifyReport
from porterlib.errors import IntegrityError, LedgerError, WorkspaceError
from porterlib.hashing import canonical_json, sha256_hex
from porterlib.ledger import Ledger, connection, link_hash, verify
from porterlib.ledger.audit import MAX_FINDINGS
from porterlib.ledger.chain import (
    INSERT_RECORD,
    SELECT_RECORDS,
    encode_payload,
    parse_row,
    payload_digest,
    row_of,
)

PAGE = sha256_hex(b"page of run-a")
OTHER = "0" * 64


def tamper(folder: Path, change: str | Callable[[sqlite3.Connection], None]) -> None:
    """Change the file behind the library's back: drop the guards, change, put the guards back."""
    raw = sqlite3.connect(folder / "ledger.db", isolation_level=None)
    guards = raw.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
    ).fetchall()
    for name, _ in guards:
        raw.execute(f"DROP TRIGGER {name}")
    if callable(change):
        change(raw)
    else:
        raw.executescript(change)
    for _, sql in guards:
        raw.execute(sql)
    raw.close()


def found(report: VerifyReport) -> list[tuple[str, str]]:
    return [(finding.code, finding.place) for finding in report.findings]


def test_an_untouched_ledger_verifies_and_gives_its_heads(filled: Path) -> None:
    report = verify(filled)
    with Ledger.open(filled, "read") as reader:
        assert report.heads == reader.heads()
    assert (report.ok, report.runs, report.records, report.blobs, report.first_bad) == (True, 2, 14, 2, None)
    assert "head kept elsewhere" in report.limit
    assert verify(filled / "ledger.db", heads=report.heads) == report


def test_verifying_changes_nothing_and_lets_a_writer_on(filled: Path) -> None:
    before = {entry.name: entry.read_bytes() for entry in filled.iterdir()}
    verify(filled)
    assert {entry.name: entry.read_bytes() for entry in filled.iterdir()} == before
    with Ledger.open(filled, "write") as ledger:
        ledger.append("run-a", "step", {})
        assert verify(filled).records == 15


SWAP = """
UPDATE records SET seq = 99 WHERE run_id = 'run-a' AND seq = 3;
UPDATE records SET seq = 3 WHERE run_id = 'run-a' AND seq = 4;
UPDATE records SET seq = 4 WHERE run_id = 'run-a' AND seq = 99;
"""
WHERE = "WHERE run_id = 'run-a' AND seq"

TAMPERED = {
    "payload": (
        f"UPDATE records SET payload = replace(payload, 'S-1', 'S-2') {WHERE} = 3",
        [("RECORD_CHANGED", "run-a/3/capture")],
    ),
    "kind": (f"UPDATE records SET kind = 'gap' {WHERE} = 3", [("RECORD_CHANGED", "run-a/3/gap")]),
    "key": (f"UPDATE records SET key = 'S-2' {WHERE} = 3", [("RECORD_CHANGED", "run-a/3/capture")]),
    "dropped key": (f"UPDATE records SET key = NULL {WHERE} = 3", [("RECORD_CHANGED", "run-a/3/capture")]),
    "time": (
        f"UPDATE records SET recorded_at = '2027' || substr(recorded_at, 5) {WHERE} = 3",
        [("RECORD_CHANGED", "run-a/3/capture")],
    ),
    "own hash": (
        f"UPDATE records SET hash = '{OTHER}' {WHERE} = 7",
        [("RECORD_CHANGED", "run-a/7/event")],
    ),
    "previous hash": (
        f"UPDATE records SET prev_hash = '{OTHER}' {WHERE} = 3",
        [("LINK_BROKEN", "run-a/3/capture"), ("RECORD_CHANGED", "run-a/3/capture")],
    ),
    "references": (
        f"UPDATE records SET blobs = '{{}}' {WHERE} = 3",
        [("RECORD_CHANGED", "run-a/3/capture"), ("BLOB_UNREFERENCED", f"blob/{PAGE}")],
    ),
    "last record": (
        f"UPDATE records SET payload = replace(payload, 'achieved_draft', 'publishable') {WHERE} = 7",
        [("RECORD_CHANGED", "run-a/7/event")],
    ),
    "deleted record": (f"DELETE FROM records {WHERE} = 4", [("RECORD_MISSING", "run-a/4/missing")]),
    "deleted first record": (
        f"DELETE FROM records {WHERE} = 1",
        [("RECORD_MISSING", "run-a/1/missing")],
    ),
    "cut off": (f"DELETE FROM records {WHERE} > 5", [("RECORD_MISSING", "run-a/6/missing")]),
    "all records gone": (
        "DELETE FROM records WHERE run_id = 'run-a'",
        [("RECORD_MISSING", "run-a/1/missing"), ("BLOB_UNREFERENCED", f"blob/{PAGE}")],
    ),
    "reordered": (
        SWAP,
        [
            ("LINK_BROKEN", "run-a/3/goal"),
            ("RECORD_CHANGED", "run-a/3/goal"),
            ("LINK_BROKEN", "run-a/4/capture"),
            ("RECORD_CHANGED", "run-a/4/capture"),
        ],
    ),
    "moved to another run": (
        "UPDATE records SET run_id = 'run-b', seq = 8 WHERE run_id = 'run-a' AND seq = 7",
        [
            ("RECORD_MISSING", "run-a/7/missing"),
            ("TRANSITION_ILLEGAL", "run-b/8/event"),
            ("LINK_BROKEN", "run-b/8/event"),
            ("RECORD_CHANGED", "run-b/8/event"),
            ("HEAD_WRONG", "run-b/8/event"),
        ],
    ),
    "record of an unknown run": (
        "UPDATE records SET run_id = 'run-z', seq = 1 WHERE run_id = 'run-a' AND seq = 7",
        [("RECORD_MISSING", "run-a/7/missing"), ("RUN_UNKNOWN", "run-z/1/event")],
    ),
    "not canonical": (
        f"UPDATE records SET payload = payload || ' ' {WHERE} = 3",
        [("RECORD_MALFORMED", "run-a/3/capture"), ("BLOB_UNREFERENCED", f"blob/{PAGE}")],
    ),
    "status": (
        "UPDATE runs SET status = 'publishable' WHERE run_id = 'run-a'",
        [("PROJECTION_WRONG", "run-a/projection/status")],
    ),
    "reason": (
        "UPDATE runs SET reason = 'approved' WHERE run_id = 'run-a'",
        [("PROJECTION_WRONG", "run-a/projection/reason")],
    ),
    "request digest": (
        f"UPDATE runs SET request_sha256 = '{OTHER}' WHERE run_id = 'run-a'",
        [("PROJECTION_WRONG", "run-a/projection/request_sha256")],
    ),
    "stored head": (
        f"UPDATE runs SET head_hash = '{OTHER}' WHERE run_id = 'run-a'",
        [("RECORD_CHANGED", "run-a/7/event")],
    ),
    "stored count": (
        "UPDATE runs SET head_seq = 6 WHERE run_id = 'run-a'",
        [("HEAD_WRONG", "run-a/7/event")],
    ),
    "goal": (
        "UPDATE goals SET status = 'publishable' WHERE run_id = 'run-a'",
        [("PROJECTION_WRONG", "run-a/projection/goal/five_forces")],
    ),
    "goal gone": (
        "DELETE FROM goals WHERE run_id = 'run-a'",
        [("PROJECTION_WRONG", "run-a/projection/goal/five_forces")],
    ),
    "goal invented": (
        "INSERT INTO goals VALUES ('run-a', 'x', 'publishable', 3)",
        [("PROJECTION_WRONG", "run-a/projection/goal/x")],
    ),
    "run gone": (
        "DELETE FROM runs WHERE run_id = 'run-a'; DELETE FROM records WHERE run_id = 'run-a';"
        "DELETE FROM goals WHERE run_id = 'run-a'",
        [("RUN_MISSING", "runs/1"), ("BLOB_UNREFERENCED", f"blob/{PAGE}")],
    ),
    "run invented": (
        f"INSERT INTO runs VALUES (3, 'run-c', '{OTHER}', 'now', 'publishable', NULL, 'now', 0, '')",
        [("RECORD_CHANGED", "run-c/1/missing")],
    ),
    "content": (
        f"UPDATE blobs SET content = CAST('forged' AS BLOB) WHERE digest = '{PAGE}'",
        [("BLOB_CHANGED", "run-a/3/capture")],
    ),
    "content gone": (f"DELETE FROM blobs WHERE digest = '{PAGE}'", [("BLOB_MISSING", "run-a/3/capture")]),
    "content relabelled": (
        f"UPDATE blobs SET media_type = 'text/plain' WHERE digest = '{PAGE}'",
        [("BLOB_CHANGED", "run-a/3/capture")],
    ),
    "content under another digest": (
        f"UPDATE blobs SET digest = '{OTHER}' WHERE digest = '{PAGE}'",
        [("BLOB_CHANGED", f"blob/{OTHER}"), ("BLOB_MISSING", "run-a/3/capture")],
    ),
    "added table": ("CREATE TABLE notes (text TEXT)", [("SCHEMA_CHANGED", "schema/table/notes")]),
    "added view": ("CREATE VIEW v AS SELECT 1", [("SCHEMA_CHANGED", "schema/view/v")]),
    "dropped index": ("DROP INDEX records_key", [("SCHEMA_CHANGED", "schema/index/records_key")]),
    "dropped table": ("DROP TABLE open_runs", [("SCHEMA_CHANGED", "schema/table/open_runs")]),
    "added column": ("ALTER TABLE runs ADD COLUMN note TEXT", [("SCHEMA_CHANGED", "schema/table/runs")]),
}


@pytest.mark.parametrize(("change", "expected"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_found_and_named(filled: Path, change: str, expected: list[tuple[str, str]]) -> None:
    tamper(filled, change)
    report = verify(filled)
    assert found(report) == expected
    assert not report.ok
    records = [place for code, place in expected if code.startswith(("RECORD", "LINK", "TRANSITION"))]
    assert report.first_bad == (records or [expected[0][1]])[0]


def test_a_dropped_guard_alone_is_found(filled: Path) -> None:
    raw = sqlite3.connect(filled / "ledger.db")
    raw.execute("DROP TRIGGER records_no_delete_records_are_append_only")
    raw.execute("CREATE TRIGGER later AFTER INSERT ON records BEGIN SELECT 1; END")
    raw.close()
    assert found(verify(filled)) == [
        ("SCHEMA_CHANGED", "schema/trigger/later"),
        ("SCHEMA_CHANGED", "schema/trigger/records_no_delete_records_are_append_only"),
    ]


def rewrite(raw: sqlite3.Connection, seq: int, *, through: int) -> None:
    """Forge the payload of a record of run-a and re-hash it and its successors up to `through`."""
    rows = raw.execute(SELECT_RECORDS + f"{WHERE} >= {seq} ORDER BY seq").fetchall()
    previous = None
    for row in rows[: through - seq + 1]:
        record = parse_row(row)
        if previous is None:
            payload = {**record.payload, "forged": True}
            text = encode_payload(payload, "a test")
            record = record.model_copy(update={"payload": payload, "payload_sha256": payload_digest(text)})
        else:
            record = record.model_copy(update={"prev_hash": previous})
        record = record.model_copy(update={"hash": link_hash(record)})
        raw.execute(f"DELETE FROM records {WHERE} = {record.seq}")
        raw.execute(INSERT_RECORD, row_of(record, encode_payload(record.payload, "a test")))
        previous = record.hash


@pytest.mark.parametrize(("seq", "through"), [(3, 3), (3, 5), (7, 7), (3, 7), (1, 7)])
def test_a_forger_who_rehashes_is_found_where_the_old_chain_goes_on(
    filled: Path, seq: int, through: int
) -> None:
    heads = verify(filled).heads
    tamper(filled, lambda raw: rewrite(raw, seq, through=through))
    report = verify(filled)
    assert len(report.findings) == 1
    assert report.findings[0].code == "RECORD_CHANGED"
    assert report.first_bad is not None
    assert report.first_bad.startswith(f"run-a/{through}/")
    assert (
        "SAVED_HEAD_ABSENT" in [finding.code for finding in verify(filled, heads=heads).findings]
        or through < 7
    )


def test_only_a_head_kept_elsewhere_shows_a_whole_rewrite(filled: Path) -> None:
    heads = verify(filled).heads

    def rewrite_all(raw: sqlite3.Connection) -> None:
        rewrite(raw, 3, through=7)
        raw.execute(
            f"UPDATE runs SET head_hash = (SELECT hash FROM records {WHERE} = 7) WHERE run_id = 'run-a'"
        )

    tamper(filled, rewrite_all)
    assert verify(filled).ok
    report = verify(filled, heads=heads)
    assert found(report) == [("SAVED_HEAD_ABSENT", "run-a/8/missing")]
    assert report.first_bad == "run-a/8/missing"


def test_only_a_head_kept_elsewhere_shows_a_cut_with_its_projections(filled: Path) -> None:
    heads = verify(filled).heads
    tamper(
        filled,
        f"DELETE FROM records {WHERE} = 7; UPDATE runs SET head_seq = 6, status = 'verifying', "
        f"head_hash = (SELECT hash FROM records {WHERE} = 6), "
        f"changed_at = (SELECT recorded_at FROM records {WHERE} = 5) WHERE run_id = 'run-a'",
    )
    assert verify(filled).ok
    assert found(verify(filled, heads=heads)) == [("SAVED_HEAD_ABSENT", "run-a/7/missing")]


def test_saved_heads_stay_good_while_runs_grow_and_miss_lost_runs(filled: Path) -> None:
    heads = verify(filled).heads
    with Ledger.open(filled, "write") as ledger:
        ledger.append("run-a", "step", {})
    assert verify(filled, heads=heads).ok
    report = verify(filled, heads={**heads, "run-c": OTHER})
    assert found(report) == [("RUN_MISSING", "run-c/1/missing")]


def test_a_content_that_no_record_names_is_only_a_warning(filled: Path) -> None:
    with Ledger.open(filled, "write") as ledger:
        digest = ledger.put_blob(b"left by a crash", "text/plain")
    report = verify(filled)
    assert report.ok
    assert [(finding.severity, finding.place) for finding in report.findings] == [
        ("warning", f"blob/{digest}")
    ]
    assert report.first_bad is None


HOSTILE = {
    "not JSON": "'nonsense'",
    "a list": "'[]'",
    "twice the same name": """'{"a":1,"a":2}'""",
    "not a number": """'{"a":NaN}'""",
    "endless number": "'{\"a\":' || replace(hex(zeroblob(4000)), '0', '1') || '}'",
    "endless fraction": "'{\"a\":0.' || replace(hex(zeroblob(4000)), '0', '1') || '}'",
    "bottomless": "'{\"a\":' || replace(hex(zeroblob(60000)), '0', '[') || '}'",
    "lone surrogate": """'{"a":"\\ud800"}'""",
    "broken text": "CAST(x'7b22ff227d' AS TEXT)",
    "empty": "''",
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("column", ["payload", "blobs"])
def test_hostile_text_is_a_finding(filled: Path, column: str, value: str) -> None:
    tamper(filled, f"UPDATE records SET {column} = {value} {WHERE} = 3")
    assert ("RECORD_MALFORMED", "run-a/3/capture") in found(verify(filled))


@pytest.mark.parametrize(
    "change",
    [
        "recorded_at = '0001-01-01T00:00:00+14:00'",
        "recorded_at = 'yesterday'",
        "recorded_at = '99999-01-01T00:00:00.000000Z'",
        "kind = char(27) || '[2J'",
        "kind = CAST(x'ff' AS TEXT)",
        "hash = 'x'",
        "prev_hash = upper(prev_hash)",
        "key = replace(hex(zeroblob(9000)), '0', 'k')",
        "seq = 9223372036854775807",
        "run_id = '../../etc'",
        "run_id = CAST(x'fffe' AS TEXT)",
    ],
)
def test_hostile_columns_are_findings(filled: Path, change: str) -> None:
    tamper(filled, f"UPDATE records SET {change} {WHERE} = 7")
    report = verify(filled)
    assert not report.ok
    assert report.first_bad is not None
    assert report.first_bad.startswith(
        "run-a/9223372036854775807/" if change.startswith("seq") else "run-a/7/"
    )


@pytest.mark.parametrize(
    "change",
    [
        "run_id = CAST(x'fffe' AS TEXT)",
        "run_id = ''",
        "created_at = ''",
        "status = CAST(x'ff' AS TEXT)",
        "head_seq = -1",
        "head_seq = 9223372036854775807",
        "ordinal = 9223372036854775807",
    ],
)
def test_hostile_runs_are_findings(filled: Path, change: str) -> None:
    tamper(filled, f"UPDATE runs SET {change} WHERE run_id = 'run-b'")
    assert not verify(filled).ok


def test_types_forced_past_the_schema_are_findings(filled: Path) -> None:
    """Loosen the tables, store values of other types, then restore the text of the schema."""

    def force(raw: sqlite3.Connection) -> None:
        tables = "WHERE type = 'table' AND name IN ('records', 'runs')"
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE name IN ('records', 'runs')"
        )
        raw.execute("PRAGMA schema_version = 900")
        again = sqlite3.connect(filled / "ledger.db", isolation_level=None)
        again.execute(f"UPDATE records SET payload = x'ff', blobs = 5, hash = x'00' {WHERE} = 3")
        again.execute(f"UPDATE records SET seq = 'last', recorded_at = 1.5 {WHERE} = 7")
        again.execute("UPDATE runs SET head_seq = 'many', changed_at = x'ff' WHERE run_id = 'run-b'")
        again.execute("PRAGMA writable_schema = ON")
        again.execute(f"UPDATE sqlite_master SET sql = sql || ' STRICT' {tables}")
        again.execute("PRAGMA schema_version = 901")
        again.close()
        raw.execute("PRAGMA schema_version = 902")

    tamper(filled, force)
    report = verify(filled)
    assert not any(code == "SCHEMA_CHANGED" for code, _ in found(report))
    assert ("RECORD_MALFORMED", "run-a/3/capture") in found(report)
    assert report.first_bad is not None


@pytest.mark.parametrize(
    "replacement",
    [
        "CREATE VIEW records AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n",
        "CREATE TABLE records (id INTEGER PRIMARY KEY, run_id, seq AS (1), kind, key, payload)",
    ],
    ids=["endless view", "generated column"],
)
def test_a_replaced_table_is_never_read(filled: Path, replacement: str) -> None:
    raw = sqlite3.connect(filled / "ledger.db", isolation_level=None)
    raw.execute("DROP TABLE records")
    raw.execute(replacement)
    raw.close()
    report = verify(filled)
    assert (report.ok, report.records) == (False, 0)
    assert all(code == "SCHEMA_CHANGED" for code, _ in found(report))


def test_findings_are_bounded(filled: Path) -> None:
    tamper(
        filled,
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500) "
        "INSERT INTO goals SELECT 'run-a', 'g' || x, 'publishable', x FROM n",
    )
    report = verify(filled)
    assert len(report.findings) == MAX_FINDINGS + 1
    assert report.findings[-1].code == "MORE_FINDINGS"


def test_an_illegal_transition_is_found_although_every_hash_fits(filled: Path) -> None:
    with Ledger.open(filled, "write") as ledger:
        last = ledger.records("run-a")[-1]
        payload = {"from": "achieved_draft", "to": "verifying", "reason": None}
        text = canonical_json(payload).decode()
        forged = last.model_copy(
            update={
                "seq": 8,
                "payload": payload,
                "payload_sha256": payload_digest(text),
                "prev_hash": last.hash,
            }
        )
        forged = forged.model_copy(update={"hash": link_hash(forged)})
        ledger._execute(INSERT_RECORD, row_of(forged, text))
        ledger._execute(
            "UPDATE runs SET head_seq = 8, head_hash = ?, status = 'verifying' WHERE run_id = 'run-a'",
            (forged.hash,),
        )
    report = verify(filled)
    assert ("TRANSITION_ILLEGAL", "run-a/8/event") in found(report)
    assert report.first_bad == "run-a/8/event"


def test_nothing_to_verify_is_an_error_of_use(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="to verify"):
        verify(tmp_path / "nowhere")


def test_a_locked_file_is_busy_and_not_damaged(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_S", 0.05)
    raw = sqlite3.connect(filled / "ledger.db", isolation_level=None)
    raw.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LedgerError, match="again later"):
        verify(filled)
    with pytest.raises(LedgerError, match="locked"):
        Ledger.open(filled, "read")
    raw.close()
    assert verify(filled).ok


def test_damaged_text_is_refused_on_reading(filled: Path) -> None:
    tamper(filled, f"UPDATE records SET payload = CAST(x'7b22ff227d' AS TEXT) {WHERE} = 3")
    with Ledger.open(filled, "read") as reader, pytest.raises(IntegrityError, match="porterlib verify"):
        reader.records("run-a")


@pytest.mark.parametrize("part", ["first page", "last page", "half", "one byte", "random"])
def test_a_damaged_file_gives_findings_and_no_exception(filled: Path, part: str) -> None:
    file = filled / "ledger.db"
    content = bytearray(file.read_bytes())
    if part == "first page":
        content[100:4096] = bytes(3996)
    elif part == "last page":
        content[-4096:] = b"\xff" * 4096
    elif part == "half":
        content = content[: len(content) // 2]
    elif part == "one byte":
        content = content[:1]
    else:
        content = bytearray(random.Random(1).randbytes(len(content)))
    file.write_bytes(content)
    report = verify(filled)
    assert not report.ok
    assert report.first_bad is not None


def test_every_flipped_byte_of_a_record_or_content_is_found(filled: Path, tmp_path: Path) -> None:
    """Flip bits across the file; a change that verify passes must have left all that it protects the same."""
    source = (filled / "ledger.db").read_bytes()
    copy = tmp_path / "copy"
    shutil.copytree(filled, copy)
    with Ledger.open(filled, "read") as reader:
        protected = (reader.records("run-a"), reader.records("run-b"), reader.runs(), reader.goals("run-a"))
    dice = random.Random(7)
    caught = 0
    for _ in range(150):
        content = bytearray(source)
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        (copy / "ledger.db").write_bytes(content)
        report = verify(copy)
        if report.ok:
            with Ledger.open(copy, "read") as reader:
                same = (
                    reader.records("run-a"),
                    reader.records("run-b"),
                    reader.runs(),
                    reader.goals("run-a"),
                )
            assert same == protected
        caught += not report.ok
    assert caught > 20
