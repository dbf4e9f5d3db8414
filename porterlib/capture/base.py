"""The seam between the pipeline and where pages come from."""

from __future__ import annotations

from typing import Protocol

from porterlib.contracts.capture import CapturedPage, SourceRef


class PageSource(Protocol):
    """Fetches one minted source; the web and a corpus folder are its two implementations."""

    def fetch(self, source: SourceRef) -> CapturedPage:
        """Return the page of `source`.

        Raises:
            CaptureRefused: the source may not be fetched or kept; `rule` names why.

        """
        ...
