"""Result pages in the layout that the engine class expects; every word and address is invented."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def result(url: str, title: str, snippet: str, *, advert: bool = False) -> str:
    kind = "result--ad" if advert else "web-result"
    link = escape(url, quote=True)
    return (
        f'<div class="result results_links {kind}"><div class="links_main result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{link}">{escape(title)}</a></h2>'
        f'<div class="result__extras"><a href="{link}">address</a></div>'
        f'<a class="result__snippet" href="{link}">{snippet}</a></div></div>'
    )


def shell(inner: str, query: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{escape(query)} at search</title></head><body>"
        f'<form action="/html/"><input name="q" value="{escape(query, quote=True)}"></form>'
        f'<div id="links" class="results">{inner}</div></body></html>\n'
    )


def results_page(urls: Sequence[str], query: str = "") -> str:
    rows = [
        result(url, f"Title {n} of <a> page", f"About <b>cloud</b> &amp; banks, lead {n}")
        for n, url in enumerate(urls, 1)
    ]
    return shell("".join(rows), query)


def empty_page(query: str = "") -> str:
    nothing = (
        '<div class="result results_links result--no-result"><div class="links_main result__body">'
        '<div class="no-results">Nothing was found.</div></div></div>'
    )
    return shell(nothing, query)


CHALLENGE = (
    "<!DOCTYPE html><html><head><title>Search</title></head><body>"
    '<form id="challenge-form" action="//search.example/anomaly.js?cc=test" method="POST">'
    '<div class="anomaly-modal__title">Secret body marker: choose the ducks.</div></form></body></html>'
)
UNKNOWN = (
    "<!DOCTYPE html><html><body><main><article>Secret body marker, new layout.</article></main></body></html>"
)
EMPTY_HREF = shell(
    '<div class="web-result"><div class="result__body"><h2><a href="">No link</a></h2>'
    '<a class="result__snippet" href="">Secret body marker</a></div></div>'
)
ADVERT = "https://duckduckgo.com/y.js?ad_domain=adverts.example&u3=x"
