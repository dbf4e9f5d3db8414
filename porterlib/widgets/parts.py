"""Pieces all widgets are made of: inert text, pictures of results, fields with their error beside them, safe buttons.

Text reaches the screen escaped (`rendering.inert.markup`) or inside a picture that escaped it; labels and buttons show
text, never markup. A callback that fails says so under its button, with the code of the error.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import ipywidgets as w

from porterlib.errors import PorterError
from porterlib.rendering.inert import markup, visible
from porterlib.rendering.tones import PAIRS, Tone

_log = logging.getLogger("porterlib.widgets")
_TEXT = "line-height:1.4;font-size:13px;overflow-wrap:anywhere;"
LABEL_WIDTH = "190px"
_BUTTONS: dict[str, dict[str, str]] = {
    "": {},
    "primary": {"button_color": "#1f6391", "text_color": "#ffffff"},
    "success": {"button_color": "#23683f", "text_color": "#ffffff"},
    "danger": {"button_color": "#a32a26", "text_color": "#ffffff"},
}


TITLES = (
    "<style>.porterlib-titles .jupyter-widget-Collapse-header,.porterlib-titles .lm-TabBar-tab,"
    ".porterlib-titles .p-TabBar-tab{color:var(--jp-ui-font-color1,inherit)!important}</style>"
)
"""The front end's grey titles of closed sections stay below 4.5:1; this constant gives them its text colour."""


class Panel:
    """A widget with named parts; `ui` is what a notebook shows."""

    def __init__(self, children: Sequence[Any], *, name: str) -> None:
        self.name = name
        self.ui = w.VBox(list(children), layout=w.Layout(width="100%", overflow="visible"))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = dict(self.ui._repr_mimebundle_(**options))
        bundle["text/plain"] = f"{self.name}; run the cell again to use it"
        return bundle

    def __repr__(self) -> str:
        """Say what it is."""
        return f"{type(self).__name__}({self.name!r})"


def said(text: object, tone: Tone | None = None, *, bold: bool = False) -> Any:
    """Return text that is shown as it stands."""
    widget = w.HTML(layout=w.Layout(width="100%"))
    say(widget, text, tone, bold=bold)
    return widget


def say(widget: Any, text: object, tone: Tone | None = None, *, bold: bool = False) -> None:
    """Replace the text of a `said` widget; an empty text takes no room."""
    weight = "font-weight:600;" if bold else ""
    shown = " ".join(str(text).split())[:4000]
    inner = f'<div class="mathjax_ignore" style="{_TEXT}{weight}{_paint(tone)}">{markup(shown)}</div>'
    widget.value = inner if shown else ""


def _paint(tone: Tone | None) -> str:
    if tone is None:
        return ""
    ground, ink = PAIRS[tone]
    return f"background-color:{ground};color:{ink};padding:5px 9px;border-radius:3px;"


def verbatim(text: str, *, height: str = "340px") -> Any:
    """Return a whole text, line by line, in a box that scrolls."""
    style = (
        "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:0;background:transparent;color:inherit;"
        "font-size:12.5px;line-height:1.45"
    )
    inner = f'<pre class="mathjax_ignore" style="{style}">{markup(text)}</pre>'
    frame = w.Layout(
        width="auto", max_height=height, overflow="auto", border="1px solid rgba(128,128,128,.4)"
    )
    return w.Box([w.HTML(inner, layout=w.Layout(width="100%", padding="6px 10px"))], layout=frame)


def picture(view: Any = None) -> Any:
    """Return a place for a view of a result."""
    place = w.Output(layout=w.Layout(width="100%"))
    if view is not None:
        draw(place, view)
    return place


def draw(place: Any, *views: Any) -> None:
    """Put views into a place, whatever stood there before."""
    place.outputs = tuple(_output(view) for view in views)


def _output(view: Any) -> dict[str, Any]:
    data, metadata = view._repr_mimebundle_()
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def field(label: str, value: str = "", *, lines: int = 1, width: str = "auto", hint: str = "") -> Any:
    """Return a text field that keeps exactly what is typed and reports it when it is left."""
    kind = w.Textarea if lines > 1 else w.Text
    extra = {"rows": lines} if lines > 1 else {}
    return kind(
        value=value,
        description=visible(label),
        placeholder=visible(hint),
        continuous_update=False,
        style={"description_width": LABEL_WIDTH},
        layout=w.Layout(width=width),
        **extra,
    )


def choice(label: str, options: Iterable[tuple[str, Any]], value: Any = None) -> Any:
    """Return a list to choose from; labels are shown as text."""
    entries = [(visible(str(name))[:120], entry) for name, entry in options]
    return w.Dropdown(
        options=entries,
        value=value if any(entry == value for _, entry in entries) else (entries[0][1] if entries else None),
        description=label,
        style={"description_width": "initial"},
        layout=w.Layout(width="auto", max_width="340px"),
    )


def button(label: str, action: Callable[[], object], said_in: Any, *, style: str = "") -> Any:
    """Return a button whose action can fail without taking the cell with it.

    Args:
        label: what it does.
        action: called without arguments; what it returns, if text, is shown.
        said_in: `said` widget for the result or the error.
        style: `primary`, `success`, `danger`, or none; the front end's own pairs fall below 4.5:1.

    """
    made = w.Button(description=label, style=_BUTTONS[style], layout=w.Layout(width="auto"))

    def clicked(_: Any) -> None:
        made.disabled = True
        try:
            attempt(action, said_in)
        finally:
            made.disabled = False

    made.on_click(clicked)
    return made


def attempt(action: Callable[[], object], said_in: Any) -> None:
    """Do something and say how it went; a failure is said with its code and recorded by its type."""
    say(said_in, "")
    try:
        answer = action()
    except PorterError as error:
        say(said_in, f"{error.code}: {error.message}", "bad")
        _log.info("a form was refused: %s", error.code)
    except Exception as error:  # noqa: BLE001 - the edge of a widget callback; said in the cell and recorded
        say(said_in, f"{type(error).__name__}: {error}", "bad")
        _log.warning("a callback failed: %s", type(error).__name__)
    else:
        if isinstance(answer, str) and answer:
            say(said_in, answer, "good")


def titled(sections: Any) -> Any:
    """Return tabs or an accordion with titles that can be read."""
    sections.add_class("porterlib-titles")
    return w.VBox([w.HTML(TITLES, layout=w.Layout(display="none")), sections])


def row(*children: Any, gap: str = "8px") -> Any:
    """Return widgets side by side, wrapping where the cell is narrow."""
    return w.HBox(list(children), layout=w.Layout(flex_flow="row wrap", grid_gap=gap, align_items="center"))
