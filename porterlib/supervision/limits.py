"""Limits of supervision, checked where they are given: a wrong one must leave no run behind."""

from __future__ import annotations

from porterlib.contracts.supervision import LIMITS, CompletionTarget
from porterlib.errors import InputError


def check_limits(target: str, **limits: int) -> CompletionTarget:
    """Return the target, or refuse a limit outside its range.

    Args:
        target: `draft` or `publishable`.
        limits: `max_attempts`, `max_budget_units`, `stall_limit`.

    Raises:
        InputError: names the field and what may stand there.

    """
    for name, value in limits.items():
        low, high = LIMITS[name]
        if type(value) is not int or not low <= value <= high:
            raise InputError(
                f"{name}: {value!r} is no whole number from {low} to {high}; write for example {low + 1}",
                field=name,
            )
    known = [kind.value for kind in CompletionTarget]
    if target not in known:
        raise InputError(f"target: {target!r} is not known; write {' or '.join(known)}", field="target")
    return CompletionTarget(target)
