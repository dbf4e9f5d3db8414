"""The archive of a bundle: written to the same bytes everywhere, read without trusting it.

Entries are stored, not compressed: compressors differ between machines, and a stored entry cannot unpack to
more than it is.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

from porterlib.errors import InputError
from porterlib.publication.bundle_format import ALLOWED, MAX_BUNDLE_BYTES, MAX_FILE_BYTES, BundleFinding

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time the format can hold
_UNIX = 3
_MODE = stat.S_IFREG | 0o600
_ENCRYPTED = 0x1


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of `files`; equal files give equal bytes on every machine."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system, entry.external_attr = _UNIX, _MODE << 16
            archive.writestr(entry, files[name])
    return stream.getvalue()


def unpack(path: Path) -> tuple[dict[str, bytes], list[BundleFinding]]:
    """Return the files of an archive, or what is wrong with it; nothing is written to disk.

    Raises:
        InputError: there is no such file, or it may not be read.

    """
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= MAX_BUNDLE_BYTES else b""
    except OSError as error:
        raise InputError(f"bundle {str(path)!r} cannot be read: {error.strerror}", field="bundle") from error
    if size > MAX_BUNDLE_BYTES:
        message = f"the file has {size} bytes, a bundle at most {MAX_BUNDLE_BYTES}"
        return {}, [_found("ARCHIVE_TOO_LARGE", "bundle", message)]
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if findings := _entry_findings(archive.infolist()):
                return {}, findings
            files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        message = f"the file is no bundle or is damaged: {error}"
        return {}, [_found("ARCHIVE_UNREADABLE", "bundle", message)]
    if pack(files) != raw:
        message = (
            "beside its files it holds other bytes than a bundle of them has: times, comments, hidden data"
        )
        return {}, [_found("ARCHIVE_NOT_CANONICAL", "bundle", message)]
    return files, []


def _entry_findings(entries: list[zipfile.ZipInfo]) -> list[BundleFinding]:
    findings: list[BundleFinding] = []
    seen: set[str] = set()
    for entry in entries:
        # The name as it stands in the file: a library may have cut it at a zero byte.
        name = entry.orig_filename
        place = name.encode("unicode_escape").decode()[:120] or "(empty name)"
        if _unsafe(name):
            message = "the name leaves the bundle or is no plain file name"
            findings.append(_found("ENTRY_UNSAFE_NAME", place, message))
        elif name not in ALLOWED:
            findings.append(_found("ENTRY_UNKNOWN", place, "a bundle holds no such file"))
        if name in seen:
            findings.append(_found("ENTRY_DUPLICATED", place, "the name occurs twice"))
        seen.add(name)
        findings.extend(_content_findings(entry, place))
    return findings


def _content_findings(entry: zipfile.ZipInfo, place: str) -> list[BundleFinding]:
    findings = []
    mode = entry.external_attr >> 16
    if entry.is_dir() or (mode and not stat.S_ISREG(mode)):
        findings.append(_found("ENTRY_IRREGULAR", place, "it is a folder, link or device"))
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
        findings.append(
            _found("ENTRY_COMPRESSED", place, "it is compressed or encrypted; a bundle stores files")
        )
    elif max(entry.file_size, entry.compress_size) > MAX_FILE_BYTES:
        findings.append(_found("ARCHIVE_TOO_LARGE", place, f"it has more than {MAX_FILE_BYTES} bytes"))
    return findings


def _unsafe(name: str) -> bool:
    return (
        not name.isascii()
        or not name.isprintable()
        or any(mark in name for mark in ("/", "\\", ":"))
        or name.startswith(".")
        or not name
    )


def _found(code: str, place: str, message: str) -> BundleFinding:
    return BundleFinding.model_validate({"code": code, "place": place, "message": message})
