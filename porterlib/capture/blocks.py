"""Builds block-structured text: one block a line, cells of a row separated by tabs, inner space collapsed."""

from __future__ import annotations

import re
from enum import IntEnum

from porterlib.contracts.capture import Heading

_RULE_LINE = re.compile(r"^(?:(?=[^|]*\|)[|:\-\s]{3,}|[-=_*~]{5,})$")
_RULE_SIGNS = "|:-=_*~"
_WRAP_MIN, _WRAP_MAX = 55, 130  # a line this long that stops mid-sentence was wrapped by an editor


class _Gap(IntEnum):
    NONE = 0
    SPACE = 1
    SOFT = 2
    TAB = 3
    LINE = 4


class BlockText:
    """Collects text runs and breaks; `text` and `headings` give the result.

    A soft break is a line end inside a paragraph of Markdown or plain text: it becomes a space where the line
    looks wrapped, and stays a line end where it looks meant (a short line, or the end of a sentence).
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = _Gap.NONE
        self._column = 0  # characters since the last break of any kind
        self._lines = 0  # line ends written, to see whether a cell held more than one line
        self._cells: list[int] = []  # line on which each open cell began, -1 before its first text
        self._after_lead = False  # the number of a list item stays on the line of its text
        self._open: list[tuple[int, int]] = []  # level and start of headings not yet closed
        self.headings: list[Heading] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Add inline text; any white space in it counts as one space."""
        words = text.split()
        # A drawn line or a stray table rule says nothing.
        if not words or (words[0][0] in _RULE_SIGNS and _RULE_LINE.match(text.strip())):
            if text:
                self._raise(_Gap.SPACE)
            return
        if text[0].isspace():
            self._raise(_Gap.SPACE)
        self._write(" ".join(words))
        if text[-1].isspace():
            self._raise(_Gap.SPACE)

    def lead(self, mark: str) -> None:
        """Add the number of a list item; its text follows on the same line even if it opens a block."""
        self._write(mark)
        self._raise(_Gap.SPACE)
        self._after_lead = True

    def space(self) -> None:
        """Separate what follows by at least a space."""
        self._raise(_Gap.SPACE)

    def soft_break(self) -> None:
        """End a source line inside a paragraph."""
        self._raise(_Gap.SOFT)

    def line_break(self) -> None:
        """Start a new line, except at the start of a table cell that continues its row."""
        if not (self._after_lead or (self._cells and self._cells[-1] < 0)):
            self._raise(_Gap.LINE)

    def start_cell(self, *, continues_row: bool) -> None:
        """Start a table cell: after a tab if it continues its row, else on a new line."""
        if continues_row:
            self._gap = _Gap.TAB
        else:
            self.line_break()
        self._cells.append(-1)

    def end_cell(self) -> bool:
        """End a table cell and tell whether it held at most one line."""
        return self._cells.pop() in {-1, self._lines}

    def start_heading(self, level: int) -> None:
        """Mark that the following text is a heading of `level`."""
        self._open.append((level, -1))

    def end_heading(self) -> None:
        """Close the heading opened last; an empty one is dropped."""
        level, start = self._open.pop()
        if start >= 0:
            self.headings.append(Heading(level=level, start=start, end=self._length))

    def _raise(self, gap: _Gap) -> None:
        self._gap = max(self._gap, gap)

    def _write(self, words: str) -> None:
        separator = self._separator(words[0]) if self._parts else ""
        self._parts += [separator, words]
        self._length += len(separator) + len(words)
        if self._gap >= _Gap.SOFT:
            self._column = 0
        self._column += len(words) + (self._gap == _Gap.SPACE)
        self._lines += separator == "\n"
        self._gap = _Gap.NONE
        self._after_lead = False
        self._mark_cells()
        if self._open and self._open[-1][1] < 0:
            self._open[-1] = (self._open[-1][0], self._length - len(words))

    def _mark_cells(self) -> None:
        for index in range(len(self._cells) - 1, -1, -1):
            if self._cells[index] >= 0:
                break
            self._cells[index] = self._lines

    def _separator(self, following: str) -> str:
        if self._gap is _Gap.SOFT:
            return " " if self._looks_wrapped(self._parts[-1][-1], following) else "\n"
        return {_Gap.NONE: "", _Gap.SPACE: " ", _Gap.TAB: "\t", _Gap.LINE: "\n"}[self._gap]

    def _looks_wrapped(self, last: str, following: str) -> bool:
        if following.islower():
            return True
        wide = _WRAP_MIN <= self._column <= _WRAP_MAX
        return wide and (last.islower() or last == ",") and following.isalpha()
