"""Turns HTML into block-structured text: what a reader sees of the main content, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree  # type: ignore[import-untyped]

from porterlib.capture.blocks import BlockText
from porterlib.capture.regions import is_furniture, is_link_list
from porterlib.capture.visible import StyleSheet, is_hidden
from porterlib.contracts.capture import Heading

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_CELLS = frozenset({"td", "th"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOTE = re.compile(r"^\s*[\d*†‡]{1,3}\s*$")
_RAISED = re.compile(r"vertical-align:\s*super|(?:^|;)\s*top:\s*-", re.I)
_SELF_CLOSED = re.compile(
    r"<(script|style|title|div|span|a|p|iframe|textarea|noscript|template)\b([^<>]*)/>", re.I
)
_XML_START = re.compile(r"^\s*<\?xml[^>]*\?>")
SOFT_BREAK, NUMBERED = "porter-soft-break", "porter-numbered"
_COMMENT = re.compile(r"<!--(.*?)(?:-->|$)", re.S)
_WORDS = etree.XPath("descendant-or-self::*[not(self::script or self::style)]/text()")
_ASIDE = etree.XPath("//@alt | //@title | //@aria-label | //meta/@content")
_MIN_MAIN_CHARS, _MIN_MAIN_SHARE, _MAIN_SHARE = 200, 0.25, 0.5


@dataclass(frozen=True)
class HtmlText:
    """Text of a page with its headings, and how it was come by."""

    text: str
    headings: tuple[Heading, ...]
    main_unclear: bool
    """True when taking furniture away left almost nothing, so that it was kept."""
    nesting_cut: bool
    """True when the parser dropped what was nested too deep."""
    refreshes: bool = False
    """True when the page sends its reader on to another one by itself."""
    unseen: tuple[str, ...] = ()
    """Words of the source that no reader sees."""


class HtmlDocument:
    """A parsed page with the marks of what is hidden and what is furniture."""

    def __init__(self, source: str, *, xhtml: bool = False) -> None:
        source = _XML_START.sub("", source)
        self._comments = [match[1] for match in _COMMENT.finditer(source)]
        if xhtml:
            source = _SELF_CLOSED.sub(r"<\1\2></\1>", source)
        parser = etree.HTMLParser(
            encoding="utf-8",
            recover=True,
            no_network=True,
            huge_tree=True,
            remove_pis=True,
            remove_comments=True,
        )
        data = source.encode("utf-8", "ignore")
        parsed = etree.fromstring(data, parser) if data.strip() else None
        self.root = etree.fromstring(b"<html></html>", parser) if parsed is None else parsed
        self.nesting_cut = any("depth" in error.message.lower() for error in parser.error_log)
        self.refreshes = any(
            (meta.get("http-equiv") or "").lower() == "refresh" for meta in self.root.iter("meta")
        )
        self._sheet = StyleSheet(style.text or "" for style in self.root.iter("style"))
        self._hidden: set[object] = set()
        self._furniture: set[object] = set()
        self._mark()

    def text(self) -> HtmlText:
        """Return the visible text of the main content, or of the whole page where that is unclear."""
        main = _render(self.root, self._hidden | self._furniture)
        if len(main.text) < _MIN_MAIN_CHARS:
            whole = _render(self.root, self._hidden)
            if len(main.text) < _MIN_MAIN_SHARE * len(whole.text):
                return self._result(whole, unclear=bool(self._furniture))
        for element in self._main_elements():
            part = _render(element, self._hidden | self._furniture)
            if len(part.text) >= _MAIN_SHARE * len(main.text):
                return self._result(part, unclear=False)
        return self._result(main, unclear=False)

    def unseen(self) -> Iterator[str]:
        """Yield the words of the source that no reader sees: comments, hidden elements, texts of attributes."""
        yield from self._comments
        for element in self._hidden:
            yield "".join(_WORDS(element))
        yield from _ASIDE(self.root)

    def _result(self, built: BlockText, *, unclear: bool) -> HtmlText:
        unseen = tuple(words for words in self.unseen() if words.strip())
        return HtmlText(built.text, tuple(built.headings), unclear, self.nesting_cut, self.refreshes, unseen)

    def _main_elements(self) -> Iterator[object]:
        mains = [*self.root.iter("main"), *self.root.xpath("//*[@role='main']")]
        articles = list(self.root.iter("article"))
        for element in [*mains[:1], *(articles if len(articles) == 1 else [])]:
            if not any(above in self._hidden for above in [element, *element.iterancestors()]):
                yield element

    def _mark(self) -> None:
        """Find hidden elements and furniture in one walk, counting text and links of each element on the way up."""
        inside = 0  # open article and main elements
        counts: list[_Count] = [_Count()]
        walk = etree.iterwalk(self.root, events=("start", "end"))
        for event, element in walk:
            tag, attributes = element.tag, element.attrib
            inside += (event == "start") - (event == "end") if tag in {"article", "main"} else 0
            if event == "end":
                self._close(element, counts)
                continue
            counts.append(_Count())
            if is_hidden(tag, attributes, self._sheet):
                self._hidden.add(element)
                walk.skip_subtree()  # the end event still comes
                continue
            counts[-1].text = _solid(element.text)
            if is_furniture(tag, attributes, inside_article=inside > 0):
                self._furniture.add(element)

    def _close(self, element: etree._Element, counts: list[_Count]) -> None:
        own, above = counts.pop(), counts[-1]
        if element.tag == "a":
            own.links, own.link_text = 1, own.text
        if is_link_list(element.tag, own.text, own.link_text, own.links):
            self._furniture.add(element)
        above.text += own.text + _solid(element.tail)
        above.links += own.links
        above.link_text += own.link_text


@dataclass
class _Count:
    """Characters of an element's visible text and of its links, white space left out."""

    text: int = 0
    link_text: int = 0
    links: int = 0


