"""Finds the data that ships with the library: sector packs, fixtures and notebooks.

In a checkout they stand at the top level; in an installed wheel the build puts them below `_bundled`.
"""

from __future__ import annotations

from pathlib import Path

from porterlib.errors import PorterError

_PACKAGE = Path(__file__).resolve().parent


def bundled(kind: str) -> Path:
    """Return the folder of `kind` (`sector_packs`, `fixtures` or `notebooks`).

    Raises:
        PorterError: the installation lacks the folder, which means a broken build.
    """
    for candidate in (_PACKAGE / "_bundled" / kind, _PACKAGE.parent / kind):
        if candidate.is_dir():
            return candidate
    raise PorterError(f"the installation lacks its {kind!r} folder; reinstall porterlib")
