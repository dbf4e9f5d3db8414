"""How a result reaches those who can show it, without knowing them.

Contracts sit below display and widgets and import neither. They hold two empty slots; `porterlib/__init__`, which
stands above every room, writes an address into each, and the module behind an address is imported when a result
is first shown. Importing any contract imports `porterlib` first, so a slot is never empty: not in a fresh kernel,
not after unpickling, not in plain Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

Slot = Literal["display", "widgets"]
_addresses: dict[Slot, str] = {}


def provide(slot: Slot, module: str) -> None:
    """Write the address of the module that fills a slot; nothing is imported."""
    _addresses[slot] = module


def room(slot: Slot) -> Any:
    """Return the module that fills a slot, imported now if it was not yet."""
    return import_module(_addresses[slot])
