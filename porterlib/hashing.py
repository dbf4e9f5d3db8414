"""Canonical bytes and domain-separated digests.

Everything that is compared across machines is hashed here: RFC 8785 canonical JSON, then SHA-256 with a
domain prefix, so that a record can never be mistaken for a snapshot or a brief of the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import rfc8785

_SAFE_INT = 2**53
# For values that `_plain` lets through, the C encoder writes what RFC 8785 asks for, several times faster.
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def sha256_hex(data: bytes) -> str:
    """Return the plain SHA-256 of `data` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Return RFC 8785 bytes of a JSON value (str, int below 2^53, float, bool, None, list, dict).

    Decimals, dates and models must be turned into text first (`model_dump(mode="json")` does so).
    """
    try:
        return _encode(_plain(value)).encode()
    except (_NotPlainError, UnicodeEncodeError):
        return rfc8785.dumps(value)


class _NotPlainError(Exception):
    """A value that only the full implementation may write, or refuse."""


def _plain(value: Any) -> Any:
    """Return `value` with whole floats as integers.

    What sorts or prints otherwise in RFC 8785 than in Python is not let through: keys that are not ASCII,
    floats that Python writes with an exponent, large integers, subclasses of the plain types.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        for key in value:
            if type(key) is not str or not key.isascii():
                raise _NotPlainError
        return {key: _plain(inner) for key, inner in value.items()}
    if kind is list or kind is tuple:
        return [_plain(inner) for inner in value]
    if kind is int and -_SAFE_INT < value < _SAFE_INT:
        return value
    if kind is float and (value == 0 or 1e-4 <= abs(value) < 1e15):
        return int(value) if value.is_integer() else value
    raise _NotPlainError


def digest(domain: str, value: Any) -> str:
    """Return SHA-256 over `porterlib:<domain>:` and the canonical JSON of `value`."""
    return sha256_hex(b"porterlib:" + domain.encode() + b":" + canonical_json(value))


def short_id(prefix: str, domain: str, value: Any, length: int = 12) -> str:
    """Return a content-derived id such as `E-3f9a0c17d2b4`."""
    return f"{prefix}-{digest(domain, value)[:length]}"
