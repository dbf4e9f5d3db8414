"""Charts as pictures, drawn on this machine by vl-convert; no address in a specification is ever followed."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

VL_VERSION = "5.21"
SCALE = 1.75
"""Pixels per unit, so that a chart stays sharp on a dense screen and in print."""


def png(spec: dict[str, Any]) -> bytes:
    """Return a Vega-Lite 5 specification as PNG."""
    return _drawn(json.dumps(spec, sort_keys=True))


@lru_cache(maxsize=32)
def _drawn(spec: str) -> bytes:
    import vl_convert

    drawn: bytes = vl_convert.vegalite_to_png(spec, vl_version=VL_VERSION, scale=SCALE, allowed_base_urls=[])
    return drawn
