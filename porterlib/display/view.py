"""A view: what a result looks like in one respect. It displays itself and hands out its data."""

from __future__ import annotations

import copy
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from porterlib.display import html, plain
from porterlib.display.blocks import Block, Built, Para
from porterlib.display.png import png
from porterlib.display.text import Pattern, clean, hiding
from porterlib.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

VEGA = "application/vnd.vegalite.v5+json"
Bundle = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, repr=False)
class View:
    """A picture of a result in HTML and plain text, or a chart with its plain text."""

    built: Built
    hidden: Pattern | None = None
    """What must not be shown, as it stood when the view was made."""

    @property
    def title(self) -> str:
        """Return the title, which for a chart says what it shows."""
        return clean(self.built.title)

    @property
    def is_chart(self) -> bool:
        """Return whether this view is drawn."""
        return self.built.spec is not None

    @property
    def spec(self) -> dict[str, Any]:
        """Return the Vega-Lite 5 specification of a chart, as a copy.

        Raises:
            InputError: this view is a table.

        """
        if self.built.spec is None:
            raise InputError(f"{self.built.title!r} is a table and has no chart; use .to_pandas()")
        return copy.deepcopy(self.built.spec)

    def chart(self) -> Any:
        """Return the same chart as an Altair chart, to be changed further; raises InputError for a table."""
        spec = self.spec
        import altair

        # Altair speaks a later version of the grammar, in which these specifications mean the same.
        spec.pop("$schema", None)
        return altair.Chart.from_dict(spec)

    def to_pandas(self) -> pd.DataFrame:
        """Return the data as a tidy table with every row, also those a display leaves out."""
        import pandas as pd

        rows = list(self.built.rows())
        return pd.DataFrame(rows, columns=list(self.built.columns) if not rows else None)

    def to_html(self) -> str:
        """Return escaped HTML; for a chart the table of its data, as readers without the picture need it."""
        with hiding(self.hidden):
            text = html.page(self.built.title, tuple(self._blocks()))
            if len(text) <= html.MAX_CHARS:
                return text
            return html.plain_page(str(self), "This view is too large to show whole; its plain form follows.")

    def to_png(self) -> bytes:
        """Return a chart as PNG, drawn on this machine; raises InputError for a table."""
        return png(self.spec)

    def __str__(self) -> str:
        """Return the plain text."""
        with hiding(self.hidden):
            return plain.page(self.built.title, tuple(self._blocks()))

    __repr__ = __str__

    def _blocks(self) -> Iterator[Block]:
        if self.built.alt:
            yield Para(self.built.alt)
        yield from self.built.blocks

    def bundle(self) -> Bundle:
        """Return data and metadata for a notebook."""
        if self.built.spec is None:
            return {"text/plain": str(self), "text/html": self.to_html()}, {}
        # No HTML beside a chart: a front end would show the table and never draw.
        data: dict[str, Any] = {"text/plain": str(self), VEGA: self.spec}
        data["image/png"] = b64encode(self.to_png()).decode("ascii")
        alt = clean(self.built.alt or self.built.title, 900)
        return data, {"image/png": {"alt": alt}, VEGA: {"embed_options": {"actions": False}}}

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        from porterlib.display.hook import unfailing

        return unfailing(self.built.title, self.bundle)
