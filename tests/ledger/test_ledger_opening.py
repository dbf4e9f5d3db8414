"""What may be opened, how it is protected, and how older and newer files are treated."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from porterlib.errors import IntegrityError, LedgerError, SchemaVersionError, WorkspaceError
from porterlib.ledger import Ledger, connection, schema, verify
from porterlib.ledger.schema import APPLICATION_ID, MIGRATIONS


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    old = os.umask(request.param)
    yield request.param
    os.umask(old)


def test_folder_and_files_are_private_whatever_the_umask(folder: Path, umask: int) -> None:
    with Ledger.open(folder, "write") as ledger, ledger.transaction():
        ledger.create_run("run-1", {})
        assert mode_of(folder) == 0o700
        assert {entry.name: mode_of(entry) for entry in folder.iterdir()} == dict.fromkeys(
            ("ledger.db", "ledger.db-journal", "ledger.lock"), 0o600
        )


def test_loosened_modes_are_tightened_on_writing(filled: Path) -> None:
    filled.chmod(0o755)
    for name in ("ledger.db", "ledger.lock"):
        (filled / name).chmod(0o644)
    Ledger.open(filled, "write").close()
    assert mode_of(filled) == 0o700
    assert [mode_of(filled / name) for name in ("ledger.db", "ledger.lock")] == [0o600, 0o600]


def test_the_file_itself_may_be_named(folder: Path) -> None:
    Ledger.open(folder / "ledger.db", "write").close()
    assert (
        Ledger.open(folder / "ledger.db", "read").file
        == Ledger.open(folder, "read").file
        == folder / "ledger.db"
    )


@pytest.mark.parametrize("mode", ["read", "verify"])
def test_nothing_to_read_is_not_a_workspace(tmp_path: Path, mode: str) -> None:
    with pytest.raises(WorkspaceError, match=r"no ledger\.db"):
        verify(tmp_path) if mode == "verify" else Ledger.open(tmp_path, "read")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_mode_is_refused(folder: Path) -> None:
    with pytest.raises(LedgerError, match="'append' is not known"):
        Ledger.open(folder, "append")  # type: ignore[arg-type]


def test_a_folder_of_other_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    tmp_path.chmod(0o755)
    with pytest.raises(WorkspaceError, match=r"thesis\.tex"):
        Ledger.open(tmp_path, "write")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    assert mode_of(tmp_path) == 0o755


@pytest.mark.parametrize("mode", ["read", "write"])
@pytest.mark.parametrize("content", ["text", "database", "marked otherwise"])
def test_a_foreign_file_of_that_name_is_refused(tmp_path: Path, content: str, mode: str) -> None:
    file = tmp_path / "ledger.db"
    if content == "text":
        file.write_text("a ledger of plain text, long enough to have a header" * 40)
    else:
        other = sqlite3.connect(file)
        with other:
            other.execute("CREATE TABLE accounts (iban TEXT)")
            other.execute(f"PRAGMA application_id = {7 if content == 'marked otherwise' else 0}")
        other.close()
    before = file.read_bytes()
    with pytest.raises(WorkspaceError, match="not a porterlib ledger"):
        Ledger.open(tmp_path, mode)  # type: ignore[arg-type]
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["ledger.db"]
    assert [finding.code for finding in verify(tmp_path).findings] == ["NOT_A_LEDGER"]


def test_links_and_folders_in_the_place_of_the_file_are_refused(tmp_path: Path, filled: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "ledger.db").symlink_to(filled / "ledger.db")
    nested = tmp_path / "nested"
    (nested / "ledger.db").mkdir(parents=True)
    for place in (linked, nested):
        for mode in ("read", "write"):
            with pytest.raises(WorkspaceError, match="not a regular file"):
                Ledger.open(place, mode)  # type: ignore[arg-type]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    for mode in ("read", "write"):
        with pytest.raises(WorkspaceError):
            Ledger.open(tmp_path / "plain", mode)  # type: ignore[arg-type]


def test_an_empty_file_left_by_a_crash_at_birth_becomes_a_ledger(folder: Path) -> None:
    folder.mkdir()
    (folder / "ledger.db").touch()
    with pytest.raises(WorkspaceError):
        Ledger.open(folder, "read")
    Ledger.open(folder, "write").close()
    assert verify(folder).ok


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_newer_schema_is_refused_and_left_alone(filled: Path, mode: str) -> None:
    raw = sqlite3.connect(filled / "ledger.db")
    raw.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    raw.close()
    before = (filled / "ledger.db").read_bytes()
    with pytest.raises(SchemaVersionError, match="upgrade porterlib") as refusal:
        Ledger.open(filled, mode, lease_wait_s=0)  # type: ignore[arg-type]
    assert refusal.value.data == {"found": len(MIGRATIONS) + 1, "known": len(MIGRATIONS)}
    assert (filled / "ledger.db").read_bytes() == before
    report = verify(filled)
    assert (report.ok, [finding.code for finding in report.findings]) == (False, ["SCHEMA_TOO_NEW"])


@pytest.mark.parametrize("mark", [0, -1])
def test_a_ledger_without_version_mark_is_refused(filled: Path, mark: int) -> None:
    raw = sqlite3.connect(filled / "ledger.db")
    raw.execute(f"PRAGMA user_version = {mark}")
    raw.close()
    with pytest.raises(WorkspaceError):
        Ledger.open(filled, "write")
    assert not verify(filled).ok


def test_migrations_are_applied_one_by_one_each_with_its_mark(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = ("CREATE TABLE notes (text TEXT) STRICT",)
    third = ("CREATE TABLE more (text TEXT) STRICT", "CREATE TABLE notes (again TEXT) STRICT")
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, second, third))
    monkeypatch.setattr("porterlib.ledger.opening.MIGRATIONS", schema.MIGRATIONS)
    with pytest.raises(LedgerError, match="open it for writing once"):
        Ledger.open(filled, "read")
    assert verify(filled).ok
    with pytest.raises(LedgerError, match="already exists"):
        Ledger.open(filled, "write")
    raw = sqlite3.connect(filled / "ledger.db")
    names = {name for (name,) in raw.execute("SELECT name FROM sqlite_master")}
    assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    assert ("notes" in names, "more" in names) == (True, False)
    raw.close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, second))
    monkeypatch.setattr("porterlib.ledger.opening.MIGRATIONS", schema.MIGRATIONS)
    with Ledger.open(filled, "write") as ledger:
        assert len(ledger.runs()) == 2


def test_a_new_file_carries_the_marks_of_the_library(filled: Path) -> None:
    raw = sqlite3.connect(filled / "ledger.db")
    assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    raw.close()


@pytest.mark.parametrize(
    ("version", "settings"),
    [
        ((3, 37, 0), ("delete", "EXTRA")),
        ((3, 40, 1), ("delete", "EXTRA")),
        ((3, 51, 2), ("delete", "EXTRA")),
        ((3, 51, 3), ("wal", "FULL")),
        ((3, 52, 0), ("wal", "FULL")),
    ],
)
def test_durability_follows_the_sqlite_version(
    durable: None, version: tuple[int, ...], settings: tuple[str, str]
) -> None:
    assert connection.durable_settings(version) == settings


@pytest.mark.parametrize(("safe_from", "journal", "level"), [((9,), "delete", 3), ((3,), "wal", 2)])
def test_both_settings_work_and_follow_each_other(
    durable: None,
    filled: Path,
    monkeypatch: pytest.MonkeyPatch,
    safe_from: tuple[int, ...],
    journal: str,
    level: int,
) -> None:
    monkeypatch.setattr(connection, "WAL_SAFE_FROM", (3,) if journal == "delete" else (9,))
    Ledger.open(filled, "write").close()
    monkeypatch.setattr(connection, "WAL_SAFE_FROM", safe_from)
    with Ledger.open(filled, "write") as ledger, Ledger.open(filled, "read") as reader:
        assert ledger._rows("PRAGMA journal_mode", ()) == [(journal,)]
        assert ledger._rows("PRAGMA synchronous", ()) == [(level,)]
        assert (
            ledger._rows("PRAGMA foreign_keys", ()) == ledger._rows("PRAGMA recursive_triggers", ()) == [(1,)]
        )
        ledger.append("run-a", "step", {})
        assert reader.run("run-a").records == 8
        assert verify(filled).ok


def test_a_ledger_on_read_only_ground_can_be_read(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.os, "access", lambda *_: False)
    with Ledger.open(filled, "read") as reader:
        assert len(reader.runs()) == 2
    assert verify(filled).ok


def test_a_damaged_file_is_told_apart_from_a_foreign_one(filled: Path) -> None:
    content = bytearray((filled / "ledger.db").read_bytes())
    content[100:108] = b"\xff" * 8
    (filled / "ledger.db").write_bytes(content)
    for mode in ("read", "write"):
        with pytest.raises(IntegrityError, match="porterlib verify"):
            Ledger.open(filled, mode)  # type: ignore[arg-type]
    assert [finding.code for finding in verify(filled).findings] == ["FILE_CORRUPT"]


def test_an_old_sqlite_is_refused(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(LedgerError, match="too old"):
        Ledger.open(filled, "read")
