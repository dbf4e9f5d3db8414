"""What every contract shares: frozen, closed to unknown fields, versioned, UTC, documented field by field."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Force = Literal["new_entrants", "suppliers", "buyers", "substitutes", "rivalry"]
FORCES: tuple[Force, ...] = ("new_entrants", "suppliers", "buyers", "substitutes", "rivalry")


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("time has no zone; write it with an offset, e.g. 2026-01-31T09:00:00Z")
    return value.astimezone(UTC)


UtcTime = Annotated[datetime, AfterValidator(_utc)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1)]
Score01 = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Contract(BaseModel):
    """Base of all contracts: immutable and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the contract as plain JSON values (Decimals and times as text)."""
        return self.model_dump(mode="json")


class Versioned(Contract):
    """A contract that is stored on its own and so names the version of its shape."""

    schema_version: int = Field(1, ge=1, le=1, description="Version of this contract's shape.")
