"""Every public contract by name, for JSON Schema export."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from porterlib.contracts.base import Contract
from porterlib.errors import InputError

_MODULES = (
    "analysis",
    "assessment",
    "brief",
    "capture",
    "challenge",
    "economics",
    "economics_inputs",
    "evidence",
    "ledger",
    "model",
    "options",
    "plan",
    "publication",
    "request",
    "search",
    "sector",
    "supervision",
    "support",
)


def contract_names() -> tuple[str, ...]:
    """Return the names of all contracts, sorted."""
    return tuple(sorted(_contracts()))


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a contract.

    Raises:
        InputError: there is no contract of that name.

    """
    contracts = _contracts()
    if name not in contracts:
        near = [known for known in contracts if name.casefold() in known.casefold()]
        raise InputError(
            f"no contract {name!r}; "
            + (f"did you mean {', '.join(sorted(near)[:4])}?" if near else "see: porterlib schema"),
            name=name,
        )
    schema = contracts[name].model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _contracts() -> dict[str, type[Contract]]:
    found: dict[str, type[Contract]] = {}
    for module_name in _MODULES:
        module = import_module(f"porterlib.contracts.{module_name}")
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Contract)
                and value.__module__ == module.__name__
            ):
                found[value.__name__] = value
    return found
