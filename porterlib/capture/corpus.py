"""A folder of documents as a source of pages, under the same limits and the same extraction as the web.

In a corpus a document is its file; several may share one address, and fragments are kept. Only regular files
inside the folder are read: no links, no devices, no way out by `..`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from porterlib.capture.extract import extract
from porterlib.capture.limits import CaptureLimits
from porterlib.capture.pages import captured_page
from porterlib.clock import Clock, SystemClock
from porterlib.contracts.capture import CapturedPage, SourceRef
from porterlib.errors import CaptureRefused, CorpusError

MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".csv": "text/plain",
}
_CHUNK = 65_536


class CorpusCapture:
    """Reads documents of one folder; every refusal has its own rule.

    Rules: `file_missing`, `file_unreadable`, `file_not_regular`, `file_symlink`, `file_outside_corpus`,
    `body_too_large`, and the rules of `extract`.
    """

    def __init__(
        self, folder: Path, *, clock: Clock | None = None, limits: CaptureLimits | None = None
    ) -> None:
        if not folder.is_dir():
            raise CorpusError(
                f"{str(folder)!r} is not a folder; give the folder that holds the corpus manifest"
            )
        self._folder = folder.resolve()
        self._clock = clock or SystemClock()
        self._limits = limits or CaptureLimits()

    def fetch(self, source: SourceRef) -> CapturedPage:
        """Return the page of the file that `source.file` names.

        Raises:
            CaptureRefused: the file may not be read or is not a text document within the limits.

        """
        path = self._relative(source.file)
        raw = self._read(path)
        extracted = extract(raw, media_type=MEDIA_TYPES.get(path.suffix.lower()), limits=self._limits)
        return captured_page(source, extracted, raw=raw, retrieved_at=self._clock.now(), final_url=source.url)

    def _relative(self, file: str | None) -> PurePosixPath:
        if not file:
            raise CaptureRefused("file_missing", "the source names no file of the corpus")
        path = PurePosixPath(file)
        outside = path.is_absolute() or ".." in path.parts or "\\" in file or "\x00" in file or not path.parts
        if outside:
            raise CaptureRefused("file_outside_corpus", "a corpus file is named relative to its folder")
        return path

    def _read(self, path: PurePosixPath) -> bytes:
        """Read the file by walking from the folder's own descriptor, so that no link is followed."""
        opened = [os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)]
        try:
            for part in path.parts[:-1]:
                opened.append(_open(part, opened[-1], os.O_RDONLY | os.O_DIRECTORY))
            # without O_NONBLOCK opening a pipe would wait for its writer
            opened.append(_open(path.parts[-1], opened[-1], os.O_RDONLY | os.O_NONBLOCK))
            if not stat.S_ISREG(os.fstat(opened[-1]).st_mode):
                raise CaptureRefused("file_not_regular", "only regular files are documents")
            return self._read_capped(opened[-1])
        finally:
            for descriptor in reversed(opened):
                os.close(descriptor)

    def _read_capped(self, descriptor: int) -> bytes:
        chunks, count = [], 0
        while chunk := os.read(descriptor, _CHUNK):
            count += len(chunk)
            self._limits.check_wire(count)
            chunks.append(chunk)
        return b"".join(chunks)


def _open(name: str, folder: int, flags: int) -> int:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise CaptureRefused("file_symlink", "links are not followed in a corpus")
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise CaptureRefused("file_not_regular", "only regular files are documents")
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError as error:
        raise CaptureRefused("file_missing", "the file is not in the corpus folder") from error
    except NotADirectoryError as error:
        raise CaptureRefused("file_missing", "a part of the path is not a folder") from error
    except PermissionError as error:
        raise CaptureRefused("file_unreadable", "the file may not be read by this user") from error
    except OSError as error:
        raise CaptureRefused("file_unreadable", "the file cannot be opened") from error
