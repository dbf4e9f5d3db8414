"""Canonical digests of whatever goes into a graph and comes out of it."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Set
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from porterlib.hashing import digest, sha256_hex

_MAX_JSON_INT = 2**53
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def value_digest(domain: str, value: Any) -> str:
    """Return SHA-256 over the canonical JSON of `value`; equal content gives equal digests."""
    return digest(domain, plain(value))


def plain(value: Any) -> Any:
    """Return `value` as JSON values that canonical JSON accepts.

    Models, dataclasses, mappings, sets, dates and Decimals are written out; bytes become their digest. An
    object of any other type is named by type and `repr` without its memory address, so that graphs of other
    projects can be supervised too; such an object hashes alike only if its `repr` tells its content.
    """
    if value is None or isinstance(value, str | bool):
        return str(value) if isinstance(value, Enum) else value
    if isinstance(value, int | float | Decimal):
        return _plain_number(value)
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"))
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Set):
        return sorted((plain(item) for item in value), key=repr)
    return _plain_object(value)


def _key(key: Any) -> str:
    return key if type(key) is str else str(plain(key))


def _plain_number(value: int | float | Decimal) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return str(value)
    return int(value) if abs(value) < _MAX_JSON_INT else str(value)


def _plain_object(value: Any) -> Any:
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return {"sha256": sha256_hex(bytes(value))}
    if isinstance(value, PurePath | UUID):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    kind = type(value)
    return {"type": f"{kind.__module__}.{kind.__qualname__}", "repr": _ADDRESS.sub("", repr(value))}
