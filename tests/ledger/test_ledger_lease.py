"""One writer at a time, across handles, threads, processes, forks and crashes; readers go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from porterlib.errors import LeaseError, LedgerError, WorkspaceError
from porterlib.ledger import Ledger, WriterLease, lease_holder, verify

Start = Callable[..., "subprocess.Popen[str]"]

HOLD = """
import sys
from pathlib import Path
from porterlib.ledger import Ledger
with Ledger.open(Path(sys.argv[1]), "write") as ledger:
    ledger.append("run-a", "step", {"by": "child"}, key="child")
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_the_second_writer_is_told_who_writes_since_when(filled: Path, python: Start) -> None:
    child = python(HOLD, filled)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    start = time.monotonic()
    with pytest.raises(LeaseError) as refusal:
        Ledger.open(filled, "write", lease_wait_s=0.2)
    assert 0.2 <= time.monotonic() - start < 2
    holder = lease_holder(filled)
    assert holder is not None
    assert holder.pid == child.pid
    assert f"process {child.pid} on {os.uname().nodename} since {holder.since}" in refusal.value.message
    assert refusal.value.data["holder"] == holder._asdict()
    with Ledger.open(filled, "read") as reader:
        assert reader.find("run-a", "step", "child")
    assert verify(filled).ok


def test_a_waiting_writer_gets_its_turn(filled: Path, python: Start) -> None:
    child = python(HOLD, filled)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    assert child.stdin is not None
    timer = threading.Timer(0.2, print, ("go on",), {"file": child.stdin, "flush": True})
    timer.start()
    with Ledger.open(filled, "write", lease_wait_s=20) as ledger:
        assert ledger.touched_runs() == ()
        assert ledger.append("run-a", "step", {}, key="mine").seq == 9
    timer.join()


def test_a_crashed_holder_blocks_nobody_and_its_file_stays(filled: Path, python: Start) -> None:
    child = python(HOLD, filled)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    inode = (filled / "ledger.lock").stat().st_ino
    child.kill()
    child.wait()
    left = lease_holder(filled)
    assert left is not None
    assert left.pid == child.pid
    with Ledger.open(filled, "write", lease_wait_s=0) as ledger:
        assert ledger.find("run-a", "step", "child")
        holder = lease_holder(filled)
        assert holder is not None
        assert holder.pid == os.getpid()
    assert lease_holder(filled) is None
    assert (filled / "ledger.lock").stat().st_ino == inode
    assert (filled / "ledger.lock").read_bytes() == b""


def test_a_second_handle_of_the_same_process_is_refused(ledger: Ledger, folder: Path) -> None:
    with pytest.raises(LeaseError, match=r"this process"):
        WriterLease(folder, 0).acquire()
    with pytest.raises(LeaseError, match=r"this process"):
        Ledger.open(folder / "ledger.db", "write", lease_wait_s=0)
    with Ledger.open(folder, "read") as reader:
        assert reader.runs() == ()


def test_a_link_to_the_folder_is_the_same_workspace(ledger: Ledger, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    with pytest.raises(LeaseError):
        Ledger.open(tmp_path / "alias", "write", lease_wait_s=0)


def test_threads_take_turns(filled: Path) -> None:
    inside, most = 0, 0

    def write(worker: int) -> None:
        nonlocal inside, most
        with WriterLease(filled, 20):
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)


def test_a_lease_can_be_taken_apart_from_the_ledger(filled: Path, tmp_path: Path) -> None:
    lease = WriterLease(filled)
    assert not lease.held
    with pytest.raises(LedgerError, match="not held"):
        Ledger.open(filled, "write", lease=lease)
    with lease:
        with pytest.raises(LeaseError, match="already held"):
            lease.acquire()
        for key in ("one", "two"):
            with Ledger.open(filled, "write", lease=lease) as ledger:
                ledger.append("run-a", "step", {}, key=key)
        assert lease.held
    assert not lease.held
    lease.release()
    other = tmp_path / "other"
    Ledger.open(other, "write").close()
    with WriterLease(other) as foreign, pytest.raises(LedgerError, match="another workspace"):
        Ledger.open(filled, "write", lease=foreign)


