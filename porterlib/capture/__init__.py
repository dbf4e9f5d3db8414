"""The only opener of pages: addresses are judged, pages fetched under limits, their visible text kept.

What enters is a minted source and nothing else. What leaves is a `CapturedPage`: bytes, text, hashes, and
what the page says about itself. Refused are addresses that are not public, bodies beyond their limits, media
that is not text, and files outside a corpus; every refusal is a `CaptureRefused` with its own rule name.
"""

from typing import TYPE_CHECKING, Any

from porterlib.capture.base import PageSource
from porterlib.capture.check import check_url
from porterlib.capture.corpus import CorpusCapture
from porterlib.capture.extract import EXTRACTOR, extract
from porterlib.capture.inert import instruction_flags
from porterlib.capture.limits import CaptureLimits
from porterlib.capture.resolver import FixedResolver, Resolver, SystemResolver
from porterlib.capture.urls import canonicalise, judge_url

if TYPE_CHECKING:
    from porterlib.capture.web import WebCapture

__all__ = [
    "EXTRACTOR",
    "CaptureLimits",
    "CorpusCapture",
    "FixedResolver",
    "PageSource",
    "Resolver",
    "SystemResolver",
    "WebCapture",
    "canonicalise",
    "check_url",
    "extract",
    "instruction_flags",
    "judge_url",
]


def __getattr__(name: str) -> Any:
    """Load the web side when it is asked for: it needs an HTTP client, a corpus does not."""
    if name == "WebCapture":
        from porterlib.capture.web import WebCapture

        return WebCapture
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
