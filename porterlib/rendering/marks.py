"""Short source marks: ids become [C1], [X1], [A1] in the order a reader meets them."""

from __future__ import annotations

from collections.abc import Iterable

from porterlib.contracts.assessment import Point
from porterlib.rendering.inert import markdown

_LETTER = {"C": "C", "X": "X", "A": "A", "L": "L", "F": "F"}
SHOWN = 4
"""Marks shown after one point; the rest are counted and stand in the sidecar."""


class Marks:
    """Numbers ids by kind as they are first cited."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def mark(self, source_id: str) -> str:
        """Return the mark of an id, minting the next number of its kind if it is new."""
        if source_id not in self._marks:
            letter = _LETTER.get(source_id[:1], "S")
            self._counts[letter] = self._counts.get(letter, 0) + 1
            self._marks[source_id] = f"{letter}{self._counts[letter]}"
        return self._marks[source_id]

    def cite(self, ids: Iterable[str], *, shown: int | None = SHOWN) -> str:
        """Return marks such as ` [C1] [X2]`; all of them if `shown` is None."""
        known = list(dict.fromkeys(ids))
        first = known[:shown]
        text = "".join(f" [{self.mark(i)}]" for i in first)
        return text + (f" (and {len(known) - len(first)} more)" if len(known) > len(first) else "")

    def point(self, point: Point) -> str:
        """Return a point's text, made inert, with its marks."""
        return markdown(point.text) + self.cite(point.basis)

    @property
    def cited(self) -> dict[str, str]:
        """Return id to mark, in the order of first citation."""
        return dict(self._marks)
