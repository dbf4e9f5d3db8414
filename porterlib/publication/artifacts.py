"""Writes artifacts: stored in the ledger by digest first, then written to disk from the stored bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from porterlib.ledger import Ledger


def keep_artifacts(
    ledger: Ledger, run_id: str, folder: Path, files: Mapping[str, tuple[str, str]], *, about: str
) -> dict[str, str]:
    """Record each file in the ledger and write it below `folder`; return name to path.

    Args:
        ledger: open for writing.
        run_id: run the artifacts belong to.
        folder: private folder of the run.
        files: name to (media type, text).
        about: fingerprint of the text, or the status a report is about.

    Repeating the call with equal text records nothing new and writes the same bytes.

    """
    written: dict[str, str] = {}
    for name, (media_type, text) in files.items():
        blob = ledger.put_blob(text.encode(), media_type)
        ledger.append(
            run_id,
            "artifact",
            {"name": name, "blob": blob, "media_type": media_type, "about": about},
            key=f"{name}:{blob}",
        )
        path = folder / name
        write_private(path, ledger.get_blob(blob))
        written[name] = str(path)
    return written


def write_private(path: Path, content: bytes) -> None:
    """Replace a file in one step, readable by its owner alone."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