def fork(child: Callable[[], None]) -> int:
    """Run `child` in a forked process that ends like any other program and return its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn that threads may exist
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            child()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_child_has_no_part_in_the_lease(ledger: Ledger, folder: Path) -> None:
    ledger.create_run("run-1", {})

    def child() -> None:
        with pytest.raises(LedgerError, match="parent process"):
            ledger.append("run-1", "step", {})
        with pytest.raises(LeaseError):
            Ledger.open(folder, "write", lease_wait_s=0)
        ledger.close()
        with Ledger.open(folder, "read") as reader:
            assert len(reader.records("run-1")) == 1

    assert fork(child) == 0
    with pytest.raises(LeaseError):
        WriterLease(folder, 0).acquire()
    assert ledger.append("run-1", "step", {}).seq == 2


def test_a_fork_inside_a_transaction_does_not_roll_it_back(ledger: Ledger, folder: Path) -> None:
    ledger.create_run("run-1", {})

    def child() -> None:
        ledger.__dict__.clear()  # as the interpreter does at its end

    with ledger.transaction():
        ledger.append("run-1", "step", {}, key="pending")
        assert fork(child) == 0
        ledger.append("run-1", "step", {}, key="after")
    assert [record.key for record in ledger.records("run-1", "step")] == ["pending", "after"]
    assert verify(folder).ok


FORKING = """
import os, sys, time
from pathlib import Path
from porterlib.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]), "write")
pid = os.fork()
if pid == 0:
    time.sleep(30)
    os._exit(0)
print(pid, flush=True)
sys.stdin.readline()
"""


def test_the_lease_ends_with_its_holder_though_a_forked_child_lives_on(filled: Path, python: Start) -> None:
    parent = python(FORKING, filled)
    assert parent.stdout is not None
    grandchild = int(parent.stdout.readline())
    try:
        parent.kill()
        parent.wait()
        os.kill(grandchild, 0)
        Ledger.open(filled, "write", lease_wait_s=2).close()
    finally:
        os.kill(grandchild, signal.SIGKILL)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"pid": "x", "host": 1, "since": 2}', "[" * 5000, "\0" * 100],
    ids=["empty", "cut", "list", "null", "types", "deep", "zeros"],
)
def test_an_unreadable_lease_entry_names_nobody(ledger: Ledger, folder: Path, content: str) -> None:
    (folder / "ledger.lock").write_text(content)
    assert lease_holder(folder) is None
    with pytest.raises(LeaseError, match="written by another process"):
        WriterLease(folder, 0).acquire()


def test_a_forged_lease_entry_cannot_write_control_characters(ledger: Ledger, folder: Path) -> None:
    entry = {"pid": 7, "host": "\x1b[2Jhost\n", "since": "then" * 500}
    (folder / "ledger.lock").write_text(json.dumps(entry))
    holder = lease_holder(folder)
    assert holder is not None
    assert holder.host == "[2Jhost"
    assert len(holder.since) == 255


def test_a_replaced_lease_file_is_noticed(filled: Path) -> None:
    lock = filled / "ledger.lock"
    with WriterLease(filled):
        lock.rename(filled / "ledger.lock.old")
        lock.touch()
    assert Ledger.open(filled, "write", lease_wait_s=0.2).append("run-a", "step", {}).seq == 8


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_only_a_regular_file_serves_as_lease(filled: Path, tmp_path: Path, kind: str) -> None:
    lock = filled / "ledger.lock"
    lock.unlink()
    if kind == "link":
        (tmp_path / "elsewhere").touch()
        lock.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        lock.mkdir()
    else:
        os.mkfifo(lock)
    with pytest.raises(WorkspaceError, match="lease file"):
        Ledger.open(filled, "write", lease_wait_s=0)
    assert lease_holder(filled) is None
