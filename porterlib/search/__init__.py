"""Finds leads on the present web: DuckDuckGo, and addresses an operator registers.

What enters is a query that passed the egress guard and nothing else. What leaves is a list of hits, or a
verified empty one. Whatever else a provider answers is a `SearchUnavailableError` that says throttled,
blocked, broken or timeout and shows nothing of the answer; no provider stands in for another.
"""

from porterlib.search.base import WEB_HITS, QueryText, SearchProvider
from porterlib.search.cache import SearchCache
from porterlib.search.duckduckgo import DuckDuckGoSearch
from porterlib.search.pacing import Pacing
from porterlib.search.registered import RegisteredUrls, load_registered

__all__ = [
    "WEB_HITS",
    "DuckDuckGoSearch",
    "Pacing",
    "QueryText",
    "RegisteredUrls",
    "SearchCache",
    "SearchProvider",
    "load_registered",
]
