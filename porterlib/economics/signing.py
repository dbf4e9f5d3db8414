"""A finance owner's signature under one exact set of inputs, and what moved since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from porterlib.contracts.economics_inputs import EconomicsInputs, SignOff
from porterlib.errors import EconomicsError
from porterlib.hashing import digest


def inputs_sha256(inputs: EconomicsInputs) -> str:
    """Return the digest of everything a signature covers; equal numbers hash alike however written."""
    return digest("economics-inputs", inputs.signed_content())


def sign(inputs: EconomicsInputs, *, owner: str, at: datetime) -> EconomicsInputs:
    """Return the inputs with a signature of `owner` (self-declared) at the aware time `at`."""
    name = " ".join(owner.split())
    if not name:
        raise EconomicsError("owner: a signature needs a name; write for example 'A. Finance'", field="owner")
    if at.tzinfo is None:
        raise EconomicsError(f"at: {at!r} has no zone; give an aware time", field="at")
    signature = SignOff(owner=name, signed_at=at, inputs_sha256=inputs_sha256(inputs))
    return inputs.model_copy(update={"sign_off": signature})


def valid_signature(inputs: EconomicsInputs) -> tuple[SignOff | None, str | None]:
    """Return the signature when it covers these inputs, and what to say when it does not."""
    if inputs.sign_off is None:
        return None, "no finance owner has signed these inputs"
    if inputs.sign_off.inputs_sha256 != inputs_sha256(inputs):
        return (
            None,
            f"the inputs changed after {inputs.sign_off.owner} signed them; they need a new signature",
        )
    return inputs.sign_off, None


@dataclass(frozen=True, slots=True)
class InputMove:
    """One input that differs between two sets, as text; None where it is absent."""

    path: str
    before: str | None
    after: str | None


def moved_inputs(before: EconomicsInputs, after: EconomicsInputs) -> tuple[InputMove, ...]:
    """Return every leaf that differs, in order of its path."""
    old, new = (dict(_leaves(inputs.signed_content())) for inputs in (before, after))
    paths = sorted(old.keys() | new.keys())
    return tuple(InputMove(p, old.get(p), new.get(p)) for p in paths if old.get(p) != new.get(p))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            label = inner["name"] if isinstance(inner, Mapping) and "name" in inner else index
            yield from _leaves(inner, f"{path}[{label}]")
    elif value is not None:
        yield path, str(value)
