"""Reads a corpus folder: its manifest, or its files by rule where there is none.

A document is its file; several may share one address, and fragments of addresses are kept. Keys of the
manifest other than the six that are read change nothing. What it may not say is refused with entry and field.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, get_args
from urllib.parse import quote, urlsplit

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.evidence import PUBLIC_CLASSES, Gap
from porterlib.contracts.sector import SourceClass
from porterlib.errors import CorpusError
from porterlib.hashing import short_id

MANIFEST = "manifest.json"
SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".text", ".csv"})
_MOST_BYTES = 20_000_000
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
OTHER_FORMATS = frozenset(
    {".pdf", ".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".rtf", ".odt", ".epub"}
)
_LABELS = frozenset({"readme", "license", "licence", "notice"})


class CorpusDocument(Contract):
    """One document of a corpus, as its manifest describes it."""

    file: Text
    """Path below the folder, with forward slashes."""
    url: Text
    """Address it was published under, or its `corpus:` id."""
    title: str = ""
    """Declared title."""
    publisher: str | None = None
    """Declared publisher."""
    source_class: SourceClass | None = None
    """Declared class."""
    published: str | None = None
    """Declared published date, full or partial."""

    @property
    def source_id(self) -> str:
        """Id under which the document may be fetched; the same in every run."""
        return short_id("S", "source", {"url": self.url, "file": self.file})


class CorpusListing(NamedTuple):
    """The documents of a folder and what is missing from it."""

    documents: tuple[CorpusDocument, ...]
    """Documents that are there, in order of address and file."""
    gaps: tuple[Gap, ...]
    """Documents the manifest lists and the folder lacks."""


def list_corpus(folder: Path) -> CorpusListing:
    """Return the documents of a corpus folder.

    Raises:
        CorpusError: no such folder, no document in it, or a manifest that cannot be used.

    """
    if not folder.is_dir():
        raise CorpusError(
            f"no corpus folder {str(folder)!r}; give the folder that holds {MANIFEST} or documents"
        )
    manifest = folder / MANIFEST
    listed = _from_manifest(manifest) if manifest.is_file() else _from_files(folder)
    present = [document for document in listed if (folder / document.file).is_file()]
    if not present:
        what = "none of the files its manifest lists" if listed else "no HTML, Markdown or text document"
        raise CorpusError(f"corpus {str(folder)!r} holds {what}; add documents", folder=str(folder))
    gaps = tuple(
        Gap(rule="document_missing", subject=row.source_id, note=f"{row.file}: add the file to the corpus")
        for row in listed
        if row not in present
    )
    if not manifest.is_file():
        gaps += _unread(folder)
    return CorpusListing(tuple(sorted(present, key=lambda row: (row.url, row.file))), gaps)


def _from_files(folder: Path) -> list[CorpusDocument]:
    rows = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        label = len(relative.parts) == 1 and path.stem.casefold() in _LABELS
        if (
            path.suffix.lower() in SUFFIXES
            and path.is_file()
            and not path.is_symlink()
            and not (hidden or label)
        ):
            file = relative.as_posix()
            rows.append(CorpusDocument(file=file, url=f"corpus:{quote(file)}"))
    return rows


def _unread(folder: Path) -> tuple[Gap, ...]:
    """Return a gap for each document of a format that is not read, which nobody listed."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if _is_other(path))
    rows = (CorpusDocument(file=file, url=f"corpus:{quote(file)}") for file in files)
    note = "only HTML, Markdown and text are read; convert it"
    return tuple(Gap(rule="media_type", subject=row.source_id, note=f"{row.file}: {note}") for row in rows)


def _is_other(path: Path) -> bool:
    return path.suffix.lower() in OTHER_FORMATS and path.is_file() and not path.is_symlink()


def _from_manifest(manifest: Path) -> list[CorpusDocument]:
    try:
        if manifest.stat().st_size > _MOST_BYTES:
            raise CorpusError(f"{MANIFEST}: larger than {_MOST_BYTES:,} bytes; list documents only")
        value = json.loads(manifest.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CorpusError(f"{MANIFEST}: cannot be read ({error.strerror}); check its permissions") from None
    except UnicodeDecodeError:
        raise CorpusError(f"{MANIFEST}: not UTF-8 text; save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise CorpusError(f"{MANIFEST}:{error.lineno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise CorpusError(f"{MANIFEST}: nested too deeply; write a list of entries") from None
    if not isinstance(value, list):
        raise CorpusError(f"{MANIFEST}: must be a list of entries with url and file")
    return [_document(number, entry) for number, entry in enumerate(value)]


def _document(number: int, entry: Any) -> CorpusDocument:
    if not isinstance(entry, dict):
        raise _refused(number, "", "is not a mapping; write an object with url and file")
    file = _file(number, entry.get("file"))
    return CorpusDocument(
        file=file,
        url=_url(number, entry.get("url"), file),
        title=_text(number, "title", entry) or "",
        publisher=_text(number, "publisher", entry),
        source_class=_class(number, entry.get("source_class")),
        published=_date(number, entry.get("published")),
    )


def _file(number: int, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _refused(number, "file", "is missing; give the path of the document below the folder")
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or "\\" in value or "\x00" in value or ":" in path.parts[0]:
        raise _refused(number, "file", "leads out of the corpus; give a path below the folder")
    return path.as_posix()


def _url(number: int, value: Any, file: str) -> str:
    if value is None or value == "":
        return f"corpus:{quote(file)}"
    if not isinstance(value, str) or _UNPRINTABLE.search(value):
        raise _refused(number, "url", "is not an address; write https://… or leave it out")
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable and not value.startswith("corpus:"):
        raise _refused(
            number, "url", "is neither http, https nor a corpus: id; write https://… or leave it out"
        )
    return value


def _text(number: int, field: str, entry: dict[str, Any]) -> str | None:
    value = entry.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _refused(number, field, "is not text; put it in quotes")
    return " ".join(value.split()) or None


def _class(number: int, value: Any) -> SourceClass | None:
    if value is None or value == "":
        return None
    known: tuple[SourceClass, ...] = get_args(SourceClass)
    for name in known:
        if name == value and name in PUBLIC_CLASSES:
            return name
    if value in known:
        reason = "cannot be declared for a document; internal material enters as knowledge or internal facts"
        raise _refused(number, "source_class", f"{value!r} {reason}")
    raise _refused(number, "source_class", f"is not known; write one of {', '.join(sorted(PUBLIC_CLASSES))}")


def _date(number: int, value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not _DATE.fullmatch(value.partition("T")[0]):
        raise _refused(number, "published", "is not a date; write yyyy, yyyy-mm or yyyy-mm-dd")
    return value.partition("T")[0]


def _refused(number: int, field: str, problem: str) -> CorpusError:
    place = f"{MANIFEST}: entry {number + 1}" + (f", {field}" if field else "")
    return CorpusError(f"{place}: {problem}", entry=number + 1, field=field)
