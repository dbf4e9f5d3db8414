"""The entry for results: which view belongs to which contract, and the promise that showing one never fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from porterlib.display import html as pages
from porterlib.display.blocks import Built
from porterlib.display.catalogue import VIEWS
from porterlib.display.text import Pattern, clean, hidden_now, hiding, withheld_for
from porterlib.display.view import Bundle, View
from porterlib.errors import InputError
from porterlib.rendering.redact import redactor

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger("porterlib.display")


def views_of(result: object) -> Mapping[str, str]:
    """Return the views of a result by name, the default first; empty for a part that has none of its own."""
    for kind in type(result).__mro__:
        if kind.__module__.startswith("porterlib.") and kind.__name__ in VIEWS:
            return VIEWS[kind.__name__]
    return {}


def show(result: object, name: str | None = None, **options: Any) -> View:
    """Return a named view of a result, or its default one.

    Raises:
        InputError: there is no such view, or an option of it names something that is not there.

    """
    known = views_of(result) or {"fields": "views.fields:fields"}
    wanted = name or next(iter(known))
    if wanted not in known:
        raise InputError(
            f"{type(result).__name__} has no view {wanted!r}; it has {', '.join(map(repr, known))}",
            view=wanted,
        )
    hidden = _pattern(result)
    module, function = known[wanted].split(":")
    make: Callable[..., Built] = getattr(import_module(f"porterlib.display.{module}"), function)
    with hiding(hidden):
        return View(make(result, **options), hidden)


def chart(result: object, name: str | None = None, **options: Any) -> Any:
    """Return a chart view of a result as an Altair chart; without a name the first that is a chart.

    Raises:
        InputError: there is no such view, or none is a chart.

    """
    if name is None:
        drawn = [view for view, place in views_of(result).items() if place.startswith("charts.")]
        if not drawn:
            raise InputError(f"{type(result).__name__} has no chart; see .show() and .to_pandas()")
        name = drawn[0]
    return show(result, name, **options).chart()


def frame(result: object, name: str | None = None, **options: Any) -> pd.DataFrame:
    """Return the tidy table of a view."""
    return show(result, name, **options).to_pandas()


def plain(result: object) -> str | None:
    """Return the plain text of a result; None for a part without a view of its own."""
    if not views_of(result):
        return None
    return str(
        unfailing(type(result).__name__, lambda: ({"text/plain": str(show(result))}, {}))[0]["text/plain"]
    )


def html(result: object) -> str:
    """Return the HTML of a result."""
    made = unfailing(
        type(result).__name__, lambda: ({"text/plain": "", "text/html": show(result).to_html()}, {})
    )
    return str(made[0]["text/html"])


def mimebundle(result: object) -> Bundle:
    """Return what a notebook shows of a result."""
    return unfailing(type(result).__name__, lambda: show(result).bundle())


def unfailing(title: str, make: Callable[[], Bundle]) -> Bundle:
    """Return what `make` gives, or a line that says that and why it could not be shown.

    A result that cannot be drawn is still a result: a notebook must not lose its cell over a picture.
    """
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - the edge where a notebook asks; recorded, and said in the cell
        _log.warning("%s could not be shown: %s", title, type(error).__name__)
        said = f"{clean(title)} could not be shown ({type(error).__name__}); .to_dict() and .to_pandas() hold its content"
        return {"text/plain": said, "text/html": pages.plain_page(said)}, {}


def _pattern(result: object) -> Pattern | None:
    """Return what must stay hidden of a result: by its own request, else as said for its run."""
    request = getattr(result, "request", None)
    for holder in (request, result):
        if hasattr(holder, "restricted_terms") and hasattr(holder, "internal_facts"):
            facts = (fact.text for fact in holder.internal_facts)
            return redactor(holder.restricted_terms, facts)
    run_id = getattr(result, "run_id", None) or getattr(getattr(result, "contract", None), "run_id", None)
    return (withheld_for(run_id) if isinstance(run_id, str) else None) or hidden_now()