def _solid(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _render(root: etree._Element, skipped: set[object]) -> BlockText:
    return _Renderer(root, skipped).run()


class _Renderer:
    """Walks a tree once and writes its visible text."""

    def __init__(self, root: etree._Element, skipped: set[object]) -> None:
        self._root, self._skipped = root, skipped
        self._built = BlockText()
        self._rows: list[
            tuple[int, bool]
        ] = []  # cells seen in each open row, and whether the row still fits a line
        self._pre = 0
        self._numbers: dict[object, int] = {}  # next number of lists that are written with their numbers

    def run(self) -> BlockText:
        walk = etree.iterwalk(self._root, events=("start", "end"))
        for event, element in walk:
            skipped = element in self._skipped
            if event == "start" and skipped:
                walk.skip_subtree()
            elif event == "start":
                self._start(element, element.tag)
                self._add(element.text)
            else:
                if not skipped:
                    self._end(element, element.tag)
                elif element.tag in _BLOCKS:
                    self._built.line_break()
                if element is not self._root:
                    self._add(element.tail)
        return self._built

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if not self._pre:
            self._built.add(text)
            return
        first, *others = text.split("\n")
        self._built.add(first)
        for line in others:
            self._built.line_break()
            self._built.add(line)

    def _start(self, element: etree._Element, tag: object) -> None:
        built = self._built
        if tag in _CELLS:
            cells, fits = self._rows[-1] if self._rows else (0, False)
            built.start_cell(continues_row=cells > 0 and fits)
        elif tag in _BLOCKS:
            built.line_break()
            if tag == "tr":
                self._rows.append((0, True))
            if tag in _HEADINGS:
                built.start_heading(_HEADINGS[str(tag)])
            self._pre += tag == "pre"
            if tag == "ol" and element.get("class") == NUMBERED:
                self._numbers[element] = int(element.get("start") or 1)
            elif tag == "li" and (number := self._numbers.get(element.getparent())) is not None:
                built.lead(f"{number}.")
                self._numbers[element.getparent()] = number + 1
        elif tag == "br":
            (built.soft_break if element.get("class") == SOFT_BREAK else built.line_break)()
        elif _is_note_mark(element):
            built.space()  # a note mark must not grow into the figure or word beside it

    def _end(self, element: etree._Element, tag: object) -> None:
        built = self._built
        if tag in _CELLS:
            single = built.end_cell()
            if self._rows:
                self._rows[-1] = (self._rows[-1][0] + 1, single)
        elif tag in _BLOCKS:
            if tag in _HEADINGS:
                built.end_heading()
            if tag == "tr":
                self._rows.pop()
            self._pre -= tag == "pre"
            built.line_break()
        elif _is_note_mark(element):
            built.space()


def _is_note_mark(element: etree._Element) -> bool:
    style = element.get("style") or ""
    if element.tag != "sup" and not (("super" in style or "top:" in style) and _RAISED.search(style)):
        return False
    if len(element) > 1 or (len(element) == 1 and len(element[0])):
        return False  # a mark is a number, perhaps inside a link
    inner = element[0].text or "" if len(element) else ""
    return bool(_NOTE.match((element.text or "") + inner))
