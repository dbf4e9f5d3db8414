"""Which elements of an HTML document a reader cannot see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

NEVER_TEXT = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "iframe",
        "object",
        "embed",
        "applet",
        "svg",
        "canvas",
        "audio",
        "video",
        "select",
        "textarea",
        "button",
        "input",
        "datalist",
        "option",
        "optgroup",
        "progress",
        "meter",
        "map",
        "area",
        "head",
        "title",
        "annotation",
        "annotation-xml",
        "frameset",
        "noframes",
        "noembed",
        "param",
        "source",
        "track",
        "base",
        "basefont",
        "link",
        "meta",
    ]
)
_NUMBER = r"(-?\d*\.?\d+)"
_OFF_SCREEN = re.compile(rf"^{_NUMBER}(px|pt|em|rem|vw|vh|%|in|cm)?$")
_RULE = re.compile(r"([^{}]{1,400})\{([^{}]{0,2000})\}")
_SIMPLE_SELECTOR = re.compile(r"^([a-z][a-z0-9-]*)?(?:([.#])([\w-]+))$", re.I)
# Bounded repeats: a hostile sheet must not make the search quadratic.
_AT_BLOCK = re.compile(
    r"@[\w-]{1,40}[^{};@]{0,300}\{(?:[^{}]{0,2000}\{[^{}]{0,2000}\}){0,500}[^{}]{0,2000}\}|@[^;{@]{0,300};"
)
_FAR = 900.0
_MAX_STYLE = 200_000


def declarations(style: str) -> dict[str, str]:
    """Return the declarations of a style attribute or rule body, lower case, the last of each name."""
    found = {}
    for part in _without_comments(style).split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return found


def hides(style: Mapping[str, str]) -> bool:
    """Tell whether declarations make an element invisible: not displayed, off screen, without size."""
    return (
        style.get("display") == "none"
        or style.get("visibility") in {"hidden", "collapse"}
        or style.get("content-visibility") == "hidden"
        or _is_zero(style.get("opacity"))
        or _is_zero(style.get("font-size"))
        or _is_tiny_box(style)
        or _is_off_screen(style)
        or _is_clipped(style)
        or _is_unpainted(style)
    )


class StyleSheet:
    """The hiding rules of a page's own style elements: simple selectors (`.a`, `p.a`) outside at-rules."""

    def __init__(self, sheets: Iterable[str]) -> None:
        self._hidden: set[tuple[str, str, str]] = set()
        for sheet in sheets:
            for selectors, body in _RULE.findall(_AT_BLOCK.sub("", _without_comments(sheet[:_MAX_STYLE]))):
                if hides(declarations(body)):
                    self._add(selectors)

    def _add(self, selectors: str) -> None:
        for selector in selectors.split(","):
            if match := _SIMPLE_SELECTOR.match(selector.strip()):
                tag, kind, name = match.groups()
                self._hidden.add(((tag or "").lower(), kind, name))

    def hides(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Tell whether a rule hides an element of this tag, class and id."""
        if not self._hidden:
            return False
        names = [(".", name) for name in attributes.get("class", "").split()]
        names += [("#", attributes["id"])] if "id" in attributes else []
        return any((owner, kind, name) in self._hidden for kind, name in names for owner in ("", tag))


def is_hidden(tag: str, attributes: Mapping[str, str], sheet: StyleSheet) -> bool:
    """Tell whether an element and all it holds is invisible to a reader."""
    if tag in NEVER_TEXT or "hidden" in attributes or attributes.get("aria-hidden", "").lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    if style and _style_hides(style):
        return True
    return sheet.hides(tag, attributes)


def _without_comments(style: str) -> str:
    kept, at = [], 0
    while (start := style.find("/*", at)) >= 0:
        kept.append(style[at:start])
        end = style.find("*/", start + 2)
        at = len(style) if end < 0 else end + 2
    return "".join([*kept, style[at:]])


@lru_cache(4096)  # a filing repeats few styles thousands of times
def _style_hides(style: str) -> bool:
    return hides(declarations(style))


def _number(value: str | None) -> float | None:
    match = _OFF_SCREEN.match(value) if value else None
    return float(match.group(1)) if match else None


def _is_zero(value: str | None) -> bool:
    number = _number(value)
    return number is not None and number <= (0.01 if value and value[-1].isdigit() else 0)


def _is_tiny_box(style: Mapping[str, str]) -> bool:
    clipped = style.get("overflow", style.get("overflow-x", "")) in {"hidden", "clip"}
    sizes = [_number(style.get(name)) for name in ("width", "height", "max-width", "max-height")]
    return clipped and any(size is not None and size <= 1 for size in sizes)


def _is_off_screen(style: Mapping[str, str]) -> bool:
    moved = [_number(style.get(name)) for name in ("text-indent", "margin-left", "margin-top")]
    if style.get("position") in {"absolute", "fixed"}:
        moved += [_number(style.get(name)) for name in ("left", "top")]
        moved += [
            -far for name in ("right", "bottom") if (far := _number(style.get(name))) is not None and far < 0
        ]
        moved = [-abs(far) if far is not None else None for far in moved]
    return any(far is not None and far <= -_FAR for far in moved)


def _is_clipped(style: Mapping[str, str]) -> bool:
    clip, path = style.get("clip", "").replace(" ", ""), style.get("clip-path", "").replace(" ", "")
    nothing = re.fullmatch(r"rect\((?:[01](?:px)?,?){4}\)", clip)
    inset = re.fullmatch(r"inset\((5\d|[6-9]\d|100)%\)|circle\(0(?:px|%)?\)", path)
    scaled = re.search(r"scale[xy]?\(0[,)]", style.get("transform", "").replace(" ", ""))
    return bool(nothing or inset or scaled)


def _is_unpainted(style: Mapping[str, str]) -> bool:
    colour = style.get("color", "").replace(" ", "")
    if colour in {"transparent", "rgba(0,0,0,0)"}:
        return True
    ground = style.get("background-color", style.get("background", "")).replace(" ", "")
    return bool(colour) and colour == ground
