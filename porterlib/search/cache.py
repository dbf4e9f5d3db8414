"""Answers of a provider on disk, so that a rerun of a run repeats no query.

A file a query, named by the digest of provider, words and parameters; the words themselves are not in it.
Only answers are kept, never failures. A file that cannot be read as one is as good as none.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import Field, ValidationError

from porterlib.clock import Clock, SystemClock
from porterlib.contracts.base import Sha256, UtcTime, Versioned
from porterlib.contracts.search import SearchResult
from porterlib.errors import WorkspaceError
from porterlib.hashing import digest

KEPT = timedelta(days=30)
"""How long an answer is used again."""
_LARGEST = 1_000_000


class CachedAnswer(Versioned):
    """An answer as it is kept."""

    key: Sha256
    """Digest of provider, words and parameters."""
    answered_at: UtcTime
    """When the provider answered."""
    result: SearchResult = Field(description="All hits of the page, before any limit.")


class SearchCache:
    """A folder of answers, 0700 with files of 0600."""

    def __init__(self, folder: Path, *, clock: Clock | None = None, keep: timedelta = KEPT) -> None:
        self.folder = folder
        self._clock = clock or SystemClock()
        self._keep = keep

    def __repr__(self) -> str:
        return f"SearchCache({str(self.folder)!r})"

    def get(self, provider: str, text: str, parameters: Mapping[str, str]) -> SearchResult | None:
        """Return the kept answer, or None when there is none that is fresh and whole."""
        key = _key(provider, text, parameters)
        try:
            descriptor = os.open(self._file(key), os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(_LARGEST + 1)
        try:
            answer = CachedAnswer.model_validate_json(content)
        except ValidationError:
            return None
        age = self._clock.now() - answer.answered_at
        return answer.result if answer.key == key and age <= self._keep else None

    def put(self, provider: str, text: str, parameters: Mapping[str, str], result: SearchResult) -> None:
        """Keep an answer; a reader sees the old one or the new one, never a half.

        Raises:
            WorkspaceError: the folder cannot be written.

        """
        key = _key(provider, text, parameters)
        moment = self._clock.now().astimezone(UTC)
        answer = CachedAnswer(schema_version=1, key=key, answered_at=_second(moment), result=result)
        content = json.dumps(answer.to_dict(), ensure_ascii=False, sort_keys=True).encode()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            partial = self.folder / f".{key}.{secrets.token_hex(4)}"
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            partial.replace(self._file(key))
        except OSError as error:
            raise WorkspaceError(
                f"the search cache {str(self.folder)!r} cannot be written ({error.strerror}); "
                "make its folder writable or search without a cache"
            ) from error

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _key(provider: str, text: str, parameters: Mapping[str, str]) -> str:
    return digest("search", {"provider": provider, "text": text, "parameters": dict(parameters)})


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
