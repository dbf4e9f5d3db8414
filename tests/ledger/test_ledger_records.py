"""Appending and reading: keys, contents, transactions, threads, hash-checked reads."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from porterlib.errors import IntegrityError, LedgerError, UnknownRunError
from porterlib.hashing import digest, sha256_hex
from porterlib.ledger import Entry, Ledger, check_chain, genesis, link_hash, observe, verify


def test_a_record_names_its_predecessor_and_hashes_what_it_says(ledger: Ledger) -> None:
    ledger.create_run("run-1", {"question": "adopt?"})
    record = ledger.append("run-1", "query", {"text": "kyc automation"}, key="buyers/1")
    first = ledger.records("run-1", "run_created")[0]
    assert first.prev_hash == genesis("run-1")
    assert record.prev_hash == first.hash
    assert record.recorded_at == datetime(2026, 1, 31, 9, 0, 2, tzinfo=UTC)
    assert record.hash == digest(
        "record",
        {
            "run_id": "run-1",
            "seq": 2,
            "kind": "query",
            "key": "buyers/1",
            "recorded_at": "2026-01-31T09:00:02.000000Z",
            "payload_sha256": digest("payload", {"text": "kyc automation"}),
            "blobs": {},
            "prev": first.hash,
        },
    )
    assert ledger.head("run-1") == record.hash
    assert ledger.heads() == {"run-1": record.hash}


def test_what_append_returns_is_what_is_read_back(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    appended = ledger.append("run-1", "economics", {"npv": "12.50", "rate": 1.0, "big": 1e16, "rows": (1, 2)})
    assert appended == ledger.records("run-1", "economics")[0]
    assert appended == ledger.latest("run-1", "economics")
    assert appended.payload == {"npv": "12.50", "rate": 1, "big": 1e16, "rows": [1, 2]}
    with pytest.raises(ValidationError):
        appended.payload = {}  # type: ignore[misc]


def test_the_same_key_and_payload_return_the_first_record(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    first = ledger.append("run-1", "step", {"hits": 8}, key="search")
    assert ledger.append("run-1", "step", {"hits": 8.0}, key="search") == first
    assert ledger.find("run-1", "step", "search") == first
    assert ledger.find("run-1", "step", "other") is None
    assert ledger.append("run-1", "checkpoint", {"hits": 9}, key="search").seq == 3
    with pytest.raises(IntegrityError, match=r"run-1/2/step.*new run"):
        ledger.append("run-1", "step", {"hits": 9}, key="search")
    assert len(ledger.records("run-1")) == 3


def test_records_without_key_may_repeat(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    same = [ledger.append("run-1", "model_call", {"tokens": 5}) for _ in range(2)]
    assert [record.seq for record in same] == [2, 3]
    assert same[0].hash != same[1].hash


def test_contents_are_kept_once_and_become_references(ledger: Ledger, folder: Path) -> None:
    ledger.create_run("run-1", {})
    page = ledger.put_blob(b"<p>page</p>", "text/html")
    assert page == sha256_hex(b"<p>page</p>")
    assert ledger.put_blob(b"<p>page</p>", "text/plain") == page
    record = ledger.append("run-1", "capture", {"raw": page, "other": "0" * 64})
    assert record.blobs == {page: "text/html"}
    text = ledger.put_blob(b"page", "text/plain")
    assert ledger.append("run-1", "evidence", {}, blobs=[text]).blobs == {text: "text/plain"}
    assert ledger.get_blob(page) == b"<p>page</p>"
    with pytest.raises(IntegrityError, match="put_blob"):
        ledger.append("run-1", "evidence", {}, blobs=["f" * 64])
    with pytest.raises(LedgerError, match="no content"):
        ledger.get_blob("f" * 64)
    with pytest.raises(LedgerError, match="media type"):
        ledger.put_blob(b"", "")
    assert verify(folder).blobs == 2


def test_unknown_runs_kinds_and_reserved_kinds_are_refused(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    for call in (ledger.records, ledger.run, ledger.status, ledger.head, ledger.goals):
        with pytest.raises(UnknownRunError, match="run-9"):
            call("run-9")
    with pytest.raises(UnknownRunError, match="run-9"):
        ledger.append("run-9", "step", {})
    with pytest.raises(LedgerError, match="'dream' is not known"):
        ledger.append("run-1", "dream", {})  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="set_status"):
        ledger.append("run-1", "event", {"to": "publishable"})
    with pytest.raises(LedgerError, match="create_run"):
        ledger.append("run-1", "run_created", {})
    with pytest.raises(LedgerError, match="empty key"):
        ledger.append("run-1", "step", {}, key="")
    with pytest.raises(LedgerError, match="key has no canonical"):
        ledger.append("run-1", "step", {}, key="\ud800")
    with pytest.raises(LedgerError, match="goal_id"):
        ledger.append("run-1", "goal", {"status": "pass"})


@pytest.mark.parametrize("run_id", ["", "../evil", "a/b", ".hidden", "x" * 129, "a\n", "é"])
def test_run_ids_that_could_leave_the_runs_folder_are_refused(ledger: Ledger, run_id: str) -> None:
    with pytest.raises(LedgerError, match="refused"):
        ledger.create_run(run_id, {})


def test_creating_a_run_twice_changes_nothing_unless_the_request_differs(ledger: Ledger) -> None:
    first = ledger.create_run("run-1", {"question": "adopt?"})
    assert first.request_sha256 == digest("request", {"question": "adopt?"})
    assert ledger.create_run("run-1", {"question": "adopt?"}) == first
    with pytest.raises(IntegrityError, match="new run"):
        ledger.create_run("run-1", {"question": "adopt later?"})
    named = ledger.create_run("run-2", {"request_sha256": "a" * 64})
    assert (named.request_sha256, named.ordinal) == ("a" * 64, 2)
    with pytest.raises(LedgerError, match="request_sha256"):
        ledger.create_run("run-3", {"request_sha256": "no digest"})
    assert [run.run_id for run in ledger.runs()] == ["run-1", "run-2"]


def test_goals_show_their_latest_record(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    for goal_id, status in (("b", "running"), ("a", "running"), ("b", "achieved_draft")):
        ledger.append("run-1", "goal", {"goal_id": goal_id, "status": status})
    assert [(goal.goal_id, goal.status, goal.seq) for goal in ledger.goals("run-1")] == [
        ("a", "running", 3),
        ("b", "achieved_draft", 4),
    ]


def test_a_transaction_commits_all_or_nothing(ledger: Ledger, folder: Path) -> None:
    ledger.create_run("run-1", {})

    def stop_halfway(*, key: str) -> None:
        with ledger.transaction():
            ledger.append("run-1", "step", {}, key=key)
            ledger.put_blob(b"lost", "text/plain")
            ledger.append("run-1", "goal", {"goal_id": "lost", "status": "running"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stop_halfway(key="lost")
    assert len(ledger.records("run-1")) == 1
    assert ledger.goals("run-1") == ()
    assert not ledger.has_blob(sha256_hex(b"lost"))
    with ledger.transaction():
        ledger.append("run-1", "step", {}, key="kept")
        with pytest.raises(ZeroDivisionError):
            stop_halfway(key="undone")
        ledger.append("run-1", "step", {}, key="also kept")
    assert [record.key for record in ledger.records("run-1", "step")] == ["kept", "also kept"]
    assert verify(folder).ok


def test_append_many_is_one_transaction(ledger: Ledger) -> None:
    ledger.create_run("run-1", {})
    entries = [Entry("hit", {"rank": rank}, f"hit/{rank}") for rank in range(3)]
    assert [record.seq for record in ledger.append_many("run-1", entries)] == [2, 3, 4]
    with pytest.raises(IntegrityError):
        ledger.append_many("run-1", [Entry("hit", {"rank": 9}, "hit/9"), Entry("hit", {"rank": 7}, "hit/0")])
    assert len(ledger.records("run-1", "hit")) == 3
    assert ledger.append_many("run-1", []) == ()


def test_threads_append_through_one_ledger(ledger: Ledger, folder: Path) -> None:
    ledger.create_run("run-1", {})
    barrier = threading.Barrier(6)

    def work(worker: int) -> None:
        barrier.wait()
        for step in range(10):
            with ledger.transaction():
                ledger.append("run-1", "query", {"worker": worker, "step": step}, key=f"{worker}/{step}")
                ledger.append("run-1", "hit", {"worker": worker, "step": step}, key=f"{worker}/{step}")
            assert ledger.find("run-1", "hit", f"{worker}/{step}")

    with ThreadPoolExecutor(6) as pool:
        for future in [pool.submit(work, worker) for worker in range(6)]:
            future.result()
    records = ledger.records("run-1")
    assert [record.seq for record in records] == list(range(1, 122))
    pairs = zip(records[1::2], records[2::2], strict=True)
    assert all(query.key == hit.key for query, hit in pairs)
    assert verify(folder).ok


def test_a_changed_record_or_content_is_refused_on_reading(filled: Path) -> None:
    raw = sqlite3.connect(filled / "ledger.db")
    with raw:
        raw.execute("DROP TRIGGER records_no_update_records_are_append_only")
        raw.execute("DROP TRIGGER blobs_no_update_blobs_are_append_only")
        raw.execute(
            "UPDATE records SET payload = replace(payload, 'S-1', 'S-2') WHERE run_id = 'run-a' AND seq = 3"
        )
        raw.execute("UPDATE blobs SET content = CAST('forged' AS BLOB)")
    raw.close()
    with Ledger.open(filled, "read") as reader:
        with pytest.raises(IntegrityError, match="run-a/3/capture"):
            reader.records("run-a")
        with pytest.raises(IntegrityError, match="does not match its digest"):
            reader.get_blob(sha256_hex(b"page of run-a"))
        assert len(reader.records("run-b")) == 7


def test_a_chain_verifies_where_payloads_are_withheld(filled: Path) -> None:
    with Ledger.open(filled, "read") as reader:
        records = reader.records("run-a")
        head = (len(records), reader.head("run-a"))
    links = [record if record.kind == "event" else record.link() for record in records]
    assert not hasattr(links[0], "payload")
    assert [link_hash(link) for link in links] == [record.hash for record in records]
    assert check_chain("run-a", map(observe, links), head=head) == []
    forged = records[2].model_copy(update={"payload": {"source": "S-9"}})
    changed = [*links[:2], forged, *links[3:]]
    assert [finding.place for finding in check_chain("run-a", map(observe, changed), head=head)] == [
        "run-a/3/capture"
    ]
    assert [finding.code for finding in check_chain("run-a", map(observe, links[:-1]), head=head)] == [
        "RECORD_MISSING"
    ]
    assert check_chain("run-b", map(observe, links))[0].code == "LINK_BROKEN"
