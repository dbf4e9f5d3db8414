"""Canonical bytes and domain-separated digests.

Everything that is compared across machines is hashed here: RFC 8785 canonical JSON, then SHA-256 with a
domain prefix, so that a record can never be mistaken for a snapshot or a brief of the same bytes.
"""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def sha256_hex(data: bytes) -> str:
    """Return the plain SHA-256 of `data` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Return RFC 8785 bytes of a JSON value (str, int below 2^53, float, bool, None, list, dict).

    Decimals, dates and models must be turned into text first (`model_dump(mode="json")` does so).
    """
    return rfc8785.dumps(value)


def digest(domain: str, value: Any) -> str:
    """Return SHA-256 over `porterlib:<domain>:` and the canonical JSON of `value`."""
    return sha256_hex(b"porterlib:" + domain.encode() + b":" + canonical_json(value))


def short_id(prefix: str, domain: str, value: Any, length: int = 12) -> str:
    """Return a content-derived id such as `E-3f9a0c17d2b4`."""
    return f"{prefix}-{digest(domain, value)[:length]}"
